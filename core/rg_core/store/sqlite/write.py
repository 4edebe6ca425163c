"""How the embedded store writes resources: a Batch inside one transaction that the caller holds open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rg_core.address.model import place
from rg_core.store import states
from rg_core.store.filters import fold, words
from rg_core.store.model import Batch, EventType, Item, Move, Repository
from rg_core.store.sqlite import sql_read, sql_write

Row = Mapping[str, Any]


def write(db: sqlite3.Connection, batch: Batch) -> None:
    """Store all of a batch but its listings (embedded_write_list): resources first, then what is said about them."""
    resources: list[Repository | Item] = [*batch.repositories, *batch.items]
    for resource in resources:
        content = states.plain(states.content_of(resource))
        put(db, content, resource.fetched_at, batch.at, batch.causes.get(resource.node_id))
    for node_id in batch.unchanged:
        if row := by_node(db, node_id):
            _unchanged(db, row, batch)
    for move in batch.moves:
        put_move(db, move, batch.at)
    for node_id in batch.deleted:
        if row := by_node(db, node_id):
            _deleted(db, row, batch)


def put(db: sqlite3.Connection, content: states.Content, fetched_at: str, at: str, cause: str | None) -> None:
    """Store one resource: a new State if its content is another than the latest State's, else only its times."""
    row = head_of(db, content | {"named_at": fetched_at})
    before = row["state"] and db.execute(sql_write.STATE, (row["state"],)).fetchone()
    if before:
        if (content["updated_at"], fetched_at) < (row["updated_at"], row["fetched_at"]):
            return  # older than what is stored
        old = load_content(db, before)
        if not row["deleted"] and states.same(old, content):
            times = {"updated_at": content["updated_at"], "pushed_at": content.get("pushed_at", "")}
            db.execute(sql_write.SET_FETCHED, times | {"id": row["id"], "fetched_at": fetched_at})
            return
        began = states.valid_from(content, fetched_at, (before["valid_from"], row["updated_at"]))
        kept = {_wording(comment): comment["id"] for comment in load_comments(db, before["comments"])}
        event: EventType | None = states.event(old, content)
        db.execute(sql_write.END_STATE, (began, before["id"]))
        if event == "transferred":  # with the same node_id: no Move need tell
            db.execute(sql_write.PUT_MOVE, {
                "old": states.address_of(old), "new": states.address_of(content), "node_id": row["node_id"],
                "old_node_id": None,
            })  # fmt: skip
    else:
        began = states.valid_from(content, fetched_at, None)
        kept = {}
        event = _inherited(db, row, began)
    state = add_state(db, row["id"], content, kept, {
        "valid_from": began, "valid_until": None, "recorded_at": at, "event_type": event, "cause": cause,
    })  # fmt: skip
    set_head(db, row["id"], state, content, fetched_at)


def add_state(
    db: sqlite3.Connection, resource: int, content: Row, kept: dict[tuple[Any, ...], int], facts: dict[str, Any]
) -> int:
    """Insert a State and the wordings of its comments that are not `kept` yet; its row id."""
    ids = []
    for comment in content.get("comments", ()):
        if (wording := _wording(comment)) not in kept:
            kept[wording] = inserted(db, sql_write.ADD_COMMENT, {"resource": resource, **comment})
        ids.append(kept[wording])
    body = {name: value for name, value in content.items() if name != "comments"}
    if "uid" not in facts:
        facts["uid"] = states.state_id(content["node_id"], facts["valid_from"], facts["recorded_at"], content)
    return inserted(db, sql_write.ADD_STATE, {
        "resource": resource, "address": states.address_of(content),
        "comments": json.dumps(ids, separators=(",", ":")), "content": states.to_json(body),
    } | facts)  # fmt: skip


def set_head(db: sqlite3.Connection, resource: int, state: int, content: Row, fetched_at: str) -> None:
    """Bring the head of a resource and its links up to its latest content."""
    item = content["kind"] != "repository"
    repository = repository_row(db, content["repository_id"], content["repository"], fetched_at) if item else None
    db.execute(sql_write.SET_HEAD, {
        "id": resource, "state": state, "kind": content["kind"], "fetched_at": fetched_at,
        "repository": repository, "number": content.get("number", 0),
        "updated_at": content["updated_at"], "pushed_at": content.get("pushed_at", ""),
        "title": content.get("title", ""), "status": content.get("state", ""),
        "author": content.get("author", ""), "author_folded": fold(content.get("author")),
        "labels": states.to_json(content.get("labels", [])), "labels_folded": words(content.get("labels", ())),
        "assignees_folded": words(content.get("assignees", ())), "milestone_folded": fold(content.get("milestone")),
        "milestone_number": content.get("milestone_number"), "created_at": content.get("created_at", ""),
        "comments": len(content.get("comments", ())),
    })  # fmt: skip
    db.execute(sql_write.DROP_LINKS, (resource,))
    for type_, keys in (("REFERENCES", content.get("references", ())), ("CLOSES", content.get("closes", ()))):
        db.executemany(sql_write.ADD_LINK, [(resource, type_, *place(key)) for key in keys if place(key)[0]])


