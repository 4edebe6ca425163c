"""How the embedded store forgets: resources with all their States and comments, listings with all their snapshots."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rg_core.address.model import Address
from rg_core.store.sqlite import sql_read, sql_write
from rg_core.store.sqlite.read import current_names, find
from rg_core.store.sqlite.write import Row


def forget(db: sqlite3.Connection, addresses: Iterable[str]) -> int:
    """Remove what is stored at these addresses; how many there were."""
    count = 0
    for key in addresses:
        address = Address.parse(key)
        if address.is_listing:
            count += _listing(db, address)
        elif row := find(db, key):
            _resource(db, row)
            count += 1
    return count


def _listing(db: sqlite3.Connection, address: Address) -> bool:
    rows = [
        row
        for name in current_names(db, address.repository)
        for row in db.execute(sql_write.LISTINGS_AT, (name, address.query)).fetchall()
    ]
    for row in rows:
        for statement in sql_write.FORGET_LISTING:
            db.execute(statement, (row["id"],))
    return bool(rows)


def _resource(db: sqlite3.Connection, row: Row) -> None:
    """Remove a resource and what it was before it was transferred."""
    for former in db.execute(sql_read.PREDECESSOR, (row["id"],)).fetchall():
        _resource(db, former)
    for (snapshot,) in db.execute(sql_write.SNAPSHOTS_WITH, (row["id"],)).fetchall():
        _leave(db, snapshot, row["id"])
    keep_name = db.execute(sql_write.HAS_ITEMS, (row["id"],)).fetchone()
    for statement in sql_write.FORGET_CONTENT:
        db.execute(statement, (row["id"],))
    if keep_name:  # a repository whose items stay: they need its name
        db.execute(sql_write.STUB_RESOURCE, (row["id"],))
        return
    db.execute(sql_write.FORGET_MOVES, (row["node_id"], row["node_id"]))
    db.execute(sql_write.FORGET_NAMES, (row["id"],))
    db.execute(sql_write.FORGET_RESOURCE, (row["id"],))


def _leave(db: sqlite3.Connection, snapshot: int, resource: int) -> None:
    """Take a member out of a snapshot, which is then no longer complete."""
    members = [row for row in db.execute(sql_write.MEMBERS, (snapshot,)).fetchall() if row["resource"] != resource]
    db.execute(sql_write.DROP_MEMBERS, (snapshot,))
    db.executemany(
        sql_write.ADD_MEMBER,
        [(snapshot, place, row["resource"], row["state"], row["fetched_at"]) for place, row in enumerate(members)],
    )
    db.execute(sql_write.SHRINK_SNAPSHOT, (len(members), snapshot))
