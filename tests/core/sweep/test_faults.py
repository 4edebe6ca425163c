"""Whatever GitHub does to a run, a few more runs end with the same memory as a run that met no fault."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from rg_core.errors import UserError
from tests.core.sweep.bench import Bench, Clock
from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import long_world, small_world
from tests.github_standin.server import TOKEN, Standin
from tests.github_standin.world import World

ASKS = (
    "github:acme/long",
    "github:acme/long#1",
    "github:acme/long#404",
    "github:acme/long/issues?state=all",
    "github:acme/long/issues?label=bug&label=odd&state=all",
    "github:acme/long/pulls?state=open",
)
FAULTS: dict[str, dict[str, Any]] = {
    "502": {},
    "504": {},
    "drop": {},
    "truncated": {},
    "html": {},
    "something_wrong": {},
    "rate_limited": {},
    "secondary": {},
    "unauthorized": {},
    "resource_limits": {"over": 5},
    "null_connections": {"targets": frozenset({"comments"})},
    "forbidden": {"targets": frozenset({long_world().repos["acme/long"].things[5].node_id})},
}
Result = tuple[list[Mapping[str, object]], dict[str, str]]


def odd_world() -> World:
    world = long_world()
    for thing in list(world.repos["acme/long"].things.values())[:3]:
        thing.labels = ["bug", "odd"]
    return world


def run(directory: Path, kind: str = "", runs: int = 4, **fault: Any) -> tuple[Result, Bench, Standin]:
    clock = Clock()
    with Standin(odd_world(), clock=clock) as standin:
        if kind:
            standin.fail(kind, where="graphql", **fault)  # type: ignore[arg-type]
        bench = Bench(directory, standin, clock, TOKEN)
        bench.touch(*ASKS)
        for _ in range(runs):
            try:
                if bench.sweep().exit_code == 0:
                    break
            except UserError:
                pass
            clock.time += 3600
        result = bench.contents(), bench.statuses()
        bench.store.close()
        return result, bench, standin


@cache
def faultless() -> tuple[Result, int]:
    with TemporaryDirectory() as directory:
        result, _, standin = run(Path(directory), runs=1)
        return result, standin.graphql_requests


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("times", [1, 3])
def test_three_more_sweeps_end_with_the_same_memory(kind: str, times: int, tmp_path: Path) -> None:
    expected, requests = faultless()
    assert set(expected[1].values()) == {"resolved", "not_found"}
    for skip in range(0, requests, 3 if times == 1 else 8):
        result, _, _ = run(tmp_path / f"{skip}", kind, skip=skip, times=times, **FAULTS[kind])
        assert result[1] == expected[1], (kind, skip)
        assert result[0] == expected[0], (kind, skip)


@pytest.mark.parametrize("status", [200, 403, 429])
@pytest.mark.parametrize("retry_after", [None, "7", "Fri, 15 Jan 2027 08:00:20 GMT"])
def test_a_secondary_limit_is_waited_for(status: int, retry_after: str | None, tmp_path: Path) -> None:
    result, bench, _ = run(tmp_path, "secondary", runs=1, status=status, retry_after=retry_after)
    assert result == faultless()[0]
    assert max(bench.clock.slept) == (60 if retry_after is None else pytest.approx(7 if retry_after == "7" else 20, 1))


@pytest.mark.parametrize("kind", ["502", "504", "drop", "truncated", "html", "secondary", "410", "451"])
def test_rest_requests_survive_faults_too(kind: Any, bench: MakeBench) -> None:
    asks = ["github:acme/widgets", "github:acme/widgets#4", "github:acme/widgets/issues?state=all"]
    clean = bench(small_world(), token="")
    clean.touch(*asks)
    clean.sweep()
    for skip in range(14):
        faulty = bench(small_world(), token="")
        faulty.standin.fail(kind, skip=skip)
        faulty.touch(*asks)
        assert faulty.sweep().exit_code == 0
        assert faulty.contents() == clean.contents()


def test_wide_queries_stay_below_the_width_that_loses_nested_nodes(bench: MakeBench) -> None:
    world = World()
    repo = world.repo("o/r")
    for n in range(130):
        issue, pull = repo.issue(f"Issue {n}"), repo.pull(f"Change {n}", files=["a"])
        for _ in range(8):
            issue.mentioned_by(pull)
    made = bench(world)
    made.touch("github:o/r/issues?state=all", "github:o/r/pulls?state=all")
    assert made.sweep().exit_code == 0
    for n in (1, 131, 259):
        reading = made.store.read(f"github:o/r#{n}")
        assert reading is not None
        assert reading.resource.references == (f"github:o/r#{n + 1}",)  # type: ignore[union-attr]
    assert made.store.counts()["pull_requests"] == 130


def test_comments_lost_without_an_error_are_asked_for_again(bench: MakeBench) -> None:
    """The index counted them: a batch whose counts disagree comes again, smaller."""
    made = bench(long_world())
    made.standin.shrink_comments_over = 10
    made.touch("github:acme/long/issues?state=all")
    assert made.sweep().exit_code == 0
    reading = made.store.read("github:acme/long#59")
    assert reading is not None
    assert len(reading.resource.comments) == 150  # type: ignore[union-attr]


def test_the_batch_size_that_worked_is_remembered(bench: MakeBench) -> None:
    made = bench(long_world())
    made.standin.fail("resource_limits", times=1000, over=6, where="graphql", match="Whole")
    made.touch("github:acme/long/issues?state=all")
    assert made.sweep().exit_code == 0
    assert made.store.counts()["issues"] == 59
    assert made.standin.graphql_requests < 30


def test_a_mention_that_the_token_may_not_see_spoils_no_item(bench: MakeBench) -> None:
    """SAML makes the whole event null, with an error beside it."""
    made = bench(small_world())
    made.standin.fail("forbidden", times=1000, targets=frozenset({"acme/gears"}))
    made.touch("github:acme/widgets#2")
    summary = made.sweep()
    assert (summary.exit_code, summary.requests) == (0, 2)
    reading = made.store.read("github:acme/widgets#2")
    assert reading is not None
    assert reading.resource.references == ()  # type: ignore[union-attr]


def test_an_index_with_holes_is_never_a_complete_listing(bench: MakeBench) -> None:
    made = bench(long_world())
    made.touch("github:acme/long/issues?state=all")
    made.standin.fail("null_connections", times=1000, targets=frozenset({"nodes"}), match="Listing")
    summary = made.sweep()
    assert summary.exit_code == 1
    assert summary.waiting == 1
    assert made.store.listing("github:acme/long/issues?state=all", "created-desc") is None
    assert made.statuses() == {"github:acme/long/issues?state=all": "pending"}
    made.standin.faults.clear()
    assert made.sweep().exit_code == 0
    assert len(made.members("github:acme/long/issues?state=all")) == 59


def test_one_bad_touch_stops_no_other(bench: MakeBench) -> None:
    made = bench(small_world())
    broken = made.standin.world.repos["acme/widgets"].things[2]
    made.standin.fail("null_connections", times=1000, targets=frozenset({"timelineItems"}), match=broken.node_id)
    made.standin.fail("502", times=1000, where="rest", match="/issues/2")
    made.touch("github:acme/widgets#1", "github:acme/widgets#2", "github:acme/widgets#3")
    summary = made.sweep()
    assert (summary.resolved, summary.waiting, summary.exit_code) == (2, 1, 1)
    assert made.statuses()["github:acme/widgets#2"] == "pending"


def test_an_item_too_heavy_for_graphql_comes_over_rest(bench: MakeBench) -> None:
    made = bench(small_world())
    pull = made.standin.world.repos["acme/widgets"].things[4]
    made.standin.fail("null_connections", times=1000, targets=frozenset({"files"}), match=pull.node_id)
    made.touch("github:acme/widgets#4")
    assert made.sweep().exit_code == 0
    reading = made.store.read("github:acme/widgets#4")
    assert reading is not None
    assert reading.resource.files == ("src/start.c", "README.md")  # type: ignore[union-attr]


def test_forbidden_public_things_are_read_without_the_token(bench: MakeBench) -> None:
    made = bench(small_world())
    made.standin.fail("forbidden", times=1000, targets=frozenset({"acme/Widgets"}))
    made.touch("github:acme/widgets", "github:acme/widgets#1", "github:acme/widgets/issues?state=all")
    assert made.sweep().exit_code == 0
    assert set(made.statuses().values()) == {"resolved"}
    assert all("authorization" not in headers for headers in made.standin.headers if "x-github-api-version" in headers)
    assert made.members("github:acme/widgets/issues?state=all") == [3, 2, 1]


@pytest.mark.parametrize("fields", ["issues", "nodes", "repository", "search"])
@pytest.mark.parametrize("key", ["issues?state=all", "issues?label=bug&label=perf&state=all"])
def test_an_index_that_is_null_once_is_read_again(fields: str, key: str, bench: MakeBench) -> None:
    made = bench(small_world())
    made.standin.fail("null_connections", targets=frozenset({fields}), where="graphql")
    made.touch(f"github:acme/widgets/{key}")
    assert made.sweep().exit_code == 0
    assert made.members(f"github:acme/widgets/{key}") == ([2] if "label" in key else [3, 2, 1])


@pytest.mark.parametrize("times", [1, 1000])
def test_a_milestone_that_could_not_be_looked_up_asks_no_other_question(times: int, bench: MakeBench) -> None:
    made = bench(small_world())
    key = "github:acme/widgets/issues?milestone=3&state=open"
    made.standin.fail("502", times=times, where="graphql", match="Lookup")
    made.touch(key)
    summary = made.sweep()
    if times == 1:
        assert made.members(key) == [2]
    else:
        assert (summary.exit_code, summary.waiting) == (1, 1)
        assert not any("search(" in query for query in made.standin.queries)


def test_a_search_anywhere_that_comes_to_nothing_waits(bench: MakeBench) -> None:
    made = bench(small_world())
    made.standin.fail("502", times=1000, where="graphql")
    made.touch("github:*/issues?q=memory&state=all")
    summary = made.sweep()
    assert (summary.exit_code, summary.waiting) == (1, 1)
    assert set(made.statuses().values()) == {"pending"}
