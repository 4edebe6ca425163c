"""What must be true of any store, checked on its dump, whichever engine it is.

A body that was changed is found too: the id of a State is a digest of everything in it that never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from rg_core.nouns import counted
from rg_core.store.states import state_id


def faults(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for everything that is not as it must be; nothing for a sound store."""
    nodes: set[str] = set()
    places: set[tuple[str, int]] = set()
    states: set[int] = set()  # half of each id: enough to miss one, and small
    for record in records:
        if record["record"] == "resource":
            if record["node_id"] in nodes:
                yield f"{record['node_id']} is stored twice"
            nodes.add(record["node_id"])
            yield from _place(record, nodes, places)
            yield from _chain(record)
            states.update(int(state["id"][:16], 16) for state in record["states"])
        elif record["record"] == "listing":
            yield from _listing(record, nodes, states)


def _place(record: Mapping[str, Any], nodes: set[str], places: set[tuple[str, int]]) -> Iterator[str]:
    if record["kind"] == "repository":
        return
    place = (record["repository_id"], record["number"])
    if place[0] not in nodes:
        yield f"{record['node_id']} belongs to repository {place[0]}, which is not stored"
    if place in places:
        yield f"{record['node_id']} has the number {place[1]} of another item of {place[0]}"
    places.add(place)


def _chain(record: Mapping[str, Any]) -> Iterator[str]:
    node_id, states = record["node_id"], record["states"]
    for state, following in pairwise(states):
        if state["valid_until"] != following["valid_from"]:
            yield f"{node_id}: a gap between {state['valid_until']} and {following['valid_from']}"
        if state["valid_from"] >= following["valid_from"]:
            yield f"{node_id}: {following['valid_from']} does not come after {state['valid_from']}"
        if following["event_type"] is None:
            yield f"{node_id}: the version of {following['valid_from']} does not say what happened"
    for state in states:
        body = (state["content"]["node_id"], state["valid_from"], state["recorded_at"], state["content"])
        if state_id(*body) != state["id"]:
            yield f"{node_id}: the body of version {state['id']} is not the one that was recorded"


def _listing(record: Mapping[str, Any], nodes: set[str], states: set[int]) -> Iterator[str]:
    name = f"{record['address']} ({record['order']})"
    if not record["snapshots"]:
        yield f"{name}: no answer is stored"
    for snapshot in record["snapshots"]:
        lost = [member for member in snapshot["members"]
                if member["node_id"] not in nodes or int(member["state"][:16], 16) not in states]  # fmt: skip
        if lost:
            yield f"{name}: of the answer of {snapshot['fetched_at']}, {counted(len(lost), 'members')} not stored"
        if snapshot["complete"] and 0 <= snapshot["total_count"] < len(snapshot["members"]):
            yield f"{name}: the answer of {snapshot['fetched_at']} has more members than GitHub counted"
