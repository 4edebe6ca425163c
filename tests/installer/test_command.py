"""rg-install as a program: what a person sees, what lands on the disk, what is left alone."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from rg_core import config
from rg_core.harness.edits import OwnFile
from rg_core.harness.guard import posix
from rg_core.harness.protocol import Commands
from rg_installer import apply as writing
from rg_installer import cli
from rg_installer.memo import Memo
from rg_installer.plan import Change
from rg_installer.work import place_of
from tests import commands
from tests.harnesses.known import INSTALLS

HARNESSES = ("claude_code", "codex", "copilot", "cursor", "opencode", "grok")
FOLDERS = (".claude", ".codex", ".copilot", ".cursor", ".config/opencode", ".grok")


def run(environ: Mapping[str, str], *arguments: str) -> commands.Done:
    """rg-install with nothing of the machine's own harnesses on the PATH."""
    return commands.run({**environ, "PATH": "/usr/bin:/bin"}, *arguments, program=cli.main)


def everything_in(environ: Mapping[str, str]) -> Path:
    """The home, with the folders that the six programs leave."""
    home = Path(environ["HOME"])
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True)
    return home


def tree(home: Path) -> dict[str, bytes | None]:
    """All files and folders, apart from rg-memory's own."""
    ours = (".config/rg-memory", ".local")
    return {
        name: path.read_bytes() if path.is_file() else None
        for path in home.rglob("*")
        if not (name := str(path.relative_to(home))).startswith(ours)
    }


def test_all_wires_what_is_present_and_takes_it_back(home: dict[str, str]) -> None:
    """Files and folders that were not there are gone again; the last lines say what to do, five at most."""
    folder = everything_in(home)
    before = tree(folder)
    done = run(home, "--all")
    assert done.returncode == 0, done.stderr
    steps = done.stdout.partition("Next:\n")[2].splitlines()
    assert 1 <= len(steps) <= 4
    assert tree(folder) != before
    again = run(home, "--all")
    assert again.stdout.count("already wired") == len(HARNESSES)
    assert str(folder / ".local/share/rg-memory") in run(home, "--uninstall").stdout
    assert tree(folder) == before
    assert run(home, "--uninstall").stdout == "rg-memory was not wired in here, so there was nothing to take back.\n"
    assert not (folder / ".local/share/rg-memory/installed.json").exists()


def test_folders_that_we_made_go_with_us(home: dict[str, str]) -> None:
    """A harness named though it is not here gets its folders, and loses them again."""
    assert run(home, "--harness", *HARNESSES).returncode == 0
    assert run(home, "--uninstall", "--harness", *HARNESSES).returncode == 0
    assert tree(Path(home["HOME"])) in ({}, {".config": None})


def test_what_is_next_fits_in_five_lines_and_names_everyone(home: dict[str, str], tmp_path: Path) -> None:
    """In a project most harnesses want something of their own; names may be given with commas and hyphens."""
    done = run(home, "--harness", "claude-code,codex", *HARNESSES[2:], "--project", str(tmp_path))
    steps = done.stdout[done.stdout.index("Next:") :]
    assert len(steps.splitlines()) <= 5
    assert all(install.TITLE in steps for install in INSTALLS.values())


def test_nothing_found_is_said_kindly(home: dict[str, str]) -> None:
    """No harness: no error, nothing written, and the way on."""
    done = run(home, "--all")
    assert done.returncode == 0
    assert "rg-install --harness claude_code" in done.stdout
    assert tree(Path(home["HOME"])) == {}
    assert not (Path(home["HOME"]) / ".config").exists()


def test_dry_run_shows_a_diff_and_writes_nothing(home: dict[str, str]) -> None:
    """Not even an identity or a folder."""
    folder = everything_in(home)
    before = {str(path) for path in folder.rglob("*")}
    done = run(home, "--all", "--dry-run")
    assert done.returncode == 0
    assert "+++ " in done.stdout
    assert '+    "PreToolUse": [' in done.stdout
    assert "\033[" not in done.stdout
    assert {str(path) for path in folder.rglob("*")} == before


