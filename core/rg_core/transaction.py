"""The write transaction of every SQLite file of ours: memory, documents, assets, Touches, telemetry."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: on disk for any kill -9 when it ends, undone whole by any exception.

    Raises:
        sqlite3.Error: if the file is locked, full or broken.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk has rolled back already
            db.execute("ROLLBACK")
        raise
