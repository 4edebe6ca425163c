"""After any history of renames, transfers and deletions, and any order of asks, index and memory agree (T1)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rg_core.address.model import Address
from rg_core.reading.query import answer
from rg_core.store.protocol import Store
from rg_core.store.sqlite.store import EmbeddedStore
from tests.bolt_server import BoltServers
from tests.core.sweep.bench import USER, Bench, Clock
from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import small_world
from tests.github_standin.server import TOKEN, Standin
from tests.github_standin.world import Repo, World

NAMES = ("o/a", "o/b", "o/c")
LISTING = "/issues?state=all"
KEYS = [f"github:{name}{rest}" for name in NAMES for rest in ("", "#1", "#2", LISTING)]
CHANGES = ("rename", "take over", "transfer", "delete", "remove", "edit", "nothing")
Round = tuple[str, int, set[str]]  # what changes on GitHub, to which of its things, and what is asked then
ROUNDS = st.lists(
    st.tuples(st.sampled_from(CHANGES), st.integers(0, 11), st.sets(st.sampled_from(KEYS), min_size=1, max_size=4)),
    min_size=2,
    max_size=6,
)


H = TypeVar("H", bound="History")


class History:
    """A small GitHub that changes, somebody who asks, and what must be true after every Sweep."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.world = bench.standin.world
        self.asked: set[str] = set()
        self.truth: dict[str, str] = {}  # key -> node_id that GitHub resolved it to when it was asked last
        self.bearers: dict[str, Repo | None] = {}  # key -> whose its repository's name was then

    def round(self, change: str, which: int, asked: set[str]) -> None:
        self.bench.clock.time += 60
        repos = list(self.world.repos.values())
        if repos:
            self._change(change, repos[which % len(repos)], which)
        for key in sorted(asked):
            self.bench.touch(key)
        self.asked |= asked
        self.sweep()

    def _change(self, change: str, repo: Repo, which: int) -> None:
        before = repo.full_name
        free = [name for name in NAMES if name not in self.world.repos]
        others = [other for other in self.world.repos.values() if other is not repo]
        thing = next(iter(list(repo.things.values())[which % 2 :]), None)
        if change in ("rename", "take over") and free:
            repo.rename(free[which % len(free)])
            if change == "take over":
                self._create(before)
        elif change == "remove":
            self._remove(repo)
        elif thing and change == "delete":
            repo.delete(thing.number)
        elif thing and change == "edit":
            thing.edit(title=f"Edited at {self.bench.clock.time}")
        elif thing and change == "transfer" and others:
            self.world.transfer(thing, others[which % len(others)])

    def _create(self, name: str) -> None:
        made = self.world.repo(name, readme="# Read me")
        for number in range(2):
            made.issue(f"{name} {made.id} {number}")

    def _remove(self, repo: Repo) -> None:
        del self.world.repos[repo.full_name.lower()]
        for old in [old for old, whose in self.world.renamed.items() if whose is repo]:
            del self.world.renamed[old]

    def sweep(self) -> None:
        waiting = {touch.address for touch in self.bench.log.pending(USER)}
        summary = self.bench.sweep()
        assert summary.problem == ""
        for key in waiting:
            if (resolved := self.resolved(key)) is not None:
                self.truth[key] = resolved
                self._borne(key)
                assert self.remembered(key) == resolved, key
        self.check()

    def _borne(self, key: str) -> None:
        """Memory learned who bears a name: that another had it, and has it again unasked, it cannot know."""
        name = Address.parse(key).repository.lower()
        bearer = self.world.find(name)
        self.bearers[key] = bearer
        for other in [other for other in self.truth if Address.parse(other).repository.lower() == name]:
            if self.bearers[other] is not bearer:
                del self.truth[other]

    def check(self) -> None:
        """What was resolved and is still the same on GitHub is a hit, and so is all that the index knows."""
        for key, node_id in self.truth.items():
            if self.resolved(key) == node_id:
                assert self.remembered(key) == node_id, key
        for key, order in self.known():
            found = answer(self.bench.store, Address.parse(key).asking(1, order) if order else key)
            assert found.outcome in ("hit", "subsumed"), key

    def known(self) -> list[tuple[str, str]]:
        with closing(sqlite3.connect(self.bench.log.path)) as db:
            return db.execute('SELECT address, "order" FROM known').fetchall()

    def resolved(self, key: str) -> str | None:
        """What GitHub has at a key now: a node_id; of a listing, the repository's and its members'."""
        address = Address.parse(key)
        repo = self.world.find(address.repository)
        if repo is None or address.kind == "repository":
            return repo.node_id if repo else None
        if address.is_listing:
            return " ".join([repo.node_id, *sorted(thing.node_id for thing in repo.things.values())])
        thing = repo.things.get(address.number) or self.world.transferred.get((repo.id, address.number))
        if thing is None or self.world.repos.get(thing.repo.full_name.lower()) is not thing.repo:  # that is gone
            return None
        return thing.node_id if thing.number in thing.repo.things else None

    def remembered(self, key: str) -> str | None:
        """What memory has at a key, in the same words."""
        address = Address.parse(key)
        store = self.bench.store
        if not address.is_listing:
            reading = store.read(key)
            return reading.resource.node_id if reading else None
        found, bearer = store.listing(key, "created-desc"), store.repository_named(address.repository)
        return " ".join([bearer[0], *sorted(node_id for node_id, _ in found[1])]) if found and bearer else None


