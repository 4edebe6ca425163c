"""What `rg-memory asset register` and `govern` print with `--json`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from rg_core.cli.output.asset_list import Status


class Output(BaseModel):
    """What came of it; `govern` prints an array where several assets are named."""

    model_config = ConfigDict(extra="forbid")

    id: str
    version: int
    status: Status
    effective_version: int | None
    changed: bool = Field(description="whether there is a new version")
