"""What `rg-memory recall --json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rg_core.cli.output import Printed


class Leg(Printed):
    """A way of finding."""

    weight: float = Field(description="0 where it is off")
    voted: bool


class FoundBy(Printed):
    """How one leg found a result."""

    rank: int
    z: float = Field(description="the raw score against the others'")
    raw: float


class Staleness(Printed):
    """How far a result can be trusted to hold."""

    last_verified_at: str | None
    age_days: int
    superseded: bool
    superseded_by: str | None = Field(description="a memory id")


class Result(Printed):
    """One memory."""

    position: int
    address: str
    memory_id: str
    kind: str
    title: str
    snippet: str
    score: float
    named: int | None = Field(description="which of the things that the query names it is; null for none")
    legs: dict[Literal["vec", "lex", "graph"], FoundBy | None]
    temporal_score: float
    paths: list[str] = Field(description="how relations led to it")
    staleness: Staleness


class Output(Printed):
    """What recall found, best first."""

    recall: str | None = Field(description="the id that `rg-memory cite` takes")
    query: str
    class_: str = Field(alias="class", description="of the query")
    as_of: str | None
    match: Literal["strong", "weak"]
    page: int
    more: bool
    k: float
    half_life_days: float
    legs: dict[str, Leg]
    results: list[Result]
