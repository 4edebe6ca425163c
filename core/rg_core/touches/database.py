"""The file of Touches: what waits, what was explored, what is known. Cold; no hook opens it.

One SQLite file (paths.outbox_file), mode 0600 in a directory of mode 0700, in WAL mode with synchronous=NORMAL: what
a call has committed survives a kill -9 of any process. Every call opens the file for itself, so a TouchLog can be kept
for as long as a server runs and used from any thread; and every call first takes in what hooks left
(rg_core.touches.drain), so that an event is seen right after its hook and the order of rows is the order of events.

Tables: touch (one exploration of one address), known (addresses that memory holds, for the Nudge; published as a file),
nudged (which session was told of which address), caller (who is about to read memory), drained and told (what was
taken from the hooks' files), mark (which state of `known` is current).
"""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from rg_core import times
from rg_core.address.model import ANY_REPOSITORY, DOC, NOTE, key_of, repository_of
from rg_core.border import line
from rg_core.errors import UserError
from rg_core.touches import index
from rg_core.touches.drain import TOUCH_COLUMNS, drain, forget_events, insert_touch, told_entries, waiting
from rg_core.touches.file import connect, trouble
from rg_core.touches.index import batches
from rg_core.touches.known import Known
from rg_core.touches.touch import CACHE_READ, NOT_PUBLIC, RATE_LIMITED, AnnouncedRead, Touch
from rg_core.touches.upstream import TOLD
from rg_core.transaction import transaction

SENT = 200  # Touches of one message to a shared memory
PUBLISH_AFTER = 10.0  # seconds between two publications of the index while many changes come
KEEP_NUDGED, KEEP_CALLERS = 400 * times.DAY, 3600  # seconds
WAITING = f"(status = 'pending' OR reason = '{RATE_LIMITED}')"  # as the partial index says it