@contextmanager
def history(
    kind: type[H], store: Store, directory: Path, token: str = TOKEN, github: type[Standin] = Standin
) -> Iterator[H]:
    clock = Clock()
    with github(World(), clock=clock, anonymous=100_000) as standin:
        bench = Bench(directory, standin, clock, token)
        bench.store.close()
        bench.store = store  # type: ignore[assignment]
        made = kind(bench)
        made._create("o/a")
        made._create("o/b")
        yield made


def play(made: History, rounds: list[Round]) -> None:
    for each in rounds:
        made.round(*each)
    made.round("nothing", 0, set(made.asked))  # at last everything is asked again


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@example(
    [
        ("take over", 1, {"github:o/a#1"}),
        ("transfer", 0, {"github:o/a"}),
        ("remove", 1, {"github:o/a"}),
        ("rename", 0, {"github:o/a"}),  # to the name of the removed one, to which the issue went
    ],
    False,
)
@example(
    [
        ("rename", 0, {"github:o/a#1", "github:o/a"}),
        ("rename", 0, {"github:o/a"}),
        ("rename", 1, {"github:o/a"}),  # which the other one bears meanwhile
        ("rename", 0, {"github:o/b"}),
    ],
    False,
)
@given(rounds=ROUNDS, token=st.booleans())
def test_t01_index_and_memory_agree_after_any_history(rounds: list[Round], token: bool) -> None:
    with TemporaryDirectory() as directory:
        store = EmbeddedStore(f"{directory}/memory.db")
        store.init()
        with history(History, store, Path(directory), TOKEN if token else "") as made:
            play(made, rounds)
        store.close()


@pytest.fixture
def started(bolt_servers: BoltServers) -> BoltServers:
    """Started before the first example: that is none of what is played."""
    bolt_servers.server(0)
    return bolt_servers


@pytest.mark.bolt
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(rounds=ROUNDS)
def test_t01_index_and_memory_agree_on_a_server(rounds: list[Round], started: BoltServers) -> None:
    with TemporaryDirectory() as directory:
        store = started.empty_store(0)
        store.init()
        with history(History, store, Path(directory)) as made:
            play(made, rounds)
        store.close()


def test_t01_a_rename_heals_when_it_is_asked_under_the_new_name(bench: MakeBench) -> None:
    """Nothing of the item changed, so only the name is news."""
    world = small_world()
    made = bench(world)
    made.touch("github:acme/widgets#1", "github:acme/widgets/issues?state=all")
    made.sweep()
    world.repos["acme/widgets"].rename("acme/gadgets")
    made.clock.time += 60
    made.touch("github:acme/gadgets#1")
    assert made.sweep().unchanged == 1
    for name in ("widgets", "gadgets"):
        assert made.store.read(f"github:acme/{name}#1") is not None
        assert made.store.listing(f"github:acme/{name}/issues?state=all", "created-desc") is not None


def test_t01_a_name_that_another_repository_took_is_not_answered_from_the_first(bench: MakeBench) -> None:
    world = small_world()
    made = bench(world)
    listing = "github:acme/widgets/issues?state=all"
    made.touch("github:acme/widgets#1", "github:acme/widgets", listing)
    made.sweep()
    world.repos["acme/widgets"].rename("acme/gadgets")
    taker = world.repo("acme/widgets", "Another one")
    taker.issue("Only one")
    made.clock.time += 60
    made.touch(listing)
    made.sweep()
    assert made.members(listing) == [1]
    assert [title for (title,) in _titles(made, listing)] == ["Only one"]
    assert made.store.read("github:acme/widgets#2") is None
    assert made.log.known_under("acme/widgets") == [("github:acme/widgets#1", ""), (listing, "created-desc")]
    made.clock.time += 60
    made.touch("github:acme/gadgets#1")
    made.sweep()
    reading = made.store.read("github:acme/gadgets#1")
    assert reading is not None
    assert reading.resource.title == "Crash on start"  # type: ignore[union-attr]
    assert made.store.listing("github:acme/gadgets/issues?state=all", "created-desc") is not None


def _titles(made: Bench, key: str) -> list[tuple[str]]:
    found = made.store.listing(key, "created-desc")
    assert found is not None
    return [(row.title,) for row in made.store.page(found[0], Address.parse(key), 0, 10).rows]
