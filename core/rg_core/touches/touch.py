"""The Touch: the private record that a user's session explored an Address."""

from __future__ import annotations

from rg_core.record import record

FETCHED = "FETCHED"
PROMPTED = "PROMPTED"
CACHE_READ = "CACHE_READ"
PENDING, RESOLVED, UNRESOLVED = "pending", "resolved", "unresolved"
NOT_FOUND, NOT_PUBLIC, RATE_LIMITED = "not_found", "not_public", "rate_limited"


@record
class Touch:
    """One exploration of one Address. `id` is derived from the event, so that a redelivered event is the same Touch."""

    id: str
    user: str
    address: str  # canonical key
    kind: str  # repository, item, issues, pulls
    provenance: str  # FETCHED, PROMPTED or CACHE_READ
    at: str
    session: str
    harness: str
    limit: int | None = None
    order: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    agent: str = ""
    agent_type: str = ""
    served_from_memory: bool = False  # a Cache Read that was a hit or subsumed
    outcome: str = ""  # of a Cache Read: hit, subsumed, miss
    status: str = PENDING
    reason: str = ""
    attempts: int = 0
