"""What `rg-memory documents add|sync|list|edges --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, RootModel

from rg_core.cli.output import Printed


class PlannedEdge(Printed):
    """An edge that comes or goes."""

    change: Literal["new", "gone"]
    source: str
    verb: str
    target: str
    section: str


class Synced(Printed):
    """What add or sync found, and whether it is written."""

    documents: int
    new: list[str]
    changed: list[str]
    moved: dict[str, str] = Field(description="addresses now, by those before")
    gone: list[str]
    left_out: dict[str, int] = Field(description="files, by the reason")
    edges: list[PlannedEdge]
    written: bool


class Root(Printed):
    """What was added."""

    project: str
    path: str
    globs: list[str]
    history: bool


class StoredPage(Printed):
    """A document or note; the other fields are its facts."""

    model_config = ConfigDict(extra="allow")

    address: str
    kind: str
    memory_id: str
    project: str
    title: str
    names: list[str]
    valid_from: str
    verified_at: str | None


class Listed(Printed):
    """All of them."""

    roots: list[Root]
    documents: list[StoredPage]


class StoredEdge(Printed):
    """An edge between two documents."""

    source: str
    verb: str
    target: str
    target_address: str | None = Field(description="null for what is not stored")
    section: str
    created_at: str


class Output(RootModel[Synced | Listed | list[StoredEdge]]):
    """By the action."""
