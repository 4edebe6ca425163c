"""What `rg-memory project list --json` prints."""

from __future__ import annotations

from pydantic import Field, RootModel

from rg_core.cli.output import Printed


class Project(Printed):
    """A project and its directories."""

    project: str
    dirs: list[str]
    shared: bool = Field(description="whether a server may hold its documents and notes")


class Output(RootModel[list[Project]]):
    """All projects."""
