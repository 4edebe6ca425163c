from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rg_core.assets.store import Assets
from rg_core.store.bolt.assets import BoltAssets
from rg_core.store.bolt.connection import Connection
from rg_core.store.sqlite.assets import SqliteAssets
from tests.bolt_server import PATIENCE, BoltServers
from tests.core.assets.people import ALICE, CLI

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("RG_KILLS", "5"))
BROKEN = """
SELECT 'head' FROM asset a WHERE head <> (SELECT max(n) FROM version WHERE asset = a.id)
UNION ALL SELECT 'version without asset' FROM version WHERE asset NOT IN (SELECT id FROM asset)
UNION ALL SELECT 'version without content' FROM version WHERE content NOT IN (SELECT id FROM content)
UNION ALL SELECT 'content without version' FROM content WHERE id NOT IN (SELECT content FROM version)
UNION ALL SELECT 'page without content' FROM page WHERE content NOT IN (SELECT id FROM content)
UNION ALL SELECT 'pages of a content' FROM page GROUP BY content HAVING count(*) <> 20
UNION ALL SELECT 'version without audit' FROM version v WHERE NOT EXISTS
    (SELECT 1 FROM audit WHERE asset = v.asset AND n = v.n AND outcome = 'ok')
UNION ALL SELECT 'audit of what is not there' FROM audit x WHERE outcome = 'ok' AND op <> 'forget'
    AND NOT EXISTS (SELECT 1 FROM version WHERE asset = x.asset AND n = x.n)
    AND NOT EXISTS (SELECT 1 FROM audit WHERE asset = x.asset AND op = 'forget' AND seq > x.seq)
UNION ALL SELECT 'forgetting' FROM forgetting
"""
ON_SERVER = """
MATCH (a:RgAsset)
RETURN a.id AS id, COUNT { (a)-[:HAS_VERSION]->() } AS versions,
    EXISTS { (a)-[:HAS_VERSION]->(v) WHERE v.n = a.head } AND NOT EXISTS {
        (a)-[:HAS_VERSION]->(v)-[:HAS_CONTENT]->(c) WHERE COUNT { (c)-[:HAS_PAGE]->() } <> 20 } AS whole"""


def killed(path: Path, chance: random.Random, *server: str) -> None:
    """Have a process write assets, and kill it at any moment after its first round."""
    command = [sys.executable, "-m", "tests.core.assets.writer", str(path), *server]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        assert writer.stdout.read(1) == b"."
        time.sleep(chance.random() * 0.4)
        writer.kill()


@pytest.mark.unmeasured
def test_a_kill_at_any_moment_leaves_whole_versions_and_their_audit_rows(tmp_path: Path) -> None:
    path = tmp_path / "assets.db"
    chance = random.Random(13)
    for _ in range(KILLS):
        killed(path, chance)
        db = sqlite3.connect(path)
        try:
            assert db.execute(BROKEN).fetchall() == []
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert db.execute("SELECT count(*) FROM version").fetchone()[0]
        finally:
            db.close()


@pytest.mark.bolt
def test_with_a_server_too_whatever_is_where_by_then(tmp_path: Path, bolt_servers: BoltServers) -> None:
    path, at, chance = tmp_path / "assets.db", bolt_servers.server(), random.Random(31)
    store = bolt_servers.empty_store()
    for _ in range(3):
        killed(path, chance, at.url, at.user, at.password)
        local = SqliteAssets(str(path))
        assets = Assets(local, BoltAssets(Connection(at.url, at.user, at.password), read_seconds=PATIENCE))
        noted = {(row.asset, row.n) for row in assets.audit(ALICE) if row.outcome == "ok"}
        for asset in assets.readable(ALICE):
            versions = assets.history(ALICE, asset.id)
            assert versions[-1].n == asset.head.n
            assert {(asset.id, one.n) for one in versions} <= noted
            assert all(content and row.content == content.id for row, content in local.versions(asset.id))
            assert len(assets.pages(ALICE, asset.id)) == (20 if asset.effective else 0)
        with assets.audited(ALICE, CLI, "list"):
            pass  # takes off the server what had to leave it
        left = store.connection.read(lambda run: run(ON_SERVER), PATIENCE)
        private = {one.id for one in assets.readable(ALICE) if one.policy.visibility == "private"}
        assert not {row["id"] for row in left} & private
        assert all(row["versions"] and row["whole"] for row in left)
        assets.close()
    store.close()
