"""rg-install killed between any two steps: after that it can be installed and taken back as if it had not been."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from rg_installer import cli
from tests.installer.test_command import FOLDERS, HARNESSES, tree
from tests.installer.worlds import WORLDS

STEPS = ("open", "mkdir", "fsync", "chmod", "replace", "unlink", "rmdir")
KILLED = 77
SETTINGS = b'{\n\t"permissions": {},\n\t"hooks": {"PreToolUse": []}\n}\n'


@pytest.mark.unmeasured
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("again", [True, False], ids=["installed again", "only taken back"])
@pytest.mark.parametrize("phase", ["install", "uninstall"])
def test_killed_at_any_step(phase: str, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home is the same to the byte, with no folder or half-written file left beside the user's."""
    with TemporaryDirectory() as home:
        _killed_and_taken_back(Path(home), phase, again=again, monkeypatch=monkeypatch)


def _killed_and_taken_back(folder: Path, phase: str, *, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*FOLDERS[:4], ".config"):
        (folder / name).mkdir(parents=True)
    (folder / ".claude/settings.json").write_bytes(SETTINGS)
    (folder / ".copilot/mcp-config.json").write_bytes(WORLDS["copilot"](Random(3)).files[".copilot/mcp-config.json"])
    before = tree(folder)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    wire = ["--harness", *HARNESSES]
    point, killed = 1, True
    while killed:
        if phase == "uninstall":
            assert cli.main([*wire, "--json"]) == 0
        killed = _killed([*wire, "--json", *(["--uninstall"] if phase == "uninstall" else [])], point)
        if again:
            assert cli.main([*wire, "--json"]) == 0
        assert cli.main(["--uninstall", "--json"]) == 0
        assert tree(folder) == before
        point += 11
    assert point > 40


def _killed(arguments: Sequence[str], point: int) -> bool:
    """Run rg-install in a process that ends at its n-th step without any tidying; whether it came that far."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    left = iter(range(point))

    def count() -> None:
        if next(left, None) is None:
            os._exit(KILLED)

    try:
        for name in STEPS:
            setattr(os, name, _counted(getattr(os, name), count))
        cli.main(arguments)
    finally:
        os._exit(0)


def _counted(step: Callable[..., Any], count: Callable[[], None]) -> Callable[..., Any]:
    def counted(*arguments: Any, **named: Any) -> Any:
        count()
        result = step(*arguments, **named)
        count()
        return result

    return counted
