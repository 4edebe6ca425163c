"""What is wrong with one file, or one harness, is no reason to leave the others; and what others write is not lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rg_core.harness.protocol import Commands
from rg_installer.harnesses import installed
from rg_installer.memo import Memo
from rg_installer.work import Job, place_of
from tests.core.test_files import ROOT, OtherProgram
from tests.installer.test_command import FOLDERS, everything_in, run, tree

INSTALL = Path(sys.executable).with_name("rg-install")


def test_s08_what_cannot_be_read_is_refused_in_one_line_and_the_others_go_on(home: dict[str, str]) -> None:
    """Nested too deeply, a directory, a pipe, a loop of links."""
    folder = everything_in(home)
    (folder / ".claude/settings.json").write_text('{"a": ' + "[" * 3000 + "]" * 3000 + "}")
    (folder / ".config/opencode/opencode.jsonc").mkdir()
    os.mkfifo(folder / ".codex/hooks.json")
    (folder / ".cursor/mcp.json").symlink_to("mcp.json")
    before = tree(folder / ".claude")
    done = run(home, "--all")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 4
    for title, reason in {
        "Claude Code": "nested too deeply",
        "OpenCode": "opencode.jsonc: Not a regular file",
        "Codex": "hooks.json cannot be read (Not a regular file)",
        "Cursor": "mcp.json cannot be read (Too many levels of symbolic links)",
    }.items():
        assert any(line.startswith(f"{title}: refused.") and reason in line for line in lines), lines
    assert tree(folder / ".claude") == before
    assert (folder / ".grok/hooks/resources-graph.json").exists()
    assert (folder / ".copilot/hooks/resources-graph.json").exists()
    again = run(home, "--doctor")
    assert (again.returncode, "Traceback" in again.stdout + again.stderr) == (1, False)
    assert run(home, "--uninstall").stderr.count("Traceback") == 0


def test_s02_a_pipe_in_place_of_any_file_is_refused_and_waited_for_by_nobody(home: dict[str, str]) -> None:
    """Also where a file is only looked at: which of two has our entry, what a switch says."""
    folder = everything_in(home)
    pipes = [
        ".config/opencode/opencode.json", ".grok/disabled-hooks", ".grok/hooks/imported-from-claude.json",
        ".copilot/config.json",
    ]  # fmt: skip
    for name in pipes:
        (folder / name).unlink(missing_ok=True)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / name)
    done = run(home, "--all")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "opencode.json: Not a regular file" in done.stderr
    assert (folder / ".grok/hooks/resources-graph.json").exists()
    assert "Traceback" not in (again := run(home, "--doctor")).stdout + again.stderr


def test_s08_numbers_beyond_what_python_reads_and_a_broken_memo_are_no_bugs(home: dict[str, str]) -> None:
    """Valid JSON and TOML, both; and what we remember of an installation may be anything."""
    folder = everything_in(home)
    digits = "9" * 5000
    (folder / ".claude/settings.json").write_text(f'{{"a": {digits}}}')
    (folder / ".codex/config.toml").write_text(f"a = {digits}\n")
    memo = folder / ".local/share/rg-memory/installed.json"
    memo.parent.mkdir(parents=True)
    memo.write_text("[" * 100_000)
    done = run(home, "--all")
    assert done.returncode == 1
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["Claude Code", "Codex"]
    assert done.stderr.count("too many digits") == 2
    assert (folder / ".grok/hooks/resources-graph.json").exists()
    assert run(home, "--uninstall", "--harness", "grok").returncode == 0


def _job(home: dict[str, str]) -> Job:
    commands = Commands("/b/rg-hook", "/b/rg-mcp")
    return Job(installed().usable["claude_code"], place_of(home, None, "linux"), commands, wanted=True)


def _mounted(home: dict[str, str], source: Path, target: Path, options: str) -> subprocess.CompletedProcess[str]:
    if not ROOT or not shutil.which("unshare"):
        pytest.skip("only root may mount")
    line = f"mount --bind {source} {target} && {options} {INSTALL} --all"
    environ = {**home, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    done = subprocess.run(["unshare", "-m", "sh", "-c", line], env=environ, capture_output=True, text=True, check=False)
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("nothing may be mounted here")
    return done


def test_env06_a_file_that_is_a_mount_of_its_own_is_wired_too(home: dict[str, str], tmp_path: Path) -> None:
    """As in a development container: it cannot be renamed over, so it is written in place."""
    folder = everything_in(home)
    source = tmp_path / "claude.json"
    source.write_text('{"theme": "dark"}')
    (folder / ".claude.json").touch()
    done = _mounted(home, source, folder / ".claude.json", "")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(source.read_text())) == ["theme", "mcpServers"]
    assert all(any((folder / name).iterdir()) for name in FOLDERS)
    assert not list(folder.rglob(".*.rg-memory-*"))


def test_env06_a_file_that_cannot_be_written_stops_its_harness_whole_and_no_other(
    home: dict[str, str], tmp_path: Path
) -> None:
    folder = everything_in(home)
    source = tmp_path / "claude.json"
    source.write_text("{}")
    (folder / ".claude.json").touch()
    done = _mounted(home, source, folder / ".claude.json", f"mount -o remount,bind,ro {folder}/.claude.json &&")
    assert done.returncode == 1
    assert f"Claude Code: refused. {folder}/.claude.json" in done.stderr
    assert not (folder / ".claude/settings.json").exists()
    assert all(any((folder / name).iterdir()) for name in FOLDERS if name != ".claude")


@pytest.mark.skipif(not ROOT, reason="only root may write another user's file")
def test_env05_what_sudo_wires_stays_the_users(home: dict[str, str]) -> None:
    """Harness files, our configuration, our data, and the folders on the way."""
    folder = everything_in(home)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 1234, 1234)
    assert run(home, "--all").returncode == 0
    assert [path for path in folder.rglob("*") if path.stat().st_uid != 1234] == []
    assert (folder / ".claude.json").stat().st_mode & 0o777 == 0o600


def test_s05_what_a_harness_writes_meanwhile_is_kept_and_ours_done_again_on_it(home: dict[str, str]) -> None:
    """Between any two lines with which we write its settings."""
    folder = everything_in(home)
    settings = folder / ".claude/settings.json"
    job = Job(
        installed().usable["claude_code"], place_of(home, None, "linux"), Commands("/b/rg-hook", "/b/rg-mcp"), True
    )
    for line in range(0, 60, 3):
        settings.write_text('{"theme": "dark"}')
        other = OtherProgram(settings, range(line, line + 2), '{"theme": "light"}')
        sys.settrace(other.trace)
        try:
            work, memo = job.carry_out(Memo(), lambda memo: None)
        finally:
            sys.settrace(None)
        assert work.error == ""
        content = json.loads(settings.read_text())
        assert content["theme"] == "light"
        assert "/b/rg-hook" in json.dumps(content["hooks"]["PreToolUse"])
        Job(job.harness, job.place, job.commands, wanted=False).carry_out(memo, lambda memo: None)
        assert json.loads(settings.read_text()) == {"theme": "light"}


def test_s05_of_a_harness_that_writes_without_end_is_told_what_was_written(home: dict[str, str]) -> None:
    folder = everything_in(home)
    servers = folder / ".claude.json"
    servers.write_text("{}")
    job = Job(
        installed().usable["claude_code"], place_of(home, None, "linux"), Commands("/b/rg-hook", "/b/rg-mcp"), True
    )
    other = OtherProgram(servers, range(100_000), "{}\n")
    sys.settrace(other.trace)
    try:
        work, _ = job.carry_out(Memo(), lambda memo: None)
    finally:
        sys.settrace(None)
    assert "another program keeps changing its files" in work.error
    assert f"written: {folder}/.claude/settings.json" in work.error
    assert servers.read_text() == "{}\n"


def test_n09_a_file_of_many_megabytes_is_parsed_once_as_it_was_and_once_as_it_will_be(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code keeps a history in the file that names its servers."""
    file = everything_in(home) / ".claude.json"
    file.write_text(json.dumps({"projects": {f"/p/{number}": {"history": ["x" * 90]} for number in range(20_000)}}))
    size, large = file.stat().st_size, []
    decode = json.JSONDecoder.raw_decode

    def counted(self: json.JSONDecoder, text: str, idx: int = 0) -> Any:
        value, end = decode(self, text, idx)
        large.append(end - idx)
        return value, end

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counted)
    work, memo = _job(home).carry_out(Memo(), lambda memo: None)
    assert work.error == ""
    assert len([length for length in large if length > size // 2]) == 2
    undo = Job(_job(home).harness, _job(home).place, _job(home).commands, wanted=False)
    undo.carry_out(memo, lambda memo: None)
    assert file.stat().st_size == size
    assert len([length for length in large if length > size // 2]) == 2
