"""The file telemetry.db: created (0600, its directory 0700), opened, its version checked. One file of one version."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.request import pathname2url

from rg_core import files
from rg_core.errors import UserError, disk_is_full

VERSION = 1  # PRAGMA user_version
SCHEMA = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
BATCH = 200  # rows of one transaction
PAUSE = 0.005  # seconds between two, so that others get their turn


def connect(path: str, busy: float) -> sqlite3.Connection:
    """Open the file, created first if need be; `busy`: seconds to wait for another writer.

    Raises:
        UserError: if it was written by a newer version.
        OSError, sqlite3.Error: if it cannot be created or opened.
    """
    if not os.path.exists(path):
        _create(path)
    db = sqlite3.connect(path, timeout=busy, isolation_level=None, check_same_thread=False, uri=True)
    try:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
        check_version(db, path)
    except BaseException:
        db.close()
        raise
    return db


def check_version(db: sqlite3.Connection, path: str, schema: str = "main") -> None:
    """See that a file is one that this release knows.

    Raises:
        UserError: if it is not.
    """
    if (version := db.execute(f"PRAGMA {schema}.user_version").fetchone()[0]) != VERSION:
        if version > VERSION:
            raise UserError(f"{path} is of version {version}, this rg-memory knows {VERSION}; upgrade rg-memory")
        raise UserError(f"{path} is no file of rg-memory's telemetry; move it away to begin an empty one")


@contextmanager
def joined(telemetry: str, touches: str, busy: float) -> Iterator[sqlite3.Connection]:
    """The file, with that of the Touches attached as `touches`, for reading only.

    Raises:
        UserError: if one of them cannot be used, from here or from within the block.
    """
    with explained(telemetry), closing(connect(telemetry, busy)) as db:
        db.execute("ATTACH ? AS touches", (read_only(touches),))
        yield db


def read_only(path: str) -> str:
    """The URI that opens a database for reading only."""
    return f"file:{pathname2url(str(Path(path).absolute()))}?mode=ro"


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn errors of SQLite and of the operating system into a UserError that says what to do."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        repair = "free some disk space" if disk_is_full(path) else "move it away to begin an empty one"
        raise UserError(f"the file of telemetry, {path}, cannot be used: {error}; {repair}") from error


def _create(path: str) -> None:
    """Build the file aside and link it into place, so that no process ever sees a half-made one."""
    files.make_folder(os.path.dirname(path))
    aside = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        with closing(sqlite3.connect(aside, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        files.settle(aside, path)
    finally:
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(aside + suffix)
