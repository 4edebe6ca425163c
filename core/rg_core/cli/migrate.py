"""rg-memory migrate: move an embedded memory to a server."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping

EPILOG = """\
The server's user, password and database come from [store] in config.toml, the address from --to. What is stored there
already stays: histories are joined. A run that is interrupted goes on where it stood when it is run again, and nothing
is stored twice. The file stays as it is. Afterwards, have everything use the server:
rg-memory config set store.url URL"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument(
        "--to", metavar="URL", required=True, help="bolt://HOST:7687, or neo4j:// for a cluster; +s: TLS"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would be moved, and see that the server answers"
    )
    parser.add_argument("--json", action="store_true", help="the counts as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Copy everything, then count both sides; 1 where the server has less than the file of any kind."""
    from rg_core import paths
    from rg_core.cli.progress import tracked
    from rg_core.cli.store import size
    from rg_core.config import load
    from rg_core.errors import UserError
    from rg_core.store.bolt import BoltStore
    from rg_core.store.embedded import EmbeddedStore

    config = load(os.environ)
    path = paths.memory_file(os.environ)
    if not os.path.exists(path):
        raise UserError(f"there is no embedded memory at {path}: nothing to move; set [store] url to use the server")
    source = EmbeddedStore(path)
    target = BoltStore(options.to, config.store.user, config.store.password, config.store.database)
    try:
        before = dict(source.counts())
        there = dict(target.counts())
        if not options.dry_run:
            target.init()
            target.load(tracked(source.dump(), "Moving", size(source), wanted=not options.json))
            there = dict(target.counts())
    finally:
        source.close()
        target.close()
    missing = {} if options.dry_run else {kind: n - there[kind] for kind, n in before.items() if there[kind] < n}
    if options.json:
        print(json.dumps({"from": path, "to": options.to, "stored": before, "on_server": there, "missing": missing}))
    else:
        print(_table(before, there))
        if options.dry_run:
            print("Nothing was moved (--dry-run).")
    if missing:
        kinds = ", ".join(kind.replace("_", " ") for kind in missing)
        print(f"rg-memory: the server has fewer {kinds} than the file; run the same command again", file=sys.stderr)
        return 1
    if not (options.json or options.dry_run):
        print(f"All of it is on the server. Have everything use it: rg-memory config set store.url {options.to}")
    return 0


def _table(before: Mapping[str, int], there: Mapping[str, int]) -> str:
    lines = [f"{'':16}{'file':>12}{'server':>12}"]
    lines += [f"{kind.replace('_', ' '):16}{count:>12,}{there[kind]:>12,}" for kind, count in before.items()]
    return "\n".join(lines)
