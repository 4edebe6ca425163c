"""rg-memory stats: how often memory answered instead of GitHub."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from rg_core import paths
from rg_core.cli.touches import from_every_machine, print_columns
from rg_core.config import load
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, PROMPTED, Touch

TOP = 5  # most explored addresses shown


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--days", metavar="N", type=int, default=30, help="the last N days; 0 for all time (30)")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print numbers about the asking user's own Touches."""
    config = load(os.environ)
    user = config.require_user()
    since = (
        (datetime.now(UTC) - timedelta(days=options.days)).strftime("%Y-%m-%dT%H:%M:%SZ") if options.days > 0 else None
    )
    facts = numbers(from_every_machine(config, TouchLog(paths.outbox_file(os.environ)), user, since=since))
    if options.json:
        print(json.dumps(facts | {"since": since}, indent=2))
        return 0
    asked, served = facts["reads"], facts["served_from_memory"]
    assert isinstance(asked, int)
    assert isinstance(served, int)
    outcomes, top = facts["outcomes"], facts["most_explored"]
    assert isinstance(outcomes, dict)
    assert isinstance(top, list)
    share = f" ({served / asked:.0%})" if asked else ""
    rows = [
        ("agents asked memory", f"{asked:,} times"),
        ("memory answered", f"{served:,} times{share}"),
        *((f"  {name}", f"{count:,}") for name, count in outcomes.items()),
        ("fetched from GitHub", f"{facts['fetched']:,} times in {facts['sessions']:,} sessions"),
        ("named in prompts", f"{facts['prompted']:,} times"),
    ]
    print_columns(rows)
    if top:
        print("\nmost explored")
        print_columns([(f"  {entry['count']:,}", entry["address"]) for entry in top])
    return 0


def numbers(touches: Sequence[Touch]) -> dict[str, object]:
    """What the Touches add up to."""
    reads = [touch for touch in touches if touch.provenance == CACHE_READ]
    explored = Counter(touch.address for touch in touches if touch.address)
    return {
        "reads": len(reads),
        "served_from_memory": sum(touch.served_from_memory for touch in reads),
        "outcomes": dict(sorted(Counter(touch.outcome for touch in reads).items())),
        "fetched": sum(touch.provenance == FETCHED for touch in touches),
        "prompted": sum(touch.provenance == PROMPTED for touch in touches),
        "sessions": len({touch.session for touch in touches}),
        "harnesses": dict(sorted(Counter(touch.harness for touch in touches).items())),
        "most_explored": [{"address": address, "count": count} for address, count in explored.most_common(TOP)],
    }
