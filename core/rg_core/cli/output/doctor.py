"""What `rg-install --doctor --json` and `rg-memory doctor --json` print."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Checked(Printed):
    """One finding."""

    what: str
    ok: bool
    todo: str | None = Field(description="what helps")


class CheckedHarness(Printed):
    """What was found about one harness."""

    name: str
    program: str
    wired: bool
    checks: list[Checked]
    todo: list[str]


class Output(Printed):
    """What was found."""

    ok: bool
    checks: list[Checked] = Field(description="of rg-memory itself")
    harnesses: list[CheckedHarness]