def test_a_file_that_its_program_drops_is_refused_and_the_others_go_on(home: dict[str, str]) -> None:
    """The message names the file, the line and what to do; exit code 1."""
    folder = everything_in(home)
    bad = b'{\n  "hooks": {},\n  // note\n}\n'
    (folder / ".claude/settings.json").write_bytes(bad)
    done = run(home, "--all")
    assert done.returncode == 1
    assert f"{folder}/.claude/settings.json: line 3" in done.stderr
    assert "Nothing was changed" in done.stderr
    assert (folder / ".claude/settings.json").read_bytes() == bad
    assert not (folder / ".claude.json").exists()
    assert (folder / ".codex/hooks.json").exists()


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (".claude/settings.json", '{"hooks": []}', "`hooks` is not an object"),
        (".claude/settings.json", '{"hooks": {"Stop": [{"command": "x"}]}}', "no list `hooks`"),
        (".claude/settings.json", '{"hooks": {}, "hooks": {}}', "hooks is there twice"),
        (".claude/settings.json", '{"permissions": {"allow": "x"}}', "permissions.allow is not a list"),
        (".claude.json", '{"mcpServers": {"resources-graph": {"command": "mine"}}}', "is not ours"),
        (".codex/hooks.json", '{"$schema": "x", "hooks": {}}', "drops the whole file"),
        (".codex/hooks.json", '\ufeff{"hooks": {}}', "byte order mark"),
        (".codex/config.toml", "mcp_servers = { a = { command = 'x' } }", "write it as [tables]"),
        (".copilot/mcp-config.json", '{"mcpServers": []}', "not an object"),
        (".copilot/hooks/resources-graph.json", "{}", "it is not ours"),
        (".cursor/hooks.json", '{"hooks": {}}', "no `version`"),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "curl http://x"}]}}', "inside a string"),
        (".cursor/hooks.json", '{"version": 1, "hooks": {"Stop": []}}', "no event that Cursor knows"),
        (".cursor/mcp.json", '{"mcpServers": {"a": {}}}', "neither command nor url"),
        (".config/opencode/opencode.json", "// nothing yet", "line 1"),
        (".config/opencode/opencode.json", '{"mcp": {"a": {"type": "local", "command": "x"}}}', "does not start"),
        (".grok/config.toml", "[a]\nx = 1\n[a]\ny = 2\n", "twice"),
    ],
)  # fmt: skip
def test_what_is_in_the_way_is_said(home: dict[str, str], path: str, text: str, reason: str) -> None:
    """Each program has its own idea of a broken file; nothing of that harness is written then."""
    folder = everything_in(home)
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)
    before = tree(folder)
    name = HARNESSES[[path.startswith(known) for known in FOLDERS].index(True)]
    done = run(home, "--harness", name)
    assert done.returncode == 1
    told = done.stderr.replace("Cannot declare", "declared twice:")
    assert reason in told
    assert path in told
    assert tree(folder) == before


def test_modes_links_and_privacy(home: dict[str, str]) -> None:
    """An existing file keeps its mode, a link stays one, a new file of the user's is private."""
    folder = everything_in(home)
    real = folder / "dotfiles.json"
    real.write_text("{}\n")
    real.chmod(0o644)
    (folder / ".claude/settings.json").symlink_to(real)
    assert run(home, "--harness", "claude_code").returncode == 0
    assert (folder / ".claude/settings.json").is_symlink()
    assert "PreToolUse" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o644
    assert stat.S_IMODE((folder / ".claude.json").stat().st_mode) == 0o600
    assert run(home, "--harness", "claude_code", "--uninstall").returncode == 0
    assert real.read_text() == "{}\n"


@pytest.mark.parametrize(
    ("variable", "name", "files"),
    [
        ("CLAUDE_CONFIG_DIR", "claude_code", ["settings.json", ".claude.json"]),
        ("CODEX_HOME", "codex", ["hooks.json", "config.toml"]),
        ("COPILOT_HOME", "copilot", ["hooks/resources-graph.json", "mcp-config.json"]),
        ("XDG_CONFIG_HOME", "opencode", ["opencode/plugins/resources-graph.js", "opencode/opencode.json"]),
        ("OPENCODE_CONFIG_DIR", "opencode", ["plugins/resources-graph.js", "opencode.json"]),
        ("GROK_HOME", "grok", ["hooks/resources-graph.json", "config.toml"]),
    ],
)
def test_a_moved_home_is_honoured(
    home: dict[str, str], tmp_path: Path, variable: str, name: str, files: list[str]
) -> None:
    """The program reads its files there and nowhere else."""
    moved = tmp_path / "moved"
    moved.mkdir()
    environ = {**home, variable: str(moved)}
    assert run(environ, "--harness", name).returncode == 0
    assert all((moved / file).is_file() for file in files)
    assert run(environ, "--harness", name, "--uninstall").returncode == 0
    assert not any((moved / file).exists() for file in files)


def test_a_project_gets_its_own_files(home: dict[str, str], tmp_path: Path) -> None:
    """Nothing in the home then; files that a team shares are not private."""
    project = tmp_path / "project"
    project.mkdir()
    done = run(home, "--harness", *HARNESSES, "--project", str(project))
    assert done.returncode == 0, done.stderr
    written = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert {".claude/settings.json", ".mcp.json", ".codex/hooks.json", ".cursor/mcp.json"} <= written
    assert {".github/hooks/resources-graph.json", ".opencode/plugins/resources-graph.js"} <= written
    assert stat.S_IMODE((project / ".mcp.json").stat().st_mode) == 0o644
    assert tree(Path(home["HOME"])) in ({}, {".config": None})
    assert run(home, "--harness", *HARNESSES, "--project", str(project), "--uninstall").returncode == 0
    assert list(project.iterdir()) == []


