"""What `rg-memory stats --json` prints: what the Touches add up to, and the panels as their types have them."""

from __future__ import annotations

from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import Field, create_model

from rg_core.cli.output import Printed
from rg_core.telemetry.panels import Panels


class Explored(Printed):
    """An address, and how often it was explored."""

    address: str
    count: int


class Numbers(Printed):
    """What the Touches add up to."""

    cache_reads: int
    served_from_memory: int
    outcomes: dict[str, int] = Field(description="of reads of memory")
    fetched: int
    prompted: int
    sessions: int
    harnesses: dict[str, int]
    most_explored: list[Explored]
    since: str | None
    until: str | None


def _model(kind: Any) -> Any:
    """The model of a TypedDict, or of a list of one; any other type is its own."""
    if get_origin(kind) is list:
        return list[_model(get_args(kind)[0])]  # type: ignore[misc]
    if not is_typeddict(kind):
        return kind
    return create_model(kind.__name__, __base__=Printed, __doc__=kind.__doc__, **_fields(kind))


def _fields(kind: type) -> dict[str, Any]:
    return {f"{name}_": (_model(of), Field(alias=name)) for name, of in get_type_hints(kind).items()}


Output = create_model("Output", __base__=Numbers, __doc__="What memory served, and whether it pays.", **_fields(Panels))