class TouchLog:
    """The Touches of this machine, the index of known addresses, and who reads memory next.

    Every method raises UserError, saying what to do, when the file cannot be opened, read or written.
    """

    def __init__(self, path: str) -> None:
        """`path` is rg_core.paths.outbox_file(environ); the file is created by the first call."""
        self.path = path
        self.data = os.path.dirname(path)
        self._gathering = False
        self._published = 0.0  # when the index was
        self._warned = False

    def drain(self) -> None:
        """Take in what hooks left, and see that the index is published; nothing is created where there is nothing."""
        if os.path.exists(self.path) or waiting(self.data).count:
            with self._open() as db:
                self._publish(db)

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
        with self._open(whole=reason == NOT_PUBLIC) as db:
            for batch in batches(ids):
                marks = ",".join("?" * len(batch))
                with transaction(db):
                    if reason == NOT_PUBLIC:
                        rows = db.execute(f"SELECT address FROM touch WHERE id IN ({marks})", batch).fetchall()
                        _erase(db, self.data, [row[0] for row in rows])
                    db.execute(
                        "UPDATE touch SET status = ?, reason = ?, attempts = attempts + 1, sent = 0 "
                        f"WHERE id IN ({marks})",
                        (status, reason, *batch),
                    )
            if reason == NOT_PUBLIC:
                forget_events(self.data)
                self._publish(db)
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

        What is removed stays in no free page of the file either, and in none of the hooks' files. What a hook records
        after this began is a new event. Nothing is removed without a user or a choice.
        """
        if not user or not (address or session or everything):
            return 0
        choice = (user, None if everything else address, None if everything else session)
        with self._open(whole=True) as db:
            told = [
                (file, (its_session, its_address))
                for file, (whose, its_session, its_address, _) in told_entries(self.data)
                if whose == user and (everything or its_address.removeprefix(TOLD) == address or its_session == session)
            ]
            with transaction(db):
                db.executemany("DELETE FROM nudged WHERE session = ? AND address = ?", [row for _, row in told])
                ours = "user = ?1 AND (?2 IS NULL OR address = ?2) AND (?3 IS NULL OR session = ?3)"
                db.execute(
                    f"DELETE FROM nudged WHERE session IN (SELECT session FROM touch WHERE {ours}) "
                    "AND (?2 IS NULL OR address = ?2)",
                    choice,
                )
                count = db.execute(f"DELETE FROM touch WHERE {ours}", choice).rowcount
            for file, _ in told:
                _unlink(file)
            forget_events(self.data)
            _truncate(db)
            return int(count)

    def adopt(self, user: str, former: Sequence[str]) -> int:
        """Have the Touches that these names of the user made be the user's; how many there were."""
        if not user or not former:
            return 0
        marks = ",".join("?" * len(former))
        with self._open() as db, transaction(db):
            return int(db.execute(f"UPDATE touch SET user = ? WHERE user IN ({marks})", (user, *former)).rowcount)

    # -- writing Touches

    def record(self, touches: Iterable[Touch]) -> None:
        """Store Touches; one whose id is there already changes nothing. On disk when this returns."""
        with self._open() as db:
            for batch in batches(touches):
                with transaction(db):
                    for touch in batch:
                        insert_touch(db, touch)

    # -- a shared memory: what it has not been told

    def unsent(self, user: str, limit: int = SENT) -> list[Touch]:
        """The user's Touches that were settled since they were last marked as sent, oldest first.

        What waits for a Sweep is not among them: it may be about what is not public. Those of documents and notes are
        never sent: they stay on this machine.
        """
        told = f"status <> 'pending' AND address NOT LIKE '{DOC}%' AND address NOT LIKE '{NOTE}%'"
        return self._select(f"sent = 0 AND user = ? AND {told} ORDER BY rowid LIMIT ?", (user, limit))

    def mark_sent(self, touches: Iterable[Touch]) -> None:
        """Remember that a shared memory has these; one that was settled meanwhile stays unsent."""
        with self._open() as db:
            for batch in batches(touches):
                with transaction(db):
                    db.executemany(
                        "UPDATE touch SET sent = 1 WHERE id = ? AND status = ? AND attempts = ?",
                        [(touch.id, touch.status, touch.attempts) for touch in batch],
                    )

    # -- the index of known addresses

    def put_known(self, rows: Iterable[Known]) -> None:
        """Add or replace rows; those put longest ago go where there would be too many."""
        with self._open() as db:
            index.put(db, rows)
            _tidy(db)
            if not self._gathering or time.monotonic() - self._published > PUBLISH_AFTER:
                self._publish(db)

    def replace_known(self, rows: Iterable[Known]) -> None:
        """Rebuild the index: afterwards it holds these rows. The old ones serve until the new ones are in."""
        with self._open() as db:
            index.replace(db, rows)
            _tidy(db)
            self._publish(db)

    def drop_known(self, addresses: Iterable[str]) -> None:
        """Take these addresses out of the index, under any order; when this returns, no hook names them any more."""
        with self._open() as db:
            index.drop(db, addresses)
            self._publish(db)
            _truncate(db)

    def known_under(self, repository: str) -> list[tuple[str, str]]:
        """Every (address, order) of the index in a repository of this lower-case name; order is "" but for listings."""
        key = key_of(repository)
        with self._open() as db:
            return db.execute(
                'SELECT address, "order" FROM known WHERE address = ? OR address GLOB ? OR address GLOB ?',
                (key, key + "#*", key + "/*"),
            ).fetchall()

    def known_resources(self) -> list[str]:
        """Every address of the index that is no listing."""
        with self._open() as db:
            return [address for (address,) in db.execute("SELECT address FROM known WHERE \"order\" = ''")]

    def known_count(self) -> int:
        """How many rows the index has."""
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM known").fetchone()[0])

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """While many rows are put: the index is published now and then, and at the end."""
        self._gathering = True
        try:
            yield
        finally:
            self._gathering = False
            self.drain()

    def _publish(self, db: sqlite3.Connection) -> None:
        index.publish(db, self.data)
        self._published = time.monotonic()

    # -- whose call of `resource` this is

    def claim_caller(self, address: str, since: str = "") -> AnnouncedRead | None:
        """Take the caller that a hook left for a read of this address, at `since` or later; the oldest first.

        Two agents that read one address at the same moment get one each.
        """
        with self._open() as db, transaction(db):
            row = db.execute(
                "SELECT rowid, address, session, harness, tool_use_id, agent, agent_type FROM caller "
                "WHERE address = ? AND at >= ? ORDER BY rowid LIMIT 1",
                (address, since),
            ).fetchone()
            if row is None:
                return None
            db.execute("DELETE FROM caller WHERE rowid = ?", row[:1])
            return AnnouncedRead(*row[1:])

    # -- the file

    def keep_open(self) -> object:
        """A connection to hold on to: closing the last one takes 5 ms, which a server need not spend on each call."""
        try:
            db = connect(self.path)
            db.execute("SELECT count(*) FROM mark").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise UserError(trouble(self.path, error)) from error
        return db

    @contextmanager
    def _open(self, *, whole: bool = False) -> Iterator[sqlite3.Connection]:
        """The file, with what hooks left taken in. Where that cannot be, it stays, is said once, and the rest goes on.

        `whole`: what cannot be taken in is an error, because the rest would not be right without it.
        """
        try:
            with closing(connect(self.path)) as db:
                try:
                    drain(db, self.data)
                except sqlite3.Error as error:
                    if whole:
                        raise
                    self._warn(error)
                yield db
        except (OSError, sqlite3.Error) as error:
            raise UserError(trouble(self.path, error)) from error

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            print(f"rg-memory: {line(trouble(self.path, error))}", file=sys.stderr)

    def _select(self, where: str, values: Sequence[str | int | None]) -> list[Touch]:
        with self._open() as db:
            return [_touch(row) for row in db.execute(f"SELECT {TOUCH_COLUMNS} FROM touch WHERE {where}", values)]


