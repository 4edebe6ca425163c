"""Questions to a code graph: a symbol, who calls it, what it calls, what a change of it reaches.

Only resolved calls are answers; calls that are known by their name alone are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rg_core.store.asset_rows import AssetRows, Neighbour, SymbolRow

DEPTH, MOST = 5, 500  # of an impact: steps along calls, symbols
QUESTIONS = ("symbol", "callers", "callees", "impact")


@dataclass(frozen=True, slots=True)
class Answered:
    """One symbol of the asked name with what the question found."""

    symbol: SymbolRow
    found: Sequence[Neighbour]
    maybe: int  # calls of the name that cannot be told to be of this symbol

    def json(self, question: str) -> dict[str, Any]:
        """The answer as commands print it."""
        symbol = {"id": self.symbol.id, "name": self.symbol.qualname, "kind": self.symbol.kind,
                  "path": self.symbol.path, "line": self.symbol.line, "last": self.symbol.last}  # fmt: skip
        if question == "symbol":
            return {"symbol": symbol}
        rows = [{"qualname": one.symbol.qualname, "path": one.symbol.path, "line": one.line, "how": one.how}
                for one in self.found]  # fmt: skip
        return {"symbol": symbol, question if question != "impact" else "callers": rows, "maybe": self.maybe}


def ask(rows: AssetRows, content: str, question: str, name: str) -> list[Answered]:
    """The answers for each symbol of this name or qualified name; none where the graph has no such symbol."""
    return [
        Answered(symbol, _found(rows, content, question, symbol), rows.maybes(content, symbol.name))
        for symbol in rows.symbols(content, name)
    ]


def _found(rows: AssetRows, content: str, question: str, symbol: SymbolRow) -> Sequence[Neighbour]:
    if question == "symbol":
        return ()
    if question in ("callers", "callees"):
        return rows.neighbours(content, symbol.id, callers=question == "callers")
    seen = {symbol.id}
    reached: list[Neighbour] = []
    border = [symbol.id]
    for _ in range(DEPTH):
        further: list[int] = []
        for caller in (one for target in border for one in rows.neighbours(content, target, callers=True)):
            if caller.symbol.id not in seen and len(reached) < MOST:
                seen.add(caller.symbol.id)
                reached.append(caller)
                further.append(caller.symbol.id)
        border = further
    return reached
