"""The commands' half of the local file of Touches: what waits, what was explored, what is known. Cold.

The hook's half is rg_core.touches.outbox, which also has the schema. Every call opens the file for itself, so a
TouchLog can be kept for as long as a server runs and used from any thread. Bulk writes go in batches of BATCH rows with
a pause after each, so that a hook never waits for one of them longer than it is willing to.
"""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TypeVar

from rg_core.address.model import ANY_REPOSITORY, key_of, repository_of
from rg_core.errors import UserError, disk_is_full
from rg_core.touches import outbox
from rg_core.touches.known import Known
from rg_core.touches.outbox import KNOWN_COLUMNS, TOUCH_COLUMNS, Caller
from rg_core.touches.touch import CACHE_READ, NOT_PUBLIC, RATE_LIMITED, Touch

T = TypeVar("T")
BATCH = 200  # rows of one transaction: 35 ms for the 99th percentile of a hook's own commit beside it
PAUSE = 0.005  # seconds between two
BUSY = 5.0  # seconds a command waits for other writers
KNOWN_ROWS = 200_000  # the index is bounded: the rows put longest ago go first
KEEP_NUDGED = timedelta(days=30)
KEEP_CALLERS = timedelta(hours=1)
WAITING = f"(status = 'pending' OR reason = '{RATE_LIMITED}')"  # as the partial index says it
FULL = "the disk is full: free some space (nothing recorded is lost)"
REPAIR = "move that file away to begin an empty one, or see that this user may write it"


