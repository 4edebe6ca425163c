"""rg-memory asset audit."""

from __future__ import annotations

import argparse

from rg_core.cli.assets.common import line, opened
from rg_core.cli.screen import say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", nargs="?", default="", help="only of this asset, also a forgotten one")
    parser.add_argument("--since", metavar="TIME", help="only from this time on, e.g. 2026-11-29")
    parser.add_argument("--json", action="store_true", help="as one JSON array")


def run(options: argparse.Namespace) -> int:
    """Print own acts, and everybody's on what this person may read, newest first."""
    from rg_core.reading.query import instant

    with opened(options) as (assets, who, _):
        found = assets.audit(who, options.id, instant(options.since) if options.since else "")
    if options.json:
        say_json([row._asdict() for row in found], "asset_audit")
        return 0
    for row in found:
        by = " ".join(part for part in (line(row.user), line(row.agent), row.framework) if part)
        what = f"{row.asset} v{row.n}" if row.n else row.asset
        print(f"{row.at}  {row.op:<9} {row.outcome:<14} {by} ({row.via})  {what}  {row.detail}".rstrip())
    if not found:
        print("No acts yet that you may see.")
    return 0
