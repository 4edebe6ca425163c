"""What `rg-memory asset loadout --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed
from rg_core.cli.output.asset_show import Mode


class Annotations(Printed):
    """MCP's annotations."""

    audience: list[Literal["assistant"]]
    priority: float
    lastModified: str  # noqa: N815 - MCP's word


class SelectedAsset(Printed):
    """An asset that such a run would get; numbers are thousandths."""

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


class ExcludedAsset(Printed):
    """A readable asset that it would not get."""

    id: str
    reason: str


class Output(Printed):
    """A loadout, and why the rest is left out."""

    selected: list[SelectedAsset] = Field(description="by rank")
    excluded: list[ExcludedAsset] = Field(description="by id")
    missing_required: list[str]
    complete: bool
    tokens_used: int
    token_budget: int
    project: str
    query: str
    text: str | None = Field(default=None, description="what the model reads; with --text")
