"""The index of known addresses in the file of Touches, and its publication for hooks (rg_core.touches.known). Cold."""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from rg_core.touches import known
from rg_core.touches.known import Known
from rg_core.touches.published import noted, publish_table
from rg_core.transaction import transaction

T = TypeVar("T")
BATCH = 500  # rows of one transaction
ROWS = 200_000  # the index is bounded: the rows put longest ago go first
COLUMNS = 'address, "order", fetched_at, updated_at, title, comments, member_count, total_count, complete'


def put(db: sqlite3.Connection, rows: Iterable[Known]) -> None:
    """Add or replace rows; the oldest go where there would be more than ROWS."""
    for batch in batches(rows):
        with transaction(db):
            db.executemany(
                f"INSERT OR REPLACE INTO known ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [tuple(getattr(row, name) for name in Known.__annotations__) for row in batch],
            )
            changed(db)
    surplus = db.execute("SELECT count(*) FROM known").fetchone()[0] - ROWS
    if surplus > 0:
        last = db.execute("SELECT rowid FROM known ORDER BY rowid LIMIT 1 OFFSET ?", (surplus - 1,)).fetchone()[0]
        _delete(db, "rowid <= ?", (last,))


def replace(db: sqlite3.Connection, rows: Iterable[Known]) -> None:
    """Rebuild the index: afterwards it holds these rows."""
    before = db.execute("SELECT coalesce(max(rowid), 0) FROM known").fetchone()[0]
    put(db, rows)
    _delete(db, "rowid <= ?", (before,))


def drop(db: sqlite3.Connection, addresses: Iterable[str]) -> None:
    """Take these addresses out, under any order."""
    for batch in batches(addresses):
        _delete(db, f"address IN ({','.join('?' * len(batch))})", batch)


def changed(db: sqlite3.Connection) -> str:
    """Give the state of the index a new name, within the transaction that changes it."""
    name = secrets.token_hex(8)
    db.execute("INSERT OR REPLACE INTO mark VALUES ('known', ?)", (name,))
    return name


def publish(db: sqlite3.Connection, data: str) -> None:
    """Publish the index if what is published is another state of it.

    Under the lock of writers, so that no older state follows a newer one. Where it cannot be written, what was
    published before is taken away: better no Nudge than one for what is gone.
    """
    path = known.path(data)
    with transaction(db):
        row = db.execute("SELECT value FROM mark WHERE name = 'known'").fetchone()
        state = row[0] if row else changed(db)
        if noted(path) == state:
            return
        select = f"SELECT {COLUMNS} FROM known WHERE length(address) <= {known.ADDRESS}"
        try:
            publish_table(path, (known.as_row(Known(*cells)) for cells in db.execute(select)), state)
        except OSError:
            with suppress(FileNotFoundError):
                os.unlink(path)


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    """The rows, BATCH at a time."""
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _delete(db: sqlite3.Connection, where: str, values: Sequence[str | int]) -> None:
    with transaction(db):
        db.execute(f"DELETE FROM known WHERE {where}", values)
        changed(db)
