"""How the Bolt engine reads resources, States and snapshots.

States, wordings of comments and snapshots never change, so what is read of them is whole. A reader that comes while a
writer commits can find an id whose node it does not see yet (Neo4j reads what is committed, statement by statement, and
makes a commit visible piece by piece): that is Torn, and the engine reads again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rg_core.address.model import key_of, listing_key, place, scheme_of
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import content_of, load_comments
from rg_core.store.bolt.links import target_row
from rg_core.store.model import Edge, Item, ListingBody, Reading, Repository, StateBody, StateFacts, Version
from rg_core.store.states import address_of, resource_of

Head = dict[str, Any]
HOPS = 8  # of moves that lead on; more is a circle


class Torn(Exception):
    """A writer was committing what was read: read again."""


def find(run: Run, key: str) -> Head | None:
    """The head of the resource at a canonical key, following moves; None if nothing is stored there."""
    for _ in range(HOPS):
        head = _at(run, key)
        if head is None:
            moved = _move(run, key)
            if moved is None:
                return None
            head = _by_node(run, moved["node_id"])
            if head is None or not head["state_id"]:
                key = moved["new"]
                continue
        return _onward(run, head)
    return None


def read(run: Run, key: str, as_of: str | None) -> Reading | None:
    """The repository or item at a key: current, or as it was at a source time."""
    head = find(run, key)
    if head is None:
        return None
    if as_of is None:
        states = run(cypher.STATE, id=head["state_id"])
        if not states:
            raise Torn
        return _reading(run, head, states[0], None, head["state_id"])
    latest = head["state_id"]
    while head:
        if states := run(cypher.STATE_THEN, node_id=head["node_id"], as_of=as_of):
            return _reading(run, head, states[0], as_of, latest)
        head = _predecessor(run, head)  # what it was before it was transferred
    return None


def history(run: Run, key: str) -> Sequence[StateFacts]:
    """The chain of States at a key, oldest first; that of a transferred item begins where it was first."""
    head = find(run, key)
    chain: list[StateFacts] = []
    while head:
        chain[:0] = [StateFacts(**row) for row in run(cypher.HISTORY, node_id=head["node_id"])]
        head = _predecessor(run, head)
    return chain


def versions(run: Run, keys: Sequence[str]) -> Mapping[str, Version]:
    """The stored version by canonical key or node_id."""
    nodes = {key: key for key in keys if not scheme_of(key)}
    rows = [target_row(key) for key in keys if scheme_of(key)]
    if rows:
        nodes |= {row["key"]: row["node_id"] for row in run(cypher.TARGETS, rows=rows)}
    heads = {head["node_id"]: head for head in run(cypher.HEADS, ids=sorted(set(nodes.values())))} if nodes else {}
    found = {}
    for key in keys:
        head = heads.get(nodes.get(key, ""))
        if scheme_of(key) and (head is None or head["moved_to"]):
            head = find(run, key)
        if head and head["state_id"]:
            found[key] = Version(head["node_id"], head["updated_at"], head["fetched_at"])
    return found


def edges(run: Run, key: str) -> Sequence[Edge]:
    """The REFERENCES and CLOSES edges from and to the resource at a key, both ends stored; sorted."""
    head = find(run, key)
    if head is None:
        return []
    here = head["address"]
    found = {
        Edge(here, link["type"], target["address"])
        for link in run(cypher.LINKS_FROM, id=head["node_id"])
        if (target := _followed(run, link["node_id"]))
    }
    former: Head | None = head
    while former:
        for link in run(cypher.LINKS_TO, id=former["node_id"]):
            if source := _followed(run, link["source"]):
                found.add(Edge(source["address"], link["type"], here))
        former = _predecessor(run, former)
    return sorted(found, key=lambda edge: (edge.type, edge.source, edge.target))


def state(run: Run, id: str) -> StateBody | None:
    """The immutable body of a State."""
    rows = run(cypher.STATE, id=id)
    if not rows:
        return None
    row = rows[0]
    content = _content(run, row)
    return StateBody(id, content["kind"], address_of(content), row["recorded_at"], content)


def snapshot(run: Run, id: str) -> ListingBody | None:
    """The immutable snapshot of a listing answer."""
    rows = run(cypher.SNAPSHOT, id=id)
    if not rows:
        return None
    row = rows[0]
    states = {found["id"]: found for found in run(cypher.SNAPSHOT_MEMBERS, ids=sorted(set(row["states"])))}
    members = []
    for state_id in row["states"]:
        if state_id not in states:
            raise Torn
        content = json.loads(states[state_id]["content"])
        members.append({
            "node_id": content["node_id"], "address": address_of(content), "number": content["number"],
            "title": content["title"], "state": content["state"],
        })  # fmt: skip
    address = listing_key(row["repository"], row["question"])
    return ListingBody(
        id, address, row["ordering"], row["fetched_at"], row["total_count"], row["complete"], tuple(members)
    )


def repository_names(run: Run, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The node_id of the repository of a lower-case name, and all its names."""
    rows = run(cypher.NAMES, names=[name])
    return (rows[0]["repository"], tuple(current_names(run, name))) if rows else None