def put_move(db: sqlite3.Connection, move: Move, at: str) -> None:
    """Have an old address lead on: a repository's former name, or the item that a transferred one became."""
    repository, number = place(move.new)
    old_name, old_number = place(move.old)
    if not number:
        row = by_node(db, move.node_id)
        spelt = row["name"] if row and row["name"].lower() == repository else repository
        row_id = repository_row(db, move.node_id, spelt, at)
        bearer = repository_named(db, old_name)
        if bearer is None or bearer["name"].lower() != old_name or bearer["named_at"] <= at:
            give_name(db, old_name, row_id)  # else somebody else was seen under that name later
        return
    onward = db.execute(sql_write.MOVE_ONWARD, (move.node_id,)).fetchone()
    if onward and not _stored(db, move.node_id):  # moved twice before anybody looked
        move = replace(move, new=onward["new"], node_id=onward["node_id"])
    db.execute(sql_write.PUT_MOVE, {
        "old": move.old, "new": move.new, "node_id": move.node_id, "old_node_id": move.old_node_id,
    })  # fmt: skip
    new, old = _stored(db, move.node_id), _stored(db, move.old_node_id or "") or item_at(db, old_name, old_number)
    if old is None:
        for earlier in db.execute(sql_write.MOVES_TO, (move.old_node_id,)).fetchall():
            put_move(db, replace(move, old=earlier["old"], old_node_id=earlier["old_node_id"]), at)
    elif new and old["state"] and old["moved_to"] != new["id"] != old["id"]:
        first = db.execute(sql_write.FIRST_STATE, (new["id"],)).fetchone()
        _end_into(db, old, new["id"], first["valid_from"])
        db.execute(sql_write.SET_EVENT, ("transferred", first["id"]))


def _stored(db: sqlite3.Connection, node_id: str) -> Row | None:
    row = by_node(db, node_id)
    return row if row and row["state"] else None


def repository_named(db: sqlite3.Connection, name: str) -> Row | None:
    """The repository that has or last had this lower-case name."""
    row: Row | None = db.execute(sql_read.REPOSITORY_NAMED, (name,)).fetchone()
    return row


def item_at(db: sqlite3.Connection, name: str, number: int) -> Row | None:
    """The item of this number in the repository of this lower-case name."""
    repository = repository_named(db, name)
    if repository is None:
        return None
    row: Row | None = db.execute(sql_write.RESOURCE_BY_PLACE, (repository["id"], number)).fetchone()
    return row


def repository_row(db: sqlite3.Connection, node_id: str, name: str, seen_at: str) -> int:
    """The row id of a repository, known by name at least, and known by this name if it was seen later than its own."""
    row = by_node(db, node_id)
    if row is None:
        row_id = inserted(db, sql_write.ADD_RESOURCE, {
            "node_id": node_id, "kind": "repository", "repository": None, "number": 0, "name": name,
            "named_at": seen_at,
        })  # fmt: skip
    else:
        row_id = int(row["id"])
        bearer = repository_named(db, name.lower())
        if seen_at < row["named_at"] or (row["name"] == name and bearer and bearer["id"] == row_id):
            return row_id
        db.execute(sql_write.SET_NAME, (name, seen_at, row_id))
    bearer = repository_named(db, name.lower())
    if bearer is None or bearer["name"].lower() != name.lower() or bearer["named_at"] <= seen_at:
        give_name(db, name.lower(), row_id)
    return row_id


def give_name(db: sqlite3.Connection, name: str, repository: int) -> None:
    """Have a repository be found under this lower-case name; whoever had it before keeps what is stored of it."""
    before = repository_named(db, name)
    db.execute(sql_write.PUT_NAME, (name, repository))
    if before is not None and before["id"] != repository:
        _set_aside(db, before, name)


def _set_aside(db: sqlite3.Connection, row: Row, name: str) -> None:
    """Have a repository that lost this name, and its listings, be found under another one of it, or a made-up one."""
    others = [each["name"] for each in db.execute(sql_read.NAMES, (row["id"],)).fetchall()]
    aside = row["name"].lower() if row["name"].lower() in others else next(iter(others), "")
    if not aside:
        aside = states.name_aside(name, row["node_id"])
        db.execute(sql_write.PUT_NAME, (aside, row["id"]))
    if row["name"].lower() == name:
        db.execute(sql_write.SET_NAME, (aside, row["named_at"], row["id"]))
    for listing in db.execute(sql_write.LISTINGS_UNDER, (name,)).fetchall():
        twin = db.execute(sql_write.LISTING, (aside, listing["query"], listing["ordering"])).fetchone()
        if twin is not None:  # of two answers to one question the fresher
            staler = twin if twin["fetched_at"] < listing["fetched_at"] else listing
            for statement in sql_write.FORGET_LISTING:
                db.execute(statement, (staler["id"],))
        db.execute(sql_write.MOVE_LISTING, (aside, listing["id"]))


