"""What `rg-memory list --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed


class StoredResource(Printed):
    """A stored repository, issue or pull request, as it is now known."""

    address: str = Field(description="canonical key")
    kind: Literal["repository", "issue", "pull_request"]
    title: str = Field(description="empty for a repository")
    state: Literal["open", "closed", "merged", ""] = Field(description="empty for a repository")
    labels: list[str]
    author: str
    updated_at: str = Field(description="when GitHub changed it, ISO 8601 in UTC")
    fetched_at: str = Field(description="when it was last fetched, ISO 8601 in UTC")
    comments: int


class Output(Printed):
    """A page of what is stored, latest change first."""

    resources: list[StoredResource]
    repositories: dict[str, int] = Field(description="issues and pull requests stored of each repository")
    more: bool = Field(description="whether there are more than `--limit` let in")
