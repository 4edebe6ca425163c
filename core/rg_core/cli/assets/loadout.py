"""rg-memory asset loadout."""

from __future__ import annotations

import argparse
import sys

from rg_core.assets.loadout import UNBOUND, USUAL, LoadoutRequest
from rg_core.assets.model import TYPES
from rg_core.cli.assets.common import line, names, opened, who_would_run
from rg_core.cli.screen import say_json

REASONS = {
    "type_not_requested": "not of the asked types",
    "not_approved": "not approved",
    "no_use": "may not be used",
    "binding_disabled": "its binding is disabled",
    "bound_elsewhere": "bound to others",
    "unbound_not_asked": "bound to nobody",
    "not_relevant": "has no word of the query",
    "over_budget": "does not fit the budget",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help="what the work is about")
    who_would_run(parser)
    parser.add_argument(
        "--budget", metavar="N", type=int, default=USUAL, help=f"how many tokens it may take; {USUAL} unless given"
    )
    parser.add_argument("--types", metavar="A,B", help=f"only these types, of {', '.join(TYPES)}")
    parser.add_argument(
        "--unbound",
        choices=UNBOUND,
        default="relevant",
        help="what is bound to nobody: only what the query asks for (default), all of it, or none",
    )
    parser.add_argument("--text", action="store_true", help="print the text that the model would read")
    parser.add_argument("--json", action="store_true", help="as one JSON object; with --text, the text in it")


def run(options: argparse.Namespace) -> int:
    """Print what such a run would get, and why not the rest."""
    types = tuple(names(options.types)) if options.types is not None else None
    with opened(options) as (assets, who, setting):
        loadout = assets.loadout(
            who, LoadoutRequest(setting.now, options.query, options.budget, types, options.unbound)
        )
        known = {} if options.json or options.text else {asset.id: asset for asset in assets.readable(who)}
    if options.json:
        text = {"text": loadout.text()} if options.text else {}
        say_json(loadout.json() | {"project": who.project, "query": options.query} | text, "asset_loadout")
        return 0
    if options.text:
        sys.stdout.write(loadout.text())
        return 0
    for row in loadout.selected:
        shrunk = f" (asked {row.asked_mode})" if row.mode != row.asked_mode else ""
        why = f"bound to {line(row.binding)}" if row.binding else f"relevance {row.relevance / 1000:g}"
        name = line(row.asset.effective.content.name, 60) if row.asset.effective else ""
        print(f"+ {row.asset.id}  {name}: {row.mode}{shrunk}, {'required, ' if row.required else ''}{why}")
    for id, reason in sorted(loadout.excluded.items()):  # noqa: A001 - the field's word
        print(f"- {id}  {line(known[id].head.content.name, 60) if id in known else ''}: {_said(reason)}")
    if loadout.missing_required:
        print(f"required and left out: {', '.join(loadout.missing_required)}; a larger --budget helps")
    print(f"{loadout.tokens()} of {loadout.budget} tokens")
    return 0


def _said(reason: str) -> str:
    """A reason for people; some say more behind a colon."""
    word, _, more = reason.partition(":")
    return f"{REASONS.get(word, word)}{f': {line(more)}' if more else ''}"
