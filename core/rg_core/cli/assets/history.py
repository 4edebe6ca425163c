"""rg-memory asset history."""

from __future__ import annotations

import argparse
from typing import Any

from rg_core.assets.lifecycle import changed
from rg_core.cli.assets.common import line, opened
from rg_core.cli.screen import say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", help="which asset")
    parser.add_argument("--json", action="store_true", help="as one JSON array")


def run(options: argparse.Namespace) -> int:
    """Print its versions, oldest first."""
    with opened(options) as (assets, who, _):
        versions = assets.history(who, options.id)
    rows: list[dict[str, Any]] = [
        {"version": one.n, "at": one.at, "by": one.by, "via": one.via, "act": one.act, "status": one.status,
         "content_sha256": one.content_id, "changed": list(changed(before, one)), "note": one.note}
        for before, one in zip((None, *versions), versions, strict=False)
    ]  # fmt: skip
    if options.json:
        say_json(rows, "asset_history")
        return 0
    for row, one in zip(rows, versions, strict=True):
        fields = ", ".join(name for name in row["changed"] if name != "status")
        what = f": {fields}" if fields and one.n > 1 else ""
        note = f"  ({line(one.note)})" if one.note else ""
        print(f"v{one.n}  {one.at}  {one.act} by {line(one.by)} ({one.via})  {one.status}{what}{note}")
    return 0
