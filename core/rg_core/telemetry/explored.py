"""What a user explored and asked, event by event: the rows behind lists of Touches, sessions and single recalls."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rg_core.telemetry.panels import Question, Scope, asking

MOVES = "SELECT seen, position FROM lift WHERE leg = ? ORDER BY recall_id, memory_id"
EVENTS = """
SELECT at, 'touch' AS what, n, id, session, harness, agent_type, provenance, outcome, address, tool_name, status,
    reason, '' AS query, 0 AS result_count FROM t WHERE :address = '' OR address LIKE :address || '%'
UNION ALL SELECT at, 'recall', rowid, id, session, harness, agent_type, '', match, '', '', '', '', query, result_count
    FROM r WHERE :address = ''
ORDER BY at DESC, n DESC, id DESC LIMIT :limit
"""
NUDGES = "SELECT session, address, at FROM nudge"
HARNESSES = """
SELECT DISTINCT harness || '/' || iif(agent_type = '', 'main', agent_type) FROM (
    SELECT harness, agent_type FROM r UNION SELECT harness, agent_type FROM t) WHERE harness <> '' ORDER BY 1
"""
PROJECTS = """
SELECT DISTINCT project FROM (SELECT project FROM r UNION
    SELECT v.project FROM t JOIN read_event v ON v.touch_id = t.id) WHERE project <> '' ORDER BY 1
"""
LATEST = "SELECT max(at) FROM (SELECT max(at) AS at FROM r UNION ALL SELECT max(at) FROM t)"
RECALL = "SELECT * FROM r WHERE id = ?"
RESULTS = """
SELECT c.* FROM recall_candidate c JOIN r ON r.id = c.recall_id
WHERE c.recall_id = ? AND c.position IS NOT NULL ORDER BY c.position
"""
SAID = "SELECT memory_id, kind FROM said WHERE recall_id = ? ORDER BY at, kind"
ABOUT = """
SELECT (SELECT count(DISTINCT session) FROM t WHERE address = :address) AS sessions,
    (SELECT count(*) FROM t WHERE address = :address) AS touches,
    (SELECT count(*) FROM said WHERE address = :address AND kind = 'cited') AS cited
"""
SHOWING = "SELECT DISTINCT recall_id, at FROM shown WHERE address = ? ORDER BY at DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: a Touch, or a recall (then with its query and how many results it had)."""

    at: str
    what: str  # touch, recall
    id: str
    session: str
    harness: str
    agent_type: str
    provenance: str
    outcome: str  # of a Cache Read; of a recall: strong, weak
    address: str
    tool_name: str
    status: str
    reason: str
    query: str
    result_count: int
    nudged: bool  # a Nudge rode on it

    @property
    def mark(self) -> str:
        """What it is in a strip of events: recall, read, miss, fetch, prompt."""
        if self.what == "recall":
            return "recall"
        if self.provenance == "CACHE_READ":
            return "miss" if self.outcome == "miss" else "read"
        return "fetch" if self.provenance == "FETCHED" else "prompt"


@dataclass(frozen=True, slots=True)
class Recalled:
    """One recall: its row, its results by place, and what was said of each by memory id."""

    event: Mapping[str, object]
    weights: Mapping[str, float]
    results: Sequence[Mapping[str, object]]
    said: Mapping[str, Sequence[str]]


@contextmanager
def exploring(telemetry: str, touches: str, scope: Scope) -> Iterator[Explored]:
    """Ask about the events of a scope.

    Raises:
        UserError: if a file cannot be read, or is of a newer version.
    """
    with asking(telemetry, touches, scope) as question:
        yield Explored(question)


class Explored:
    """The events of one scope."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._db = question.db

    def events(self, limit: int, address: str = "") -> list[Event]:
        """The latest events, newest first; only Touches whose address begins with `address`, where one is given."""
        nudged = {(row[0], row[1]): row[2] for row in self._db.execute(NUDGES)}
        values = {"limit": limit, "address": address}
        found = []
        for row in _rows(self._db, EVENTS, values):
            del row["n"]
            on = nudged.get((row["session"], row["address"]))
            rode = on is not None and row["provenance"] in ("FETCHED", "PROMPTED") and abs(_seconds(on, row["at"])) <= 5
            found.append(Event(**row, nudged=rode))
        return found

    def moves(self) -> Mapping[str, Sequence[tuple[int | None, int]]]:
        """Places of used results (without the leg, None for not shown; with it), for the graph and for recency."""
        self.question.rows("lift")
        return {leg: [tuple(row) for row in self._db.execute(MOVES, (leg,))] for leg in ("graph", "temporal")}

    def agents(self) -> list[str]:
        """Who was there: harness/agent type, with `main` for the main agent."""
        return [row[0] for row in self._db.execute(HARNESSES)]

    def projects(self) -> list[str]:
        """In which projects."""
        return [row[0] for row in self._db.execute(PROJECTS)]

    def latest(self) -> str | None:
        """When anything happened last."""
        at: str | None = self._db.execute(LATEST).fetchone()[0]
        return at

    def recall(self, id: str) -> Recalled | None:
        """One recall; None if there is none of that id."""
        rows = _rows(self._db, RECALL, (id,))
        if not rows:
            return None
        said: dict[str, list[str]] = {}
        for memory, kind in self._db.execute(SAID, (id,)):
            said.setdefault(memory, []).append(kind)
        return Recalled(rows[0], json.loads(str(rows[0]["weights"])), _rows(self._db, RESULTS, (id,)), said)

    def about(self, address: str) -> Mapping[str, int]:
        """How often an address was explored (touches, in sessions) and cited."""
        return _rows(self._db, ABOUT, {"address": address})[0]

    def showing(self, address: str, limit: int) -> Sequence[tuple[str, str]]:
        """The latest recalls (id, time) that showed an address."""
        return [(row[0], row[1]) for row in self._db.execute(SHOWING, (address, limit))]


def _rows(db: sqlite3.Connection, statement: str, values: object) -> list[dict[str, Any]]:
    cursor = db.execute(statement, values)  # type: ignore[arg-type]
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]


def _seconds(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()
