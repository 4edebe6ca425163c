"""rg-memory asset show."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from difflib import unified_diff
from typing import Any

from rg_core.assets.errors import invalid
from rg_core.assets.model import Asset, Version
from rg_core.cli.assets.common import line, opened, whole
from rg_core.cli.screen import CHANGES, say, say_json
from rg_core.reading.framing import clean

WAITS = "no agent gets this version until it is approved: rg-memory asset govern {id} --status approved"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's arguments."""
    parser.add_argument("id", metavar="ID", help="which asset")
    parser.add_argument("--version", metavar="N", type=int, help="this version; the newest unless given")
    parser.add_argument("--diff", action="store_true", help="what approving the newest version would change")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print it."""
    with opened(options) as (assets, who, _):
        asset = assets.get(who, options.id)
        version = None
        if options.version is not None:
            version = next((one for one in assets.history(who, asset.id) if one.n == options.version), None)
            if version is None:
                raise invalid("--version", f"one that is here; see: rg-memory asset history {asset.id}")
        pages = [] if version else assets.pages(who, asset.id)
    if options.json:
        say_json(whole(asset, who, version), "asset_show")
        return 0
    shown = version or asset.head
    if options.diff:
        say(_difference(asset, shown), CHANGES)
        return 0
    told = [*_facts(asset, shown, whole(asset, who, version)), "", line(shown.content.description)]
    if shown.content.body:
        told += ["", clean(shown.content.body)]
    if pages:
        told += ["", *(f"  {line(page.path, 200)}  {line(page.title)}" for page in pages)]
    say("\n".join(told))
    return 0


def _facts(asset: Asset, shown: Version, facts: Mapping[str, Any]) -> list[str]:
    effective = facts["effective_version"]
    policy = facts["policy"]
    return [
        f"{asset.type} {line(shown.content.name, 80)}  {asset.id}",
        f"version {shown.n}, {shown.status}; in effect: {'none' if effective is None else f'version {effective}'}",
        f"owner {line(policy['owner'])}, visibility {policy['visibility']}; you may: {', '.join(facts['rights'])}",
        *(
            f"{entry['effect']} {line(entry['subject'])}: {', '.join(entry['rights'])}"
            for entry in policy.get("acl", ())
        ),
        *(_bound(bound) for bound in policy["bindings"]),
        *([WAITS.format(id=asset.id)] if facts["waiting"] and shown is asset.head else []),
    ]


def _bound(bound: Mapping[str, Any]) -> str:
    words = [bound["mode"] or "", "required" if bound["required"] else "", "" if bound["enabled"] else "disabled"]
    return " ".join(["bound to", line(bound["target"]), *(word for word in words if word)])


def _difference(asset: Asset, shown: Version) -> str:
    before = asset.effective
    if before is None:
        return "nothing is in effect yet: approving makes all of it effective"
    if before.content_id == shown.content_id:
        return "nothing: this content is in effect"
    lines = unified_diff(_lines(before), _lines(shown), f"version {before.n}", f"version {shown.n}", lineterm="")
    return "\n".join(lines)


def _lines(version: Version) -> list[str]:
    content = version.content
    head = [f"name: {content.name}", f"description: {content.description}", f"summary: {content.summary or ''}",
            f"labels: {', '.join(content.labels)}"]  # fmt: skip
    return [line for text in (*head, content.body or "") for line in clean(text).split("\n")]
