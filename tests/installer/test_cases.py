"""Whole homes before and after, as they would be reviewed: tests/installer/cases/<harness>/<case>/{before,after}.

`pytest tests/installer --snapshot-update --allow-snapshot-deletion` writes the `after` trees anew; the diff is the
review.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from pytest_snapshot.plugin import Snapshot

from rg_core.harness.protocol import Commands, Place
from rg_installer.apply import apply, read
from rg_installer.memo import Memo
from rg_installer.plan import plan
from tests.harnesses.known import INSTALLS

CASES = Path(__file__).parent / "cases"
COMMANDS = Commands("/opt/rg-memory/bin/rg-hook", "/opt/rg-memory/bin/rg-mcp")
ALL = sorted(str(case.relative_to(CASES)) for case in CASES.glob("*/*"))
PLUGIN = "resources-graph.js"  # its text is the package's plugin.js; that it is there is enough


@pytest.mark.parametrize("case", ALL)
def test_case(case: str, tmp_path: Path, snapshot: Snapshot) -> None:
    """Installing gives `after`; taking back gives `before`, or `before` without an older release's entries."""
    home = tmp_path / "home"
    shutil.copytree(CASES / case / "before", home)
    install, memo = INSTALLS[Path(case).parts[0]], Memo()
    place = Place(home, {}, "linux", None)
    before = _tree(home)
    apply(plan(install.edits(place, COMMANDS), read, memo, install.objection), memo)
    snapshot.snapshot_dir = CASES / case
    snapshot.assert_match_dir(_nested(home), "after")
    apply(plan(install.edits(place, COMMANDS), read, memo, install.objection, wanted=False), memo)
    left = _tree(home)
    if any(b"rg-hook" in text for text in before.values()):
        assert not any(b"rg-" in text for text in left.values())
    else:
        assert left == before


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _nested(folder: Path) -> dict[str, Any]:
    return {
        entry.name: _nested(entry) if entry.is_dir() else entry.read_bytes()
        for entry in folder.iterdir()
        if entry.name != PLUGIN
    }
