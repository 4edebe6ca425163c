"""What a user can set or call is in the README or in docs/commands.md."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from rg_core.cli.main import COMMANDS, parser
from rg_core.config import KEYS

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("key", KEYS)
def test_every_config_key_is_in_the_readme(key: str) -> None:
    assert f"`{key}`" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"\n## rg-memory {command}\n" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def shown() -> list[str]:
    """The lines of the pages' code blocks that call rg-memory."""
    pages = [ROOT / "README.md", *sorted(ROOT.glob("harnesses/*/README.md"))]
    blocks = [block for page in pages for block in page.read_text("utf-8").split("```")[1::2]]
    return [
        line.removeprefix("$ ")
        for block in blocks
        for line in block.splitlines()
        if re.match(r"(\$ )?rg-memory ", line)
    ]


@pytest.mark.parametrize("line", shown())
def test_a_command_that_a_page_shows_is_one(line: str) -> None:
    _, command, *arguments = shlex.split(re.sub(r" +#.*", "", line))
    assert callable(parser((command,)).parse_args([command, *arguments]).run)


def test_contributing_shows_every_room_and_the_floors_of_the_contract() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for room in (ROOT / "core" / "rg_core").iterdir():
        if (room / "__init__.py").exists():
            assert re.search(rf"^ +{room.name}/ ", page, re.MULTILINE), room.name
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contracts = {contract["id"]: contract for contract in settings["contracts"]}
    assert not any("ignore_imports" in contract for contract in contracts.values())
    floors = page.partition("core:\n")[2].partition("```")[0].splitlines()
    for layer, line in zip(contracts["floors"]["layers"], floors, strict=False):
        named = line.strip().partition("  ")[0]
        assert re.findall(r"\w+", layer) == re.findall(r"\w+", named), line


@pytest.mark.skipif(not shutil.which("make"), reason="no make here")
def test_n07_make_names_the_python_that_it_needs_and_what_it_downloads(tmp_path: Path) -> None:
    """An older Python is told before anything is installed; who asks for help sees how much comes over the network."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    older = tmp_path / "python3"
    older.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.10.9\n[ "$1" = --version ]\n')
    older.chmod(0o755)
    done = subprocess.run(
        ["make", "demo", f"PYTHON={older}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "rg-memory needs Python 3.11 or newer, and Python 3.10.9 is" in done.stdout + done.stderr
    assert not (tmp_path / ".venv").exists()
    told = subprocess.run(["make", "help"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "(2 GB)" in told
