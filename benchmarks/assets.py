"""The loadout of an identity from a file of many assets, as a command asks for it: in a new process, nothing cached.

    python -m benchmarks.assets [--assets N] [--rounds N]

Bar: 1,000 assets at most 20 ms. Milliseconds of CPU, since the machine may be busy with others; beside each the ratio
to what the same process takes to read the same rows and do nothing with them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rg_core.assets.lifecycle import Setting
from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.model import TYPES, Identity
from rg_core.assets.store import Assets
from rg_core.store.sqlite.assets import SqliteAssets

NOW = "2026-12-01T00:00:00Z"
CLI = Setting("cli", NOW)
ALICE = Identity("alice", "harbor", teams=("core",), agent="reviewer", framework="codex")
BODY = "What we do, in which order, and how to see that it is done.\n" * 40
ASKED = {
    "bound only, no query": LoadoutRequest(NOW, budget=1600, unbound="none"),
    "with a query, unbound too": LoadoutRequest(NOW, query="review the release of part 7", unbound="relevant"),
    "everything, largest budget": LoadoutRequest(NOW, query="release", unbound="all", budget=32768),
}


def fill(assets: Assets, count: int) -> None:
    """A quarter of each type; half bound, a third of them by an entry, some expired, some waiting."""
    for n in range(count):
        kind = TYPES[n % 4]
        content = {
            "name": f"asset {n}", "description": f"How part {n % 50} of the release is written and reviewed.",
            "body": BODY, "labels": ["release", f"part{n % 50}"],
        }  # fmt: skip
        done = assets.register(ALICE, kind, content, CLI)
        patch: dict[str, object] = {"priority": n % 100 / 100}
        if done.status == "candidate" and n % 10:
            patch["status"] = "approved"
        if n % 2:
            patch["bindings"] = [{"target": "framework:codex"}, {"target": "agent:reviewer", "required": n % 20 == 1}]
        if n % 3 == 0:
            patch["acl"] = [{"effect": "allow", "subject": "team:core", "rights": ["use"]},
                            {"effect": "deny", "subject": "agent:intern", "rights": ["read"]}]  # fmt: skip
        assets.govern(ALICE, done.id, patch, CLI)


def spent(work: Callable[[], object]) -> float:
    """Milliseconds of CPU."""
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def once(path: str, name: str) -> None:
    """Print what reading the rows takes, and then a whole loadout."""
    rows = SqliteAssets(path)
    list(rows.db.execute("SELECT count(*) FROM sqlite_schema"))  # the file is open
    read = spent(lambda: list(rows.load("harbor")))
    print(read, spent(lambda: Assets(rows).loadout(ALICE, ASKED[name]).text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        once(*given.once)
        return
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "assets.db")
        assets = Assets(SqliteAssets(path))
        fill(assets, given.assets)
        assets.close()
        for name in ASKED:
            pairs = []
            for _ in range(given.rounds):
                command = [sys.executable, "-m", "benchmarks.assets", "--once", path, name]
                read, whole = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
                pairs.append((float(read), float(whole)))
            took = statistics.median(whole for _, whole in pairs)
            ratio = statistics.median(whole / read for read, whole in pairs)
            print(f"{name:<28} {took:5.1f} ms of {given.assets:,} assets, {ratio:4.1f}x reading their rows")


if __name__ == "__main__":
    main()
