"""What `rg-memory asset symbol`, `callers`, `callees` and `impact` print with `--json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, RootModel

from rg_core.cli.output import Printed


class Symbol(Printed):
    """A definition in the version of a code graph that is in effect."""

    id: int
    name: str = Field(description="qualified")
    kind: str = Field(description="module, class, function, method or another word of the language")
    path: str
    line: int
    last: int = Field(description="its last line")


class Definition(Printed):
    """What `symbol` finds."""

    symbol: Symbol


class Call(Printed):
    """A symbol beside the asked one, along a resolved call."""

    qualname: str
    path: str
    line: int = Field(description="of the call")
    how: Literal["scope", "import", "self", "super", "typed"] = Field(description="how the call was told")


class Callers(Printed):
    """What `callers` and `impact` find; an impact's callers are followed on to theirs."""

    symbol: Symbol
    callers: list[Call]
    maybe: int = Field(description="calls of this name that cannot be told to be of this symbol")


class Callees(Printed):
    """What `callees` finds."""

    symbol: Symbol
    callees: list[Call]
    maybe: int = Field(description="calls of this name that cannot be told to be of this symbol")


Answer = Definition | Callers | Callees


class Output(RootModel[Answer | list[Answer]]):
    """By the action; an array where several symbols have the name."""
