"""What `rg-memory asset history --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, RootModel

from rg_core.cli.output import Printed
from rg_core.cli.output.asset_list import Status


class AssetVersion(Printed):
    """One version."""

    version: int
    at: str = Field(description="ISO 8601 in UTC")
    by: str
    via: Literal["cli", "mcp", "import"]
    act: Literal["register", "revise", "govern", "fail"]
    status: Status
    content_sha256: str
    changed: list[str] = Field(description="names of the fields that differ from the version before")
    note: str | None


class Output(RootModel[list[AssetVersion]]):
    """The versions that are here, oldest first."""
