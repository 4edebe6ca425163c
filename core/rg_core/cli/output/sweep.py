"""What `rg-memory sweep --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What a Sweep did."""

    resolved: int = Field(description="addresses that are in memory now")
    unresolved: dict[str, int] = Field(description="addresses that are not, by the reason")
    fetched: int
    unchanged: int
    requests: int
    points: int = Field(description="of GitHub's limit for GraphQL")
    seconds: float
    waiting: int = Field(description="addresses that the next Sweep takes up")
    resets_at: str = Field("", description="when the limit that stopped it is renewed, ISO 8601 in UTC")
    problem: str = Field("", description="what went wrong, and what helps")
    said: str = Field("", description="GitHub's own words for it")
    notes: list[str] = Field([], description="what GitHub fails to answer")
