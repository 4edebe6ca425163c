"""Writing resources and reading them: whole, current, never half, never older than what is stored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rg_core.store.model import Batch, Edge, Item, Listing, Member
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, a_comment, a_listing, a_repository, an_item, time_of

KEY = "github:owner/repo#1"


def write(store: Store, *items: Item, at: int = START + 2000) -> None:
    store.write(Batch(time_of(at), items=items))


def later_item(second: int, **changes: object) -> Item:
    return an_item(1, updated_at=time_of(second), fetched_at=time_of(second + 10), **changes)


def current(store: Store, key: str = KEY) -> Item:
    reading = store.read(key)
    assert reading
    assert isinstance(reading.resource, Item)
    return reading.resource


WHOLE = an_item(
    1,
    kind="pull_request",
    title="Ünïcode 日本 🎉 \x00 ' \" %_ \\",
    body="long " * 100_000,
    labels=("Good First Issue", "ÄRGER", "a,b"),
    comments=(a_comment(1), a_comment(2, path="src/ü.py"), a_comment(3, minimized="spam", author="ghost")),
    references=("github:other/place#7", "github:other/place"),
    closes=("github:owner/repo#2",),
    files=tuple(f"dir/{n}.py" for n in range(250)),
    merged_at=time_of(START + 900),
    base_ref="main",
    milestone="v1.0",
    milestone_number=3,
    state="merged",
    state_reason=None,
)


def test_an_item_reads_as_it_was_written(store: Store) -> None:
    write(store, WHOLE)
    assert current(store) == WHOLE
    reading = store.read(KEY)
    assert reading
    assert (reading.valid_from, reading.valid_until, reading.superseded) == (WHOLE.updated_at, None, False)


def test_a_lone_surrogate_is_replaced(store: Store) -> None:
    write(store, an_item(title="a\ud800b", comments=(a_comment(body="\udfff"),)))
    assert current(store).title == "a?b"
    assert current(store).comments[0].body == "?"


def test_a_repository_reads_as_it_was_written(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()]))
    reading = store.read("github:owner/repo")
    assert reading
    assert reading.resource == a_repository()


@pytest.mark.parametrize("key", ["github:owner/repo#2", "github:owner/other#1", "github:owner/repo", "nonsense", ""])
def test_what_is_not_stored_reads_as_nothing(key: str, store: Store) -> None:
    write(store, an_item(1))
    assert store.read(key) is None
    assert store.history(key) == []


def test_the_same_batch_again_changes_nothing(store: Store) -> None:
    batch = Batch(time_of(START + 2000), repositories=[a_repository()], items=[WHOLE], listings=[a_listing([WHOLE])])
    store.write(batch)
    before = list(store.dump())
    store.write(batch)
    assert list(store.dump()) == before


def test_an_unchanged_item_only_moves_its_times(store: Store) -> None:
    write(store, an_item(1))
    write(store, later_item(START + 5000), at=START + 5010)
    assert len(store.history(KEY)) == 1
    assert current(store) == later_item(START + 5000)
    assert store.versions([KEY])[KEY].updated_at == time_of(START + 5000)


def test_unchanged_moves_fetched_at_alone(store: Store) -> None:
    write(store, an_item(1))
    store.write(Batch(time_of(START + 9000), unchanged=["I_1", "I_unknown"]))
    assert current(store) == an_item(1, fetched_at=time_of(START + 9000))
    assert len(store.history(KEY)) == 1


def test_an_older_item_changes_nothing(store: Store) -> None:
    write(store, later_item(START + 5000, title="new"))
    before = list(store.dump())
    write(store, later_item(START + 4000, title="old"))
    write(store, an_item(title="same source time, fetched earlier", updated_at=time_of(START + 5000)))
    assert list(store.dump()) == before


def test_a_change_that_did_not_move_updated_at_holds_from_its_fetch(store: Store) -> None:
    first = an_item(comments=(a_comment(1), a_comment(2)))
    write(store, first)
    second = replace(first, comments=(a_comment(1),), fetched_at=time_of(START + 7000))
    write(store, second, at=START + 7000)
    assert [state.valid_from for state in store.history(KEY)] == [first.updated_at, second.fetched_at]
    assert current(store) == second
    then = store.read(KEY, time_of(START + 6999))
    assert then
    assert then.superseded
    assert isinstance(then.resource, Item)
    assert then.resource.comments == first.comments


def test_a_state_remembers_when_it_was_learned_and_which_touch_asked(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), items=[an_item(1)], causes={"I_1": "touch-1"}))
    closed = later_item(START + 5000, state="closed")
    store.write(Batch(time_of(START + 5010), items=[closed], causes={"I_1": "touch-2"}))
    first, second = store.history(KEY)
    assert (first.event_type, first.cause, first.recorded_at) == (None, "touch-1", time_of(START + 2000))
    assert (second.event_type, second.cause, second.recorded_at) == ("closed", "touch-2", time_of(START + 5010))
    assert (first.valid_until, second.valid_from) == (time_of(START + 5000), time_of(START + 5000))


def test_as_of_shows_the_comments_of_then_as_worded_then(store: Store) -> None:
    write(store, later_item(START + 3000, comments=(a_comment(1, START + 2900, body="first wording"),)))
    reworded = a_comment(1, START + 2900, body="second wording", updated_at=time_of(START + 5000))
    write(store, later_item(START + 6000, comments=(reworded, a_comment(2, START + 6000))), at=START + 6010)
    for second, expected in ((3500, ["first wording"]), (6000, ["second wording", "comment 2"])):
        reading = store.read(KEY, time_of(START + second))
        assert reading
        assert isinstance(reading.resource, Item)
        assert [comment.body for comment in reading.resource.comments] == expected
    assert store.read(KEY, time_of(START + 2999)) is None


def test_a_comment_younger_than_the_instant_is_not_shown(store: Store) -> None:
    write(store, later_item(START + 3000, comments=(a_comment(1, START + 2000), a_comment(2, START + 3300))))
    reading = store.read(KEY, time_of(START + 3100))
    assert reading
    assert isinstance(reading.resource, Item)
    assert [comment.node_id for comment in reading.resource.comments] == ["C_1"]


def test_a_batch_that_fails_leaves_nothing_of_it(store: Store) -> None:
    write(store, an_item(1))
    before = list(store.dump())
    broken = Listing("not an address", "created-desc", (Member("I_2", time_of(0)),), 1, True, time_of(0))
    with pytest.raises(ValueError, match="canonical key"):
        store.write(Batch(time_of(START), items=[an_item(2), later_item(START + 9000)], listings=[broken]))
    assert list(store.dump()) == before
    write(store, an_item(2))
    assert store.read("github:owner/repo#2")


def test_versions_are_found_by_key_and_by_node_id(store: Store) -> None:
    store.write(Batch(time_of(START), repositories=[a_repository()], items=[an_item(1)]))
    found = store.versions([KEY, "I_1", "R_1", "github:owner/repo", "I_9", "github:owner/repo#9", "github:x/y"])
    assert set(found) == {KEY, "I_1", "R_1", "github:owner/repo"}
    assert found[KEY] == found["I_1"]
    assert found["I_1"].fetched_at == an_item(1).fetched_at


def test_a_repository_known_by_name_only_is_not_stored(store: Store) -> None:
    write(store, an_item(1))
    assert store.versions(["R_1", "github:owner/repo"]) == {}
    assert store.counts()["repositories"] == 0


def test_a_push_moves_times_and_makes_no_state(store: Store) -> None:
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()]))
    pushed = a_repository(
        pushed_at=time_of(START + 4000), updated_at=time_of(START + 4000), fetched_at=time_of(START + 5000)
    )
    store.write(Batch(time_of(START + 5000), repositories=[pushed]))
    assert len(store.history("github:owner/repo")) == 1
    reading = store.read("github:owner/repo")
    assert reading
    assert reading.resource == pushed


def test_a_deleted_item_reads_as_its_last_state_which_has_ended(store: Store) -> None:
    write(store, an_item(1, comments=(a_comment(),)))
    store.write(Batch(time_of(START + 8000), deleted=["I_1", "I_unknown"], causes={"I_1": "touch"}))
    assert current(store) == an_item(1, comments=(a_comment(),))
    reading, chain = store.read(KEY), store.history(KEY)
    assert reading
    assert (reading.valid_until, reading.superseded) == (time_of(START + 8000), False)
    assert [state.event_type for state in chain] == [None, "deleted"]
    assert [state.valid_until for state in chain] == [time_of(START + 8000)] * 2
    assert chain[1].cause == "touch"
    store.write(Batch(time_of(START + 8500), deleted=["I_1"]))
    assert len(store.history(KEY)) == 2


@pytest.mark.parametrize("again", ["unchanged", "written"])
def test_an_item_that_is_there_again_goes_on(again: str, store: Store) -> None:
    write(store, an_item(1))
    store.write(Batch(time_of(START + 8000), deleted=["I_1"]))
    item = an_item(1, fetched_at=time_of(START + 9000))
    store.write(
        Batch(time_of(START + 9000), unchanged=["I_1"])
        if again == "unchanged"
        else Batch(time_of(START + 9000), items=[item])
    )
    chain = store.history(KEY)
    assert len(chain) == 3
    assert chain[1].valid_until == chain[2].valid_from
    assert chain[2].valid_until is None
    assert current(store) == item


def test_an_id_in_another_format_is_the_same_item(store: Store) -> None:
    write(store, an_item(1))
    write(store, later_item(START + 5000, node_id="MDU6SXNzdWUx", title="new"))
    assert store.counts()["issues"] == 1
    assert [state.event_type for state in store.history(KEY)] == [None, "retitled"]
    assert set(store.versions(["MDU6SXNzdWUx"])) == {"MDU6SXNzdWUx"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_reference_becomes_an_edge_when_both_ends_are_stored(order: tuple[int, int], store: Store) -> None:
    items = [
        an_item(1, references=("github:owner/repo#2", "github:not/stored#5"), closes=("github:owner/repo#2",)),
        an_item(2),
    ]
    write(store, items[order[0]])
    assert store.edges(KEY) == []
    write(store, items[order[1]])
    edges = [Edge(KEY, "CLOSES", "github:owner/repo#2"), Edge(KEY, "REFERENCES", "github:owner/repo#2")]
    assert store.edges(KEY) == edges
    assert store.edges("github:owner/repo#2") == edges


def test_an_edge_goes_when_its_reference_goes(store: Store) -> None:
    write(store, an_item(1, references=("github:owner/repo#2",)), an_item(2))
    write(store, later_item(START + 5000))
    assert store.edges("github:owner/repo#2") == []


def test_counts(store: Store) -> None:
    items = [
        an_item(1, comments=(a_comment(1),)),
        an_item(2, kind="pull_request", comments=(a_comment(2), a_comment(3))),
    ]
    store.write(Batch(time_of(START), repositories=[a_repository()], items=items, listings=[a_listing(items[:1])]))
    write(store, later_item(START + 5000, title="new", comments=(a_comment(1, body="reworded"),)))
    assert store.counts() == {
        "repositories": 1, "issues": 1, "pull_requests": 1, "comments": 3, "states": 4, "listings": 1,
    }  # fmt: skip


def test_a_lease_has_one_holder_until_it_runs_out(store: Store) -> None:
    assert store.lease("sweep", "one", 60)
    assert store.lease("sweep", "one", 60)
    assert not store.lease("sweep", "two", 60)
    assert store.lease("other", "two", 60)
    store.release("sweep", "two")
    assert not store.lease("sweep", "two", 60)
    store.release("sweep", "one")
    assert store.lease("sweep", "two", 0)
    assert store.lease("sweep", "one", 60)


def test_completion(store: Store) -> None:
    items = [an_item(1), an_item(2), an_item(21)]
    store.write(Batch(time_of(START), repositories=[a_repository()], items=items, listings=[a_listing(items)]))
    listing = "github:owner/repo/issues?state=all"
    assert store.complete("github:owner", 10) == [
        "github:owner/repo", "github:owner/repo#1", "github:owner/repo#2", "github:owner/repo#21", listing,
    ]  # fmt: skip
    assert store.complete("github:owner/repo#2", 10) == ["github:owner/repo#2", "github:owner/repo#21"]
    assert store.complete("github:owner/repo/iss", 10) == [listing]
    assert store.complete("", 2) == ["github:owner/repo", "github:owner/repo#1"]
    assert store.complete("github:owner/repo#x", 10) == []
    assert store.complete("gitlab:", 10) == []
    everywhere = "github:*/issues?q=leak&state=all"
    store.write(Batch(time_of(START), listings=[a_listing(items, address=everywhere)]))
    for prefix in ("github:*", "github:*/iss", everywhere):
        assert store.complete(prefix, 10) == [everywhere]
    assert store.complete("github:", 10)[-1] == everywhere
    states = [store.history(key)[0].id for key in store.complete("github:owner/repo", 4)]
    ids = sorted([*states, *(store.candidates(name, "issues")[0].id for name in ("owner/repo", "*"))])
    assert store.state_ids("", 10) == ids
    assert store.state_ids(ids[2][:6], 10) == [ids[2]]
    assert store.state_ids("", 2) == ids[:2]


def test_unknown_ids_have_no_body(store: Store) -> None:
    for unknown in ("", "x", "0" * 32, "%", "a\x00b"):
        assert store.state(unknown) is None
        assert store.snapshot(unknown) is None
