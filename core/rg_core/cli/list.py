"""rg-memory list: what is stored, latest change first."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rg_core.address.model import without_scheme
from rg_core.cli.reader import opened
from rg_core.cli.screen import columns, say, say_json
from rg_core.nouns import counted
from rg_core.reading.framing import one_line
from rg_core.store.model import Entry, Selection

SHOWN = 50
KINDS = {"repository": "repository", "issue": "issue", "pr": "pull_request"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("repository", metavar="OWNER/REPO", nargs="?", default="", help="only of this repository")
    parser.add_argument("--kind", choices=KINDS, help="only repositories, issues or pull requests")
    parser.add_argument("--state", choices=("open", "closed", "merged"), help="only these issues and pull requests")
    parser.add_argument("--label", metavar="NAME", default="", help="only what has this label")
    parser.add_argument("--limit", metavar="N", type=int, default=SHOWN, help=f"at most so many ({SHOWN}); 0 for all")
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print what is stored; it belongs to no user, and reading it here records nothing."""
    wanted = Selection(KINDS.get(options.kind, ""), options.repository, options.state or "", options.label)  # type: ignore[arg-type]
    limit = options.limit if options.limit > 0 else sys.maxsize >> 1
    with opened(os.environ) as (_, store):
        found = store.browse(wanted, limit + 1)
        repositories = store.repositories()
    shown, more = found[:limit], len(found) > limit
    if options.json:
        answer = {
            "resources": [asdict(entry) for entry in shown],
            "repositories": repositories,
            "more": more,
        }
        say_json(answer, "list")
        return 0
    if not shown:
        say("Nothing like that is stored." if any(asdict(wanted).values()) else NOTHING)
        return 0
    columns(_lines(shown))
    if more:
        say(f"... and more: --limit 0 shows all, --json for scripts; {counted(len(repositories), 'repositories')}")
    return 0


NOTHING = "Nothing is stored yet: `rg-memory sweep` fetches what agents explored."


def _lines(entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    return [
        (
            without_scheme(entry.address), entry.state, entry.updated_at[:10], one_line(entry.title, 100),
            one_line(f"[{', '.join(entry.labels)}]", 60) if entry.labels else "",
        )
        for entry in entries
    ]  # fmt: skip
