"""rg-memory diff: what changed between two versions of a resource, as text."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rg_core.errors import UserError

if TYPE_CHECKING:
    from rg_core.store.model import Reading, StateFacts


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("address", metavar="ADDRESS", help="an issue, pull request, repository, document or note")
    parser.add_argument(
        "--since", metavar="TIME", help="compare with the version valid then; default: with the one before the newest"
    )
    parser.add_argument("--until", metavar="TIME", help="the newer side as it was then; default: the newest version")


def run(options: argparse.Namespace) -> int:
    """Print a unified diff; nothing when nothing changed."""
    from rg_core.cli.reader import opened, own_texts, resource_key

    with own_texts(os.environ, options.address) as texts:
        if texts:
            found = texts.found(options.address)
            _say(found.key, found.history(), found.read, options)
            return 0
    with opened(os.environ) as (_, store):
        key = resource_key(options.address)
        _say(key, store.history(key), lambda as_of: store.read(key, as_of), options)
    return 0


def _say(
    key: str, chain: Sequence[StateFacts], read: Callable[[str | None], Reading | None], options: argparse.Namespace
) -> None:
    from rg_core.cli.screen import CHANGES, say
    from rg_core.reading.diff import diff
    from rg_core.reading.query import instant

    if not chain:
        raise UserError(f"{key} is not in memory, so there is nothing to compare")
    newer = read(instant(options.until) if options.until else None)
    if newer is None:
        raise UserError(f"{key} is not known before {chain[0].valid_from}")
    if options.since:
        older = read(instant(options.since))
        if older is None:
            raise UserError(f"{key} is not known before {chain[0].valid_from}; it can be compared since then")
    else:
        before = [facts for facts in chain if facts.valid_from < newer.valid_from]
        older = read(before[-1].valid_from) if before else None
    if older is None:
        say(f"{key} has one version only, valid from {newer.valid_from}")
    else:
        say(diff(older, newer) or f"{key} did not change between {older.valid_from} and now", CHANGES)
