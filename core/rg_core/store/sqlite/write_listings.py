"""How the embedded store writes listings: the latest answer of each, and a snapshot of every different one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from rg_core.address.model import Address
from rg_core.store import states
from rg_core.store.model import Listing
from rg_core.store.sqlite import sql_write
from rg_core.store.sqlite.write import inserted


def put_listing(db: sqlite3.Connection, listing: Listing) -> None:
    """Replace a listing, unless by an older answer; the same answer again only moves its times."""
    asked = Address.parse(listing.address)
    where = (asked.repository, asked.query, listing.order)
    found = db.execute(sql_write.LISTING, where).fetchone()
    if found and listing.fetched_at < found["fetched_at"]:
        return
    wanted = json.dumps([member.node_id for member in listing.members])
    facts = {row["node_id"]: row for row in db.execute(sql_write.MEMBER_FACTS, (wanted,))}
    members = [member for member in listing.members if member.node_id in facts]  # the others were forgotten meanwhile
    complete = listing.complete and len(members) == len(listing.members)
    shown = [[facts[member.node_id][name] for name in ("node_id", "repository", "number", "title", "status")]
             for member in members]  # fmt: skip
    sameness = states.digest(listing.total_count, complete, shown)
    latest = found and db.execute(sql_write.SNAPSHOT, (found["snapshot"],)).fetchone()
    if latest and latest["sameness"] == sameness:
        snapshot = latest["id"]
        db.executemany(sql_write.SET_MEMBER, [
            (member.fetched_at, snapshot, position, member.fetched_at) for position, member in enumerate(members)
        ])  # fmt: skip
    else:
        listing_id = found["id"] if found else inserted(db, sql_write.ADD_LISTING, {
            "repository": where[0], "kind": asked.kind, "query": where[1], "ordering": listing.order,
        })  # fmt: skip
        snapshot = add_snapshot(db, listing_id, {
            "uid": states.digest("listing", listing.address, listing.order, listing.fetched_at, sameness),
            "fetched_at": listing.fetched_at, "total_count": listing.total_count, "complete": complete,
            "member_count": len(members), "sameness": sameness,
        }, [(facts[m.node_id]["id"], facts[m.node_id]["state"], m.fetched_at) for m in members])  # fmt: skip
        found = {"id": listing_id}
    db.execute(sql_write.SET_LISTING, (snapshot, listing.fetched_at, found["id"]))


def add_snapshot(
    db: sqlite3.Connection, listing: int, values: Mapping[str, Any], members: Iterable[tuple[int, int, str]]
) -> int:
    """Insert a snapshot with its members as (resource, state, fetched_at) in order; its row id."""
    if known := db.execute(sql_write.SNAPSHOT_ID, (values["uid"],)).fetchone():
        return int(known["id"])
    snapshot = inserted(db, sql_write.ADD_SNAPSHOT, {"listing": listing, **values})
    db.executemany(sql_write.ADD_MEMBER, [(snapshot, position, *member) for position, member in enumerate(members)])
    return snapshot
