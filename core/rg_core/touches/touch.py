"""The Touch: the private record that a user's session explored an Address. Hot.

`_blake2` is taken without its Python wrapper, which costs a hook 1 ms.
"""

from __future__ import annotations

from _blake2 import blake2b

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


@record
class AnnouncedRead:
    """Who is about to read memory, as its hook event told."""

    address: str  # canonical key
    session: str
    harness: str
    tool_use_id: str = ""
    agent: str = ""
    agent_type: str = ""


def identify(*parts: str) -> str:
    """An id from the parts of an event: 32 hexadecimal digits, the same in every process."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))  # lengths, so that ("ab", "c") is not ("a", "bc")
        digest.update(data)
    return digest.hexdigest()


def is_public(touch: Touch) -> bool:
    """Whether a Touch is known to be about public content: what is not stays on this machine.

    A token without rights sees a private repository as one that is not there, so only an answer counts.
    """
    served = touch.provenance != CACHE_READ or touch.served_from_memory
    return bool(touch.address) and touch.status == RESOLVED and served
