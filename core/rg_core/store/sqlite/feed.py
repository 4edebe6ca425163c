"""What changed in the embedded store, for an index that follows it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from rg_core.address.model import place
from rg_core.store.indexed import text_of
from rg_core.store.sqlite import sql_read
from rg_core.store.sqlite.read import current_address, current_names, find
from rg_core.store.sqlite.write import load_content
from rg_core.store.texts import FeedEntry, FeedText, FeedVersion

Row = Mapping[str, Any]


def changes(db: sqlite3.Connection, after: int, limit: int) -> list[FeedEntry]:
    """Resources that changed after a sequence number, in order; what is gone has no kind."""
    return [_entry(db, row["resource"], row["seq"]) for row in db.execute(sql_read.CHANGES, (after, limit)).fetchall()]


def entry_texts(db: sqlite3.Connection, uids: Sequence[str]) -> dict[str, FeedText]:
    """The texts of States by their ids; those that are gone meanwhile are missing."""
    rows = {uid: db.execute(sql_read.STATE_BY_UID, (uid,)).fetchone() for uid in uids}
    return {uid: text_of(load_content(db, row)) for uid, row in rows.items() if row}


def verified_at(db: sqlite3.Connection, addresses: Sequence[str]) -> dict[str, str]:
    """When what is at these addresses was last fetched."""
    found = {address: find(db, address) for address in addresses if place(address)[0]}
    return {address: row["fetched_at"] for address, row in found.items() if row}


def _entry(db: sqlite3.Connection, resource: int, seq: int) -> FeedEntry:
    row = db.execute(sql_read.BY_ID, (resource,)).fetchone()
    if row is None or not row["state"]:
        return FeedEntry(resource, seq, "", "", "", "", "", "", "")
    address = current_address(db, row)
    name, _ = place(address)
    names = current_names(db, name)
    versions = tuple(
        FeedVersion(state["uid"], state["valid_from"], state["valid_until"], _updated(row, state))
        for state in db.execute(sql_read.CHAIN, (resource,)).fetchall()
    )
    keys = [("", address.replace(name, other, 1)) for other in names]
    return FeedEntry(
        resource, seq, "", row["node_id"], address, row["kind"], name, row["title"] or row["name"], row["fetched_at"],
        tuple(dict.fromkeys([("", address), *keys])), versions,
    )  # fmt: skip


def _updated(row: Row, state: Row) -> str:
    """When a State last changed on GitHub: for the latest the resource's own time, which moves without a new State."""
    if state["id"] != row["state"]:
        return str(json.loads(state["content"]).get("updated_at") or state["valid_from"])
    return str(max(row["updated_at"], row["pushed_at"]) if row["kind"] == "repository" else row["updated_at"])
