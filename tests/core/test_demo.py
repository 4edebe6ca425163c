"""The demo goes through with the installed programs, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


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
    assert "0 times in session 2" in done.stdout
    assert list(temporary.iterdir()) == []