def exists(path: str) -> bool:
    """Whether anything was ever recorded or known on this machine."""
    return os.path.exists(path)


def _touch(row: Sequence[object]) -> Touch:
    values = dict(zip(Touch.__annotations__, row, strict=True))
    return Touch(**values | {"served_from_memory": bool(values["served_from_memory"])})  # type: ignore[arg-type]


def _tidy(db: sqlite3.Connection) -> None:
    """Let go of what no running session can still ask for."""
    with transaction(db):
        for table, keep in (("nudged", KEEP_NUDGED), ("caller", KEEP_CALLERS)):
            db.execute(f"DELETE FROM {table} WHERE at < ?", (times.now(keep),))


def _erase(db: sqlite3.Connection, data: str, addresses: Sequence[str]) -> None:
    """Take addresses of what is not public out of all files; also reads of memory that named their repositories."""
    for address in addresses:
        db.execute("UPDATE touch SET address = '', sent = 0 WHERE address = ?", (address,))
        if repository_of(address) == ANY_REPOSITORY:
            continue
        repository = key_of(repository_of(address))
        below = (repository, repository + "#*", repository + "/*")
        db.execute(
            "UPDATE touch SET address = '', sent = 0 WHERE provenance = 'CACHE_READ' "
            "AND (address = ? OR address GLOB ? OR address GLOB ?)",
            below,
        )
        for table in ("known", "nudged", "caller"):
            db.execute(f"DELETE FROM {table} WHERE address = ? OR address GLOB ? OR address GLOB ?", below)
        index.changed(db)
        for file, (_, _, told_of, _) in told_entries(data):
            if told_of == repository or told_of.startswith((repository + "#", repository + "/")):
                _unlink(file)


def _truncate(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log, which still holds old pages. A reader in its way leaves that to a later call."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
