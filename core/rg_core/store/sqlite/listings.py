"""How the embedded store reads listings: which are stored, and pages of what a question asks of one.

A page by position costs the same in a listing of any length. A question of its own looks once at the narrow head of
every member. As of a time, it looks at every member's State of then: slower, and rarer.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from rg_core.address.model import Address, key_of, listing_key
from rg_core.store.filters import asks_for, sort, word
from rg_core.store.model import Page, Row, StoredListing
from rg_core.store.sqlite import sql_read
from rg_core.store.sqlite.read import current_names, find

ALL = 2**31


def listing(
    db: sqlite3.Connection, address: str, order: str
) -> tuple[StoredListing, tuple[tuple[str, str], ...]] | None:
    """The stored Listing of an address and order with its members as (node_id, fetched_at)."""
    asked = Address.parse(address)
    names = json.dumps(current_names(db, asked.repository))
    row = db.execute(sql_read.LISTING, (names, asked.query, order)).fetchone()
    if row is None:
        return None
    members = tuple((m["node_id"], m["fetched_at"]) for m in db.execute(sql_read.MEMBERS, (row["snapshot"],)))
    return _stored(asked.repository, row), members


def candidates(db: sqlite3.Connection, repository: str, kind: str, as_of: str | None) -> Sequence[StoredListing]:
    """The Listings of a repository and kind, freshest first; under the name asked for, whichever they came under."""
    repository = repository.lower()
    asked = (json.dumps(current_names(db, repository)), kind)
    rows = db.execute(sql_read.CANDIDATES, asked) if as_of is None else db.execute(
        sql_read.CANDIDATES_THEN, (as_of, *asked))  # fmt: skip
    return [_stored(repository, row) for row in rows]


def listings_with(db: sqlite3.Connection, key: str) -> Sequence[StoredListing]:
    """The Listings whose current answer has the item at a key."""
    head = find(db, key)
    rows = db.execute(sql_read.LISTINGS_WITH, (head["id"],)) if head else ()
    return [_stored(row["repository"], row) for row in rows]


def listed_since(db: sqlite3.Connection, address: str) -> str | None:
    """When the first stored answer of a listing was fetched."""
    asked = Address.parse(address)
    values = (json.dumps(current_names(db, asked.repository)), asked.query)
    since: str | None = db.execute(sql_read.LISTED_SINCE, values).fetchone()[0]
    return since


def page(
    db: sqlite3.Connection, stored: StoredListing, question: Address, offset: int, limit: int, as_of: str | None
) -> Page:
    """Rows of the question's answer from this Listing, and how many the whole answer has."""
    row = db.execute(sql_read.SNAPSHOT, (stored.id,)).fetchone()
    if row is None:
        return Page((), 0)
    own = str(question) == stored.address and question.order == stored.order
    most = ALL if question.limit is None else question.limit
    if as_of is not None:
        return _then(db, row["id"], None if own else question, offset, limit, most, as_of)
    if own:
        count = min(row["member_count"], most)
        place = {"snapshot": row["id"], "first": offset, "last": min(offset + limit, count)}
        return Page(tuple(_row(found) for found in db.execute(sql_read.BY_POSITION, place)), count)
    chosen = [found[0] for found in db.execute(*_matching(row["id"], question))][:most]
    wanted = {"chosen": json.dumps(chosen[offset : offset + limit])}
    return Page(tuple(_row(found) for found in db.execute(sql_read.CHOSEN, wanted)), len(chosen))


def _matching(snapshot: int, question: Address) -> tuple[str, dict[str, Any]]:
    """The statement and its values for the members that a question asks for, in its order."""
    values: dict[str, Any] = {"snapshot": snapshot}
    clauses = []
    for number, (name, value) in enumerate(_filters(question)):
        clauses.append(" AND " + sql_read.FILTERS[name].format(f":value{number}"))
        values[f"value{number}"] = value
    order = sql_read.ORDERS.get(question.order, sql_read.BY_PLACE)
    return sql_read.MATCHING + "".join(clauses) + " ORDER BY " + order, values


def _filters(question: Address) -> list[tuple[str, object]]:
    filters: list[tuple[str, object]] = []
    if question.state == "closed" and question.kind == "pulls":
        filters.append(("closed or merged", ""))
    elif question.state != "all":
        filters.append((question.state, ""))
    filters += [("label", word(label)) for label in question.labels]
    if question.author:
        filters.append(("author", question.author))
    if question.assignee:
        filters.append(("assignee", word(question.assignee)))
    if question.milestone.isdecimal():
        filters.append(("milestone number", int(question.milestone)))
    elif question.milestone:
        filters.append(("milestone", question.milestone))
    return filters


def _then(
    db: sqlite3.Connection, snapshot: int, question: Address | None, offset: int, limit: int, most: int, as_of: str
) -> Page:
    """A page of the members' States of a time; `question` None: every member by position."""
    place = {"snapshot": snapshot, "first": 0, "last": ALL, "as_of": as_of}
    found = []
    for row in db.execute(sql_read.MEMBERS_THEN, place):
        content = json.loads(row["content"])
        if question is None or asks_for(question, content):
            found.append((content, _row_then(row, content, as_of)))
    if question is not None:
        sort(found, question.order)
    rows = [row for _, row in found][:most]
    return Page(tuple(rows[offset : offset + limit]), len(rows))


def _stored(repository: str, row: Mapping[str, Any]) -> StoredListing:
    return StoredListing(
        row["uid"], listing_key(repository, row["query"]), row["ordering"], row["member_count"], row["total_count"],
        bool(row["complete"]), row["fetched_at"],
    )  # fmt: skip


def _row(row: Mapping[str, Any]) -> Row:
    return Row(
        row["node_id"], key_of(row["repository"], row["number"]), row["number"], row["title"],
        row["status"], tuple(json.loads(row["labels"])), row["updated_at"], row["comments"], row["kind"], row["author"],
    )  # fmt: skip


def _row_then(row: Mapping[str, Any], content: Mapping[str, Any], as_of: str) -> Row:
    updated_at = row["updated_at"] if row["latest"] and row["updated_at"] <= as_of else content["updated_at"]
    return Row(
        row["node_id"], row["address"], content["number"], content["title"], content["state"],
        tuple(content["labels"]), updated_at, row["comments"], content["kind"], content["author"],
    )  # fmt: skip
