"""What is not public leaves no trace in the data directory."""

from __future__ import annotations

import pytest

from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import small_world
from tests.github_standin.server import TOKEN

LISTING = "github:acme/widgets/issues?state=all"
SECRETS = (b"acme/secret", b"classified", b"secret plan", b"nobody may know", b"Hush hush")
PRIVATE = (
    "github:acme/secret",
    "github:acme/secret#1",
    "github:acme/secret/issues?state=all",
    "github:acme/secret/issues?label=a&label=b&state=open",
    "github:acme/secret/issues?milestone=3&state=open",
)


@pytest.mark.parametrize("visibility", ["PRIVATE", "INTERNAL"])
def test_no_byte_of_a_private_repository_is_kept(visibility: str, bench: MakeBench) -> None:
    world = small_world()
    world.repos["acme/secret"].visibility = visibility  # type: ignore[assignment]
    made = bench(world)
    made.touch(*PRIVATE, "github:acme/widgets#2", "github:acme/widgets/issues?state=all")
    assert b"acme/secret" in made.raw()
    summary = made.sweep()
    assert (summary.exit_code, summary.unresolved) == (0, {"not_public": len(PRIVATE)})
    for secret in SECRETS:
        assert secret not in made.raw(), secret
    reading = made.store.read("github:acme/widgets#2")  # a private issue mentions it: its cross-reference is dropped
    assert reading is not None
    assert reading.resource.references == ("github:acme/gears#1",)  # type: ignore[union-attr]


def test_a_closing_reference_into_a_private_repository_is_dropped(bench: MakeBench) -> None:
    world = small_world()
    pull = world.repos["acme/widgets"].things[4]
    pull.closes.append(world.repos["acme/secret"].things[1])
    made = bench(world)
    made.touch("github:acme/widgets#4")
    assert made.sweep().exit_code == 0
    assert b"acme/secret" not in made.raw()


def test_what_became_private_is_forgotten(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    made.touch("github:acme/gears", "github:acme/gears#1", "github:acme/gears/issues?state=all")
    made.sweep()
    assert b"Grinding noise" in made.raw()
    world.repos["acme/gears"].visibility = "PRIVATE"
    made.touch("github:acme/gears#1")
    summary = made.sweep()
    assert summary.unresolved == {"not_public": 1}
    assert b"Grinding noise" not in made.raw()
    assert made.store.read("github:acme/gears#1") is None
    assert made.store.listing("github:acme/gears/issues?state=all", "created-desc") is None


def test_a_public_issue_moved_into_a_private_repository_leads_nowhere(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    made.touch("github:acme/widgets#3")
    world.transfer(world.repos["acme/widgets"].things[3], world.repos["acme/secret"])
    assert made.sweep().unresolved == {"not_public": 1}
    assert b"acme/secret" not in made.raw()


@pytest.mark.parametrize("token", [TOKEN, ""])
def test_an_item_that_moved_into_a_private_repository_takes_nothing_else_along(bench: MakeBench, token: str) -> None:
    world = small_world()
    made = bench(world, token=token, sees_private=bool(token))
    made.touch("github:acme/widgets", "github:acme/widgets#1", "github:acme/widgets#3", LISTING)
    made.sweep()
    moved = world.repos["acme/widgets"].things[3]
    title = moved.title
    world.transfer(moved, world.repos["acme/secret"])
    made.clock.time += 60
    made.touch("github:acme/widgets#3")
    made.sweep()
    assert made.store.read("github:acme/widgets") is not None
    assert made.store.read("github:acme/widgets#1") is not None
    if token:
        assert title.encode() not in made.raw()
        assert ("github:acme/widgets#3", "") not in made.log.known_under("acme/widgets")
        assert made.store.listing(LISTING, "created-desc") is not None


def test_what_became_private_is_forgotten_with_listings_that_were_asked_under_its_former_name(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    made.touch("github:acme/widgets/issues?q=rattle&state=all", LISTING)
    made.sweep()
    world.repos["acme/widgets"].rename("acme/gadgets")
    made.clock.time += 60
    made.touch("github:acme/gadgets#1")
    made.sweep()
    world.repos["acme/gadgets"].visibility = "PRIVATE"
    made.clock.time += 60
    made.touch("github:acme/gadgets#1")
    assert made.sweep().unresolved == {"not_public": 1}
    assert made.store.counts()["listings"] == 0
    assert made.log.known_under("acme/widgets") == made.log.known_under("acme/gadgets") == []


def test_a_token_that_sees_nothing_private_finds_nothing(bench: MakeBench) -> None:
    made = bench(small_world(), sees_private=False)
    made.touch("github:acme/secret", "github:acme/secret#1")
    assert made.sweep().unresolved == {"not_found": 2}
    assert made.store.counts()["repositories"] == 0


def test_blocked_content_counts_as_not_public(bench: MakeBench) -> None:
    world = small_world()
    world.repos["acme/gears"].disabled = True
    made = bench(world)
    made.touch("github:acme/gears#1")
    assert made.sweep().unresolved == {"not_public": 1}
    anonymous = bench(world, token="")
    anonymous.touch("github:acme/gears#1")
    assert anonymous.sweep().unresolved == {"not_public": 1}


def test_another_users_touches_wait_untouched(bench: MakeBench) -> None:
    made = bench(small_world())
    made.touch("github:acme/widgets#1", user="eve")
    made.touch("github:acme/widgets#2")
    summary = made.sweep()
    assert (summary.resolved, summary.waiting) == (1, 0)
    assert [touch.status for touch in made.log.touches("eve")] == ["pending"]
    assert made.store.read("github:acme/widgets#1") is None
