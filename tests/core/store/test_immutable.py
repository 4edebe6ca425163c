"""No later write changes the body of a State or of a snapshot; every path by which a Store writes is tried.

`WRITES` must name every method of the Protocol that can write and every field of a Batch: a new one fails here until
it is added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace

from rg_core.store.model import Batch, Move, StateBody
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, a_comment, a_listing, a_repository, an_item, time_of

READING_METHODS = {
    "browse", "candidates", "complete", "counts", "dump", "edges", "history", "listed_since", "listing", "page", "read",
    "snapshot", "state", "state_ids", "versions", "where", "can", "exists", "touches_of", "damage",
    "listings_with", "repository_named", "foreign", "index", "documents_of", "facets",
}  # fmt: skip
LATER, LATER_AT = time_of(START + 7000), time_of(START + 8000)
FIRST = an_item(1, comments=(a_comment(1), a_comment(2)), references=("github:owner/repo#2",))
BATCH = Batch(
    time_of(START + 2000), repositories=[a_repository()], items=[FIRST, an_item(2)],
    listings=[a_listing([FIRST, an_item(2)])], causes={"I_1": "touch"},
)  # fmt: skip
CHANGED = an_item(
    1, title="new", body="new", labels=(), state="closed", closed_at=LATER, updated_at=LATER, fetched_at=LATER_AT,
    comments=(a_comment(1, body="reworded", updated_at=LATER), a_comment(3)),
)  # fmt: skip
TRANSFERRED = replace(CHANGED, node_id="I_7", repository_id="R_2", repository="Other/Place", number=7)

WRITES: dict[str, Callable[[Store], object]] = {
    "repositories": lambda store: store.write(Batch(LATER_AT, repositories=[
        a_repository(name="Owner/New", readme="new", updated_at=LATER, fetched_at=LATER_AT)])),
    "items": lambda store: store.write(Batch(LATER_AT, items=[CHANGED])),
    "items: same updated_at": lambda store: store.write(Batch(LATER_AT, items=[
        replace(FIRST, comments=(), references=(), fetched_at=LATER_AT)])),
    "items: only times": lambda store: store.write(Batch(LATER_AT, items=[
        replace(FIRST, updated_at=LATER, fetched_at=LATER_AT)])),
    "items: older": lambda store: store.write(Batch(LATER_AT, items=[
        replace(FIRST, title="old", updated_at=time_of(START))])),
    "items: another id": lambda store: store.write(Batch(LATER_AT, items=[replace(CHANGED, node_id="MDU6MQ==")])),
    "listings": lambda store: store.write(Batch(LATER_AT, items=[CHANGED], listings=[
        a_listing([CHANGED], fetched_at=LATER_AT)])),
    "listings: the same": lambda store: store.write(Batch(LATER_AT, listings=[
        a_listing([FIRST, an_item(2)], fetched_at=LATER_AT)])),
    "moves": lambda store: store.write(Batch(LATER_AT, items=[TRANSFERRED], moves=[
        Move("github:owner/repo#1", "github:other/place#7", "I_7", "I_1"),
        Move("github:owner/repo", "github:owner/new", "R_1")])),
    "unchanged": lambda store: store.write(Batch(LATER_AT, unchanged=["I_1", "I_2", "R_1"])),
    "deleted": lambda store: store.write(Batch(LATER_AT, deleted=["I_1", "R_1"])),
    "causes": lambda store: store.write(replace(BATCH, causes={"I_1": "another touch"})),
    "load": lambda store: store.load(list(store.dump())),
    "lease": lambda store: store.lease("sweep", "one", 60),
    "release": lambda store: store.release("sweep", "one"),
    "init": lambda store: store.init(),
    "forget": lambda store: store.forget(["github:owner/repo#2", "github:owner/repo/issues?state=open"]),
}  # fmt: skip


def bodies(store: Store) -> dict[str, object]:
    return {id_: (store.state(id_), store.snapshot(id_)) for id_ in store.state_ids("", 1000)}


def test_every_write_path_is_tried() -> None:
    methods = {name for name in vars(Store) if not name.startswith("_")}
    fields = {field.name for field in dataclasses.fields(Batch)} - {"at"}
    assert methods - READING_METHODS - {"write", "close"} | fields == {name.partition(":")[0] for name in WRITES}


def test_no_write_changes_a_body(new_store: Callable[[], Store]) -> None:
    for name, later_write in WRITES.items():
        store = new_store()
        store.write(BATCH)
        before = bodies(store)
        assert len(before) == 4
        later_write(store)
        after = bodies(store)
        if name == "forget":  # what is forgotten goes, with its place in the snapshot; the rest is as it was
            kept = [id_ for id_ in before if id_ in after]
            assert [id_ for id_ in kept if after[id_] != before[id_]] == [
                store.candidates("owner/repo", "issues")[0].id
            ]
            assert len(kept) == 3
        else:
            assert {id_: after[id_] for id_ in before} == before, name


def test_no_write_after_another_changes_a_body(store: Store) -> None:
    store.write(BATCH)
    known = bodies(store)
    for name, later_write in WRITES.items():
        if name == "forget":
            continue
        later_write(store)
        after = bodies(store)
        assert {id_: after[id_] for id_ in known} == known, name
        known |= after


def test_a_body_has_no_word_about_its_place_in_the_chain(store: Store) -> None:
    store.write(BATCH)
    body = store.state(store.history("github:owner/repo#1")[0].id)
    assert body
    lifecycle = {"valid_from", "valid_until", "event_type", "cause", "superseded", "fetched_at", "age_days", "deleted"}
    assert not lifecycle & ({field.name for field in dataclasses.fields(StateBody)} | set(body.content))
