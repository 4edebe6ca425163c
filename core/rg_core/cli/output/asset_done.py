"""What `rg-memory asset register` and `govern` print with `--json`."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed
from rg_core.cli.output.asset_list import Status


class Output(Printed):
    """What came of it; `govern` prints an array where several assets are named."""

    id: str
    version: int
    status: Status
    effective_version: int | None
    changed: bool = Field(description="whether there is a new version")
