"""What `rg-memory asset forget --json` prints."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Output(BaseModel):
    """What is not there any more."""

    model_config = ConfigDict(extra="forbid")

    id: str
    versions: int = Field(description="how many it had")
