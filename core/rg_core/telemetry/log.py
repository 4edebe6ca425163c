"""Writes events into telemetry.db, one transaction each, before the answer that they are about goes out.

Never in the way: a file that is locked, full, broken or of a newer version costs a recall its id and nothing else. The
log says so once; `trouble` tells it to `rg-memory status`.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from operator import attrgetter
from typing import TypeVar

from rg_core.errors import UserError
from rg_core.telemetry.events import LONGEST_QUERY, Caller, Candidate, Read, Recall
from rg_core.telemetry.file import connect, explained
from rg_core.transaction import transaction

T = TypeVar("T")
BUSY = 0.1  # seconds an answer waits for another writer
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # no 0 o 1 l i: models repeat an id
ID_LENGTH = 5
CALLER = ("harness", "agent", "agent_type", "session", "connection", "tool_use_id")
EVENT = (
    "id", "user", "at", "store", "project", *CALLER, "query", "query_class", "as_of", "page", "result_count",
    "candidate_count", "payload_bytes", "took_ms", "match", "weights", "rrf_k", "half_life_days",
)  # fmt: skip
CANDIDATE = ("recall_id", *Candidate._fields)
CALLER_VALUES = attrgetter(*CALLER)


def _insert(table: str, columns: tuple[str, ...], clause: str = "INSERT") -> str:
    return f"{clause} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


INSERT_RECALL = f"{_insert('recall_event', EVENT)} ON CONFLICT (id) DO NOTHING"
INSERT_CANDIDATE = _insert("recall_candidate", CANDIDATE)
INSERT_READ = _insert("read_event", Read._fields, "INSERT OR IGNORE")


class EventLog:
    """Writes for one server process or one command; used from one thread at a time. Nothing here raises."""

    def __init__(self, path: str, *, keeps_queries: bool = True) -> None:
        """`path` is rg_core.paths.telemetry_file(environ); the first event creates the file.

        `keeps_queries`: whether the words of a recall are written, as `telemetry.query_text` says.
        """
        self.path = path
        self.keeps_queries = keeps_queries
        self._db: sqlite3.Connection | None = None
        self._said = False

    def recall_id(self) -> str:
        """A new id; the text that names it can be written before the event, whose bytes count that text."""
        return "r" + "".join(LETTERS[byte % len(LETTERS)] for byte in os.urandom(ID_LENGTH))

    def recall(self, name: str, caller: Caller, recall: Recall, at: str) -> bool | None:
        """Write one call of recall under its id: True; False where another has that id; None if it cannot be done."""

        def write(db: sqlite3.Connection) -> bool:
            who = (caller.user, at, caller.store, caller.project, *CALLER_VALUES(caller))
            query = recall.query[:LONGEST_QUERY] if self.keeps_queries else ""
            what = (query, recall.query_class, recall.as_of, recall.page, recall.result_count,
                    recall.candidate_count, recall.payload_bytes, recall.took_ms, recall.match,
                    json.dumps(recall.weights), recall.rrf_k, recall.half_life_days)  # fmt: skip
            with transaction(db):
                if not db.execute(INSERT_RECALL, (name, *who, *what)).rowcount:
                    return False
                db.executemany(INSERT_CANDIDATE, [(name, *one) for one in recall.candidates])
            return True

        return self._quietly(write)

    def read(self, read: Read) -> None:
        """Write what the Touch of a call of `resource` does not say."""
        self._quietly(lambda db: db.execute(INSERT_READ, read))

    def declare(self, tools_bytes: int, nudge_bytes: int) -> None:
        """Say how large our catalogue and instructions, and on average a Nudge, are; it replaces what was said."""

        def write(db: sqlite3.Connection) -> None:
            said = db.execute("SELECT tools_bytes, nudge_bytes FROM declared").fetchone()
            if said is None or tuple(said) != (tools_bytes, nudge_bytes):
                with transaction(db):
                    db.execute("DELETE FROM declared")
                    db.execute("INSERT INTO declared VALUES (?, ?)", (tools_bytes, nudge_bytes))

        self._quietly(write)

    def close(self) -> None:
        """Let go of the file."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def _quietly(self, write: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            if self._db is None:
                self._db = connect(self.path, BUSY)
            return write(self._db)
        except (OSError, sqlite3.Error, UserError) as error:
            self.close()
            if not self._said:
                self._said = True
                logging.getLogger(__name__).warning("telemetry is not written: %s", error)
            return None


class _Undone(Exception):
    """Takes a transaction back that was only tried."""


def trouble(path: str) -> str:
    """What keeps events from being written now, or "" where nothing does."""
    if not os.path.exists(path):
        return ""
    try:
        with explained(path), closing(connect(path, BUSY)) as db, suppress(_Undone), transaction(db):
            db.execute("INSERT INTO declared VALUES (0, 0)")
            raise _Undone
    except UserError as error:
        return str(error)
    return ""
