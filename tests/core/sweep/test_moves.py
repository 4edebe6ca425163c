"""Renamed repositories, transferred, deleted and changed things."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from rg_core.store.model import Item, Repository
from tests.core.sweep.bench import Bench
from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import small_world
from tests.github_standin.world import World

TOKENS = pytest.mark.parametrize("token", [True, False], ids=["token", "no token"])


def make(bench: MakeBench, world: World, token: bool) -> Bench:
    return bench(world) if token else bench(world, token="")


def item(made: Bench, key: str) -> Item:
    reading = made.store.read(key)
    assert reading is not None
    assert isinstance(reading.resource, Item)
    return reading.resource


@TOKENS
def test_an_old_name_of_a_repository_leads_on(token: bool, bench: MakeBench) -> None:
    world = small_world()
    made = make(bench, world, token)
    made.touch("github:acme/widgets", "github:acme/widgets#1")
    made.sweep()
    world.repos["acme/widgets"].rename("acme/gadgets")
    asks = ["github:acme/widgets", "github:acme/widgets#2", "github:acme/widgets/issues?state=all",
            "github:acme/widgets/issues?label=bug&label=perf&state=open"]  # fmt: skip
    made.touch(*asks)
    assert made.sweep().exit_code == 0
    assert set(made.statuses().values()) == {"resolved"}
    for name in ("widgets", "gadgets"):
        reading = made.store.read(f"github:acme/{name}")
        assert reading is not None
        assert isinstance(reading.resource, Repository)
        assert reading.resource.name == "acme/gadgets"
        assert item(made, f"github:acme/{name}#2").title == "Memory leak"
        assert item(made, f"github:acme/{name}#1").title == "Crash on start"
        assert made.store.listing(f"github:acme/{name}/issues?state=all", "created-desc") is not None
    assert made.store.counts()["repositories"] == 1


@TOKENS
def test_a_transferred_issue_is_followed(token: bool, bench: MakeBench) -> None:
    world = small_world()
    made = make(bench, world, token)
    made.touch("github:acme/widgets#2")
    made.sweep()
    world.transfer(world.repos["acme/widgets"].things[2], world.repos["acme/gears"])
    made.touch("github:acme/widgets#2")
    assert made.sweep().exit_code == 0
    for key in ("github:acme/widgets#2", "github:acme/gears#2"):
        assert item(made, key).repository == "acme/gears"
    assert [state.event_type for state in made.store.history("github:acme/gears#2")][-1] == "transferred"


@TOKENS
def test_a_deleted_issue_is_not_found_and_its_last_state_stays(token: bool, bench: MakeBench) -> None:
    world = small_world()
    made = make(bench, world, token)
    made.touch("github:acme/widgets#3")
    made.sweep()
    world.repos["acme/widgets"].delete(3)
    made.touch("github:acme/widgets#3")
    assert made.sweep().unresolved == {"not_found": 1}
    assert item(made, "github:acme/widgets#3").title == "Old question"
    first, last = made.store.history("github:acme/widgets#3")
    assert (last.event_type, bool(last.cause)) == ("deleted", True)
    assert last.cause != first.cause


def test_a_repository_without_issues_has_deleted_none(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world, token="")
    made.touch("github:acme/widgets#3")
    made.sweep()
    world.repos["acme/widgets"].issues_disabled = True
    made.touch("github:acme/widgets#3")
    assert made.sweep().unresolved == {"not_found": 1}
    assert [state.event_type for state in made.store.history("github:acme/widgets#3")] == [None]


def test_not_found_is_asked_again_only_after_a_new_fetch(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    made.touch("github:acme/widgets#6")
    assert made.sweep().unresolved == {"not_found": 1}
    asked = len(made.standin.asked)
    world.repos["acme/widgets"].issue("Now it is there")
    assert made.sweep().requests == 0
    assert len(made.standin.asked) == asked
    made.touch("github:acme/widgets#6")
    assert made.sweep().resolved == 1


@TOKENS
def test_a_change_makes_a_new_state_caused_by_its_touch(token: bool, bench: MakeBench) -> None:
    world = small_world()
    made = make(bench, world, token)
    made.touch("github:acme/widgets#2")
    made.sweep()
    world.repos["acme/widgets"].things[2].edit(title="Memory leak, found", state="CLOSED", state_reason="COMPLETED")
    made.touch("github:acme/widgets#2")
    made.sweep()
    history = made.store.history("github:acme/widgets#2")
    assert [state.cause for state in history] == ["t1", "t2"]
    assert item(made, "github:acme/widgets#2").state == "closed"
    made.touch("github:acme/widgets#2")
    assert made.sweep().unchanged == 1
    assert len(made.store.history("github:acme/widgets#2")) == 2


def test_ids_are_of_one_format_whichever_api_told_them(bench: MakeBench) -> None:
    """REST may give legacy ids: the same objects must not be stored twice."""
    world = small_world()
    made = bench(world, legacy_rest_ids=True)
    other = bench(world, token="", legacy_rest_ids=True)
    for each in (made, other):
        each.touch("github:acme/widgets", "github:acme/widgets#1", "github:acme/widgets#4")
        each.sweep()
    assert made.contents() == other.contents()


@pytest.mark.parametrize(
    ("files", "links", "text"),
    [
        ({"readme.rst": "lower"}, {}, "lower"),
        ({"docs/Readme.md": "in docs", "a.txt": "x"}, {}, "in docs"),
        ({"README.md": "root", ".github/README.md": "first"}, {}, "first"),
        ({"docs/guide.md": "the guide"}, {"README": "docs/guide.md"}, "the guide"),
        ({"README.md": b"\x00\x01binary"}, {}, ""),
        ({"a.txt": "none"}, {}, ""),
        ({"README.md": "long " * 400_000}, {}, "long " * 400_000),
    ],
)
@TOKENS
def test_a_readme_is_found_whatever_its_name(
    token: bool, files: dict[str, str | bytes], links: dict[str, str], text: str, bench: MakeBench
) -> None:
    world = World()
    repo = world.repo("o/r", "R")
    repo.files, repo.links = files, links
    made = make(bench, world, token)
    made.touch("github:o/r")
    assert made.sweep().exit_code == 0
    reading = made.store.read("github:o/r")
    assert reading is not None
    assert isinstance(reading.resource, Repository)
    assert reading.resource.readme == text


@TOKENS
def test_reverify_fetches_an_item_whose_updated_at_has_not_moved(token: bool, bench: MakeBench) -> None:
    """GitHub's updatedAt does not move when a comment is deleted."""
    world = small_world()
    made = make(bench, world, token)
    made.touch("github:acme/widgets#1")
    made.sweep()
    world.repos["acme/widgets"].things[1].comments.pop()
    made.touch("github:acme/widgets#1")
    assert made.sweep().unchanged == 1
    assert len(item(made, "github:acme/widgets#1").comments) == 3
    made.touch("github:acme/widgets#1", tool_name="reverify")
    assert made.sweep().fetched == 1
    assert len(item(made, "github:acme/widgets#1").comments) == 2


