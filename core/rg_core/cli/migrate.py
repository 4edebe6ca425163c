"""rg-memory migrate: copy this machine's memory to a server."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rg_core.cli.screen import say_json, warn

if TYPE_CHECKING:
    from rg_core.store.protocol import Store

COMPARED = 200  # States whose content is read back from the server
EPILOG = """\
The server's user, password and database come from [store] in config.toml, the address from --to. What is stored there
already stays: histories are joined. A run that is interrupted goes on where it stood when it is run again, and nothing
is stored twice. The file stays as it is. Afterwards, have everything use the server:
rg-memory config set store.url URL"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    from rg_core.store import addresses

    parser.epilog = EPILOG
    parser.add_argument("--to", metavar="URL", required=True, help="; ".join(addresses()))
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would be copied, and see that the server answers"
    )
    parser.add_argument("--json", action="store_true", help="the counts as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Copy everything, then compare both sides; 1 where the server has less than the file, or something else."""
    from rg_core.cli.screen import tracked
    from rg_core.cli.store import size
    from rg_core.config import load
    from rg_core.errors import UserError
    from rg_core.store import LOCAL, addresses, open_store

    config = load(os.environ)
    source, target = (
        open_store(replace(config, store=replace(config.store, url=url)), os.environ) for url in (LOCAL, options.to)
    )
    if not source.exists():
        raise UserError(f"there is no memory at {source.where}: nothing to copy; set [store] url to use the server")
    if not target.can.shared:
        raise UserError(f"--to takes the address of a server, like {', or '.join(addresses())}")
    ids: list[str] = []
    different: list[str] = []
    try:
        before = dict(source.counts())
        there = dict(target.counts())
        if not options.dry_run:
            shared = any(there.values())
            target.init()
            records = _noting(source.dump(), ids)
            target.load(tracked(records, "Copying", size(source), wanted=not options.json))
            there = dict(target.counts())
            ids = random.sample(ids, min(len(ids), COMPARED))
            different = _different(source, target, ids, shared)
    finally:
        source.close()
        target.close()
    missing = {} if options.dry_run else {kind: n - there[kind] for kind, n in before.items() if there[kind] < n}
    if options.json:
        say_json({
            "from": source.where, "to": target.where, "stored": before, "on_server": there, "missing": missing,
            "compared": len(ids), "different": different,
        }, "migrate", indent=None)  # fmt: skip
    else:
        print(_table(before, there))
        if options.dry_run:
            print("Nothing was copied (--dry-run).")
    if different:
        said = f"{len(different)} of {len(ids)} versions read back differ from the file, e.g. {different[0]}"
        warn(f"{said}; compare rg-memory export of both")
    if missing:
        kinds = ", ".join(kind.replace("_", " ") for kind in missing)
        warn(f"the server has fewer {kinds} than the file; run the same command again")
    if missing or different:
        return 1
    if not (options.json or options.dry_run):
        print(f"All of it is on the server; {len(ids)} versions were read back and are the same.")
        print(f"Have everything use it: rg-memory config set store.url {target.where}")
    return 0


def _noting(records: Iterable[Mapping[str, Any]], ids: list[str]) -> Iterator[Mapping[str, Any]]:
    """Pass records on, noting the ids of the States in them."""
    for record in records:
        ids += [state["id"] for state in record.get("states", ())]
        yield record


def _different(source: Store, target: Store, ids: Iterable[str], shared: bool) -> list[str]:
    """The ids of States that are not the same on both sides; a shared server may have known the time otherwise."""
    found = []
    for state_id in ids:
        there = target.state(state_id)
        if there != source.state(state_id) and not (there is None and shared):
            found.append(state_id)
    return found


def _table(before: Mapping[str, int], there: Mapping[str, int]) -> str:
    lines = [f"{'':16}{'file':>12}{'server':>12}"]
    lines += [f"{kind.replace('_', ' '):16}{count:>12,}{there[kind]:>12,}" for kind, count in before.items()]
    return "\n".join(lines)
