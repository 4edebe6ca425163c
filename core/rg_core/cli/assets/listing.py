"""rg-memory asset list."""

from __future__ import annotations

import argparse

from rg_core.assets.model import STATUSES, TYPES
from rg_core.cli.assets.common import line, opened, row
from rg_core.cli.screen import columns, say_json

HIDDEN = ("archived", "failed")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("--type", choices=TYPES, help="only this type")
    parser.add_argument("--status", choices=STATUSES, help="only this status")
    parser.add_argument("--label", metavar="L", help="only with this label")
    parser.add_argument("--all", action="store_true", help="archived and failed ones too")
    parser.add_argument("--json", action="store_true", help="as one JSON array")


def run(options: argparse.Namespace) -> int:
    """Print what this person may read of the project."""
    with opened(options) as (assets, who, _):
        found = assets.readable(who)
    shown = [
        asset
        for asset in found
        if (not options.type or asset.type == options.type)
        and (not options.label or options.label in asset.head.content.labels)
        and (asset.head.status == options.status if options.status else options.all or asset.head.status not in HIDDEN)
    ]
    if options.json:
        say_json([row(asset) for asset in shown], "asset_list")
    elif shown:
        columns([_line(row(asset)) for asset in shown])
    else:
        what = "like this " if options.type or options.status or options.label else ""
        print(f"There is no asset {what}in project {who.project} that you may read. Bring some in with rg-memory asset "
              "import, or write one with rg-memory asset register.")  # fmt: skip
    return 0


def _line(shown: dict[str, object]) -> tuple[str, ...]:
    version, effective = shown["version"], shown["effective_version"]
    waiting = f" (v{effective} in effect)" if effective not in (None, version) else ""
    return (
        str(shown["id"]), str(shown["type"]), f"v{version} {shown['status']}{waiting}", str(shown["visibility"]),
        line(str(shown["name"]), 60), line(str(shown["description"]), 80),
    )  # fmt: skip
