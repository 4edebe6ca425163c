"""What a listing means, against the World's own answer."""

from __future__ import annotations

import random

import pytest

from rg_core.address.model import Address
from tests.core.sweep.conftest import MakeBench
from tests.github_standin import lists
from tests.github_standin.samples import busy_world, small_world
from tests.github_standin.world import World


def mixed_world() -> World:
    """80 issues and pull requests with labels, authors, assignees and milestones, in every state."""
    chosen = random.Random(3)
    world = World()
    repo = world.repo("o/r", "Mixed")
    repo.milestones = {3: "The Big 1.0", 4: 'Odd "quoted" one'}
    for n in range(80):
        pull = n % 3 == 0
        states = ["OPEN", "CLOSED", "MERGED"] if pull else ["OPEN", "CLOSED"]
        repo.issue(
            f"Thing {n} {'memory leak' if n % 4 == 0 else ''}",
            pull=pull,
            state=chosen.choice(states),
            labels=chosen.sample(["Bug", "perf", "help wanted", 'a"b', "a,b"], chosen.randint(0, 4)),
            author=chosen.choice(["Alice", "bob", "dependabot[bot]"]),
            assignees=chosen.sample(["carol", "dave"], chosen.randint(0, 2)),
            milestone=chosen.choice([None, 3, 4]),
        )
    return world


QUESTIONS = [
    "issues?state=open",
    "issues?state=closed",
    "issues?state=all",
    "pulls?state=open",
    "pulls?state=closed",
    "pulls?state=merged",
    "pulls?state=all",
    "issues?label=bug&state=open",
    "issues?label=bug&label=perf&state=all",
    "issues?label=help%20wanted&state=all",
    "issues?label=a%22b&state=all",
    "issues?label=a%2Cb&state=all",
    "issues?label=a%2Cb&label=bug&state=all",
    "pulls?label=bug&label=perf&state=closed",
    "pulls?label=bug&state=all",
    "pulls?author=alice&state=all",
    "pulls?author=app%2Fdependabot&state=all",
    "issues?author=app%2Fdependabot&state=all",
    "issues?author=bob&state=all",
    "issues?assignee=carol&state=all",
    "issues?assignee=none&state=all",
    "issues?assignee=%2A&state=all",
    "pulls?assignee=dave&state=closed",
    "issues?milestone=3&state=all",
    "issues?milestone=the%20big%201.0&state=all",
    "issues?milestone=odd%20%22quoted%22%20one&state=all",
    "issues?milestone=none&state=all",
    "issues?q=memory%20leak&state=open",
    "issues?label=nothing%20has%20it&state=all",
]


def truth(world: World, address: Address) -> list[int]:
    """The World's own answer, newest first."""
    repo = world.repos[address.repository]
    states = {"open": ["OPEN"], "closed": ["CLOSED", "MERGED"], "merged": ["MERGED"], "all": []}[address.state]
    found = lists.select(
        repo,
        pull=address.kind == "pulls",
        states=states,
        every_label=address.labels,
        author=address.author,
        assignee=None if address.assignee == "none" else address.assignee,
        milestone=address.milestone,
    )
    words = address.q.split()
    found = [thing for thing in found if all(word in thing.title for word in words)]
    return [thing.number for thing in lists.ordered(found, "created", descending=True)]


