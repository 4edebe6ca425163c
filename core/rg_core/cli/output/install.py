"""What `rg-install --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed


class FileChange(Printed):
    """A file that is, or would be, changed."""

    path: str
    action: Literal["created", "changed", "removed"]
    diff: str


class WiredHarness(Printed):
    """One harness."""

    name: str
    changes: list[FileChange]
    error: str | None = Field(description="why it was refused")
    todo: list[str] = Field(description="what only the user can do")


class Output(Printed):
    """What was done."""

    applied: bool
    harnesses: list[WiredHarness]
