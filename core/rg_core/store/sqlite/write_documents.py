"""How States of documents and notes are written, inside one transaction that the caller holds open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from rg_core.store import states
from rg_core.store.sqlite import sql_documents as sql
from rg_core.store.sqlite.write import inserted
from rg_core.store.texts import PageWrite, TextEdge, TextVersion

Row = Mapping[str, Any]


def find(db: sqlite3.Connection, user: str, key: str) -> Row | None:
    """The page at a key, or at a key that it had."""
    row: Row | None = (
        db.execute(sql.PAGE, (user, key)).fetchone() or db.execute(sql.PAGE_FORMERLY, (user, key)).fetchone()
    )
    return row


def put(db: sqlite3.Connection, user: str, page: PageWrite, at: str) -> None:
    """Append the States of a page, new or stored, and bring its head up to date."""
    values = {"user": user, "key": page.address, "kind": page.kind, "project": page.project, "path": page.path,
              "node_id": page.node_id, "at": at, "mtime": page.mtime, "size": page.size}  # fmt: skip
    row = db.execute(sql.PAGE, (user, page.former or page.address)).fetchone()
    row_id: int = row["id"] if row else inserted(db, sql.ADD_PAGE, values)
    state = row["state"] if row else None
    for version in page.versions:
        if not _has(db, row_id, state, version):
            state = _append(db, row_id, state, version, at)
    db.execute(sql.SET_PAGE, values | {"id": row_id, "state": state})
    db.execute(sql.DROP_NAMES, (row_id,))
    names = [(user, page.project, name, row_id) for name in page.names]
    if page.former:
        names.append((user, "", page.former, row_id))
    db.executemany(sql.ADD_NAME, names)
    db.execute(sql.CHANGED, (row_id,))


def _has(db: sqlite3.Connection, page: int, latest: int | None, version: TextVersion) -> bool:
    """Whether a page has this version already, by its cause or because its open State says the same."""
    if latest is None:
        return False
    if version.cause is not None:
        return db.execute(sql.CAUSED, (page, version.cause)).fetchone() is not None
    last = db.execute(sql.STATE, (latest,)).fetchone()
    same = (last["key"], last["title"], last["text"]) == (version.address, version.title, version.text)
    return same and last["valid_until"] is None


def _append(db: sqlite3.Connection, page: int, before: int | None, version: TextVersion, at: str) -> int:
    """Insert a State behind the one before, which ends where it begins."""
    began, known = version.valid_from, {}
    if before is not None:
        last = db.execute(sql.STATE, (before,)).fetchone()
        began = states.later(began, last["valid_from"])
        db.execute(sql.END_STATE, (began, before))
        known = {(edge.verb, edge.target): edge.created_at for edge in edges_of(db, before)}
    uid = states.digest("text", page, began, version.address, version.title, version.text, dict(version.facts), at)
    state = inserted(db, sql.ADD_STATE, {
        "uid": uid, "page": page, "valid_from": began, "valid_until": None, "recorded_at": at,
        "event_type": version.event_type if before is not None else None, "cause": version.cause,
        "key": version.address, "title": version.title, "text": version.text,
        "facts": json.dumps(dict(version.facts), ensure_ascii=False),
    })  # fmt: skip
    db.executemany(
        sql.ADD_EDGE,
        [
            (state, edge.verb, edge.target, edge.section, known.get((edge.verb, edge.target), began))
            for edge in version.edges
        ],
    )
    return state


def end(db: sqlite3.Connection, row: Row, at: str) -> None:
    """End the chain of a page by a State of no duration that says so and has the same content."""
    last = db.execute(sql.STATE, (row["state"],)).fetchone()
    ended = states.later(at, last["valid_from"])
    db.execute(sql.END_STATE, (ended, last["id"]))
    state = inserted(db, sql.ADD_STATE, {
        "uid": states.digest("gone", row["id"], ended), "page": row["id"], "valid_from": ended, "valid_until": ended,
        "recorded_at": at, "event_type": "deleted", "cause": None, "key": last["key"], "title": last["title"],
        "text": last["text"], "facts": last["facts"],
    })  # fmt: skip
    db.execute(sql.SET_DELETED, (state, row["id"]))
    db.execute(sql.CHANGED, (row["id"],))


def edge_of(row: Row) -> TextEdge:
    """A row as the edge it is."""
    return TextEdge(row["verb"], row["target"], row["section"], row["created_at"])


def edges_of(db: sqlite3.Connection, state: int) -> tuple[TextEdge, ...]:
    """The edges that a State draws."""
    return tuple(edge_of(row) for row in db.execute(sql.EDGES, (state,)))