class TouchLog:
    """The Touches of this machine, the index of known addresses, and who reads memory next.

    Every method raises UserError, saying what to do, when the file cannot be opened, read or written.
    """

    def __init__(self, path: str) -> None:
        """`path` is rg_core.paths.outbox_file(environ); the file is created by the first call."""
        self.path = path

    # -- what the Sweep asks

    def pending(self, user: str | None = None, limit: int | None = None) -> list[Touch]:
        """Real fetches and prompts that wait for a Sweep, oldest first: pending, or stopped by a rate limit."""
        return self._select(
            f"{WAITING} AND provenance <> ?1 AND (?2 IS NULL OR user = ?2) ORDER BY rowid LIMIT ?3",
            (CACHE_READ, user, -1 if limit is None else limit),
        )

    def settle(self, ids: Iterable[str], status: str, reason: str = "") -> None:
        """Give these Touches their end: resolved, or unresolved for a reason. Counts one attempt each.

        What turns out not to be public is not kept: `not_public` erases the address, from these Touches and from every
        other row that has it, and from the file's free pages.
        """
        with self._open() as db:
            for batch in _batches(ids):
                marks = ",".join("?" * len(batch))
                with _transaction(db):
                    if reason == NOT_PUBLIC:
                        _erase(
                            db,
                            [row[0] for row in db.execute(f"SELECT address FROM touch WHERE id IN ({marks})", batch)],
                        )
                    db.execute(
                        "UPDATE touch SET status = ?, reason = ?, attempts = attempts + 1, sent = 0 "
                        f"WHERE id IN ({marks})",
                        (status, reason, *batch),
                    )
            if reason == NOT_PUBLIC:
                _truncate(db)

    # -- what a user asks: always scoped to the asking one

    def touches(
        self,
        user: str,
        *,
        limit: int | None = None,
        address: str | None = None,
        session: str | None = None,
        since: str | None = None,
    ) -> list[Touch]:
        """The user's own Touches, newest first. Nobody's where `user` is empty."""
        return self._select(
            "user = ?1 AND ?1 <> '' AND (?2 IS NULL OR address = ?2) AND (?3 IS NULL OR session = ?3) "
            "AND (?4 IS NULL OR at >= ?4) ORDER BY rowid DESC LIMIT ?5",
            (user, address, session, since, -1 if limit is None else limit),
        )

    def counts(self, user: str) -> list[tuple[str, str, str, str, int]]:
        """How many of the user's Touches there are, by (provenance, status, reason, outcome)."""
        with self._open() as db:
            return db.execute(
                "SELECT provenance, status, reason, outcome, count(*) FROM touch WHERE user = ?1 AND ?1 <> '' "
                "GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
                (user,),
            ).fetchall()

    def forget(
        self, user: str, *, address: str | None = None, session: str | None = None, everything: bool = False
    ) -> int:
        """Remove the user's own Touches of an address, of a session, or all; how many there were.

        What is removed stays in no free page of the file either. Nothing is removed without a user or a choice.
        """
        if not user or not (address or session or everything):
            return 0
        choice = (user, None if everything else address, None if everything else session)
        with self._open() as db:
            with _transaction(db):
                ours = "user = ?1 AND (?2 IS NULL OR address = ?2) AND (?3 IS NULL OR session = ?3)"
                db.execute(
                    f"DELETE FROM nudged WHERE session IN (SELECT session FROM touch WHERE {ours}) "
                    "AND (?2 IS NULL OR address = ?2)",
                    choice,
                )
                count = db.execute(f"DELETE FROM touch WHERE {ours}", choice).rowcount
            _truncate(db)
            return int(count)

    # -- writing Touches

    def record(self, touches: Iterable[Touch]) -> None:
        """Store Touches; one whose id is there already changes nothing. On disk when this returns."""
        with self._open() as db:
            for batch in _batches(touches):
                outbox.write(db, batch)

    # -- a shared memory: what it has not been told

    def unsent(self, user: str, limit: int = BATCH) -> list[Touch]:
        """The user's Touches that were recorded or settled since they were last marked as sent, oldest first.

        Those of documents and notes are never sent: they stay on this machine.
        """
        private = "address NOT LIKE 'doc:%' AND address NOT LIKE 'note:%'"
        return self._select(f"sent = 0 AND user = ? AND {private} ORDER BY rowid LIMIT ?", (user, limit))

    def mark_sent(self, touches: Iterable[Touch]) -> None:
        """Remember that a shared memory has these; one that was settled meanwhile stays unsent."""
        with self._open() as db:
            for batch in _batches(touches):
                with _transaction(db):
                    db.executemany(
                        "UPDATE touch SET sent = 1 WHERE id = ? AND status = ? AND attempts = ?",
                        [(touch.id, touch.status, touch.attempts) for touch in batch],
                    )

    # -- the index of known addresses

    def put_known(self, rows: Iterable[Known]) -> None:
        """Add or replace rows; the oldest go where there would be more than KNOWN_ROWS."""
        with self._open() as db:
            _put_known(db, rows)
            _tidy(db)

    def replace_known(self, rows: Iterable[Known]) -> None:
        """Rebuild the index: afterwards it holds these rows. The old ones serve until the new ones are in."""
        with self._open() as db:
            before = db.execute("SELECT coalesce(max(rowid), 0) FROM known").fetchone()[0]
            _put_known(db, rows)
            _delete_known(db, f"rowid <= {before}")
            _tidy(db)

    def drop_known(self, addresses: Iterable[str]) -> None:
        """Take these addresses out of the index, under any order."""
        with self._open() as db:
            for batch in _batches(addresses):
                marks = ",".join("?" * len(batch))
                with _transaction(db):
                    db.execute(f"DELETE FROM known WHERE address IN ({marks})", batch)
            _truncate(db)

    def known_under(self, repository: str) -> list[tuple[str, str]]:
        """Every (address, order) of the index in a repository of this lower-case name; order is "" but for listings."""
        key = key_of(repository)
        with self._open() as db:
            return db.execute(
                'SELECT address, "order" FROM known WHERE address = ? OR address GLOB ? OR address GLOB ?',
                (key, key + "#*", key + "/*"),
            ).fetchall()

    def known_count(self) -> int:
        """How many rows the index has."""
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM known").fetchone()[0])

    # -- whose call of `resource` this is

    def claim_caller(self, address: str, since: str = "") -> Caller | None:
        """Take the caller that a hook left for a read of this address, at `since` or later; the oldest first.

        Two agents that read one address at the same moment get one each.
        """
        with self._open() as db, _transaction(db):
            row = db.execute(
                "SELECT rowid, address, session, harness, tool_use_id, agent, agent_type FROM caller "
                "WHERE address = ? AND at >= ? ORDER BY rowid LIMIT 1",
                (address, since),
            ).fetchone()
            if row is None:
                return None
            db.execute("DELETE FROM caller WHERE rowid = ?", row[:1])
            return Caller(*row[1:])

    # -- the file

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(outbox.open_outbox(self.path, busy=BUSY)) as db:
                if (version := db.execute("PRAGMA user_version").fetchone()[0]) != outbox.VERSION:
                    raise UserError(
                        f"{self.path} is of version {version}, this rg-memory knows {outbox.VERSION}; update it"
                    )
                db.execute("PRAGMA secure_delete = ON")
                yield db
        except (OSError, sqlite3.Error) as error:
            repair = FULL if disk_is_full(self.path) else REPAIR
            raise UserError(f"the file of touches, {self.path}, cannot be used: {error}; {repair}") from error

    def _select(self, where: str, values: Sequence[str | int | None]) -> list[Touch]:
        with self._open() as db:
            return [_touch(row) for row in db.execute(f"SELECT {TOUCH_COLUMNS} FROM touch WHERE {where}", values)]


