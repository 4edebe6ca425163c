"""Index and memory agree (T1) in a rougher world than test_agreement's.

What changes does so between two requests of a Sweep, GitHub fails meanwhile, repositories become private and public
again, things are forgotten, and a run has a token or none. RG_ROUGH says how many histories are played.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rg_core.address.model import Address
from rg_core.cli.forget import _forget_resource
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.sweep.bench import USER
from tests.core.sweep.test_agreement import CHANGES, LISTING, NAMES, History, history
from tests.github_standin.rest import Reply
from tests.github_standin.server import TOKEN, FaultKind, Standin
from tests.github_standin.world import Repo

HISTORIES = int(os.environ.get("RG_ROUGH", "10"))
LISTINGS = (LISTING, "/issues?state=open")  # everything is open
KEYS = [f"github:{name}{rest}" for name in NAMES for rest in ("", "#1", "#2", "#3", *LISTINGS)]
FAULTS: tuple[FaultKind, ...] = ("502", "drop", "truncated", "something_wrong", "secondary", "forbidden",
                                 "null_connections", "rate_limited", "internal", "404", "html")  # fmt: skip


class Round(NamedTuple):
    """What changes, to which thing, before which request of the Sweep; what fails at which; what is asked."""

    change: str
    which: int
    at: int
    fault: FaultKind | Literal[""]
    skip: int
    asked: frozenset[str]
    token: bool


ROUNDS = st.lists(
    st.builds(
        Round,
        st.sampled_from((*CHANGES, "hide", "show", "forget", "back")),
        st.integers(0, 11),
        st.integers(0, 4),
        st.sampled_from(("", "", "", *FAULTS)),
        st.integers(0, 3),
        st.frozensets(st.sampled_from(KEYS), min_size=1, max_size=5),
        st.booleans(),
    ),
    min_size=2,
    max_size=6,
)


@dataclass
class Moving(Standin):
    """A GitHub in which something happens before a request is answered."""

    happens: list[tuple[int, Callable[[], None]]] = field(default_factory=list)

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply | None:
        """Answer a request."""
        for what in list(self.happens):
            if len(self.asked) >= what[0]:
                self.happens.remove(what)
                what[1]()
        return super().answer(method, target, headers, body)


class Rough(History):
    """A history in which nothing waits for anything."""

    def play(self, now: Round) -> None:
        """One round; index and memory agree after it, whatever came in between."""
        self.bench.clock.time += 7200
        standin = self.bench.standin
        assert isinstance(standin, Moving)
        repos = list(self.world.repos.values())
        if repos:
            repo = repos[now.which % len(repos)]
            if now.change == "forget":  # between two Sweeps
                self._rougher(now, repo)
            else:
                standin.happens.append((len(standin.asked) + now.at, lambda: self._rougher(now, repo)))
        if now.fault:
            targets = frozenset(thing.node_id for repo in repos for thing in list(repo.things.values())[:1])
            standin.fail(now.fault, skip=now.skip, targets=targets if now.fault == "forbidden" else frozenset())
        for key in sorted(now.asked):
            self.bench.touch(key)
        self.asked |= now.asked
        self.bench.token = TOKEN if now.token else ""
        self.bench.sweep()
        for _, happens in standin.happens:
            happens()
        standin.happens.clear()
        standin.faults.clear()
        self.check()

    def end(self) -> None:
        """Everything is asked again until nothing waits: what GitHub resolves is a hit."""
        for token in (TOKEN, "", TOKEN):
            self.bench.clock.time += 7200
            for key in sorted(self.asked):
                self.bench.touch(key)
            self.bench.token = token
            for _ in range(4):
                if self.bench.log.pending(USER):
                    assert self.bench.sweep().problem == ""
                    self.bench.clock.time += 7200
            for key in sorted(self.asked):
                told = self.resolved(key)
                assert self.remembered(key) == told or told is None, key
                if told is None and self.hidden(key):
                    assert self.remembered(key) is None, key
            self.check()

    def hidden(self, key: str) -> bool:
        """Whether what is there, or went from there elsewhere, is not shown to everybody."""
        repo = self.world.find(Address.parse(key).repository)
        went = self.world.transferred.get((repo.id, Address.parse(key).number)) if repo else None
        home = went.repo if went else repo
        return home is not None and home.visibility != "PUBLIC"

    def resolved(self, key: str) -> str | None:
        """What everybody finds."""
        repo = self.world.find(Address.parse(key).repository)
        if repo is None or repo.visibility != "PUBLIC":
            return None
        went = self.world.transferred.get((repo.id, Address.parse(key).number))
        return super().resolved(key) if went is None or went.repo.visibility == "PUBLIC" else None

    def _rougher(self, now: Round, repo: Repo) -> None:
        if repo.full_name.lower() not in self.world.repos:
            return
        if now.change in ("hide", "show"):
            repo.visibility = "PRIVATE" if now.change == "hide" else "PUBLIC"
        elif now.change == "back":
            for old, whose in list(self.world.renamed.items()):
                if whose is repo and old not in self.world.repos:
                    repo.rename(old)
                    return
        elif now.change == "forget":
            key = sorted(now.asked)[0]
            _forget_resource(self.bench.store, self.bench.log, Address.parse(key))
        else:
            self._change(now.change, repo, now.which)


@settings(
    max_examples=HISTORIES,
    derandomize="RG_ROUGH" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(rounds=ROUNDS)
def test_t01_index_and_memory_agree_whatever_happens_in_the_middle_of_a_sweep(rounds: list[Round]) -> None:
    with TemporaryDirectory() as directory:
        store = EmbeddedStore(f"{directory}/memory.db")
        store.init()
        with history(Rough, store, Path(directory), github=Moving) as made:
            for each in rounds:
                made.play(each)
            made.end()
        store.close()
