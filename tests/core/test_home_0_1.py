"""A home that version 0.1 left, opened with today's code: everything is there, and says what it said.

tests/fixtures/home_0_1 holds what 0.1 wrote (config.toml, and its two databases as SQL text) and, in expected.json,
what its own commands printed of it. Today's may say more, never something else.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.cli.main import main
from rg_core.hook.main import respond
from rg_core.touches.database import TouchLog

FIXTURE = Path(__file__).parent.parent / "fixtures" / "home_0_1"
EXPECTED: dict[str, Any] = json.loads((FIXTURE / "expected.json").read_text("utf-8"))


@pytest.fixture
def old(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    config, data = Path(paths.config_file(home)), Path(paths.data_dir(home))
    for folder in (config.parent, data):
        folder.mkdir(parents=True, mode=0o700)
    config.write_bytes((FIXTURE / "config.toml").read_bytes())
    for name in ("memory", "touches"):
        with closing(sqlite3.connect(data / f"{name}.db")) as db:
            db.executescript((FIXTURE / f"{name}.sql").read_text("utf-8"))
    return home


def same(before: Any, now: Any, where: str = "") -> None:
    """Everything that was said before is said now."""
    if isinstance(before, dict):
        for key, value in before.items():
            if key == "cause" and now.get(key) is None:
                continue  # an export names nobody's Touches any more
            assert key in now, f"{where}.{key}"
            same(value, now[key], f"{where}.{key}")
    elif isinstance(before, list):
        assert len(before) == len(now), where
        for index, (one, other) in enumerate(zip(before, now, strict=True)):
            same(one, other, f"{where}[{index}]")
    else:
        assert before == now, where


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("command", EXPECTED)
def test_it_says_what_it_said(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 0
    out = capsys.readouterr().out
    before = EXPECTED[command]
    if command.startswith("export"):  # equal memories have equal exports now, so the lines have another order
        before, now = sorted(before, key=identity), sorted(map(json.loads, out.splitlines()), key=identity)
    else:
        now = json.loads(out)
    same(before, now, command)


def identity(record: dict[str, Any]) -> tuple[str, ...]:
    """What tells a record of an export from others."""
    return tuple(str(record.get(name)) for name in ("record", "type", "kind", "node_id", "address", "order", "old"))


@pytest.mark.usefixtures("old")
def test_it_is_sound_and_goes_on(old: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "check"]) == 0
    assert "is sound" in capsys.readouterr().out
    assert main(["reverify", "o/r#2"]) == 0
    assert main(["forget", "o/gone#1", "--yes"]) == 0
    capsys.readouterr()
    assert main(["touches", "--json"]) == 0
    now = json.loads(capsys.readouterr().out)
    kept = [touch for touch in EXPECTED["touches --json"] if touch["address"] != "github:o/gone#1"]
    assert {(touch["address"], touch["provenance"]) for touch in kept} <= {
        (touch["address"], touch["provenance"]) for touch in now
    }
    assert "github:o/gone#1" not in {touch["address"] for touch in now}
    assert "github:o/r#2" in {touch["address"] for touch in now}


@pytest.mark.usefixtures("old")
def test_a_nudge_still_knows_what_it_knew(old: dict[str, str]) -> None:
    TouchLog(paths.outbox_file(old)).drain()  # as rg-mcp does when a session begins
    payload = {
        "session_id": "new", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t", "cwd": "/",
        "transcript_path": "", "tool_input": {"command": "gh issue view 1 -R o/r --comments"},
    }  # fmt: skip
    answer, _ = respond("claude_code", None, json.dumps(payload).encode(), old)
    assert "Memory already has github:o/r#1" in answer
