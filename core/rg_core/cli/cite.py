"""rg-memory cite: say which remembered results you used."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict

from rg_core import paths, times
from rg_core.cli.screen import say, say_json
from rg_core.config import load
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.telemetry.cite import RECALL_ID, cite, estimator, noted_text, request
from rg_core.telemetry.events import KINDS
from rg_core.touches.database import TouchLog

OFF = "telemetry is off, so nothing is noted; switch it on: rg-memory config set telemetry.enabled true"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "words",
        metavar="[RECALL] MEMORY",
        nargs="+",
        help="the id that a recall printed, if not your latest; positions in it, addresses or ids",
    )
    parser.add_argument("--kind", metavar="KIND", default="cited", help=f"{', '.join(KINDS)} (cited)")
    parser.add_argument("--note", metavar="TEXT", help="why, in at most 500 characters")
    parser.add_argument("--json", action="store_true", help="what was noted, as a JSON array")
    parser.epilog = "\n".join(f"{kind:<15}{meaning}" for kind, meaning in KINDS.items())


def run(options: argparse.Namespace) -> int:
    """Note it, and say what was noted."""
    from rg_core.telemetry.caller import terminal

    config = load(os.environ)
    config.require_user()
    if not config.telemetry.enabled:
        raise UserError(OFF)
    words = list(options.words)
    recall = words.pop(0) if len(words) > 1 and RECALL_ID.fullmatch(words[0]) else None
    asked = request(words, options.kind, recall, options.note)
    touches = paths.outbox_file(os.environ)
    TouchLog(touches).known_count()  # what hooks left is taken in, and the file is there
    store, texts = open_store(config, os.environ), OwnTexts(config, os.environ, paths.here())
    with closing(store), closing(texts):
        noted = cite(
            paths.telemetry_file(os.environ), touches, asked, terminal(config, os.environ), times.now(), find=finding(),
            estimated=estimator(lambda: store, texts), given_by="user",
        )  # fmt: skip
    say_json([asdict(one) for one in noted], "cite", indent=1) if options.json else say(noted_text(noted))
    return 0


def finding() -> Callable[[str], str]:
    """The canonical key of what a word names in this directory, "" if it names none; a key names itself."""
    from rg_core.reading.query import finder

    find = finder(os.environ)

    def key(word: str) -> str:
        addresses = find(word).addresses
        return str(addresses[0]) if len(addresses) == 1 else word

    return key
