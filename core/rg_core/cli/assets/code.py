"""rg-memory asset symbol, callers, callees, impact."""

from __future__ import annotations

import argparse

from rg_core.assets.code import Answered
from rg_core.cli.assets.common import line, opened
from rg_core.cli.screen import say_json
from rg_core.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", help="which code graph")
    parser.add_argument("name", metavar="NAME", help="a name, or a qualified one")
    parser.add_argument("--json", action="store_true", help="as one JSON object; an array where several have the name")


def run(options: argparse.Namespace) -> int:
    """Answer from the version that is in effect."""
    with opened(options) as (assets, who, _):
        found = assets.ask_code(who, options.id, options.action, options.name)
    if not found:
        raise UserError(f"there is no symbol {options.name[:200]!r} in what is in effect of {options.id[:80]}")
    if options.json:
        answers = [answer.json(options.action) for answer in found]
        say_json(answers[0] if len(answers) == 1 else answers, "asset_code")
        return 0
    for answer in found:
        print("\n".join(_lines(answer, options.action)))
    return 0


def _lines(answer: Answered, question: str) -> list[str]:
    symbol = answer.symbol
    told = [f"{symbol.kind} {line(symbol.qualname, 200)}  {line(symbol.path, 200)}:{symbol.line}"]
    told += [
        f"  {line(one.symbol.qualname, 200)}  {line(one.symbol.path, 200)}:{one.line}  ({one.how})"
        for one in answer.found
    ]
    if question != "symbol" and answer.maybe:
        told.append(f"  and {answer.maybe} calls of this name that cannot be told to be of it")
    return told
