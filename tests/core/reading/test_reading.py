"""What memory says to a question, over a real store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rg_core import times
from rg_core.errors import UserError
from rg_core.reading.query import answer, instant
from rg_core.reading.render import render
from rg_core.store.model import Batch, Listing, Member, Move
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.reading import samples

OPEN = "github:o/r/issues?state=open"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(str(tmp_path / "memory.db"))
    opened.init()
    yield opened
    opened.close()


def fill(store: EmbeddedStore, count: int, *, total: int, address: str = OPEN, at: str = samples.AT) -> None:
    """The first `count` of `total` open issues, newest first, as a stored listing."""
    items = [samples.item(number=number, node_id=f"I_{number}", created_at=f"2026-01-01T00:{number:02}:00Z")
             for number in range(total, total - count, -1)]  # fmt: skip
    members = tuple(Member(item.node_id, at) for item in items)
    listing = Listing(address, "created-desc", members, total, count == total, at)
    store.write(Batch(at, repositories=[samples.repository()], items=items, listings=[listing]))


def test_an_item_by_any_of_its_names(store: EmbeddedStore) -> None:
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[samples.item()]))
    for name in ("O/R#1", "github:o/r#1", "https://github.com/O/R/issues/1#issuecomment-5", "gh issue view 1 -R o/r"):
        found = answer(store, name)
        assert (found.outcome, found.asked, found.kind) == ("hit", "github:o/r#1", "issue")
        assert found.reading
        assert found.reading.resource == samples.item()
        assert (found.fetched_at, found.updated_at, found.superseded) == (samples.AT, samples.AT, False)


def test_age_is_in_days_since_the_fetch() -> None:
    found = samples.hit(samples.item())
    assert found.age_days(times.seconds("2026-11-03T12:00:00Z")) == 2.5
    assert found.age_days(times.seconds("2026-10-01")) == 0


def test_a_repository(store: EmbeddedStore) -> None:
    store.write(Batch(samples.AT, repositories=[samples.repository(readme="# hello")]))
    found = answer(store, "https://github.com/o/r")
    assert (found.outcome, found.kind) == ("hit", "repository")


def test_what_is_not_stored_is_a_miss(store: EmbeddedStore) -> None:
    for name in ("o/r#1", "o/r", "gh issue list -R o/r"):
        found = answer(store, name)
        assert (found.outcome, found.reading, found.listing, found.fetched_at) == ("miss", None, None, "")


def test_at_me_over_a_stored_listing_is_a_miss_that_says_why(store: EmbeddedStore) -> None:
    fill(store, 3, total=3)
    found = answer(store, "gh issue list -R o/r --assignee @me")
    assert found.outcome == "miss"
    assert "@me" in found.why


def test_a_search_is_a_miss_that_names_the_call_which_searches_what_is_stored(store: EmbeddedStore) -> None:
    fill(store, 3, total=3)
    call = 'recall({"query": "memory leak", "repository": "o/r"})'
    for search in (
        "gh issue list -R o/r --search 'memory leak'",
        "gh issue list -R o/r --label bug -S 'is:open \"memory leak\" NOT windows -author:app/renovate in:title'",
    ):
        found = answer(store, search)
        assert found.outcome == "miss"
        assert f"memory holds all 3 items of {OPEN}" in found.why
        assert found.why.endswith(call)
        assert call in render(found)
    for search in (
        "gh search issues --repo o/r memory leak",  # of closed ones too, which memory does not hold
        "gh search issues memory leak",
        "gh pr list -R o/r --search leak",
        "gh issue list -R o/r --search 'label:bug,crash'",  # nothing to look for
    ):
        assert "recall(" not in answer(store, search).why


def test_a_search_of_a_truncated_listing_names_no_call(store: EmbeddedStore) -> None:
    fill(store, 3, total=9)
    assert "recall(" not in answer(store, "gh issue list -R o/r --search leak").why


def test_text_that_names_nothing_is_a_miss_that_says_why(store: EmbeddedStore) -> None:
    found = answer(store, "the usual issue")
    assert (found.outcome, found.question) == ("miss", None)
    assert found.why


def test_a_truncated_listing_answers_as_much_as_it_has(store: EmbeddedStore) -> None:
    fill(store, 5, total=40)
    found = answer(store, "gh issue list -R o/r -L 3")
    assert found.listing
    assert [row.number for row in found.listing.rows] == [40, 39, 38]
    assert (found.outcome, found.listing.member_count, found.listing.total) == ("hit", 3, 40)
    assert not found.listing.complete
    longer = answer(store, "gh issue list -R o/r -L 6")
    assert longer.outcome == "miss"
    assert "memory has the first 5 of 40 of this listing" in longer.why


def test_a_bare_key_asks_for_the_listing_as_it_is_stored(store: EmbeddedStore) -> None:
    fill(store, 5, total=40)
    found = answer(store, OPEN)
    assert found.listing
    assert (found.outcome, found.listing.member_count, found.listing.total) == ("hit", 5, 40)
    assert not found.listing.complete


def test_a_listing_of_which_every_member_was_forgotten_is_a_miss(store: EmbeddedStore) -> None:
    fill(store, 1, total=1)
    store.forget(["github:o/r#1"])
    found = answer(store, OPEN)
    assert found.outcome == "miss"
    assert "the first 0 of 1" in found.why
    fill(store, 0, total=0, at="2026-11-09T00:00:00Z")
    assert answer(store, OPEN).outcome == "hit"


def test_a_narrower_question_is_derived_and_says_from_what(store: EmbeddedStore) -> None:
    fill(store, 4, total=4)
    store.write(Batch("2026-11-02T00:00:00Z", items=[
        samples.item(number=2, node_id="I_2", created_at="2026-01-01T00:02:00Z", labels=("Bug",),
                     updated_at="2026-11-02T00:00:00Z")]))  # fmt: skip
    found = answer(store, "gh issue list -R o/r --label bug")
    assert found.listing
    assert found.outcome == "subsumed"
    assert [row.number for row in found.listing.rows] == [2]
    assert (found.listing.source.address, found.fetched_at) == (OPEN, samples.AT)
    assert (found.listing.member_count, found.listing.total, found.listing.complete) == (1, 1, True)


def test_pages_of_a_listing(store: EmbeddedStore) -> None:
    fill(store, 58, total=58)
    first, second = answer(store, OPEN), answer(store, OPEN, page=2)
    assert first.listing
    assert second.listing
    assert [row.number for row in first.listing.rows] == list(range(58, 8, -1))
    assert [row.number for row in second.listing.rows] == list(range(8, 0, -1))
    assert second.listing.member_count == 58
    limited = answer(store, "gh issue list -R o/r -L 52", page=2)
    assert limited.listing
    assert [row.number for row in limited.listing.rows] == [8, 7]


def test_an_old_name_keeps_hitting_after_a_rename(store: EmbeddedStore) -> None:
    fill(store, 3, total=3)
    renamed = replace(samples.repository(), name="New/Name", updated_at="2026-11-02T00:00:00Z")
    move = Move("github:o/r", "github:new/name", "R_1")
    store.write(Batch("2026-11-02T00:00:00Z", repositories=[renamed], moves=[move]))
    for name in ("o/r#2", "new/name#2", "gh issue list -R o/r -L 3", "gh issue list -R new/name -L 3"):
        assert answer(store, name).outcome == "hit", name
    assert "moved: what was github:o/r#2 is now this" in render(answer(store, "o/r#2"))
    assert "moved" not in render(answer(store, "new/name#2"))


def test_an_issue_says_what_closes_it(store: EmbeddedStore) -> None:
    pull = samples.item(kind="pull_request", number=2, node_id="PR_2", closes=("github:o/r#1",), base_ref="main")
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[samples.item(), pull]))
    issue, closing = answer(store, "o/r#1"), answer(store, "o/r#2")
    assert issue.closed_by == ("github:o/r#2",)
    assert "closed by: github:o/r#2" in render(issue)
    assert closing.closed_by == ()
    assert "closes: github:o/r#1" in render(closing)


def test_as_of_a_time_before_anything_is_known(store: EmbeddedStore) -> None:
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[samples.item()]))
    found = answer(store, "o/r#1", as_of="2020-01-01T00:00:00Z")
    assert found.outcome == "miss"
    assert found.why == f"not known before {samples.AT}"


def test_as_of_gives_the_version_of_then(store: EmbeddedStore) -> None:
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[samples.item()]))
    later = samples.item(title="another", updated_at="2026-11-05T00:00:00Z", fetched_at="2026-11-06T00:00:00Z")
    store.write(Batch("2026-11-06T00:00:00Z", items=[later]))
    then, now = answer(store, "o/r#1", as_of="2026-11-03T00:00:00Z"), answer(store, "o/r#1")
    assert then.reading
    assert now.reading
    assert (then.reading.resource.title, then.superseded) == ("a title", True)  # type: ignore[union-attr]
    assert (now.reading.resource.title, now.superseded) == ("another", False)  # type: ignore[union-attr]


def test_what_is_gone_from_github_says_so(store: EmbeddedStore) -> None:
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[samples.item()]))
    assert answer(store, "o/r#1").deleted_at == ""
    store.write(Batch("2026-11-06T00:00:00Z", deleted=["I_1"]))
    found, then = answer(store, "o/r#1"), answer(store, "o/r#1", as_of="2026-11-03T00:00:00Z")
    assert found.deleted_at == "2026-11-06T00:00:00Z"
    assert "deleted on GitHub, as seen 2026-11-06T00:00:00Z" in render(found)
    assert (then.superseded, then.deleted_at) == (True, "")


def test_a_listing_as_of_is_the_one_recorded_then(store: EmbeddedStore) -> None:
    fill(store, 2, total=2)
    fill(store, 3, total=3, at="2026-11-09T00:00:00Z")
    then = answer(store, OPEN, as_of="2026-11-03T00:00:00Z")
    assert then.listing
    assert (then.listing.member_count, then.superseded) == (2, True)
    for name in (OPEN, "gh issue list -R o/r", "gh issue list -R o/r --label bug"):
        before = answer(store, name, as_of="2020-01-01T00:00:00Z")
        assert (before.outcome, before.why) == ("miss", f"not known before {samples.AT}")


def test_a_listing_changed_when_the_latest_of_its_rows_did(store: EmbeddedStore) -> None:
    fill(store, 3, total=3)
    later = samples.item(number=2, node_id="I_2", updated_at="2026-11-05T00:00:00Z", fetched_at="2026-11-06T00:00:00Z")
    store.write(Batch("2026-11-06T00:00:00Z", items=[later]))
    assert answer(store, OPEN).updated_at == "2026-11-05T00:00:00Z"
    assert answer(store, OPEN, page=2, rows=2).updated_at == samples.AT


def test_several_addresses_are_asked_for_one_at_a_time(store: EmbeddedStore) -> None:
    long = "gh issue list -R o/r -S '{}'"
    with pytest.raises(UserError, match="ask for one at a time") as told:
        answer(store, f"{long.format('é' * 2_000)} && {long.format('è' * 2_000)}")
    assert len(str(told.value)) < 1_000
    with pytest.raises(UserError, match="one at a time"):
        answer(store, "gh issue view 1 -R o/r; gh issue view 2 -R o/r")
    with pytest.raises(UserError, match="too long"):
        answer(store, "x" * 20_000)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-04-15T00:00:00Z", "2026-04-15T00:00:00Z"),
        ("2026-04-15", "2026-04-15T00:00:00Z"),
        (" 2026-04-15T02:30:00+02:00 ", "2026-04-15T00:30:00Z"),
        ("2026-04-15T01:02:03.999", "2026-04-15T01:02:03Z"),
    ],
)
def test_times_are_understood(text: str, time: str) -> None:
    assert instant(text) == time


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01", "0001-01-01T00:00:00+14:00"])
def test_what_is_no_time_says_how_one_is_written(text: str) -> None:
    with pytest.raises(UserError, match="write it like 2026-04-15T00:00:00Z"):
        instant(text)
