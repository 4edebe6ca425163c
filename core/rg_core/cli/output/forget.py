"""What `rg-memory forget --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What was removed."""

    address: str | None
    resources: int
    touches: int
    events: int = Field(description="of telemetry")
    not_reached: list[str] = Field([], description="servers that may still hold copies")
