"""rg-memory wrap: what happened in a session."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress

from rg_core import paths, times
from rg_core.cli.screen import columns, say_json
from rg_core.cli.stats_text import tokens
from rg_core.config import load
from rg_core.errors import UserError
from rg_core.telemetry.scope import scope_of
from rg_core.telemetry.wrap import Wrap, keep_quiet, wrap
from rg_core.touches.database import TouchLog


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--session", metavar="ID", default="", help="this session, not the one that was last active")
    parser.add_argument("--json", action="store_true", help="as one JSON object; sizes in bytes")


def run(options: argparse.Namespace) -> int:
    """Print what happened in a session of yours."""
    config = load(os.environ)
    scope = scope_of(config, os.environ, counting=False)
    files = (paths.telemetry_file(os.environ), paths.outbox_file(os.environ))
    TouchLog(files[1]).known_count()  # what hooks left is taken in, and the file is there
    found = wrap(*files, scope, options.session)
    with suppress(UserError):  # a file that is locked just now: the next one does it
        keep_quiet(*files, scope, times.now())
    if found is None:
        what = f"of session {options.session[:80]!r}" if options.session else "yet"
        raise UserError(f"nothing of yours is recorded {what}")
    if options.json:
        say_json(found.as_json(), "wrap")
    else:
        columns(lines(found))
    return 0


def lines(found: Wrap) -> list[tuple[str, str]]:
    """A wrap for a person."""
    facts = found.facts
    said = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in facts["said"].items())
    return [
        ("session", facts["session"]),
        ("from, to", f"{facts['started']}  {facts['ended']}"),
        ("recalls", f"{facts['recalls']:,}, {facts['used']:,} results used"),
        ("said", said or "nothing"),
        ("reads", f"{facts['hits']:,} answered, {facts['misses']:,} missed"),
        ("fetches", f"{facts['fetched']:,}"),
        ("Nudges", f"{facts['nudges']:,}, {facts['followed']:,} followed"),
        ("requests", f"{facts['requests']:,} not made, estimated"),
        ("tokens loaded", tokens(found.loaded)),
        ("tokens kept out", f"{tokens(found.floor)} to {tokens(found.json)}, estimated"),
    ]
