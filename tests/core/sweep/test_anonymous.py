"""Without a token: sixty REST requests an hour, nothing lost, nothing done twice."""

from __future__ import annotations

from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import busy_world, small_world


def test_items_come_before_listings_and_the_rest_waits_for_the_reset(bench: MakeBench) -> None:
    made = bench(busy_world(80, 200), token="")
    key = "github:acme/busy/issues?state=all"
    made.touch(key, *[f"github:acme/busy#{n}" for n in range(1, 11)])
    first = made.sweep()
    assert (first.exit_code, first.resolved, first.unresolved) == (3, 10, {"rate_limited": 1})
    assert first.resets_at > made.log.touches("ada")[0].at
    assert first.requests <= 60
    runs = 1
    while (summary := made.sweep()).exit_code == 3:
        runs += 1
        assert runs < 6
        made.clock.time += 3600
    assert summary.resolved == 1
    assert made.members(key) == list(range(80, 0, -1))
    assert len([path for path in made.standin.asked if path.endswith("/issues/1")]) == 1


def test_a_sweep_before_the_reset_asks_nothing_but_to_learn_that(bench: MakeBench) -> None:
    made = bench(busy_world(80, 200), token="")
    made.touch("github:acme/busy/issues?state=all")
    made.sweep()
    again = made.sweep()
    assert (again.exit_code, again.requests) == (3, 1)


def test_both_ways_store_the_same_content(bench: MakeBench) -> None:
    asks = ["github:acme/widgets", *[f"github:acme/widgets#{n}" for n in range(1, 6)]]
    with_token, without = bench(small_world()), bench(small_world(), token="")
    for made in (with_token, without):
        made.touch(*asks, "github:acme/widgets/issues?state=all", "github:acme/widgets/pulls?state=closed")
        assert made.sweep().exit_code == 0
    assert with_token.contents() == without.contents()


def test_no_graphql_is_asked_without_a_token(bench: MakeBench) -> None:
    made = bench(small_world(), token="")
    made.touch("github:acme/widgets#1")
    made.sweep()
    assert made.standin.graphql_requests == 0
    assert all("authorization" not in headers for headers in made.standin.headers)


def test_a_search_over_all_repositories_works_without_a_token(bench: MakeBench) -> None:
    world = small_world()
    world.repos["acme/gears"].things[1].body += " memory"
    made = bench(world, token="")
    key = "github:*/issues?q=memory&state=all"
    made.touch(key)
    assert made.sweep().exit_code == 0
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert (found[0].member_count, found[0].complete) == (2, True)
