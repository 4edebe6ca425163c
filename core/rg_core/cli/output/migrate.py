"""What `rg-memory migrate --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What went from where to where."""

    from_: str = Field(alias="from")
    to: str
    stored: dict[str, int] = Field(description="in the file, by kind")
    on_server: dict[str, int]
    missing: dict[str, int]
    compared: int = Field(description="versions that were read back")
    different: list[str] = Field(description="of those, the ones that differ")
