"""The oracle: an answer from memory is what GitHub would have answered from that world, or memory declines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.address.matching import choose, derivable, may_answer
from rg_core.address.model import Address
from rg_core.reading.query import answer as from_memory
from rg_core.store.model import Batch, Item
from rg_core.store.protocol import Store
from rg_core.touches.known import Known
from tests.core.address import worlds
from tests.core.address.conftest import EVERY, EXAMPLES, Fresh

Property = Callable[[st.DataObject], None]


def holds(engine: str, claim: Property) -> None:
    """Try a claim with as many examples as the engine's speed allows."""
    settings(max_examples=EXAMPLES[engine])(given(st.data())(claim))()


@pytest.mark.unmeasured
def test_an_answer_from_memory_is_githubs_own(engine: str, fresh: Fresh) -> None:
    def claim(data: st.DataObject) -> None:
        world = data.draw(worlds.items())
        with fresh() as store:
            about = data.draw(worlds.questions())
            for asked in data.draw(st.lists(worlds.nearby(about), min_size=1, max_size=3)):
                store.write(worlds.stored(world, asked))
            first = data.draw(st.integers(0, EVERY[engine] - 1))
            for question in islice(worlds.around(about), first, None, EVERY[engine]):
                found = from_memory(store, question).listing
                if found:
                    wanted = worlds.answer(world, question)
                    whole = worlds.answer(world, question.asking(None, question.order))
                    assert [row.number for row in found.rows] == [item.number for item in wanted]
                    assert found.member_count == len(wanted)
                    assert found.total == len(whole)
                    assert found.complete == (len(wanted) == len(whole))

    holds(engine, claim)


@pytest.mark.unmeasured
def test_what_was_asked_is_answered_again_and_so_is_every_shorter_ask(engine: str, fresh: Fresh) -> None:
    def claim(data: st.DataObject) -> None:
        world, asked = data.draw(worlds.items()), data.draw(worlds.questions())
        with fresh() as store:
            store.write(worlds.stored(world, asked))
            count = len(worlds.answer(world, asked))
            for limit in {asked.limit, *range(1, count + 1)}:
                assert from_memory(store, asked.asking(limit, asked.order)).outcome == "hit"

    holds(engine, claim)


def test_everything_narrower_than_a_complete_listing_is_answered(engine: str, fresh: Fresh) -> None:
    def claim(data: st.DataObject) -> None:
        world, question = data.draw(worlds.items()), data.draw(worlds.questions())
        states = ["all", question.state, "closed" if question.state == "merged" else "all"]
        wider = Address(
            question.kind,
            question.repository,
            state=data.draw(st.sampled_from(states)),
            labels=[label for label in question.labels if data.draw(st.booleans())],
            author=data.draw(st.sampled_from(["", question.author])),
            assignee=data.draw(st.sampled_from(["", question.assignee])),
            milestone=data.draw(st.sampled_from(["", question.milestone])),
            order=data.draw(st.sampled_from(worlds.ORDERS)),
        )
        own = wider == question and wider.order == question.order
        with fresh() as store:
            store.write(worlds.stored(world, wider))
            answered = from_memory(store, question).outcome != "miss"
            assert answered == (own or (derivable(question) and not question.q))

    holds(engine, claim)


def test_a_member_that_changed_since_counts_as_it_is_now(fresh: Fresh) -> None:
    world = [issue(1, "open"), issue(2, "open"), issue(3, "closed")]
    everything = Address("issues", "o/r", state="all")
    with fresh() as store:
        store.write(worlds.stored(world, everything))
        store.write(Batch(at="2026-11-02T00:00:00Z", items=[replace(world[0], state="closed", updated_at=worlds.AT)]))
        assert numbers(store, Address("issues", "o/r", state="open")) == [2]
        assert numbers(store, everything) == [3, 2, 1]


def test_of_several_listings_the_freshest_answers() -> None:
    question = Address("issues", "o/r", state="open")
    old = row("github:o/r/issues?state=open", "2026-01-01T00:00:00Z")
    new = row("github:o/r/issues?state=all", "2026-01-02T00:00:00Z")
    assert choose([old, new], question) == (new, "subsumed")
    assert choose([old, row(old.address, new.fetched_at), new], question) == (row(old.address, new.fetched_at), "hit")
    assert choose([], question) is None


@pytest.mark.parametrize(
    ("stored", "question", "expected"),
    [
        ("github:o/r/pulls?state=closed", "github:o/r/pulls?state=merged", "subsumed"),
        ("github:o/r/pulls?state=merged", "github:o/r/pulls?state=closed", None),
        ("github:o/r/issues?state=closed", "github:o/r/issues?state=open", None),
        ("github:o/r/issues?state=all", "github:o/r/pulls?state=all", None),
        ("github:o/r/issues?state=all", "github:o/r2/issues?state=all", None),
        ("github:o/r/issues?label=bug&state=open", "github:o/r/issues?label=bug&label=perf&state=open", "subsumed"),
        ("github:o/r/issues?label=bug&label=perf&state=open", "github:o/r/issues?label=bug&state=open", None),
        ("github:o/r/issues?q=leak&state=all", "github:o/r/issues?q=leak&state=open", None),
        ("github:o/r/issues?state=all", "github:o/r/issues?q=leak&state=all", None),
        ("github:o/r/issues?q=leak&state=all", "github:o/r/issues?q=leak&state=all", "hit"),
        ("github:o/r/issues?state=all", "github:o/r/issues?assignee=none&state=all", None),
        ("github:o/r/issues?state=all", "github:o/r/issues?author=dependabot%5Bbot%5D&state=all", None),
        ("github:o/r/issues?author=bob&state=all", "github:o/r/issues?author=bob&milestone=3&state=open", "subsumed"),
    ],
)
def test_section_four_of_the_design(stored: str, question: str, expected: str | None) -> None:
    assert may_answer(Address.parse(stored), "created-desc", 5, True, Address.parse(question)) == expected


def test_a_truncated_listing_answers_only_shorter_asks_of_itself_in_its_order() -> None:
    stored = Address.parse("github:o/r/issues?state=all")
    narrower = Address.parse("github:o/r/issues?state=open").asking(1)
    assert may_answer(stored, "created-desc", 30, False, stored.asking(30)) == "hit"
    assert may_answer(stored, "created-desc", 30, False, stored.asking(31)) is None
    assert may_answer(stored, "created-desc", 30, False, stored) is None
    assert may_answer(stored, "created-desc", 30, False, stored.asking(3, "updated-desc")) is None
    assert may_answer(stored, "created-desc", 30, False, narrower) is None


def row(address: str, fetched_at: str) -> Known:
    return Known(address, "created-desc", fetched_at, "", member_count=5, total_count=5, complete=True)


def issue(number: int, state: Literal["open", "closed"]) -> Item:
    return Item(
        kind="issue", node_id=f"I_{number}", repository_id="R_O/R", repository="O/R", number=number, title="t", body="",
        state=state, author="bob", labels=(), assignees=(), milestone=None, milestone_number=None,
        created_at=f"2026-01-0{number}T00:00:00Z", updated_at="2026-02-01T00:00:00Z", closed_at=None,
        fetched_at=worlds.AT,
    )  # fmt: skip


def numbers(store: Store, question: Address) -> list[int]:
    found = from_memory(store, question)
    assert found.listing
    return [row.number for row in found.listing.rows]
