"""rg-memory asset forget."""

from __future__ import annotations

import argparse

from rg_core.cli.assets.common import line, opened
from rg_core.cli.screen import confirm, say_json
from rg_core.nouns import counted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", help="which asset; its owner alone can do it")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Remove it: every version, page, symbol, rendered text and server copy. The audit keeps that it was."""
    with opened(options) as (assets, who, setting):
        asset = assets.get(who, options.id)
        name, versions = line(asset.head.content.name, 60), counted(asset.head.n, "versions")
        if not confirm(f"Forget {asset.type} {name} with {versions}?", options):
            print("Nothing forgotten.")
            return 1
        gone = assets.forget(who, options.id, setting)
    if options.json:
        say_json({"id": gone, "versions": asset.head.n}, "asset_forgotten")
    else:
        print(f"{gone}  forgotten")
    return 0
