"""How the embedded store reads resources, States and snapshots. The caller holds one read transaction open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from rg_core.address.model import key_of, listing_key, place, scheme_of
from rg_core.store.model import Edge, Item, ListingBody, Reading, Repository, StateBody, StateFacts, Version
from rg_core.store.sqlite import sql_read
from rg_core.store.sqlite.write import item_at, load_content, repository_named
from rg_core.store.states import resource_of

Row = Mapping[str, Any]
HOPS = 8  # of moves that lead on; more is a circle


def find(db: sqlite3.Connection, key: str) -> Row | None:
    """The head of the resource at a canonical key, following moves; None if nothing is stored there."""
    for _ in range(HOPS):
        row = _at(db, key)
        if row is None:
            moved = _move(db, key)
            if moved is None:
                return None
            row = db.execute(sql_read.BY_NODE, (moved["node_id"],)).fetchone()
            if row is None or not row["state"]:
                key = moved["new"]
                continue
        while row["moved_to"]:
            row = db.execute(sql_read.BY_ID, (row["moved_to"],)).fetchone()
        return row if row["state"] else None
    return None


def read(db: sqlite3.Connection, key: str, as_of: str | None) -> Reading | None:
    """The repository or item at a key: current, or as it was at a source time."""
    row = find(db, key)
    if row is None:
        return None
    if as_of is None:
        return _reading(db, row, db.execute(sql_read.STATE, (row["state"],)).fetchone(), None, row["state"])
    latest = row["state"]
    while row:
        if state := db.execute(sql_read.STATE_THEN, (row["id"], as_of)).fetchone():
            return _reading(db, row, state, as_of, latest)
        row = db.execute(sql_read.PREDECESSOR, (row["id"],)).fetchone()  # what it was before it was transferred
    return None


def history(db: sqlite3.Connection, key: str) -> Sequence[StateFacts]:
    """The chain of States at a key, oldest first; that of a transferred item begins where it was first."""
    row = find(db, key)
    chain: list[StateFacts] = []
    while row:
        rows = db.execute(sql_read.HISTORY, (row["id"],)).fetchall()
        chain[:0] = [StateFacts(id=fact["uid"], **{name: fact[name] for name in fact.keys() if name != "uid"})  # noqa: SIM118
                     for fact in rows]  # fmt: skip
        row = db.execute(sql_read.PREDECESSOR, (row["id"],)).fetchone()
    return chain


def versions(db: sqlite3.Connection, keys: Sequence[str]) -> Mapping[str, Version]:
    """The stored version by canonical key or node_id."""
    nodes = json.dumps([key for key in keys if not scheme_of(key)])
    found = {row["node_id"]: _version(row) for row in db.execute(sql_read.BY_NODES, (nodes,))}
    for key in keys:
        if scheme_of(key) and (row := find(db, key)):
            found[key] = _version(row)
    return found


def edges(db: sqlite3.Connection, key: str) -> Sequence[Edge]:
    """The REFERENCES and CLOSES edges from and to the resource at a key, both ends stored; sorted."""
    row = find(db, key)
    if row is None:
        return []
    here = current_address(db, row)
    found = {
        Edge(here, link["type"], current_address(db, target))
        for link in db.execute(sql_read.LINKS_FROM, (row["id"],)).fetchall()
        if (target := find(db, key_of(link["repository"], link["number"])))
    }
    places = [(current_names(db, place(here)[0]), row["number"])]
    former = row
    while former := db.execute(sql_read.PREDECESSOR, (former["id"],)).fetchone():
        address = current_address(db, former)
        places.append((current_names(db, place(address)[0]), former["number"]))
    for names, number in places:
        for link in db.execute(sql_read.LINKS_TO, (json.dumps(names), number)).fetchall():
            source = find(db, current_address(db, db.execute(sql_read.BY_ID, (link["id"],)).fetchone()))
            if source:
                found.add(Edge(current_address(db, source), link["type"], here))
    return sorted(found, key=lambda edge: (edge.type, edge.source, edge.target))


def state(db: sqlite3.Connection, uid: str) -> StateBody | None:
    """The immutable body of a State."""
    row = db.execute(sql_read.STATE_BY_UID, (uid,)).fetchone()
    if row is None:
        return None
    content = load_content(db, row)
    return StateBody(uid, content["kind"], row["address"], row["recorded_at"], content)


def snapshot(db: sqlite3.Connection, uid: str) -> ListingBody | None:
    """The immutable snapshot of a listing answer."""
    row = db.execute(sql_read.SNAPSHOT, (uid,)).fetchone()
    if row is None:
        return None
    members = []
    for member in db.execute(sql_read.SNAPSHOT_MEMBERS, (row["id"],)):
        content = json.loads(member["content"])
        members.append({
            "node_id": content["node_id"], "address": member["address"], "number": content["number"],
            "title": content["title"], "state": content["state"],
        })  # fmt: skip
    return ListingBody(
        uid, listing_key(row["repository"], row["query"]), row["ordering"], row["fetched_at"], row["total_count"],
        bool(row["complete"]), tuple(members),
    )  # fmt: skip


def counts(db: sqlite3.Connection) -> Mapping[str, int]:
    """How many repositories, issues, pull_requests, comments, states, listings are stored."""
    kinds = {row["kind"]: row for row in db.execute(sql_read.KINDS)}
    return {
        "repositories": kinds["repository"]["n"] if "repository" in kinds else 0,
        "issues": kinds["issue"]["n"] if "issue" in kinds else 0,
        "pull_requests": kinds["pull_request"]["n"] if "pull_request" in kinds else 0,
        "comments": sum(row["comments"] for row in kinds.values()),
        "states": db.execute(sql_read.COUNT_STATES).fetchone()[0],
        "listings": db.execute(sql_read.COUNT_LISTINGS).fetchone()[0],
    }


def current_address(db: sqlite3.Connection, row: Row) -> str:
    """The canonical key at which a resource is found now."""
    if row["kind"] == "repository":
        return key_of(row["name"])
    return key_of(db.execute(sql_read.BY_ID, (row["repository"],)).fetchone()["name"], row["number"])


def repository_names(db: sqlite3.Connection, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The node_id of the repository of a lower-case name, and all its names."""
    row = repository_named(db, name)
    return (row["node_id"], tuple(current_names(db, name))) if row else None


