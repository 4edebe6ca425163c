"""What `rg-memory status --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed


class Touches(Printed):
    """The user's Touches on this machine, by what became of them."""

    waiting: int
    resolved: int
    unresolved: int
    reads: int = Field(description="reads of memory")


class Events(Printed):
    """What hooks left and no command could take in yet."""

    waiting: int
    since: str | None
    of_a_later_release: int
    unreadable: int


class LastSweep(Printed):
    """How the last Sweep ended."""

    user: str
    began: str
    ended: str = Field(description="empty while it runs, and where it was killed")
    ending: Literal["running", "done", "waits", "failed", "interrupted"]
    reason: str
    process: int


class Output(Printed):
    """The state of the user's memory."""

    user: str
    config: str = Field(description="the file of the configuration")
    store: str = Field(description="where memory is")
    store_problem: str
    github_token: bool
    sweep_auto: bool
    stored: dict[str, int]
    touches: Touches
    touches_shared: bool = Field(description="whether they go to the server")
    events: Events
    known: int = Field(description="addresses that hooks know")
    telemetry: bool
    telemetry_problem: str
    documents: dict[str, int]
    shared: dict[str, int] = Field(description="documents and notes on servers, by server")
    last_touch: str | None
    last_harness: str | None
    last_sweep: LastSweep | None
    log: str
