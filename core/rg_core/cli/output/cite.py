"""What `rg-memory cite --json` prints."""

from __future__ import annotations

from pydantic import Field, RootModel

from rg_core.cli.output import Printed


class Noted(Printed):
    """What was noted of one memory."""

    memory_id: str
    address: str
    kind: str
    recall: str = Field(description="empty where a read served it")
    fresh: bool = Field(description="false where it was noted already")


class Output(RootModel[list[Noted]]):
    """What was noted, a memory each."""
