"""The records of telemetry, as they stand in telemetry.db. Pure: all that the tools and the Sweep know of telemetry.

A *memory* is what recall returns as one result: a Resource (its node_id), a document or a note (their ids). Ids and
addresses are opaque text here. Times are ISO 8601 in UTC with whole seconds, as in Touches.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

Kind = Literal["cited", "dismissed", "flagged_stale", "rewrote", "saved_rework"]
GivenBy = Literal["agent", "user", "sweep"]

KINDS: dict[Kind, str] = {
    "cited": "used in the work",
    "dismissed": "not what was meant",
    "flagged_stale": "out of date",
    "rewrote": "brought up to date because of it",
    "saved_rework": "saved doing something again",
}
LONGEST_QUERY = 2_000  # characters kept
LONGEST_NOTE = 500
SHOWN = "cited", "saved_rework"  # the kinds that say a memory was used


@dataclass(frozen=True, slots=True)
class Caller:
    """Who called one of our tools, and from where."""

    user: str
    harness: str
    session: str = ""  # "" where the client tells none
    agent: str = ""
    agent_type: str = ""  # "" is the main agent
    tool_use_id: str = ""
    connection: str = ""  # a random name of the server process
    project: str = ""
    store: str = "local"  # or the host of store.url


class Candidate(NamedTuple):  # there are twenty in a recall: no other record is made as fast
    """One candidate of a recall, unrounded: what the fusion took, and what it gave."""

    memory_id: str
    kind: str  # repository, issue, pull_request, document, note
    address: str
    state_id: str
    position: int | None  # 1..n; None: not shown, but needed to fuse again
    score: float
    named: int | None
    vec_rank: int | None
    lex_rank: int | None
    graph_rank: int | None
    vec_z: float | None
    lex_z: float | None
    graph_z: float | None
    age_days: float
    superseded: bool
    superseded_by: str | None
    floor_bytes: int = 0  # what it would have cost from GitHub, looked up when it is said to have been used
    json_bytes: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """One call of recall. `weights` as used, by leg; 0 or absent: the leg was off."""

    query: str
    query_class: str
    as_of: str | None
    page: int
    result_count: int
    candidate_count: int
    payload_bytes: int
    took_ms: float
    match: Literal["strong", "weak"]
    weights: dict[str, float]
    rrf_k: float
    half_life_days: float
    candidates: tuple[Candidate, ...] = ()


class Read(NamedTuple):
    """What the Touch of a call of `resource` does not say. A page's estimate is the whole answer's."""

    touch_id: str
    user: str
    at: str
    project: str
    memory_id: str  # "" for listings and misses
    state_id: str
    page: int
    payload_bytes: int
    floor_bytes: int = 0
    json_bytes: int = 0
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Citation:
    """What somebody, or the Sweep, said of a memory that a recall or a read served: exactly one of the two."""

    id: str
    user: str
    at: str
    recall_id: str
    touch_id: str
    memory_id: str
    address: str
    session: str
    harness: str
    kind: Kind
    given_by: GivenBy
    note: str = ""


def names(kind: type[Any]) -> tuple[str, ...]:
    """The columns of a record."""
    return tuple(field.name for field in fields(kind))