def test_codex_hooks_are_trusted_only_when_asked(home: dict[str, str]) -> None:
    """The hashes are Codex's own, and go when we go; the user's other trust stays."""
    folder = everything_in(home)
    theirs = '[hooks.state."/x:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    (folder / ".codex/config.toml").write_text(theirs)
    assert run(home, "--harness", "codex").returncode == 0
    assert "pre_tool_use" not in (folder / ".codex/config.toml").read_text()
    assert run(home, "--harness", "codex", "--trust-hooks").returncode == 0
    assert f"{folder}/.codex/hooks.json:pre_tool_use:0:0" in (folder / ".codex/config.toml").read_text()
    assert "already wired" in run(home, "--harness", "codex", "--trust-hooks").stdout
    assert run(home, "--harness", "codex", "--uninstall").returncode == 0
    assert (folder / ".codex/config.toml").read_text() == theirs


def test_a_group_that_others_follow_leaves_its_place_in_codex(home: dict[str, str]) -> None:
    """Trust counts positions: the user's later group keeps its index, and with it its trust."""
    folder = everything_in(home)
    assert run(home, "--harness", "codex").returncode == 0
    file = folder / ".codex/hooks.json"
    hooks = json.loads(file.read_text())
    theirs = {"hooks": [{"type": "command", "command": "x"}]}
    hooks["hooks"]["PreToolUse"].append(theirs)
    file.write_text(json.dumps(hooks))
    assert run(home, "--harness", "codex", "--uninstall").returncode == 0
    assert json.loads(file.read_text()) == {"hooks": {"PreToolUse": [{"hooks": []}, theirs]}}


def test_the_users_switches_stay_as_they_set_them(home: dict[str, str]) -> None:
    """Installing again does not switch a server on that the user switched off."""
    folder = everything_in(home)
    assert run(home, "--harness", "grok").returncode == 0
    file = folder / ".grok/config.toml"
    file.write_text(file.read_text().replace("enabled = true", "enabled = false"))
    assert "already wired" in run(home, "--harness", "grok").stdout
    assert "enabled = false" in file.read_text()


def test_the_plugin_and_the_settings_exclude_each_other(home: dict[str, str]) -> None:
    """Both together would see every event twice."""
    folder = everything_in(home)
    (folder / ".claude/settings.json").write_text('{"enabledPlugins": {"resources-graph@rg-memory": true}}')
    done = run(home, "--harness", "claude_code")
    assert done.returncode == 1
    assert "plugin is enabled" in done.stderr


def test_fast_hooks_need_a_program_that_knows_them(home: dict[str, str]) -> None:
    """An older one would drop the user's whole settings file."""
    folder = everything_in(home)
    old = folder / "bin/claude"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho '2.1.9 (Claude Code)'\n")
    old.chmod(0o755)
    program = Path(sys.executable).with_name("rg-install")
    environ = {**home, "PATH": f"{old.parent}:/usr/bin:/bin"}
    done = subprocess.run(
        [program, "--harness", "claude_code", "--fast-hooks"], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "2.1.9" in done.stderr
    assert not (folder / ".claude/settings.json").exists()
    assert "cannot" in run(home, "--harness", "grok", "--fast-hooks").stderr
    assert "Grok" not in run(home, "--all", "--fast-hooks").stderr  # it gets its ordinary hooks
    assert (folder / ".grok/hooks/resources-graph.json").exists()


def test_a_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """What another program wrote between our look and our write is not lost."""
    file = tmp_path / "settings.json"
    file.write_bytes(b"theirs, newer")
    with pytest.raises(Exception, match="changed by another program"):
        writing.apply([Change(file, b"older", b"ours")], Memo())
    assert file.read_bytes() == b"theirs, newer"
    assert os.listdir(tmp_path) == ["settings.json"]


def test_what_cannot_be_written_is_said_and_the_others_go_on(home: dict[str, str]) -> None:
    """A read-only folder or file, before anything is written; also for root, who would write them all the same."""
    folder = everything_in(home)
    (folder / ".claude/settings.json").write_text("{}")
    (folder / ".claude/settings.json").chmod(0o400)
    (folder / ".codex").chmod(0o500)
    weak = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    if weak and not shutil.which("setpriv"):
        pytest.skip("root writes everywhere, and there is no setpriv here")
    program = Path(sys.executable).with_name("rg-install")
    command = [*weak, str(program), "--harness", "claude_code", "codex", "grok"]
    done = subprocess.run(command, env=home, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert f"{folder}/.claude/settings.json is read-only for you" in done.stderr
    assert f"{folder}/.codex is read-only for you" in done.stderr
    assert (folder / ".grok/hooks/resources-graph.json").exists()
    assert not (folder / ".claude.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may write another user's file")
def test_another_users_file_stays_theirs(home: dict[str, str]) -> None:
    """With sudo, a file that we change does not become root's."""
    file = everything_in(home) / ".claude/settings.json"
    file.write_text("{}")
    os.chown(file, 1234, 1234)
    assert run(home, "--harness", "claude_code").returncode == 0
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1234)


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "dash"])
def test_a_command_is_silent_and_harmless_without_its_program(shell: str, tmp_path: Path) -> None:
    """Gone, not executable, with an interpreter that is gone, or failing: exit 0 and no word."""
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    folder = tmp_path / "a 'quoted' place"
    folder.mkdir()
    program = folder / "rg-hook"
    line = posix(str(program), "codex")
    for text, mode in (("", 0), ("#!/no/such/python\n", 0o755), ("#!/bin/sh\necho oops >&2; exit 2\n", 0o755)):
        if mode:
            program.write_text(text)
            program.chmod(mode)
        done = subprocess.run([shell, "-c", line], capture_output=True, input=b"{}", check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    program.write_text('#!/bin/sh\necho "$1 $(cat)"\n')
    done = subprocess.run([shell, "-c", line], capture_output=True, input=b"{}", check=False)
    assert done.stdout == b"codex {}\n"


def test_a_plugins_command_is_silent_without_rg_memory(tmp_path: Path) -> None:
    """It looks for rg-hook on the PATH, and where pipx and uv put it."""
    line = posix("rg-hook", "codex")
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, input=b"{}", env=environ, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    program = tmp_path / ".local/bin/rg-hook"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$1"\n')
    program.chmod(0o755)
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, input=b"{}", env=environ, check=False)
    assert done.stdout == b"codex\n"


