"""Random worlds that change between Sweeps, random questions, random faults: memory says what GitHub would."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from rg_core.address.model import Address
from rg_core.errors import UserError
from rg_core.store.model import Item
from tests.core.sweep.bench import Bench
from tests.core.sweep.conftest import MakeBench
from tests.core.sweep.test_listings import QUESTIONS, mixed_world, truth
from tests.github_standin.server import FaultKind
from tests.github_standin.world import Repo, Thing, World

FAULTS: tuple[FaultKind, ...] = ("502", "drop", "truncated", "html", "something_wrong", "secondary", "rate_limited")


def change(world: World, repo: Repo, chosen: random.Random) -> None:
    """Something happens on GitHub."""
    thing = chosen.choice(list(repo.things.values()))
    what = chosen.randrange(9)
    if what == 0:
        thing.edit(title=f"Renamed {chosen.random()}")
    elif what == 1:
        thing.comment(f"Comment {chosen.random()}", chosen.choice(["bob", None, "ci[bot]"]))
    elif what == 2:
        thing.edit(state="CLOSED" if thing.state == "OPEN" else "OPEN")
    elif what == 3:
        thing.edit(labels=chosen.sample(["Bug", "perf", "help wanted"], chosen.randint(0, 3)))
    elif what == 4:
        repo.issue(f"New {chosen.random()}", labels=["perf"])
    elif what == 5:
        repo.pull(f"Change {chosen.random()}", files=[f"f{n}" for n in range(chosen.randint(0, 120))])
    elif what == 6 and not thing.pull:
        repo.delete(thing.number)
    elif what == 7 and not thing.pull:
        world.transfer(thing, world.repos["o/other"])
    elif what == 8:
        thing.edit(assignees=["carol"])


def same(item: Item, thing: Thing) -> bool:
    """Whether memory has the item as the World does."""
    state = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}[thing.state]
    remarks = len(thing.comments) + len(thing.reviews) + sum(len(thread.comments) for thread in thing.threads)
    return (item.title, item.state, item.labels, item.assignees, item.updated_at, len(item.comments), item.files) == (
        thing.title, state, tuple(thing.labels), tuple(thing.assignees), thing.updated_at, remarks, tuple(thing.files),
    )  # fmt: skip


def explore(made: Bench, numbers: list[int], chosen: random.Random) -> tuple[list[str], list[str]]:
    """Touch some items and listings of o/r."""
    items = [f"github:o/r#{number}" for number in chosen.sample(numbers, min(4, len(numbers)))]
    listings = [f"github:o/r/{question}" for question in chosen.sample(QUESTIONS, 3)]
    made.touch(*items, *listings)
    return items, listings


def settle(made: Bench, chosen: random.Random) -> None:
    """Meet a fault, then sweep until nothing waits: three times at most."""
    made.standin.fail(chosen.choice(FAULTS), skip=chosen.randrange(8), times=chosen.randint(1, 3))
    with suppress(UserError):
        made.sweep()
    made.standin.faults.clear()
    for _ in range(3):
        made.clock.time += 3600
        if made.sweep().exit_code == 0:
            return
    raise AssertionError("something still waits")


@pytest.mark.parametrize("token", [True, False], ids=["token", "no token"])
@pytest.mark.parametrize("seed", range(4))
def test_memory_says_what_github_would(seed: int, token: bool, bench: MakeBench) -> None:
    chosen = random.Random(seed)
    world = mixed_world()
    repo = world.repos["o/r"]
    world.repo("o/other", "Where issues go")
    made = bench(world, anonymous=5000) if token else bench(world, token="", anonymous=5000)
    for _ in range(4):
        numbers = list(repo.things)
        for _ in range(chosen.randint(0, 12)):
            change(world, repo, chosen)
        items, listings = explore(made, numbers, chosen)
        settle(made, chosen)
        for key in items:
            number = int(key.partition("#")[2])
            thing = repo.things.get(number) or world.transferred.get((repo.id, number))
            if thing is not None:
                reading = made.store.read(key)
                assert reading is not None
                assert isinstance(reading.resource, Item)
                assert same(reading.resource, thing), key
        for key in listings:
            expected = truth(world, Address.parse(key))
            assert made.members(key) == expected, key
            found = made.store.listing(key, "created-desc")
            assert found is not None
            assert found[0].complete
            for number in expected:
                reading = made.store.read(f"github:o/r#{number}")
                assert reading is not None
                assert isinstance(reading.resource, Item)
                assert same(reading.resource, repo.things[number])
    assert {touch.status for touch in made.log.touches("ada")} <= {"resolved", "unresolved"}
