"""Writes assets until it is killed: python -m tests.core.assets.writer PATH [URL USER PASSWORD]."""

from __future__ import annotations

import sys

from rg_core.assets.store import Assets, Source
from rg_core.store.asset_rows import PageRow, Parts
from rg_core.store.bolt.assets import BoltAssets
from rg_core.store.bolt.connection import Connection
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets.people import ALICE, CLI, IMPORT


def write(path: str, *server: str) -> None:
    """Register, revise, widen, narrow, govern, fail and forget for ever; a dot on stdout after each round."""
    shared = None
    if server:
        url, user, password = server
        shared = BoltAssets(Connection(url, user, password), read_seconds=60)
    assets = Assets(SqliteAssets(path), shared)
    number = 0
    while True:
        number += 1
        pages = [PageRow(f"p{one}", "t", str(number), f"text {number} " * 500, "c") for one in range(20)]
        source = Source(f"wiki:{number % 5}", {"source_type": "wiki", "source_ref": "x"}, Parts(pages=pages))
        content = {"name": "wiki", "body": f"body {number} " * 1000}
        done = assets.register(ALICE, "llm_wiki", content, IMPORT, source)
        status = {"status": "approved"} if done.status == "candidate" else {}
        assets.govern(ALICE, done.id, {**status, "priority": number % 1000 / 1000}, CLI)
        if server:
            for visibility in ("project", "private", "project")[: number % 4]:
                assets.govern(ALICE, done.id, {"visibility": visibility}, CLI)
        assets.fail(ALICE, "llm_wiki", "wiki", source, IMPORT, "gone")
        if number % 7 == 0:
            assets.forget(ALICE, done.id, CLI)
        sys.stdout.write(".")
        sys.stdout.flush()


if __name__ == "__main__":
    write(*sys.argv[1:])