def exists(path: str) -> bool:
    """Whether anything was ever recorded or known on this machine."""
    return os.path.exists(path)


def _touch(row: Sequence[object]) -> Touch:
    values = dict(zip(Touch.__annotations__, row, strict=True))
    return Touch(**values | {"served_from_memory": bool(values["served_from_memory"])})  # type: ignore[arg-type]


def _put_known(db: sqlite3.Connection, rows: Iterable[Known]) -> None:
    for batch in _batches(rows):
        with _transaction(db):
            db.executemany(
                f"INSERT OR REPLACE INTO known ({KNOWN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [tuple(getattr(row, name) for name in Known.__annotations__) for row in batch],
            )
    surplus = db.execute("SELECT count(*) FROM known").fetchone()[0] - KNOWN_ROWS
    if surplus > 0:
        last = db.execute("SELECT rowid FROM known ORDER BY rowid LIMIT 1 OFFSET ?", (surplus - 1,)).fetchone()[0]
        _delete_known(db, f"rowid <= {last}")


def _delete_known(db: sqlite3.Connection, where: str) -> None:
    deleted = BATCH
    while deleted == BATCH:
        with _transaction(db):
            deleted = db.execute(
                f"DELETE FROM known WHERE rowid IN (SELECT rowid FROM known WHERE {where} ORDER BY rowid LIMIT {BATCH})"
            ).rowcount
        time.sleep(PAUSE)


def _tidy(db: sqlite3.Connection) -> None:
    """Let go of what no running session can still ask for."""
    now = datetime.now(UTC)
    with _transaction(db):
        for table, keep in (("nudged", KEEP_NUDGED), ("caller", KEEP_CALLERS)):
            db.execute(f"DELETE FROM {table} WHERE at < ?", ((now - keep).strftime("%Y-%m-%dT%H:%M:%SZ"),))


def _erase(db: sqlite3.Connection, addresses: Sequence[str]) -> None:
    """Take addresses of what is not public out of the file; also reads of memory that named their repositories."""
    for address in addresses:
        db.execute("UPDATE touch SET address = '' WHERE address = ?", (address,))
        if repository_of(address) == ANY_REPOSITORY:
            continue
        repository = key_of(repository_of(address))
        below = (repository, repository + "#*", repository + "/*")
        db.execute(
            "UPDATE touch SET address = '' WHERE provenance = 'CACHE_READ' "
            "AND (address = ? OR address GLOB ? OR address GLOB ?)",
            below,
        )
        for table in ("known", "nudged", "caller"):
            db.execute(f"DELETE FROM {table} WHERE address = ? OR address GLOB ? OR address GLOB ?", below)


def _truncate(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log, which still holds old pages. A reader in its way leaves that to a later call."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH)):
        yield batch
        if len(batch) == BATCH:
            time.sleep(PAUSE)
