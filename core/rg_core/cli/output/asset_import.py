"""What `rg-memory asset import --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ImportedAsset(BaseModel):
    """One source that could be read."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: str
    source: str
    change: Literal["new", "changed", "unchanged"]
    warnings: list[str] | None = Field(default=None, description="what is unusual about it")


class FailedSource(BaseModel):
    """One source that could not."""

    model_config = ConfigDict(extra="forbid")

    source: str
    error: str


class Output(BaseModel):
    """What an import came to; with --dry-run, what it would."""

    model_config = ConfigDict(extra="forbid")

    new: int
    changed: int
    unchanged: int
    failed: list[FailedSource]
    skipped: int = Field(description="conversations in which nobody said anything")
    assets: list[ImportedAsset]
