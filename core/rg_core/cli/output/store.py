"""What `rg-memory store init|check|reindex --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What a store is like, or what was done to it."""

    store: str = Field(description="where it is")
    counts: dict[str, int] = Field({}, description="of check: what is stored, by kind")
    foreign: dict[str, int] = Field({}, description="of check: nodes of others under names that memory uses too")
    known: int = Field(0, description="of reindex: addresses that hooks know")
    faults: list[str] = Field(description="what is wrong")
