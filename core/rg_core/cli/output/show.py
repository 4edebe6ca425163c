"""What `rg-memory show --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, RootModel

from rg_core.cli.output import Printed


class _Answer(Printed):
    """What every answer has."""

    outcome: Literal["hit", "subsumed", "miss"]
    address: str = Field(description="canonical key")
    kind: str | None
    node_id: str | None
    fetched_at: str | None
    updated_at: str | None = Field(description="when the source changed")
    age_days: float | None
    superseded: bool = Field(description="something newer of it is stored")
    as_of: str = Field("", description="the time that was asked for")


class Miss(_Answer):
    """It is not in memory."""

    why: str


class _Version(_Answer):
    """One version of a resource."""

    state_id: str
    valid_from: str
    valid_until: str | None
    recorded_at: str


class StoredComment(Printed):
    """One comment of an issue or pull request."""

    node_id: str
    author: str | None
    created_at: str
    updated_at: str
    body: str
    path: str = Field("", description="the file of a review comment")
    minimized: str = ""


class StoredItem(_Version):
    """An issue or pull request."""

    number: int
    title: str
    state: str
    state_reason: str | None
    body: str
    author: str | None
    labels: list[str]
    assignees: list[str]
    milestone: str | None
    created_at: str
    closed_at: str | None
    comments: list[StoredComment]
    references: list[str]
    closes: list[str]
    closed_by: list[str]
    merged: bool = Field(False, description="of a pull request, as all that follows")
    merged_at: str | None = None
    base_ref: str | None = None
    files: list[str] = Field([], description="paths that it changes")


class StoredRepository(_Version):
    """A repository."""

    name: str
    description: str | None
    readme: str | None
    pushed_at: str | None


class StoredDocument(_Version):
    """A document or a note of the user; the other fields are its facts."""

    model_config = ConfigDict(extra="allow")

    project: str | None
    title: str
    names: list[str]
    text: str
    edges: list[dict[str, str]]


class Member(Printed):
    """A row of a listing."""

    address: str
    number: int
    title: str
    state: str
    labels: list[str]
    updated_at: str
    comments: int


class Source(Printed):
    """The listing that an answer was derived from."""

    address: str
    fetched_at: str


class StoredListing(_Answer):
    """A listing."""

    order: str | None
    limit: int | None
    members: list[Member]
    member_count: int = Field(description="of the whole answer")
    total_count: int | None = Field(description="how many GitHub had; null where it did not say")
    complete: bool
    snapshot_id: str
    source: Source | None


class Output(RootModel[Miss | StoredItem | StoredRepository | StoredListing | StoredDocument]):
    """What memory holds at an address."""
