"""What `rg-memory touches --json` prints."""

from __future__ import annotations

from pydantic import Field, RootModel

from rg_core.cli.output import Printed


class StoredTouch(Printed):
    """One Touch: that a session explored an address."""

    address: str = Field(description="canonical key; empty for what is not public")
    kind: str
    provenance: str = Field(description="FETCHED, PROMPTED or CACHE_READ")
    status: str = Field(description="pending, resolved or unresolved")
    reason: str = Field(description="why it is unresolved")
    outcome: str = Field(description="of a read of memory: hit, subsumed or miss")
    harness: str
    tool_name: str
    tool_use_id: str
    session_id: str
    agent: str
    agent_type: str
    at: str = Field(description="ISO 8601 in UTC")
    limit: int | None
    order: str


class Output(RootModel[list[StoredTouch]]):
    """Touches, the latest first."""