def test_what_a_fresh_pull_request_closes_is_read_once_more(bench: MakeBench) -> None:
    """Closing references appear some seconds after the updatedAt of the text that makes them."""
    world = small_world()
    made = bench(world)
    pull = world.repos["acme/widgets"].things[4]
    pull.updated_at = made.clock.text()
    closes, pull.closes = pull.closes, []

    def sleep(seconds: float) -> None:
        type(made.clock).sleep(made.clock, seconds)
        if seconds >= 10:
            pull.closes = closes

    made.sleep = sleep
    made.touch("github:acme/widgets#4")
    summary = made.sweep()
    assert (summary.fetched, summary.requests) == (1, 3)
    assert item(made, "github:acme/widgets#4").closes == ("github:acme/widgets#1",)


@TOKENS
def test_a_lone_surrogate_stops_nothing(token: bool, bench: MakeBench) -> None:
    world = small_world()
    world.repos["acme/widgets"].things[1].edit(title="Broken \ud800 title", body="and \udfff body")
    world.repos["acme/widgets"].things[1].comment("comment \ud83d")
    made = make(bench, world, token)
    made.touch("github:acme/widgets#1", "github:acme/widgets/issues?state=open")
    assert made.sweep().exit_code == 0
    assert item(made, "github:acme/widgets#1").title == "Broken ? title"


def test_an_emptied_listing_is_asked_for_twice_before_it_is_believed(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    key = "github:acme/widgets/issues?label=bug&label=perf&state=open"
    made.touch(key)
    made.sweep()
    world.repos["acme/widgets"].things[2].edit(labels=["bug"])
    made.touch(key)
    assert made.sweep().requests == 2
    assert made.members(key) == []


@TOKENS
def test_the_index_of_known_addresses_is_kept_current(token: bool, bench: MakeBench) -> None:
    world = small_world()
    made = make(bench, world, token)
    key = "github:acme/widgets/pulls?state=open"
    for _ in range(2):
        made.clock.time += 1000
        made.touch("github:acme/widgets", "github:acme/widgets#4", key)
        made.sweep()
        with closing(sqlite3.connect(made.log.path)) as db:
            db.row_factory = sqlite3.Row
            known = {row["address"]: row for row in db.execute("SELECT * FROM known")}
        pull = known["github:acme/widgets#4"]
        assert (pull["title"], pull["comments"], pull["fetched_at"]) == ("Fix the crash", 4, made.clock.text())
        assert (known[key]["member_count"], known[key]["complete"], known[key]["order"]) == (1, 1, "created-desc")
        assert known["github:acme/widgets"]["fetched_at"] == made.clock.text()
