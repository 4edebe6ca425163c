"""What `rg-memory asset register` and `govern` print with `--json`."""

from __future__ import annotations

from pydantic import Field, RootModel

from rg_core.cli.output import Printed
from rg_core.cli.output.asset_list import Status


class Done(Printed):
    """What came of an act on one asset."""

    id: str
    version: int
    status: Status
    effective_version: int | None
    changed: bool = Field(description="whether there is a new version")


class Output(RootModel[Done | list[Done]]):
    """What came of it; an array where `govern` is given several assets."""
