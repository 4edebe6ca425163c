"""What `rg-memory history --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Version(Printed):
    """One version of a resource."""

    id: str
    event_type: str | None = Field(description="what made it the present one")
    valid_from: str
    valid_until: str | None = Field(description="null for the present one")
    recorded_at: str = Field(description="when memory learned of it")
    cause: str | None = Field(description="the Touch of yours that had it fetched")


class Output(Printed):
    """The versions of a resource, oldest first."""

    address: str
    states: list[Version]
