"""The demo goes through with the installed programs, and leaves nothing behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_demo_runs_the_whole_job_and_cleans_up(home: dict[str, str], tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    program = Path(sys.executable).parent / "rg-memory"
    done = subprocess.run(
        [program, "demo"], env={**home, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "closed at both ends" in done.stdout  # the last comment of the issue, from memory
    assert "from memory (subsumed). Rows 1 to 2 of 2" in done.stdout
    assert 'SPEC-054 builds on ADR-007, SPEC-037 "Duplicate suppression at the merge boundary"' in done.stdout
    now, then = done.stdout.split("The same question as of an earlier date")
    assert "path: SPEC-054 REFERENCES SPEC-037" in now
    assert "SPEC-054 REFERENCES" not in then
    assert "1. doc:relay/SPEC-054.md  SPEC-054 — Wrapper for the signal client" in then
    assert "0 times since" in done.stdout
    assert list(temporary.iterdir()) == []
    told = iter(TIME.sub("TIME", done.stdout).splitlines())
    shown = README.read_text("utf-8").split("```text\n")[1].split("```")[0]
    for line in filter(None, TIME.sub("TIME", shown).splitlines()):
        assert any(one.startswith(line) for one in told), line  # in this order
