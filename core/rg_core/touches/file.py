"""The file of Touches itself: made, brought up to date, opened, and what to do when it cannot be used. Cold."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from urllib.parse import quote

from rg_core import files
from rg_core.errors import UserError, cannot_hold_a_database, disk_is_full
from rg_core.touches.drain import waiting
from rg_core.touches.published import private
from rg_core.transaction import transaction

VERSION = 2  # PRAGMA user_version
BUSY = 5.0  # seconds to wait for other writers
FULL = "the disk is full: free some space (nothing recorded is lost)"
NO_LOCKS = (
    "its file system has no file locks or no shared memory, as some network file systems: keep rg-memory's data on a "
    "local disk, by setting XDG_DATA_HOME for your shell and your agents"
)
LOCKED = "another process is writing it: try again in a moment"
REPAIR = "move that file away to begin an empty one, or see that this user may write it"
OLD_ASIDE = 3600  # seconds after which a half-made file was left by a killed process
TABLES = """
CREATE TABLE touch (
    id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL, provenance TEXT NOT NULL,
    at TEXT NOT NULL, session TEXT NOT NULL, harness TEXT NOT NULL, "limit" INTEGER, "order" TEXT NOT NULL,
    tool_name TEXT NOT NULL, tool_use_id TEXT NOT NULL, agent TEXT NOT NULL, agent_type TEXT NOT NULL,
    served_from_memory INTEGER NOT NULL, outcome TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, sent INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX touch_waiting ON touch (user) WHERE status = 'pending' OR reason = 'rate_limited';
CREATE INDEX touch_unsent ON touch (user) WHERE sent = 0;
CREATE TABLE known (
    address TEXT NOT NULL, "order" TEXT NOT NULL, fetched_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    title TEXT NOT NULL, comments INTEGER NOT NULL, member_count INTEGER NOT NULL, total_count INTEGER NOT NULL,
    complete INTEGER NOT NULL, UNIQUE (address, "order")
);
CREATE TABLE nudged (session TEXT, address TEXT, at TEXT NOT NULL, PRIMARY KEY (session, address)) WITHOUT ROWID;
CREATE TABLE caller (
    address TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, agent_type TEXT NOT NULL,
    tool_use_id TEXT NOT NULL, harness TEXT NOT NULL, at TEXT NOT NULL
);
"""
# From version 1 (release 0.1) to 2: hooks leave files, and read published ones.
FILES = (
    "DROP TABLE IF EXISTS settings",
    "CREATE TABLE drained (name TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE told (session TEXT PRIMARY KEY, changed INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE mark (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    f"PRAGMA user_version = {VERSION}",
)


def connect(path: str) -> sqlite3.Connection:
    """Open the file; it is created first if need be, and brought up to date.

    Raises:
        UserError: if the file is no file of ours, or a later release's.
        OSError, sqlite3.Error: if it cannot be created or used.
    """
    private(os.path.dirname(path))
    if not os.path.exists(path):
        _create(path)
    try:
        return _prepared(sqlite3.connect(path, timeout=BUSY, isolation_level=None), path)
    except sqlite3.Error:
        # A full disk has no room for the files beside this one, which reading does not need where nobody writes.
        log = f"{path}-wal"
        if not disk_is_full(path) or (os.path.exists(log) and os.path.getsize(log)):
            raise
        place = f"file:{quote(os.path.abspath(path))}?immutable=1"
        return _prepared(sqlite3.connect(place, uri=True, isolation_level=None), path)


def _prepared(db: sqlite3.Connection, path: str) -> sqlite3.Connection:
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        version = _upgraded(db)
        if version > VERSION:
            raise UserError(f"{path} is of version {version}, this rg-memory knows {VERSION}; upgrade rg-memory")
        if version < VERSION:
            raise UserError(f"{path} is no file of rg-memory's touches; move that file away to begin an empty one")
    except BaseException:
        db.close()
        raise
    return db


def trouble(path: str, error: Exception) -> str:
    """What is wrong, what to do about it, and how many events of hooks wait for it."""
    count = waiting(os.path.dirname(path)).count
    wait = f". {count:,} event{'' if count == 1 else 's'} of hooks wait{'s' if count == 1 else ''}" if count else ""
    return f"the file of touches, {path}, cannot be used: {error}; {_advice(path, error)}{wait}"


def _advice(path: str, error: Exception) -> str:
    folder = os.path.dirname(path)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return f"{folder} is a file, or a link that leads nowhere: move it away, or let it be a directory again"
    if disk_is_full(path):
        return FULL
    if cannot_hold_a_database(folder):
        return NO_LOCKS
    code = getattr(error, "sqlite_errorcode", 0) or 0
    return LOCKED if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) else REPAIR


def _create(path: str) -> None:
    """Build the file aside and link it into place: the first whole file wins, and nobody sees a half-made one.

    Setting WAL mode on a file that others open at the same moment fails now and then despite the busy timeout.

    Raises:
        OSError: if the file cannot be created.
        sqlite3.Error: if the file system cannot hold a database.
    """
    _tidy(path)
    aside = f"{path}.{os.getpid()}.new"
    os.close(os.open(aside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    try:
        with closing(sqlite3.connect(aside, timeout=0, isolation_level=None)) as db:  # nobody else has it
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN; {TABLES} {'; '.join(FILES)}; COMMIT;")
        files.settle(aside, path)
    finally:
        for leftover in (aside, aside + "-wal", aside + "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(leftover)


def _upgraded(db: sqlite3.Connection) -> int:
    """Bring an older file up to date; the version that the file then has, which may be a later release's."""
    if _version(db) == 1:
        with transaction(db):
            if _version(db) == 1:  # nobody else was first
                for statement in FILES:
                    db.execute(statement)
    return _version(db)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _tidy(path: str) -> None:
    """Remove what processes that were killed while they made this file left behind."""
    directory, name = os.path.split(path)
    for entry in os.listdir(directory):
        if entry.startswith(f"{name}.") and ".new" in entry:
            left = os.path.join(directory, entry)
            with suppress(OSError):
                if time.time() - os.stat(left).st_mtime > OLD_ASIDE:
                    os.unlink(left)
