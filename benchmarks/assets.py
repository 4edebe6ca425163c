"""The loadout of an identity from a file of many assets.

    python -m benchmarks.assets [--assets N]

Bar: 1,000 assets at most 20 ms. Printed beside it, from the same run: what the same file takes to be read and parsed
without a loadout, so that a busy machine shows on both.
"""

from __future__ import annotations

import argparse
import statistics
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
ROUNDS = 40


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


def median(work: Callable[[], object]) -> float:
    """Milliseconds of CPU: the machine may be busy with others."""
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return statistics.median(spent) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assets", type=int, default=1000)
    count = parser.parse_args().assets
    with tempfile.TemporaryDirectory() as directory:
        rows = SqliteAssets(str(Path(directory) / "assets.db"))
        assets = Assets(rows)
        fill(assets, count)
        read = median(lambda: rows.load("harbor"))
        for name, ask in (
            ("bound only, no query", LoadoutRequest(NOW, budget=1600, unbound="none")),
            (
                "with a query, unbound too",
                LoadoutRequest(NOW, query="review the release of part 7", unbound="relevant"),
            ),
            ("everything, largest budget", LoadoutRequest(NOW, query="release", unbound="all", budget=32768)),
        ):
            spent = median(lambda ask=ask: assets.loadout(ALICE, ask).text())  # type: ignore[misc]
            print(
                f"{name:<28} {spent:6.1f} ms of {count:,} assets, "
                f"{spent / read:4.1f}x reading their rows ({read:.1f} ms)"
            )
        assets.close()


if __name__ == "__main__":
    main()
