"""Writes assets until it is killed: python -m tests.core.assets.writer PATH."""

from __future__ import annotations

import sys

from rg_core.assets.store import Assets, Source
from rg_core.store.asset_rows import PageRow, Parts
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets.people import ALICE, CLI, IMPORT


def write(path: str) -> None:
    """Register, revise, govern, fail and forget for ever; a dot on stdout after each act."""
    assets = Assets(SqliteAssets(path))
    number = 0
    while True:
        number += 1
        pages = [PageRow(f"p{one}", "t", str(number), f"text {number} " * 500, "c") for one in range(20)]
        source = Source(f"wiki:{number % 5}", {"source_type": "wiki", "source_ref": "x"}, Parts(pages=pages))
        content = {"name": "wiki", "body": f"body {number} " * 1000}
        done = assets.register(ALICE, "llm_wiki", content, IMPORT, source)
        status = {"status": "approved"} if done.status == "candidate" else {}
        assets.govern(ALICE, done.id, {**status, "priority": number % 1000 / 1000}, CLI)
        assets.fail(ALICE, "llm_wiki", "wiki", source, IMPORT, "gone")
        if number % 7 == 0:
            assets.forget(ALICE, done.id, CLI)
        sys.stdout.write(".")
        sys.stdout.flush()


if __name__ == "__main__":
    write(sys.argv[1])
