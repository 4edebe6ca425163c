"""The records of a dump: what `Store.dump` yields, `Store.load` takes, and a line of an export holds.

They are plain JSON, the same for every engine, and come in this order: one header, repositories, items, moves,
listings. What a record refers to is in an earlier one. A record holds the whole history of its thing, so that loading
one is all or nothing, and loading it again finds every State by its id and changes nothing.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

FORMAT = 1


class Header(TypedDict):
    """The first record."""

    record: Literal["rg-memory"]
    format: int


class StateRecord(TypedDict):
    """A State with its content (rg_core.store.states.content_of)."""

    id: str
    valid_from: str
    valid_until: str | None
    recorded_at: str
    event_type: str | None
    cause: str | None
    content: dict[str, Any]


class ResourceRecord(TypedDict):
    """A repository or item with its chain, oldest first; a repository may be known by name only (no States)."""

    record: Literal["resource"]
    node_id: str
    kind: str
    name: str  # of a repository, as GitHub spells it now; "" for an item
    named_at: str
    names: list[str]  # every name a repository had, lower-case
    repository_id: str | None  # of an item
    number: int
    updated_at: str
    pushed_at: str
    fetched_at: str
    deleted: bool
    states: list[StateRecord]


class MoveRecord(TypedDict):
    """A former address of an item."""

    record: Literal["move"]
    old: str
    new: str
    node_id: str
    old_node_id: str | None


class MemberRecord(TypedDict):
    """A member of a snapshot: the item, its State when the snapshot was recorded, and when its answer was fetched."""

    node_id: str
    state: str
    fetched_at: str


class SnapshotRecord(TypedDict):
    """An immutable answer of a listing."""

    id: str
    fetched_at: str
    total_count: int
    complete: bool
    members: list[MemberRecord]


class ListingRecord(TypedDict):
    """A listing with its snapshots, oldest first; the last is the current answer, confirmed at `fetched_at`."""

    record: Literal["listing"]
    address: str
    order: str
    fetched_at: str
    snapshots: list[SnapshotRecord]
