"""What `rg-memory explain` prints: one object, or with --jsonl one a line."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed


class ExplainedAddress(Printed):
    """An address that a call or a text yields."""

    kind: Literal["repository", "item", "issues", "pulls"]
    key: str = Field(description="canonical key")
    limit: int | None = Field(description="how many members of a listing are asked for; null for all")
    order: str | None = Field(description="null for what is no listing")


class Output(Printed):
    """What one input yields, and why not more."""

    addresses: list[ExplainedAddress]
    why: str