def current_names(run: Run, name: str) -> list[str]:
    """A repository's lower-case name with every other one that it has or had."""
    return [row["name"] for row in run(cypher.NAMES_OF, name=name)] or [name]


def counts(run: Run) -> Mapping[str, int]:
    """How many repositories, issues, pull_requests, comments, states, listings are stored."""
    kinds = {row["kind"]: row for row in run(cypher.COUNT_RESOURCES)}
    counted = {kind: kinds[kind]["n"] if kind in kinds else 0 for kind in ("repository", "issue", "pull_request")}
    return {
        "repositories": counted["repository"],
        "issues": counted["issue"],
        "pull_requests": counted["pull_request"],
        "comments": sum(row["comments"] for row in kinds.values()),
        "states": run(cypher.COUNT_STATES)[0]["n"],
        "listings": run(cypher.COUNT_LISTINGS)[0]["n"],
    }


def _at(run: Run, key: str) -> Head | None:
    row = target_row(key)
    rows = run(cypher.HEAD_AT, name=row["name"], suffix=row["suffix"])
    return rows[0] if rows and rows[0]["state_id"] else None


def _by_node(run: Run, node_id: str) -> Head | None:
    rows = run(cypher.HEADS, ids=[node_id])
    return rows[0] if rows else None


def _followed(run: Run, node_id: str) -> Head | None:
    """The stored resource that this one is now."""
    head = _by_node(run, node_id)
    return _onward(run, head) if head else None


def _onward(run: Run, head: Head) -> Head | None:
    for _ in range(HOPS):
        if not head["moved_to"]:
            return head if head["state_id"] else None
        following = _by_node(run, head["moved_to"])
        if following is None:
            raise Torn
        head = following
    return None


def _predecessor(run: Run, head: Head) -> Head | None:
    rows = run(cypher.PREDECESSORS, id=head["node_id"])
    return _by_node(run, rows[0]["node_id"]) if rows else None


def _move(run: Run, key: str) -> Head | None:
    """Where an item's former address leads, also when its repository had or has another name."""
    name, number = place(key)
    if number <= 0:
        return None
    for former in (name, *current_names(run, name)):
        if rows := run(cypher.MOVED, old=key_of(former, number)):
            return rows[0]
    return None


def _content(run: Run, row: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return content_of(row, load_comments(run, row["comments"] or ()))
    except KeyError as error:
        raise Torn from error


def _reading(run: Run, head: Head, row: Mapping[str, Any], as_of: str | None, latest: str) -> Reading:
    resource = resource_of(_content(run, row), row["recorded_at"])
    if row["id"] == latest:
        resource = _current(run, head, resource, as_of)
    if as_of and isinstance(resource, Item):
        resource = replace(resource, comments=tuple(c for c in resource.comments if c.created_at <= as_of))
    superseded = row["id"] != latest
    return Reading(resource, row["id"], row["valid_from"], row["valid_until"], row["recorded_at"], superseded)


def _current(run: Run, head: Head, resource: Repository | Item, as_of: str | None) -> Repository | Item:
    """The latest State with what has moved since without making a new one: times, the repository's name."""
    if as_of is None or as_of >= head["updated_at"]:
        resource = replace(resource, updated_at=head["updated_at"])
    resource = replace(resource, fetched_at=head["fetched_at"])
    if isinstance(resource, Item):
        if as_of:
            return resource
        return replace(resource, repository=run(cypher.REPOSITORY_NAME, id=head["repository_id"])[0]["name"])
    pushed_at = head["pushed_at"] if as_of is None or as_of >= head["pushed_at"] else resource.pushed_at
    return replace(resource, pushed_at=pushed_at, name=resource.name if as_of else head["name"])
