"""How the embedded store dumps itself to records and loads them (rg_core.store.records)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, cast

from rg_core.address.model import Address, listing_key
from rg_core.errors import UserError
from rg_core.store.model import Move
from rg_core.store.records import (
    FORMAT,
    Header,
    ListingRecord,
    MemberRecord,
    MoveRecord,
    ResourceRecord,
    SnapshotRecord,
    StateRecord,
)
from rg_core.store.sqlite import sql_read, sql_write
from rg_core.store.sqlite.write import (
    add_state,
    by_node,
    head_of,
    load_content,
    put_move,
    repository_named,
    set_head,
)
from rg_core.store.sqlite.write_listings import add_snapshot

CHUNK = 500


def dump(db: sqlite3.Connection) -> Iterator[Mapping[str, Any]]:
    """Everything, in an order that load can store and that is the same for equal stores."""
    yield Header(record="rg-memory", format=FORMAT)
    for row in db.execute(sql_read.REPOSITORIES).fetchall():
        yield _resource(db, row)
    last = ""
    while rows := db.execute(sql_read.RESOURCES_AFTER, (last, CHUNK)).fetchall():
        last = rows[-1]["node_id"]
        for row in rows:
            if row["repository"] and row["state"]:
                yield _resource(db, row)
    for row in db.execute(sql_read.MOVES).fetchall():
        yield MoveRecord(
            record="move", old=row["old"], new=row["new"], node_id=row["node_id"], old_node_id=row["old_node_id"]
        )
    for row in db.execute(sql_read.LISTINGS).fetchall():
        yield ListingRecord(
            record="listing", address=listing_key(row["repository"], row["query"]), order=row["ordering"],
            fetched_at=row["fetched_at"], snapshots=[_snapshot(db, found) for found in
                                                     db.execute(sql_read.SNAPSHOTS_OF, (row["id"],)).fetchall()],
        )  # fmt: skip


def load(db: sqlite3.Connection, records: Iterable[Mapping[str, Any]]) -> None:
    """Store records.

    Raises:
        UserError: if one is not of a format that this release knows.
    """
    for record in records:
        kind = record.get("record")
        try:
            _load(db, kind, record)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UserError(f"a record of kind {kind!r} is not whole ({error!r}); make the export again") from error


def _load(db: sqlite3.Connection, kind: object, record: Mapping[str, Any]) -> None:
    if kind == "resource":
        _load_resource(db, cast("ResourceRecord", record))
    elif kind == "move":
        put_move(db, Move(record["old"], record["new"], record["node_id"], record["old_node_id"]), "")
    elif kind == "listing":
        _load_listing(db, cast("ListingRecord", record))
    elif kind != "rg-memory" or record["format"] != FORMAT:
        raise UserError(f"this is not an export that this rg-memory knows (record {kind!r}); upgrade rg-memory")


def _resource(db: sqlite3.Connection, row: sqlite3.Row) -> ResourceRecord:
    repository = row["repository"] and db.execute(sql_read.BY_ID, (row["repository"],)).fetchone()
    return ResourceRecord(
        record="resource", node_id=row["node_id"], kind=row["kind"], name=row["name"], named_at=row["named_at"],
        names=[name["name"] for name in db.execute(sql_read.NAMES, (row["id"],))],
        repository_id=repository["node_id"] if repository else None, number=row["number"],
        updated_at=row["updated_at"], pushed_at=row["pushed_at"], fetched_at=row["fetched_at"],
        deleted=bool(row["deleted"]),
        states=[StateRecord(
            id=state["uid"], valid_from=state["valid_from"], valid_until=state["valid_until"],
            recorded_at=state["recorded_at"], event_type=state["event_type"], cause=state["cause"],
            content=load_content(db, state),
        ) for state in db.execute(sql_read.STATES_OF, (row["id"],)).fetchall()],
    )  # fmt: skip


def _snapshot(db: sqlite3.Connection, row: sqlite3.Row) -> SnapshotRecord:
    return SnapshotRecord(
        id=row["uid"], fetched_at=row["fetched_at"], total_count=row["total_count"], complete=bool(row["complete"]),
        members=[MemberRecord(node_id=member["node_id"], state=member["uid"], fetched_at=member["fetched_at"])
                 for member in db.execute(sql_read.DUMPED_MEMBERS, (row["id"],))],
    )  # fmt: skip


def _load_resource(db: sqlite3.Connection, record: ResourceRecord) -> None:
    """Merge a chain into what is stored: every State by its id, each until the next one's beginning."""
    row = head_of(db, record)
    for name in record["names"]:
        bearer = repository_named(db, name)
        if bearer is None or bearer["name"].lower() != name:
            db.execute(sql_write.PUT_NAME_OF, (name, record["node_id"]))
    kept: dict[tuple[Any, ...], int] = {}
    for state in record["states"]:
        known = db.execute(sql_write.STATE_ID, (state["id"],)).fetchone()
        if known or db.execute(sql_write.STATE_AT, (row["id"], state["valid_from"])).fetchone():
            continue
        add_state(db, row["id"], state["content"], kept, {
            "uid": state["id"], "valid_from": state["valid_from"], "valid_until": state["valid_until"],
            "recorded_at": state["recorded_at"], "event_type": state["event_type"], "cause": state["cause"],
        })  # fmt: skip
    chain = db.execute(sql_write.CHAIN, (row["id"],)).fetchall()
    for state, following in pairwise(chain):
        if state["valid_until"] != following["valid_from"]:
            db.execute(sql_write.END_STATE, (following["valid_from"], state["id"]))
    if chain and chain[-1]["id"] != row["state"]:
        last = chain[-1]["id"]
        content = load_content(db, db.execute(sql_write.STATE, (last,)).fetchone())
        set_head(db, row["id"], last, content, max(record["fetched_at"], row["fetched_at"]))
        if record["deleted"] and record["states"][-1]["valid_from"] == chain[-1]["valid_from"]:
            db.execute(sql_write.SET_DELETED, (last, row["id"]))
    if chain:
        db.execute(sql_write.SET_FETCHED, {
            "id": row["id"], "fetched_at": record["fetched_at"], "updated_at": record["updated_at"],
            "pushed_at": record["pushed_at"],
        })  # fmt: skip


def _load_listing(db: sqlite3.Connection, record: ListingRecord) -> None:
    asked = Address.parse(record["address"])
    where = (asked.repository, asked.query, record["order"])
    found = db.execute(sql_write.LISTING, where).fetchone()
    if found is None:
        db.execute(sql_write.ADD_LISTING, {
            "repository": where[0], "kind": asked.kind, "query": where[1], "ordering": where[2],
        })  # fmt: skip
        found = db.execute(sql_write.LISTING, where).fetchone()
    for snapshot in record["snapshots"]:
        members = [
            (resource["id"], state["id"], member["fetched_at"])
            for member in snapshot["members"]
            if (resource := by_node(db, member["node_id"]))
            and (state := db.execute(sql_write.STATE_ID, (member["state"],)).fetchone())
        ]
        complete = snapshot["complete"] and len(members) == len(snapshot["members"])
        add_snapshot(db, found["id"], {
            "uid": snapshot["id"], "fetched_at": snapshot["fetched_at"], "total_count": snapshot["total_count"],
            "complete": complete, "member_count": len(members), "sameness": "",
        }, members)  # fmt: skip
    if latest := db.execute(sql_write.LATEST_SNAPSHOT, (found["id"],)).fetchone():
        fetched_at = max(record["fetched_at"], found["fetched_at"], latest["fetched_at"])
        db.execute(sql_write.SET_LISTING, (latest["id"], fetched_at, found["id"]))