def by_node(db: sqlite3.Connection, node_id: str) -> Row | None:
    """The head of a resource by its node_id."""
    row: Row | None = db.execute(sql_write.RESOURCE_BY_NODE, (node_id,)).fetchone()
    return row


def load_content(db: sqlite3.Connection, state: Row) -> states.Content:
    """The content of a State, with its comments."""
    content: states.Content = json.loads(state["content"])
    if content["kind"] != "repository":
        names = states.COMMENT_FIELDS
        content["comments"] = [
            {name: comment[name] for name in names} for comment in load_comments(db, state["comments"])
        ]
    return content


def load_comments(db: sqlite3.Connection, ids: str) -> Iterable[Row]:
    """Wordings of comments by their ids, a JSON array."""
    return db.execute(sql_read.COMMENTS, (ids,)).fetchall() if ids != "[]" else ()


def head_of(db: sqlite3.Connection, described: Row) -> Row:
    """The head of a resource described by node_id, kind and place, made where it is new.

    `described` has, for a repository, `name` and `named_at`; for an item, `repository_id`, `number` and, unless its
    repository is stored for certain, `repository` and `named_at`.
    """
    if described["kind"] == "repository":
        row_id = repository_row(db, described["node_id"], described["name"], described["named_at"])
        row: Row = db.execute(sql_write.RESOURCE_BY_ID, (row_id,)).fetchone()
        return row
    if known := by_node(db, described["node_id"]):
        return known
    stored = by_node(db, described["repository_id"])
    repository = stored["id"] if stored else repository_row(
        db, described["repository_id"], described["repository"], described["named_at"])  # fmt: skip
    if taken := db.execute(sql_write.RESOURCE_BY_PLACE, (repository, described["number"])).fetchone():
        db.execute(sql_write.SET_NODE, (described["node_id"], taken["id"]))  # GitHub's id in another format
    else:
        db.execute(sql_write.ADD_RESOURCE, {
            "node_id": described["node_id"], "kind": described["kind"], "repository": repository,
            "number": described["number"], "name": "", "named_at": "",
        })  # fmt: skip
    made: Row = db.execute(sql_write.RESOURCE_BY_NODE, (described["node_id"],)).fetchone()
    return made


def _wording(comment: Row) -> tuple[Any, ...]:
    return tuple(comment[name] for name in states.COMMENT_FIELDS)


def _inherited(db: sqlite3.Connection, row: Row, began: str) -> EventType | None:
    """The event of a first State: transferred, if the resource goes on where another one ended."""
    for move in db.execute(sql_write.MOVES_TO, (row["node_id"],)).fetchall():
        old = by_node(db, move["old_node_id"] or "") or item_at(db, *place(move["old"]))
        if old and old["state"] and old["id"] != row["id"]:
            _end_into(db, old, row["id"], began)
            return "transferred"
    return None


def _end_into(db: sqlite3.Connection, old: Row, new: int, began: str) -> None:
    """Have a transferred item's chain go on in the item it became."""
    last = db.execute(sql_write.STATE, (old["state"],)).fetchone()
    db.execute(sql_write.END_STATE, (max(began, last["valid_from"]), old["state"]))
    db.execute(sql_write.SET_MOVED, (new, old["id"]))
    db.execute(sql_write.SET_MOVED, (None, new))  # it is where the chain ends, whatever was said before: no circle


def _unchanged(db: sqlite3.Connection, row: Row, batch: Batch) -> None:
    if row["deleted"]:  # it is there again, as it was
        before = db.execute(sql_write.STATE, (row["state"],)).fetchone()
        put(db, load_content(db, before), batch.at, batch.at, batch.causes.get(row["node_id"]))
    db.execute(sql_write.SET_FETCHED, {"id": row["id"], "fetched_at": batch.at, "updated_at": "", "pushed_at": ""})


def _deleted(db: sqlite3.Connection, row: Row, batch: Batch) -> None:
    """End the last State, by a State of no duration that says so and has the same content."""
    if row["deleted"] or not row["state"]:
        return
    before = db.execute(sql_write.STATE, (row["state"],)).fetchone()
    ended = states.later(batch.at, before["valid_from"])
    content = load_content(db, before)
    kept = {_wording(comment): comment["id"] for comment in load_comments(db, before["comments"])}
    db.execute(sql_write.END_STATE, (ended, before["id"]))
    state = add_state(db, row["id"], content, kept, {
        "valid_from": ended, "valid_until": ended, "recorded_at": batch.at, "event_type": "deleted",
        "cause": batch.causes.get(row["node_id"]),
    })  # fmt: skip
    db.execute(sql_write.SET_DELETED, (state, row["id"]))


def inserted(db: sqlite3.Connection, statement: str, values: Mapping[str, Any]) -> int:
    """Run an INSERT; the row id it made."""
    row_id = db.execute(statement, values).lastrowid
    assert row_id is not None
    return row_id
