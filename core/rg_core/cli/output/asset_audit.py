"""What `rg-memory asset audit --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel


class AuditedAct(BaseModel):
    """One act, or one refusal. It holds no content."""

    model_config = ConfigDict(extra="forbid")

    at: str = Field(description="ISO 8601 in UTC")
    user: str
    agent: str
    task: str
    framework: str
    project: str
    via: Literal["cli", "mcp", "import"]
    op: str
    asset: str = Field(description="its id; empty where none was found")
    n: int = Field(description="the version that came of it; 0 for none")
    outcome: str = Field(description="ok, unchanged, or the word of the refusal")
    detail: str = Field(description="names of fields")


class Output(RootModel[list[AuditedAct]]):
    """What this person did, and what others did with what this person may read; newest first."""
