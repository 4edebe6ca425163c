"""What rg-install shows of other people's files and programs passes the same border as everything else."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings

import rg_installer
from rg_core import border, config
from rg_installer.cli import main
from tests import foreign
from tests.conftest import HOMES

FEW = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
KNOWN = (
    "  ", "rg-memory", "Claude Code", "Codex", "Next:", "Taken back", "Nothing was changed", "rg-install: ",
)  # fmt: skip


class Terminal(io.StringIO):
    """A text stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of this process, where Claude Code is."""
    monkeypatch.setattr(border, "_secrets", {foreign.SECRET})
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", home["HOME"])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("NO_COLOR", raising=False)
    (Path(home["HOME"]) / ".claude").mkdir()
    return Path(home["HOME"])


def shown(*arguments: str, on: type[io.StringIO] = io.StringIO) -> tuple[str, str]:
    """What is on standard output and on standard error."""
    out, err = on(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        main(arguments)
    return out.getvalue(), err.getvalue()


@FEW
@given(evil=foreign.texts)
def test_s04_what_a_file_holds_cannot_forge_a_line_of_a_diff(folder: Path, evil: str) -> None:
    """Not even where every character stands in the file as it is, between the lines that change."""
    kept = "".join(letter for letter in evil if letter >= " " and letter not in '"\\')
    text = f'{{\n  "model": "{kept}"\n}}\n'
    (folder / ".claude/settings.json").write_bytes(text.encode("utf-8", "replace"))
    out, err = shown("--dry-run", "--harness", "claude_code")
    assert err == ""
    assert '"model"' in out
    assert foreign.faults(out, one_line=False) == []
    out, _ = shown("--dry-run", "--harness", "claude_code", "--json")
    assert out.isascii()
    assert json.loads(out)["harnesses"][0]["error"] is None


@FEW
@given(evil=foreign.texts)
def test_s04_the_name_of_a_folder_cannot_forge_a_line(folder: Path, evil: str) -> None:
    """A home whose own name is an attack: of the doctor, of an installation, of what refuses."""
    name = evil.encode("utf-8", "replace").decode().replace("/", "").replace("\0", "")[:40]
    with TemporaryDirectory(prefix="x", suffix=f"{name}y") as made, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", made)
        config.set_values({"HOME": made}, {"github.api_url": "http://127.0.0.1:9"})
        (Path(made) / ".claude").mkdir()
        (Path(made) / ".codex/config.toml").mkdir(parents=True)
        for arguments in (["--all"], ["--doctor", "--harness", "codex"], ["--uninstall"]):
            out, err = shown(*arguments)
            assert foreign.faults(out + err, one_line=False) == []
            assert all(line.startswith(KNOWN) for line in (out + err).splitlines())


def test_s04_a_terminal_sees_a_diff_in_colour_and_nobody_else_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is the same; NO_COLOR turns the colours off."""
    monkeypatch.setenv("TERM", "xterm")
    plain = shown("--dry-run", "--harness", "claude_code")[0]
    colours = shown("--dry-run", "--harness", "claude_code", on=Terminal)[0]
    assert "\x1b" not in plain
    assert "\x1b[32m+" in colours
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown("--dry-run", "--harness", "claude_code", on=Terminal)[0] == plain


def test_s04_the_installer_makes_no_way_around_the_border() -> None:
    """It prints by `screen` alone; `plugins` is no program of the user's."""
    for path in Path(rg_installer.__file__).parent.glob("*.py"):
        if path.name != "plugins.py":
            text = path.read_text("utf-8")
            assert not re.search(r"\bprint\(|\bConsole\(|\\033|\\x1b|__stdout__|__stderr__", text), path.name
