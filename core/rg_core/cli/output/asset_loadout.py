"""What `rg-memory asset loadout --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rg_core.cli.output.asset_show import Mode


class Annotations(BaseModel):
    """MCP's annotations."""

    model_config = ConfigDict(extra="forbid")

    audience: list[Literal["assistant"]]
    priority: float
    lastModified: str  # noqa: N815 - MCP's word


class SelectedAsset(BaseModel):
    """An asset that such a run would get; numbers are thousandths."""

    model_config = ConfigDict(extra="forbid")

    id: str
    version: int
    mode: Mode
    asked_mode: Mode
    required: bool
    priority: int
    relevance: int
    confidence: int
    bytes: int
    binding: str | None
    annotations: Annotations


class ExcludedAsset(BaseModel):
    """A readable asset that it would not get."""

    model_config = ConfigDict(extra="forbid")

    id: str
    reason: str


class Output(BaseModel):
    """A loadout, and why the rest is left out."""

    model_config = ConfigDict(extra="forbid")

    selected: list[SelectedAsset] = Field(description="by rank")
    excluded: list[ExcludedAsset] = Field(description="by id")
    missing_required: list[str]
    complete: bool
    tokens_used: int
    token_budget: int
    project: str
    query: str
    text: str | None = Field(default=None, description="what the model reads; with --text")
