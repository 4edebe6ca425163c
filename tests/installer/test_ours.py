"""An entry is ours by the words of its command, and by nothing else."""

from __future__ import annotations

import pytest

from rg_core.harness.edits import Json, Ours
from rg_core.harness.guard import posix, powershell
from rg_installer.ours import is_ours, share

HOOK = Ours("rg-hook", ("codex",))


@pytest.mark.parametrize(
    "entry",
    [
        "rg-hook codex",
        "'/opt/rg/rg-hook' codex || true",
        posix("/home/o'hara/my venv/bin/rg-hook", "codex"),
        powershell(r"C:\Users\me\venv\Scripts\rg-hook", "codex"),
        {"type": "command", "command": "[ -x /a/rg-hook ] || exit 0; exec /a/rg-hook codex", "timeout": 9},
        {"command": "/a/rg-hook", "args": ["codex"]},
        ["C:\\a\\rg-hook.exe", "codex"],
    ],
)
def test_ours(entry: Json) -> None:
    """In every form and place that a command of ours may have."""
    assert is_ours(entry, HOOK)


@pytest.mark.parametrize(
    "entry",
    [
        "/a/rg-hook claude_code",
        "/a/rg-hook",
        "codex rg-hook",
        "/opt/my-rg-hook codex",
        "/opt/rg-hook/run.sh codex",
        "/opt/rg-hook-logger.py codex",
        {"command": "echo hi", "description": "installed by rg-memory"},
        None,
        5,
    ],
)
def test_not_ours(entry: Json) -> None:
    """A name that contains ours, a folder of that name, another harness's hook, a remark."""
    assert not is_ours(entry, HOOK)


def test_a_shared_group_is_ours_in_part() -> None:
    """The user's command in our group is the user's."""
    ours, theirs = {"command": "/a/rg-hook codex"}, {"command": "/a/audit"}
    assert share({"matcher": "Bash", "hooks": [theirs, ours]}, HOOK) == [1]
    assert share({"hooks": [ours]}, HOOK) == [0]
    assert share({"hooks": []}, HOOK) == []
