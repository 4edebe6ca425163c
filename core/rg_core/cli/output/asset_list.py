"""What `rg-memory asset list --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, RootModel

from rg_core.cli.output import Printed

Type = Literal["chat_memory", "skill", "llm_wiki", "code_graph"]
Status = Literal["draft", "candidate", "approved", "deprecated", "archived", "failed"]
Visibility = Literal["private", "project", "team", "agent", "task", "restricted"]


class ListedAsset(Printed):
    """An asset as its newest version has it."""

    id: str
    type: Type
    name: str
    description: str
    project: str
    owner: str
    status: Status = Field(description="of the version shown")
    version: int
    effective_version: int | None = Field(description="the one that is given to agents")
    visibility: Visibility
    labels: list[str]
    priority: float = Field(description="0 to 1")
    confidence: float = Field(description="0 to 1")
    expires_at: str | None = Field(description="ISO 8601 in UTC")
    updated_at: str = Field(description="when its newest version came, ISO 8601 in UTC")


class Output(RootModel[list[ListedAsset]]):
    """What the asking person may read of the project, newest first."""
