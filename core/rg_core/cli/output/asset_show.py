"""What `rg-memory asset show --json` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rg_core.cli.output import Printed
from rg_core.cli.output.asset_list import ListedAsset, Visibility

Right = Literal["read", "use", "manage", "assign", "share"]
Mode = Literal["direct", "summary", "tool", "reference"]


class Content(Printed):
    """What an asset says."""

    name: str
    description: str
    body: str | None
    summary: str | None
    labels: list[str]
    payload: dict[str, Any]


class AccessEntry(Printed):
    """A line of the access list."""

    effect: Literal["allow", "deny"]
    subject: str = Field(description="KIND:NAME; NAME * is any")
    rights: list[Right]


class Binding(Printed):
    """For whom an asset is meant."""

    target: str = Field(description="agent:NAME, task:NAME or framework:NAME")
    mode: Mode | None
    priority: float | None
    required: bool
    enabled: bool


class Policy(Printed):
    """Who may do what."""

    owner: str
    visibility: Visibility
    teams: list[str]
    acl: list[AccessEntry] | None = Field(default=None, description="for those who may share the asset")
    bindings: list[Binding]
    priority: float
    confidence: float
    expires_at: str | None
    follow: bool


class Output(ListedAsset):
    """One asset, whole."""

    content: Content
    policy: Policy
    rights: list[Right] = Field(description="what the asking person may do")
    provenance: dict[str, Any]
    waiting: bool = Field(description="whether its newest content waits for a person")