@pytest.mark.parametrize("token", [True, False], ids=["token", "no token"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_listing_is_what_github_answers(question: str, token: bool, bench: MakeBench) -> None:
    world = mixed_world()
    made = bench(world, anonymous=10_000) if token else bench(world, token="", anonymous=10_000)
    key = f"github:o/r/{question}"
    made.touch(key)
    assert made.sweep().exit_code == 0
    expected = truth(world, Address.parse(key))
    assert made.members(key) == expected
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert (found[0].complete, found[0].total_count) == (True, len(expected))


@pytest.mark.parametrize("order", ["created-asc", "updated-desc", "comments-desc", "best-match"])
def test_other_orders_are_kept_apart(order: str, bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    key = "github:acme/widgets/issues?state=all"
    made.touch(key, order=order)
    assert made.sweep().exit_code == 0
    assert made.store.listing(key, "created-desc") is None
    numbers = made.members(key, order)
    assert sorted(numbers) == [1, 2, 3]
    if order == "created-asc":
        assert numbers == [1, 2, 3]
    if order == "comments-desc":
        assert numbers[0] == 1


@pytest.mark.parametrize("token", [True, False], ids=["token", "no token"])
def test_an_order_that_only_rest_knows(token: bool, bench: MakeBench) -> None:
    world = mixed_world()
    pulls = [thing for thing in world.repos["o/r"].things.values() if thing.pull]
    pulls[3].comment("a")
    made = bench(world, anonymous=5000) if token else bench(world, token="", anonymous=5000)
    made.touch("github:o/r/pulls?state=all", order="popularity-desc", limit=5)
    assert made.sweep().exit_code == 0
    assert made.members("github:o/r/pulls?state=all", "popularity-desc")[0] == pulls[3].number


def test_no_label_changes_the_question(bench: MakeBench) -> None:
    """A label that looks like a qualifier stays a label."""
    world = small_world()
    evil = 'x" repo:acme/gears "y'
    world.repos["acme/widgets"].things[3].labels.append(evil)
    made = bench(world)
    key = str(Address("issues", "acme/widgets", labels=[evil, evil + "2"], state="all"))
    world.repos["acme/widgets"].things[3].labels.append(evil + "2")
    made.touch(key)
    assert made.sweep().exit_code == 0
    assert made.members(key) == [3]


def test_an_unreadable_repository_is_no_empty_listing(bench: MakeBench) -> None:
    made = bench(small_world())
    made.touch("github:acme/nothing/issues?label=a&label=b&state=open", "github:acme/nothing/issues?state=open")
    made.sweep()
    assert set(made.statuses().values()) == {"not_found"}
    assert made.store.counts()["listings"] == 0


def test_a_milestone_that_does_not_exist_is_not_found(bench: MakeBench) -> None:
    made = bench(small_world())
    made.touch("github:acme/widgets/issues?milestone=99&state=open")
    made.sweep()
    assert set(made.statuses().values()) == {"not_found"}


def test_a_search_beyond_a_thousand_is_not_complete(bench: MakeBench) -> None:
    made = bench(busy_world(1100, 0))
    for thing in made.standin.world.repos["acme/busy"].things.values():
        thing.labels = ["bug", "perf"]
    key = "github:acme/busy/issues?label=bug&label=perf&state=all"
    made.touch(key)
    assert made.sweep().exit_code == 0
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert (found[0].complete, found[0].total_count, found[0].member_count) == (False, 1100, 1000)


def test_max_members_bounds_a_listing(bench: MakeBench) -> None:
    made = bench(busy_world(150, 0))
    made.max_members = 120
    key = "github:acme/busy/issues?state=all"
    made.touch(key)
    assert made.sweep().exit_code == 0
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert (found[0].complete, found[0].total_count, found[0].member_count) == (False, 150, 120)


def test_a_smaller_ask_refreshes_the_prefix_and_keeps_the_rest(bench: MakeBench) -> None:
    world = busy_world(60, 30)
    made = bench(world)
    key = "github:acme/busy/issues?state=all"
    made.touch(key)
    made.sweep()
    before = made.store.listing(key, "created-desc")
    made.clock.time += 1000
    world.repos["acme/busy"].issue("Brand new")
    made.touch(key, limit=5)
    assert made.sweep().exit_code == 0
    assert made.members(key) == list(range(61, 0, -1))
    after = made.store.listing(key, "created-desc")
    assert before is not None
    assert after is not None
    assert after[0].complete
    assert [fetched for _, fetched in after[1][5:]] == [fetched for _, fetched in before[1][4:]]
    assert {fetched for _, fetched in after[1][:5]} == {after[0].fetched_at}


def test_a_prefix_of_only_new_members_reads_on_to_the_stored_ones(bench: MakeBench) -> None:
    world = busy_world(30, 0)
    made = bench(world)
    key = "github:acme/busy/issues?state=all"
    made.touch(key)
    made.sweep()
    for n in range(12):
        world.repos["acme/busy"].issue(f"New {n}")
    made.touch(key, limit=3)
    assert made.sweep().requests == 3
    assert made.members(key) == list(range(42, 0, -1))


def test_members_that_left_the_prefix_leave_the_listing(bench: MakeBench) -> None:
    world = busy_world(10, 0)
    for thing in world.repos["acme/busy"].things.values():
        thing.edit(state="OPEN")
    made = bench(world)
    key = "github:acme/busy/issues?state=open"
    made.touch(key)
    made.sweep()
    world.repos["acme/busy"].things[9].edit(state="CLOSED")
    made.touch(key, limit=4)
    made.sweep()
    assert made.members(key) == [10, 8, 7, 6, 5, 4, 3, 2, 1]
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert (found[0].complete, found[0].total_count) == (True, 9)


def test_a_refresh_fetches_only_what_changed(bench: MakeBench) -> None:
    world = busy_world(120, 60)
    made = bench(world)
    key = "github:acme/busy/issues?state=all"
    made.touch(key)
    made.sweep()
    world.repos["acme/busy"].things[7].comment("New")
    made.touch(key)
    summary = made.sweep()
    assert (summary.fetched, summary.unchanged, summary.requests) == (1, 119, 3)


def test_a_search_over_all_repositories_stores_public_members_only(bench: MakeBench) -> None:
    world = small_world()
    world.repos["acme/gears"].things[1].body += " memory"
    made = bench(world)
    key = "github:*/issues?q=memory&state=all"
    made.touch(key)
    assert made.sweep().exit_code == 0
    found = made.store.listing(key, "created-desc")
    assert found is not None
    assert found[0].member_count == 2
    assert b"classified" not in made.raw()
