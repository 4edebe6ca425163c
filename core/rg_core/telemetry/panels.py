"""The panels: each a question that helpers.sql and panels.sql answer, over telemetry.db and the Touches joined to it.

Everything is scoped to the asking user; without one there is no answer. Nothing is written to either file.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, TypedDict

from rg_core.telemetry.file import SCHEMA, check_version, explained, read_only
from rg_core.telemetry.lift import fill_placed

HERE = Path(__file__).parent
HELPERS, FUSED = (HERE / "helpers.sql").read_text(encoding="utf-8").split("-- fused\n")
PANELS = dict(re.findall(r"^-- (\w+)\n(.*?);$", (HERE / "panels.sql").read_text(encoding="utf-8"), re.M | re.S))
SINGLE = frozenset({"tokens", "unserved", "unexplained"})  # one row each
MOVES = "SELECT seen, position FROM lift WHERE leg = ? ORDER BY recall_id, memory_id"
ALWAYS, NEVER = "", "9999"  # bounds of a time that is not bounded

HitRate = TypedDict("HitRate", {"class": str, "recalls": int, "empty": int, "cited": int, "used": int})


class Stale(TypedDict):
    """A week (its Monday): judged and found stale by somebody, checked and found outdated by the Sweep."""

    week: str
    judged: int
    stale: int
    checked: int
    outdated: int


class Tokens(TypedDict):
    """Bytes loaded (recalled, served, overhead), kept out (from floor to json), declared (rework); requests avoided."""

    recalled: int
    served: int
    overhead: int
    floor: int
    json: int
    rework: int
    requests: int


class Agent(TypedDict):
    """How one kind of agent uses memory; tagged: recalls of which it said anything."""

    harness: str
    agent: str
    recalls: int
    used: int
    tagged: int
    reads: int
    hits: int
    fetched: int


class TopCited(TypedDict):
    """A load-bearing memory."""

    memory_id: str
    address: str
    cited: int
    sessions: int
    last: str


class NeverCited(TypedDict):
    """A memory that was shown and never used."""

    memory_id: str
    address: str
    shown: int


class Unserved(TypedDict):
    """How many stored memories nobody was served; None where the number of stored ones is not known."""

    unserved: int | None


class Lift(TypedDict):
    """What a leg added to used results; `lift` is None without any."""

    leg: str
    recalls: int
    results: int
    lift: float | None
    only_with: int
    better: int
    same: int
    worse: int


class Unexplained(TypedDict):
    """Recalls whose recorded order the fusion does not give again; they are left out of the lift."""

    recalls: int


class Reads(TypedDict):
    """A week (its Monday) of reads and fetches."""

    week: str
    hit: int
    subsumed: int
    miss: int
    fetched: int
    prompted: int


class Nudges(TypedDict):
    """Nudges at one cause (FETCHED, PROMPTED) and what came next."""

    harness: str
    cause: str
    given: int
    followed: int
    fetched_anyway: int
    no_more: int


class Missed(TypedDict):
    """An address that was asked for in vain, and not answered since."""

    address: str
    misses: int
    last: str


class SessionFacts(TypedDict):
    """What happened in a session; `said` counts by kind."""

    session: str
    started: str
    ended: str
    recalls: int
    used: int
    said: dict[str, int]
    hits: int
    misses: int
    fetched: int
    nudges: int
    followed: int
    requests: int


class Panels(TypedDict):
    """All panels by name, as `rg-memory stats --json` prints them."""

    hit_rate: list[HitRate]
    stale: list[Stale]
    tokens: Tokens
    agents: list[Agent]
    top_cited: list[TopCited]
    never_cited: list[NeverCited]
    unserved: Unserved
    lift: list[Lift]
    unexplained: Unexplained
    reads: list[Reads]
    nudges: list[Nudges]
    missed: list[Missed]
    wraps: list[SessionFacts]


@dataclass(frozen=True, slots=True)
class PanelScope:
    """Who asks, of which time (from `since`, before `until`), four declared numbers, and what narrows the question."""

    user: str
    since: str = ALWAYS
    until: str = NEVER
    tools_bytes: int = 0
    nudge_bytes: int = 0
    rework_bytes: int = 0
    stored: int | None = None  # memories; None: not known
    harness: str | None = None
    agent_type: str | None = None  # "" is the main agent
    project: str | None = None
    session: str | None = None


class Tables:
    """The helper tables of one scope, ready to be asked for panels."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.fused = False

    def rows(self, panel: str) -> list[dict[str, Any]]:
        """The rows of one panel of panels.sql."""
        if panel in ("lift", "unexplained"):
            self._fuse()
        found = self.db.execute(PANELS[panel])
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found]
        if panel == "wraps":
            rows = [row | {"said": json.loads(row["said"])} for row in rows]
        return rows

    def _fuse(self) -> None:
        """Fuse again what was used, once, and build what stands on that."""
        if not self.fused:
            fill_placed(self.db)
            self.db.executescript(FUSED)
            self.fused = True

    def moves(self) -> dict[str, list[tuple[int | None, int]]]:
        """Places of used results (without the leg, None for not shown; with it), for the graph and for recency."""
        self._fuse()
        return {leg: self.db.execute(MOVES, (leg,)).fetchall() for leg in ("graph", "temporal")}

    def tokens(self) -> Tokens:
        """The panel `tokens`."""
        found: Tokens = self.rows("tokens")[0]  # type: ignore[assignment]
        return found

    def wraps(self) -> list[SessionFacts]:
        """The panel `wraps`."""
        found: list[SessionFacts] = self.rows("wraps")  # type: ignore[assignment]
        return found

    def panels(self) -> Panels:
        """All panels."""
        found: Panels = {name: self.rows(name)[0] if name in SINGLE else self.rows(name) for name in PANELS}  # type: ignore[assignment]
        return found


@contextmanager
def asking(telemetry: str | None, touches: str, scope: PanelScope) -> Iterator[Tables]:
    """Build the helper tables of a scope over the two files; without a file of telemetry its tables are empty.

    Args:
        telemetry: path of telemetry.db; None: it is left aside.
        touches: path of touches.db, which must be there.
        scope: who asks what.

    Raises:
        UserError: if a file cannot be read, or is of a newer version.
    """
    with reading(telemetry, touches) as db:
        create, helpers = HELPERS.split(";\n", 1)
        db.executescript(create + ";")
        db.execute("INSERT INTO scope VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(scope))
        db.executescript(helpers)
        yield Tables(db)


@contextmanager
def reading(telemetry: str | None, touches: str) -> Iterator[sqlite3.Connection]:
    """Both files, for reading only; without a file of telemetry its tables are there, and empty.

    Raises:
        UserError: if a file cannot be read, or is of a newer version.
    """
    with explained(telemetry or touches), closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as db:
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("ATTACH ? AS touches", (read_only(touches),))
        if telemetry and Path(telemetry).exists():
            db.execute("ATTACH ? AS telemetry", (read_only(telemetry),))
            check_version(db, telemetry, "telemetry")
        else:
            db.executescript(SCHEMA)
        yield db


def declared(telemetry: str) -> tuple[int, int]:
    """The bytes of our catalogue and instructions in a session, and of a Nudge on average, as the server last told.

    Raises:
        UserError: if the file cannot be read.
    """
    if not Path(telemetry).exists():
        return 0, 0
    with explained(telemetry), closing(sqlite3.connect(read_only(telemetry), uri=True)) as db:
        check_version(db, telemetry)
        tools, nudge = db.execute("SELECT tools_bytes, nudge_bytes FROM declared").fetchone() or (0, 0)
        return tools, nudge
