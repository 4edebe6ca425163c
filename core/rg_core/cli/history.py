"""rg-memory history: the versions of a resource that memory knows."""

from __future__ import annotations

import argparse
import os

from rg_core import paths
from rg_core.cli.screen import say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("address", metavar="ADDRESS", help="an issue, pull request, repository, document or note")
    parser.add_argument("--json", action="store_true", help="print one JSON object with all versions")


def run(options: argparse.Namespace) -> int:
    """Show the chain, oldest first; what caused a version only where it was the user's own fetch."""
    from rg_core.cli.reader import HEADINGS, history_text, opened, own_texts, resource_key
    from rg_core.reading.causes import causes
    from rg_core.reading.local import local_causes
    from rg_core.touches.database import TouchLog

    with own_texts(os.environ, options.address) as texts:
        if texts:
            found = texts.found(options.address)
            key, chain = found.key, list(found.history())
            own = local_causes(chain)
    if texts is None:
        with opened(os.environ) as (config, store):
            key = resource_key(options.address)
            chain = list(store.history(key))
        own = causes(TouchLog(paths.outbox_file(os.environ)), config.user, chain) if chain else {}
    if options.json:
        states = [
            {
                "id": facts.id,
                "event_type": facts.event_type,
                "valid_from": facts.valid_from,
                "valid_until": facts.valid_until,
                "recorded_at": facts.recorded_at,
                "cause": facts.cause if facts.cause in own else None,
            }
            for facts in chain
        ]
        say_json({"address": key, "states": states}, "history")
    else:
        say(history_text(key, chain, own) if chain else f"not in memory: {key}", HEADINGS)
    return 0