def current_names(db: sqlite3.Connection, name: str) -> list[str]:
    """A repository's lower-case name with every other one that it has or had."""
    return [row["name"] for row in db.execute(sql_read.NAMES_OF, (name,))] or [name]


def _at(db: sqlite3.Connection, key: str) -> Row | None:
    name, number = place(key)
    row = item_at(db, name, number) if number else repository_named(db, name)
    return row if row and row["state"] else None


def _move(db: sqlite3.Connection, key: str) -> Row | None:
    """Where an item's former address leads, also when its repository had or has another name."""
    name, number = place(key)
    for former in (name, *current_names(db, name)):
        if moved := db.execute(sql_read.MOVED, (key_of(former, number),)).fetchone():
            return cast("Row", moved)
    return None


def _version(row: Row) -> Version:
    return Version(row["node_id"], row["updated_at"], row["fetched_at"])


def _reading(db: sqlite3.Connection, row: Row, state: Row, as_of: str | None, latest: int) -> Reading:
    resource = resource_of(load_content(db, state), state["recorded_at"])
    if state["id"] == latest:
        resource = _current(db, row, resource, as_of)
    if as_of and isinstance(resource, Item):
        resource = replace(resource, comments=tuple(c for c in resource.comments if c.created_at <= as_of))
    return Reading(
        resource, state["uid"], state["valid_from"], state["valid_until"], state["recorded_at"], state["id"] != latest
    )


def _current(db: sqlite3.Connection, row: Row, resource: Repository | Item, as_of: str | None) -> Repository | Item:
    """The latest State with what has moved since without making a new one: times, the repository's name."""
    if as_of is None or as_of >= row["updated_at"]:
        resource = replace(resource, updated_at=row["updated_at"])
    resource = replace(resource, fetched_at=row["fetched_at"])
    if isinstance(resource, Item):
        name = db.execute(sql_read.BY_ID, (row["repository"],)).fetchone()["name"]
        return resource if as_of else replace(resource, repository=name)
    pushed_at = row["pushed_at"] if as_of is None or as_of >= row["pushed_at"] else resource.pushed_at
    return replace(resource, pushed_at=pushed_at, name=resource.name if as_of else row["name"])
