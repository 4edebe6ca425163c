"""The embedded store's file: created aside and linked into place, opened, migrated; its errors in a user's words."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from rg_core import files
from rg_core.errors import disk_is_full
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sqlite.migrations import MIGRATIONS
from rg_core.transaction import transaction

BUSY_SECONDS = 10.0
CACHE_KIB = 32 * 1024
FULL = "the disk is full; free some space and run the command again (nothing stored is lost)"
HELP = {
    "SQLITE_FULL": FULL,
    "SQLITE_READONLY": "it cannot be written; make the file and its directory writable for you",
    "SQLITE_CANTOPEN": "it cannot be opened; check that its directory exists and is writable for you",
    "SQLITE_PERM": "it cannot be opened; check the permissions of the file and its directory",
    "SQLITE_NOTADB": "it is not a database; move it away, and rg-memory makes a new one",
    "SQLITE_CORRUPT": "it is damaged; move it away and import your last export, or let sweeps fill a new one",
    "SQLITE_BUSY": "another process has kept it locked; end that process, or try again in a moment",
    "SQLITE_LOCKED": "another process has kept it locked; end that process, or try again in a moment",
    "SQLITE_IOERR": "reading or writing failed; check the disk it is on",
}

T = TypeVar("T")
Migrations = Sequence[tuple[str, str]]


class Database:
    """One file, opened (and made, or migrated) at first use; what stands on it reads and writes in transactions."""

    def __init__(self, path: str, busy_seconds: float = BUSY_SECONDS, migrations: Migrations | None = None) -> None:
        """Nothing is opened yet; `busy_seconds` is how long to wait for another process's write."""
        self.path = path
        self._busy_seconds = busy_seconds
        self._migrations = migrations
        self._connection: sqlite3.Connection | None = None

    def exists(self) -> bool:
        """Whether the file is there."""
        return os.path.exists(self.path)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.path, self._busy_seconds, self._migrations)
        return self._connection

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with explained(self.path):
            db = self._db()
            with transaction(db):
                return work(db)

    def _read(self, work: Callable[[sqlite3.Connection], T], *, alone: bool = True) -> T:
        with explained(self.path):
            db = self._db()
            if not alone:
                return work(db)
            with snapshot(db):
                return work(db)


def connect(path: str, busy_seconds: float = BUSY_SECONDS, migrations: Migrations | None = None) -> sqlite3.Connection:
    """Open a store's file, created (0600, its directory 0700) and migrated where needed; safe in many processes.

    Raises:
        StoreUnavailable: if that cannot be done; says what to do.
    """
    migrations = MIGRATIONS if migrations is None else migrations
    with explained(path):
        if not os.path.exists(path):
            _create(path, migrations)
        connection = _open(path, busy_seconds)
        try:
            if _recorded(connection) != [name for name, _ in migrations]:
                migrate(connection, path, migrations=migrations)
        except BaseException:
            connection.close()
            raise
        return connection


def migrate(
    connection: sqlite3.Connection, path: str = "", upto: int | None = None, migrations: Migrations | None = None
) -> None:
    """Run what is missing of the migrations, or of the first `upto`; beside others doing the same, each runs once.

    Raises:
        StoreUnavailable: if the file holds a migration that this release does not know.
    """
    migrations = MIGRATIONS if migrations is None else migrations
    for name, script in migrations[:upto]:
        with transaction(connection):
            connection.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY)")
            done = _recorded(connection)
            if unknown := set(done) - {known for known, _ in migrations}:
                raise StoreUnavailable(
                    f"{path} was written by a newer rg-memory (it has {min(unknown)}); upgrade rg-memory, "
                    "or move the file away to start a new one"
                )
            if name in done:
                continue
            for statement in script.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO migration VALUES (?)", (name,))


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """One read transaction: everything read in it is of one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):
            connection.execute("COMMIT")


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn SQLite's and the operating system's errors into StoreUnavailable with what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if disk_is_full(path):
            raise StoreUnavailable(f"memory file {path}: {FULL} ({error})") from error
        code = getattr(error, "sqlite_errorname", "") or ""
        for name, help_text in HELP.items():
            if code.startswith(name):
                raise StoreUnavailable(f"memory file {path}: {help_text} ({error})") from error
        raise
    except OSError as error:
        raise StoreUnavailable(
            f"memory file {path}: {error.strerror or error}; check that its directory exists and is writable for you"
        ) from error


def _create(path: str, migrations: Migrations) -> None:
    """Build a new file aside and link it into place, so that no process ever sees a half-made one."""
    directory = os.path.dirname(path) or "."
    files.make_folder(directory)
    if os.path.exists(path + "-wal") and not os.path.exists(path):
        raise StoreUnavailable(
            f"memory file {path} is missing but {path}-wal is there; put the file back, or remove {path}-wal "
            f"and {path}-shm to start a new one"
        )
    aside = os.path.join(directory, f".{os.path.basename(path)}.{os.getpid()}.{secrets.token_hex(4)}")
    os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with explained(path):  # while its own bytes still fill the disk
            connection = _open(aside, BUSY_SECONDS)
            try:
                migrate(connection, aside, migrations=migrations)
            finally:
                connection.close()
        files.settle(aside, path)
    finally:
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(aside + suffix)


def _open(path: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    try:
        if not _recorded(connection) and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise StoreUnavailable(
                f"memory file {path} is another program's database; move it away, and rg-memory makes a new one"
            )
        # secure_delete: what is forgotten or replaced is overwritten with zeros, not only unlinked
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON", f"cache_size=-{CACHE_KIB}"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _recorded(connection: sqlite3.Connection) -> list[str]:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migration'").fetchone():
        return []
    return [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY name")]
