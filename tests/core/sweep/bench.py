"""A real outbox, a real embedded store and a stand-in of GitHub, on one clock that never makes a test wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rg_core.address.model import Address
from rg_core.github.client import Client
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.sweep.run import Summary, sweep
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, Touch
from tests.github_standin.server import Standin

USER = "ada"


@dataclass
class Clock:
    """Time that moves only when somebody sleeps."""

    time: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.time

    def text(self) -> str:
        """Now, as GitHub writes it."""
        return datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.slept.append(seconds)


@dataclass
class Bench:
    """What the tests drive."""

    directory: Path
    standin: Standin
    clock: Clock
    token: str
    max_members: int = 5000
    touched: int = 0

    def __post_init__(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = TouchLog(str(self.directory / "touches.db"))
        self.store = EmbeddedStore(str(self.directory / "memory.db"))
        self.store.init()
        self.sleep = self.clock.sleep

    def touch(
        self, *keys: str, limit: int | None = None, order: str = "", user: str = USER, tool_name: str = "Bash"
    ) -> None:
        """Explore these addresses."""
        for key in keys:
            self.touched += 1
            kind = Address.parse(key).kind
            made = Touch(
                id=f"t{self.touched}", user=user, address=key, kind=kind, provenance=FETCHED,
                at="2026-11-29T21:00:00Z", session="s1", harness="claude_code", limit=limit, order=order,
                tool_name=tool_name,
            )  # fmt: skip
            self.log.record([made])

    def client(self) -> Client:
        """A client on the bench's clock."""
        return Client(self.standin.url, self.token, clock=self.clock, sleep=self.sleep)

    def sweep(self) -> Summary:
        """Run one Sweep."""
        client = self.client()
        try:
            return sweep(USER, self.log, self.store, client, max_members=self.max_members, holder="bench")
        finally:
            client.close()

    def statuses(self) -> dict[str, str]:
        """Status (and reason) by address."""
        return {t.address: t.reason or t.status for t in self.log.touches(USER)}

    def members(self, key: str, order: str = "created-desc") -> list[int]:
        """The numbers of a stored listing's members, in order."""
        found = self.store.listing(key, order)
        assert found is not None
        asked = Address.parse(key).asking(None, order)
        return [row.number for row in self.store.page(found[0], asked, 0, 1_000_000).rows]

    def contents(self) -> list[Mapping[str, object]]:
        """All of memory without the times at which it was learnt, in a fixed order."""
        return sorted((_timeless(record) for record in self.store.dump()), key=repr)

    def raw(self) -> bytes:
        """Every byte of the data directory."""
        return b"".join(path.read_bytes() for path in sorted(self.directory.rglob("*")) if path.is_file())


LEARNT = {"fetched_at", "recorded_at", "at", "cause", "named_at", "id", "uid"}


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping) and value.keys() == {"node_id", "state", "fetched_at"}:
        return value["node_id"]  # a listing's member: the state's id holds the time at which it was learnt
    if isinstance(value, Mapping):
        return {name: _timeless(each) for name, each in sorted(value.items()) if name not in LEARNT}
    if isinstance(value, list | tuple):
        return [_timeless(each) for each in value]
    return value
