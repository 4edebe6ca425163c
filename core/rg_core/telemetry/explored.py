"""What a user explored and asked, event by event: the rows behind lists of Touches, sessions and single recalls.

They are read as they stand: what panels.py builds for its questions takes longer than a page may.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rg_core.telemetry.panels import NEVER, reading

RIDES = 5  # seconds around a fetch or a prompt, within which a Nudge rode on it
EVENTS = """
SELECT at, 'touch' AS what, rowid AS n, id, session, harness, agent_type, provenance, outcome, address, tool_name,
    status, reason, '' AS query, 0 AS result_count FROM touches.touch
    WHERE user = :user AND at < :before AND (:sessions IS NULL OR session IN (SELECT value FROM json_each(:sessions)))
    AND (:begins = '' OR :begins IN (substr(address, 1, length(:begins)),
        substr(address, instr(address, ':') + 1, length(:begins))))
UNION ALL SELECT at, 'recall', rowid, id, session, harness, agent_type, '', match, '', '', '', '', query, result_count
    FROM recall_event WHERE user = :user AND at < :before AND :begins = ''
    AND (:sessions IS NULL OR session IN (SELECT value FROM json_each(:sessions)))
ORDER BY at DESC, n DESC, id DESC LIMIT :limit
"""
NUDGED = "SELECT at FROM touches.nudged WHERE session = ? AND address = ?"
AGENTS = """
SELECT DISTINCT harness || '/' || iif(agent_type = '', 'main', agent_type) FROM (
    SELECT harness, agent_type FROM recall_event WHERE user = :user
    UNION SELECT harness, agent_type FROM touches.touch WHERE user = :user) WHERE harness <> '' ORDER BY 1
"""
PROJECTS = """
SELECT DISTINCT project FROM (SELECT project FROM recall_event WHERE user = :user
    UNION SELECT project FROM read_event WHERE user = :user) WHERE project <> '' ORDER BY 1
"""
LATEST = """
SELECT max(at) FROM (SELECT max(at) AS at FROM recall_event WHERE user = :user
    UNION ALL SELECT max(at) FROM touches.touch WHERE user = :user)
"""
RECALL = "SELECT * FROM recall_event WHERE id = :id AND user = :user"
RESULTS = "SELECT * FROM recall_candidate WHERE recall_id = :id AND position IS NOT NULL ORDER BY position"
SAID = "SELECT memory_id, kind FROM citation_event WHERE recall_id = :id AND user = :user ORDER BY at, kind"
ABOUT = """
SELECT count(DISTINCT session) AS sessions, count(*) AS touches,
    (SELECT count(*) FROM citation_event WHERE memory_id = :memory AND user = :user AND kind = 'cited') AS cited
FROM touches.touch WHERE user = :user AND address = :address
"""
SHOWING = """
SELECT e.id, e.at FROM recall_candidate c JOIN recall_event e ON e.id = c.recall_id
WHERE c.memory_id = :memory AND c.position IS NOT NULL AND e.user = :user ORDER BY e.at DESC LIMIT :limit
"""


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
def exploring(telemetry: str | None, touches: str, user: str) -> Iterator[Explored]:
    """Ask about the events of one user.

    Args:
        telemetry: path of telemetry.db; None: it is left aside.
        touches: path of touches.db, which must be there.
        user: who asks; nobody without a name has any.

    Raises:
        UserError: if a file cannot be read, or is of a newer version.
    """
    with reading(telemetry, touches) as db:
        yield Explored(db, user)


class Explored:
    """The events of one user."""

    def __init__(self, db: sqlite3.Connection, user: str) -> None:
        self._db, self._user = db, user

    def events(
        self, limit: int, *, begins: str = "", sessions: Sequence[str] | None = None, before: str = NEVER
    ) -> list[Event]:
        """The latest events before a time, newest first.

        Args:
            limit: at most so many.
            begins: only Touches whose address begins so, with its scheme or without it.
            sessions: only of these.
            before: ISO 8601 in UTC.
        """
        chosen = None if sessions is None else json.dumps(sessions)
        values = {"begins": begins, "sessions": chosen, "before": before, "limit": limit}
        found = []
        for row in self._rows(EVENTS, **values):
            del row["n"]
            found.append(Event(**row, nudged=self._nudged(row)))
        return found

    def _nudged(self, row: Mapping[str, Any]) -> bool:
        if row["provenance"] not in ("FETCHED", "PROMPTED"):
            return False
        on = self._db.execute(NUDGED, (row["session"], row["address"])).fetchone()
        return on is not None and abs(_seconds(on[0], row["at"])) <= RIDES

    def agents(self) -> list[str]:
        """Who was there: harness/agent type, with `main` for the main agent."""
        return [row[0] for row in self._db.execute(AGENTS, {"user": self._user})]

    def projects(self) -> list[str]:
        """In which projects."""
        return [row[0] for row in self._db.execute(PROJECTS, {"user": self._user})]

    def latest(self) -> str | None:
        """When anything happened last."""
        at: str | None = self._db.execute(LATEST, {"user": self._user}).fetchone()[0]
        return at

    def recall(self, id: str) -> Recalled | None:
        """One recall; None if there is none of that id."""
        rows = self._rows(RECALL, id=id)
        if not rows:
            return None
        said: dict[str, list[str]] = {}
        for row in self._rows(SAID, id=id):
            said.setdefault(row["memory_id"], []).append(row["kind"])
        return Recalled(rows[0], json.loads(str(rows[0]["weights"])), self._rows(RESULTS, id=id), said)

    def about(self, address: str, memory: str) -> Mapping[str, int]:
        """How often what has this address and this memory id was explored (touches, in sessions) and cited."""
        return self._rows(ABOUT, address=address, memory=memory)[0]

    def showing(self, memory: str, limit: int) -> Sequence[tuple[str, str]]:
        """The latest recalls (id, time) that showed a memory."""
        return [(row["id"], row["at"]) for row in self._rows(SHOWING, memory=memory, limit=limit)]

    def _rows(self, statement: str, **values: object) -> list[dict[str, Any]]:
        cursor = self._db.execute(statement, values | {"user": self._user})
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor]


def _seconds(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()
