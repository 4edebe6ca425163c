"""How a fresh answer and a stored listing become one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rg_core.store.model import Member
from rg_core.sweep.plan import merge

OLD, NOW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
IDS = st.lists(st.sampled_from("abcdefghijkl"), unique=True)


def stored(ids: list[str]) -> list[Member]:
    return [Member(each, OLD) for each in ids]


@given(IDS, IDS, st.booleans(), st.sampled_from(["created-desc", "updated-desc", "best-match"]))
def test_each_member_once_the_fresh_ones_first(before: list[str], fresh: list[str], was: bool, order: str) -> None:
    merged = merge(stored(before), fresh, total=-1, ended=False, order=order, at=NOW, was_complete=was)
    ids = [member.node_id for member in merged.members]
    assert len(ids) == len(set(ids))
    assert ids[: len(fresh)] == fresh
    assert all(member.fetched_at == (NOW if member.node_id in fresh else OLD) for member in merged.members)


@given(IDS, st.data())
def test_a_smaller_ask_of_an_unchanged_listing_changes_nothing_but_times(
    before: list[str], data: st.DataObject
) -> None:
    limit = data.draw(st.integers(min_value=0, max_value=len(before)))
    total = len(before)
    merged = merge(
        stored(before), before[:limit], total=total, ended=limit == total, order="created-desc", at=NOW,
        was_complete=True,
    )  # fmt: skip
    assert [member.node_id for member in merged.members] == before
    assert merged.complete or not limit


@given(st.lists(st.integers(0, 60), unique=True, min_size=1), st.data())
def test_the_merged_listing_is_what_github_would_answer(numbers: list[int], data: st.DataObject) -> None:
    """Newest first: some left, some new ones came; the prefix reaches what is stored."""
    before = sorted(data.draw(st.lists(st.sampled_from(numbers), unique=True)), reverse=True)
    gone = set(data.draw(st.lists(st.sampled_from(numbers), unique=True)))
    new = [100 + n for n in range(data.draw(st.integers(0, 3)))]
    now = sorted([n for n in before if n not in gone] + new, reverse=True)
    limit = data.draw(st.integers(min_value=min(len(now), len(new) + 1), max_value=len(now)))
    prefix = now[:limit]
    merged = merge(
        stored([str(n) for n in before]), [str(n) for n in prefix], total=len(now), ended=limit == len(now),
        order="created-desc", at=NOW, was_complete=True,
    )  # fmt: skip
    ids = [int(member.node_id) for member in merged.members]
    if merged.complete:
        assert ids == now
    left_later = {n for n in before if n in gone and (not prefix or n < prefix[-1])}
    assert ids == now or set(ids) - set(now) <= left_later


@given(IDS, IDS)
def test_a_whole_answer_replaces_what_was_stored(before: list[str], fresh: list[str]) -> None:
    merged = merge(stored(before), fresh, total=len(fresh), ended=True, order="created-desc", at=NOW)
    assert [member.node_id for member in merged.members] == fresh
    assert merged.complete


def test_a_prefix_without_a_stored_member_may_leave_a_gap_and_is_not_complete() -> None:
    merged = merge(
        stored(["a", "b"]), ["x", "y"], total=4, ended=False, order="created-desc", at=NOW, was_complete=True
    )
    assert not merged.complete
