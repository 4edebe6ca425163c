"""Renames and transfers: identity never duplicates, and old addresses keep hitting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rg_core.store.model import Batch, Edge, Item, Move
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, a_comment, a_repository, an_item, time_of

OLD, NEW = "github:owner/repo#1", "github:other/place#9"
ITEM = an_item(1, comments=(a_comment(),))
BECAME = replace(
    ITEM, node_id="I_9", repository_id="R_2", repository="Other/Place", number=9, updated_at=time_of(START + 5000),
    fetched_at=time_of(START + 6000),
)  # fmt: skip
TRANSFER = Move(OLD, NEW, "I_9", "I_1")


def address(store: Store, key: str, as_of: str | None = None) -> str | None:
    reading = store.read(key, as_of)
    return reading.resource.address if reading else None


def test_a_repository_written_under_a_new_name_is_the_same_repository(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()], items=[ITEM]))
    renamed = a_repository(name="Owner/New", fetched_at=time_of(START + 4000))
    store.write(Batch(time_of(START + 4000), repositories=[renamed]))
    for name in ("repo", "new"):
        assert address(store, f"github:owner/{name}") == "github:owner/new"
        assert address(store, f"github:owner/{name}#1") == "github:owner/new#1"
    assert store.counts()["repositories"] == 1
    assert [state.event_type for state in store.history("github:owner/repo")] == [None, "renamed"]
    assert address(store, "github:owner/new", time_of(START + 3000)) == "github:owner/repo"


def test_an_item_written_under_its_repositorys_new_name_has_one_chain(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), items=[ITEM, an_item(2)]))
    renamed = replace(ITEM, repository="Owner/New", fetched_at=time_of(START + 4000))
    store.write(Batch(time_of(START + 4000), items=[renamed]))
    assert [state.event_type for state in store.history("github:owner/repo#1")] == [None, "renamed"]
    assert address(store, "github:owner/repo#2") == "github:owner/new#2"
    assert store.counts()["issues"] == 2


def test_a_move_tells_that_a_repository_was_renamed(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), items=[ITEM]))
    store.write(Batch(time_of(START + 3000), moves=[Move("github:owner/repo", "github:owner/new", "R_1")]))
    assert address(store, "github:owner/new#1") == address(store, "github:owner/repo#1") == "github:owner/new#1"


def test_a_move_learned_first_leads_on_once_the_repository_is_stored(store: Store) -> None:
    store.write(Batch(time_of(START + 1000), moves=[Move("github:owner/old", "github:owner/repo", "R_1")]))
    assert store.read("github:owner/old#1") is None
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()], items=[ITEM]))
    assert address(store, "github:owner/old#1") == OLD
    assert address(store, "github:owner/old") == "github:owner/repo"


def test_a_name_that_somebody_else_took_is_theirs(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()], items=[ITEM]))
    store.write(Batch(time_of(START + 3000), moves=[Move("github:owner/repo", "github:owner/new", "R_1")]))
    taker = a_repository(node_id="R_5", description="another", fetched_at=time_of(START + 4000))
    store.write(Batch(time_of(START + 4000), repositories=[taker]))
    reading = store.read("github:owner/repo")
    assert reading
    assert reading.resource.node_id == "R_5"
    assert store.read("github:owner/repo#1") is None
    assert address(store, "github:owner/new#1") == "github:owner/new#1"
    assert address(store, "github:owner/new") == "github:owner/new"


@pytest.mark.parametrize(
    "batches",
    [
        [{"items": [ITEM]}, {"items": [BECAME], "moves": [TRANSFER]}],
        [{"items": [ITEM]}, {"items": [BECAME]}, {"moves": [TRANSFER]}],
        [{"items": [ITEM]}, {"moves": [TRANSFER]}, {"items": [BECAME]}],
        [{"items": [ITEM]}, {"items": [BECAME], "moves": [replace(TRANSFER, old_node_id=None)]}],
        [{"moves": [TRANSFER]}, {"items": [ITEM]}, {"items": [BECAME]}],
    ],
)
def test_a_transferred_item_goes_on_in_another_place(batches: list[dict[str, list[object]]], store: Store) -> None:
    for number, batch in enumerate(batches):
        store.write(Batch(time_of(START + 6000 + number), **batch))  # type: ignore[arg-type]
    for key in (OLD, NEW):
        reading = store.read(key)
        assert reading
        assert reading.resource == BECAME
        chain = store.history(key)
        assert [state.event_type for state in chain] == [None, "transferred"]
        assert chain[0].valid_until == chain[1].valid_from == BECAME.updated_at
        assert address(store, key, time_of(START + 3000)) == OLD
        assert store.versions([key])[key].node_id == "I_9"


def test_a_transfer_of_what_was_never_stored_leads_on(store: Store) -> None:
    store.write(Batch(time_of(START + 6000), items=[BECAME], moves=[TRANSFER]))
    assert address(store, OLD) == NEW
    assert [state.event_type for state in store.history(OLD)] == [None]


def test_a_transfer_is_found_under_every_name_of_the_repository(store: Store) -> None:
    items: list[Item] = [an_item(2), BECAME]
    store.write(Batch(time_of(START + 6000), items=items, moves=[TRANSFER]))
    store.write(Batch(time_of(START + 7000), moves=[Move("github:owner/repo", "github:owner/new", "R_1")]))
    assert address(store, "github:owner/new#1") == address(store, OLD) == NEW


def test_an_item_transferred_twice_between_two_sweeps(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), items=[ITEM]))
    moves = [Move(OLD, "github:mid/way#4", "I_4", "I_1"), Move("github:mid/way#4", NEW, "I_9", "I_4")]
    for order in (moves, moves[::-1]):
        store.write(Batch(time_of(START + 6000), items=[BECAME], moves=order))
        assert address(store, OLD) == address(store, "github:mid/way#4") == NEW
    assert [state.event_type for state in store.history(NEW)] == [None, "transferred"]


def test_moves_that_contradict_each_other_make_no_circle(store: Store) -> None:
    store.write(Batch(time_of(START + 6000), items=[ITEM, BECAME], moves=[TRANSFER]))
    store.write(Batch(time_of(START + 7000), moves=[Move(NEW, OLD, "I_1", "I_9")]))
    assert address(store, OLD) == address(store, NEW) == OLD


def test_edges_follow_renames_and_transfers(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), items=[ITEM, an_item(2, references=(OLD,))]))
    store.write(Batch(time_of(START + 6000), items=[BECAME], moves=[TRANSFER]))
    store.write(Batch(time_of(START + 7000), moves=[Move("github:owner/repo", "github:owner/new", "R_1")]))
    edge = Edge("github:owner/new#2", "REFERENCES", NEW)
    assert store.edges("github:owner/repo#2") == [edge]
    assert store.edges(OLD) == [edge]
