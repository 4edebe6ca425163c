"""The program itself: its list of commands, typing errors, completion."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rg_core.cli.main import COMMANDS, main


def test_n05_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    printed = capsys.readouterr().err
    assert all(f"\n    {name}" in printed for name in COMMANDS)


@pytest.mark.parametrize(("typed", "meant"), [("swep", "sweep"), ("toches", "touches"), ("hist", "history")])
def test_n05_a_typing_error_gets_a_suggestion(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([typed]) == 2
    assert f"did you mean `rg-memory {meant}`?" in capsys.readouterr().err


def test_n05_a_word_that_is_like_nothing_names_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["\x1b[31mxyzzy\n"]) == 2
    printed = capsys.readouterr().err
    assert "rg-memory --help" in printed
    assert "\x1b" not in printed
    assert printed.count("\n") == 1


def test_n05_bash_completes_commands_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bash = shutil.which("bash")
    if not bash:
        pytest.skip("no bash here")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    ask = (
        f"source {script}; COMP_WORDS=(rg-memory {{}}); COMP_CWORD=$((${{{{#COMP_WORDS[@]}}}} - 1)); "
        "$(complete -p rg-memory | sed 's/.*-F \\([^ ]*\\).*/\\1/') rg-memory; echo ${{COMPREPLY[@]}}"
    )
    answers = [
        subprocess.run([bash, "-c", ask.format(words)], capture_output=True, text=True, check=True).stdout.split()
        for words in ("swe", "touches --se")
    ]
    assert answers == [["sweep"], ["--session"]]


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh", "powershell"])
def test_n05_every_shell_gets_a_script_that_knows_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
