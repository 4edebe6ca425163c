"""The guide of the README as a new user follows it: every command does what is printed there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rg_core.cli import main as cli
from tests.core.assets.test_commands import harbor

__all__ = ["harbor"]

README = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
GUIDE = README.partition("### From a SKILL.md to every agent in five commands\n")[2]


def block(language: str) -> str:
    return GUIDE.partition(f"```{language}\n")[2].partition("```\n")[0]


def test_five_commands_do_what_is_printed(harbor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("skills", "release-notes").mkdir(parents=True)
    Path("skills", "release-notes", "SKILL.md").write_text(block("markdown"), "utf-8")
    played = []
    for command in [line for line in block("console").split("\n") if line.startswith("$ ")]:
        assert cli.main(shlex.split(command)[2:]) == 0
        played.append(f"{command}\n{capsys.readouterr().out}")
    assert len(played) == 5
    assert "".join(played) == block("console")
