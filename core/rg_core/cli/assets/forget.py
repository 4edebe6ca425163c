"""rg-memory asset forget."""

from __future__ import annotations

import argparse
import sys

from rg_core.cli.assets.common import line, opened
from rg_core.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", help="which asset; its owner alone can do it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(options: argparse.Namespace) -> int:
    """Remove it: every version, page, symbol, rendered text and server copy. The audit keeps that it was."""
    with opened(options) as (assets, who, setting):
        if not options.yes:
            asset = assets.get(who, options.id)
            if not sys.stdin.isatty():
                raise UserError("forgetting cannot be undone; without a terminal to ask on, say --yes")
            name = line(asset.head.content.name, 60)
            if input(f"Forget {asset.type} {name} with {asset.head.n} versions? [y/N] ").strip().lower() != "y":
                print("Nothing forgotten.")
                return 1
        gone = assets.forget(who, options.id, setting)
    print(f"{gone}  forgotten")
    return 0
