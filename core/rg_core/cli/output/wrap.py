"""What `rg-memory wrap --json` prints."""

from __future__ import annotations

from pydantic import Field

from rg_core.cli.output import Printed


class Output(Printed):
    """What happened in a session."""

    session: str
    started: str
    ended: str
    recalls: int
    used: int
    said: dict[str, int] = Field(description="citations by kind")
    hits: int
    misses: int
    fetched: int
    nudges: int
    followed: int
    requests: int
    loaded: int = Field(description="tokens that memory put into the session")
    floor: int = Field(description="tokens that fetching the same would have taken, at least")
    json_: int = Field(alias="json", description="tokens that the same would have taken as JSON")
