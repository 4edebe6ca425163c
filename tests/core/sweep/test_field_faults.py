"""A field that GitHub fails to answer whatever is asked for must not make a Sweep crawl (N10)."""

from __future__ import annotations

import pytest

from rg_core.store.model import Item
from tests.core.sweep.bench import Bench
from tests.core.sweep.conftest import MakeBench
from tests.github_standin.server import FaultKind
from tests.github_standin.world import World

KEY = "github:o/r/pulls?state=all"


def pulls(count: int = 60) -> World:
    world = World()
    repo = world.repo("o/r")
    issue = repo.issue("The issue")
    for number in range(count):
        pull = repo.pull(f"Change {number}", "Closes #1", files=["a"], closes=[issue])
        pull.thread("a", "Why?")
        pull.mentioned_by(issue)
    return world


def pull(made: Bench, number: int) -> Item:
    reading = made.store.read(f"github:o/r#{number}")
    assert reading is not None
    assert isinstance(reading.resource, Item)
    return reading.resource


@pytest.mark.parametrize("count", [2, 60])
@pytest.mark.parametrize("fault", ["internal", "null_connections", "withdrawn"])
def test_n10_a_needed_field_that_always_fails_sends_its_kind_to_rest(
    fault: FaultKind, count: int, bench: MakeBench
) -> None:
    made = bench(pulls(count))
    made.touch(KEY)
    made.standin.fail(fault, times=10_000, where="graphql", match="Whole", targets=frozenset({"reviewThreads"}))
    summary = made.sweep()
    assert (summary.exit_code, summary.fetched) == (0, count)
    assert made.standin.graphql_requests <= 8
    assert sum(made.clock.slept) < 10
    assert [note for note in summary.notes if "reviewThreads" in note and "REST" in note] or count == 2
    assert [comment.body for comment in pull(made, count).comments] == ["Why?"]


@pytest.mark.parametrize("fault", ["internal", "null_connections", "withdrawn"])
def test_n10_a_field_that_may_be_missing_is_left_out(fault: FaultKind, bench: MakeBench) -> None:
    made = bench(pulls())
    made.touch(KEY)
    names = frozenset({"timelineItems", "closingIssuesReferences"})
    made.standin.fail(fault, times=10_000, where="graphql", match="Whole", targets=names)
    summary = made.sweep()
    assert (summary.exit_code, summary.fetched) == (0, 60)
    assert made.standin.graphql_requests <= 18
    assert not any("GET" in asked for asked in made.standin.asked)
    assert len(summary.notes) == 2
    assert pull(made, 30).closes == ("github:o/r#1",)  # by its words
    assert [comment.body for comment in pull(made, 30).comments] == ["Why?"]


def test_n10_a_scalar_that_turns_null_sends_its_kind_to_rest(bench: MakeBench) -> None:
    made = bench(pulls())
    made.touch(KEY)
    made.standin.fail("internal", times=10_000, where="graphql", match="Whole", targets=frozenset({"baseRefName"}))
    summary = made.sweep()
    assert (summary.exit_code, summary.fetched) == (0, 60)
    assert made.standin.graphql_requests <= 8
    assert pull(made, 30).base_ref == "main"


def test_n10_one_poisoned_item_is_isolated_and_the_batch_size_recovers(bench: MakeBench) -> None:
    made = bench(pulls(100))
    poisoned = made.standin.world.repos["o/r"].things[10]
    made.touch(KEY)
    made.standin.fail("502", times=10_000, where="graphql", match=poisoned.node_id)
    summary = made.sweep()
    assert (summary.exit_code, summary.fetched, summary.notes) == (0, 100, ())
    assert made.standin.graphql_requests < 20
    assert pull(made, 10).title == "Change 8"


def test_n10_an_index_whose_field_is_withdrawn_comes_over_rest(bench: MakeBench) -> None:
    made = bench(pulls(3))
    made.touch(KEY, "github:o/r#2")
    made.standin.fail("withdrawn", times=10_000, where="graphql", targets=frozenset({"totalCount"}))
    summary = made.sweep()
    assert (summary.exit_code, summary.resolved) == (0, 2)
    assert made.members(KEY) == [4, 3, 2]
