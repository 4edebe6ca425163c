"""rg-memory diff: what changed between two versions of a resource, as text."""

from __future__ import annotations

import argparse
import os
import sys

from rg_core.errors import UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("address", metavar="ADDRESS", help="an issue, pull request or repository")
    parser.add_argument(
        "--since", metavar="TIME", help="compare with the version valid then; default: with the one before the newest"
    )
    parser.add_argument("--until", metavar="TIME", help="the newer side as it was then; default: the newest version")


def run(options: argparse.Namespace) -> int:
    """Print a unified diff; nothing when nothing changed."""
    from rg_core.cli.reader import CHANGES, opened, resource_key, say
    from rg_core.reading.diff import diff
    from rg_core.reading.query import instant

    with opened(os.environ) as (_, store):
        key = resource_key(options.address)
        chain = store.history(key)
        if not chain:
            raise UserError(f"{key} is not in memory, so there is nothing to compare")
        newer = store.read(key, instant(options.until) if options.until else None)
        if newer is None:
            raise UserError(f"{key} is not known before {chain[0].valid_from}")
        older = None
        if options.since:
            older = store.read(key, instant(options.since))
            if older is None:
                raise UserError(f"{key} is not known before {chain[0].valid_from}; it can be compared since then")
        else:
            before = [facts for facts in chain if facts.valid_from < newer.valid_from]
            older = store.read(key, before[-1].valid_from) if before else None
    if older is None:
        say(f"{key} has one version only, valid from {newer.valid_from}", sys.stdout)
        return 0
    say(diff(older, newer) or f"{key} did not change between {older.valid_from} and now", sys.stdout, CHANGES)
    return 0
