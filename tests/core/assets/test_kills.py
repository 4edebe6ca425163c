from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
KILLS = 8
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


def test_a_kill_at_any_moment_leaves_whole_versions_and_their_audit_rows(tmp_path: Path) -> None:
    path = tmp_path / "assets.db"
    chance = random.Random(13)
    for _ in range(KILLS):
        command = [sys.executable, "-m", "tests.core.assets.writer", str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            assert writer.stdout.read(1) == b"."
            time.sleep(chance.random() * 0.4)
            writer.kill()
        db = sqlite3.connect(path)
        try:
            assert db.execute(BROKEN).fetchall() == []
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert db.execute("SELECT count(*) FROM version").fetchone()[0]
        finally:
            db.close()
