"""rg-memory stats: what memory served, what was used of it, and whether it pays."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from rg_core import paths, times
from rg_core.cli.screen import say_json
from rg_core.cli.touches import from_every_machine
from rg_core.config import load
from rg_core.errors import UserError
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, PROMPTED, Touch

TOP = 5  # most explored addresses shown


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--days", metavar="N", type=int, default=30, help="the last N days; 0 for all time (30)")
    parser.add_argument("--since", metavar="TIME", help="instead of --days: from this time on, e.g. 2026-11-29")
    parser.add_argument("--until", metavar="TIME", help="before this time")
    parser.add_argument("--agent", metavar="A", default="", help="only this harness, or HARNESS/AGENT: codex/main")
    parser.add_argument("--project", metavar="P", default="", help="only sessions of this project")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.epilog = (
        "Counted on this machine: recalls, reads, citations, Nudges. A token is taken as four bytes. What is\n"
        "estimated or declared says so; what cannot be known is left empty.\n"
        "Switch it off: rg-memory config set telemetry.enabled false"
    )


def run(options: argparse.Namespace) -> int:
    """Print numbers about the asking user's own events."""
    from rg_core.reading.query import instant
    from rg_core.telemetry.panels import ALWAYS, NEVER, asking
    from rg_core.telemetry.scope import scope_of
    from rg_core.telemetry.wrap import keep_quiet

    config = load(os.environ)
    user = config.require_user()
    since = instant(options.since) if options.since else None
    if not options.since and options.days > 0:
        since = times.now(ago=options.days * times.DAY)
    until = instant(options.until) if options.until else None
    touches = from_every_machine(config, TouchLog(paths.outbox_file(os.environ)), user, since=since)
    facts = numbers([touch for touch in touches if touch.at < (until or NEVER)])
    scope = scope_of(
        config, os.environ, since=since or ALWAYS, until=until or NEVER, agent=options.agent, project=options.project
    )
    files = (paths.telemetry_file(os.environ), paths.outbox_file(os.environ))
    with asking(*files, scope) as question:
        panels = question.panels()
    with suppress(UserError):  # a file that is locked just now: the next one does it
        keep_quiet(*files, scope, times.now())
    if options.json:
        say_json({**facts, **panels, "since": since, "until": until}, "stats")
    else:
        from rg_core.cli.stats_text import show

        show(facts, panels, sys.stdout)
    return 0


def numbers(touches: Sequence[Touch]) -> dict[str, object]:
    """What the Touches add up to."""
    reads = [touch for touch in touches if touch.provenance == CACHE_READ]
    explored = Counter(touch.address for touch in touches if touch.address)
    return {
        "cache_reads": len(reads),
        "served_from_memory": sum(touch.served_from_memory for touch in reads),
        "outcomes": dict(sorted(Counter(touch.outcome for touch in reads).items())),
        "fetched": sum(touch.provenance == FETCHED for touch in touches),
        "prompted": sum(touch.provenance == PROMPTED for touch in touches),
        "sessions": len({touch.session for touch in touches}),
        "harnesses": dict(sorted(Counter(touch.harness for touch in touches).items())),
        "most_explored": [{"address": address, "count": count} for address, count in explored.most_common(TOP)],
    }