def test_doctor_proves_a_plugin_too(home: dict[str, str]) -> None:
    """Its hooks and its server are the programs that are found on the PATH, or where pipx and uv put them."""
    folder = everything_in(home)
    (folder / ".claude/settings.json").write_text('{"enabledPlugins": {"resources-graph@rg-memory": true}}')
    config.ensure_identity(home)
    found = run(home, "--doctor", "--harness", "claude_code")
    assert found.returncode == 1
    assert "looks for rg-hook and rg-mcp on the PATH" in found.stdout
    (folder / ".local/bin").mkdir(parents=True)
    for name in ("rg-hook", "rg-mcp"):
        (folder / ".local/bin" / name).symlink_to(Path(sys.executable).with_name(name))
    found = run(home, "--doctor", "--harness", "claude_code")
    assert "its hook records" in found.stdout
    assert "its MCP server answers a call" in found.stdout


def test_doctor_names_what_silences_hooks(home: dict[str, str]) -> None:
    """A switch of the user's, and hooks that Codex has not been told to trust."""
    folder = everything_in(home)
    (folder / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    assert run(home, "--harness", "claude_code", "codex").returncode == 0
    done = run(home, "--doctor")
    assert done.returncode == 1
    assert "hooks are switched off" in done.stdout
    assert "Review hooks" in done.stdout
    assert "not wired in: rg-install --harness grok" in done.stdout


def test_the_plugin_packages_are_current() -> None:
    """plugins/ is what `python -m rg_installer.plugins` builds."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "rg_installer.plugins", "--check"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_project_must_exist() -> None:
    """A wrong path is said, not made."""
    with pytest.raises(Exception, match="is not a directory"):
        place_of({"HOME": "/h"}, Path("/no/such/project"), "linux")


@pytest.mark.parametrize("name", [name for name in HARNESSES if name != "opencode"])
def test_on_windows_a_command_is_powershell_that_cannot_fail(name: str) -> None:
    """It runs rg-hook with the interpreter beside it, only if it is there, and ends with 0."""
    place = place_of({}, None, "win32")
    commands = Commands(r"C:\it's\Scripts\rg-hook", r"C:\it's\Scripts\rg-mcp.exe")
    lines = [word for edit in INSTALLS[name].edits(place, commands) for word in _words(edit) if "rg-hook" in word]
    powershell = [line for line in lines if "Test-Path" in line]
    assert powershell
    begin = r"if (Test-Path -LiteralPath 'C:\it''s\Scripts\rg-hook') { & 'C:\it''s\Scripts\python.exe'"
    assert all(line.startswith(begin) and line.endswith("}; exit 0") for line in powershell)
    assert all("[ -x" in line for line in lines if line not in powershell)


def _words(edit: object) -> Iterator[str]:
    """All texts of an entry."""
    if isinstance(edit, OwnFile):
        yield from _texts(json.loads(edit.text))
    else:
        yield from _texts(getattr(edit, "value", None))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
