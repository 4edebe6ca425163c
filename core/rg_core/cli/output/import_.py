"""What `rg-memory import --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What was read."""

    records: int
    known: int = Field(description="addresses that hooks know now")
