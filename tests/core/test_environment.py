"""Programs that run inside other people's environments: their PYTHONPATH, their directories, their ssh hosts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rg_core import config, git, paths
from rg_core.store import open_store
from rg_core.store.model import Batch
from tests.core.hook.running import command, identified, shell
from tests.core.mcp_server.rig import Rig
from tests.core.store.worlds import an_item
from tests.fake_bolt import ROUTE, SUCCESS, FakeBolt
from tests.installer.separate import Separate

PROGRAMS = Path(sys.executable).parent
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
AT = "2026-11-29T21:00:00Z"


def ran(name: str, *arguments: str, environ: dict[str, str], **more: object) -> subprocess.CompletedProcess[str]:
    words = [str(PROGRAMS / name), *arguments]
    done: subprocess.CompletedProcess[str] = subprocess.run(  # type: ignore[call-overload]
        words, env=environ, capture_output=True, text=True, check=False, timeout=120, **more
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def stored(home: dict[str, str]) -> dict[str, str]:
    """A home whose memory has one issue."""
    identified(home)
    store = open_store(config.load(home), home)
    store.init()
    store.write(Batch(at=AT, items=[an_item()]))
    store.close()
    return home


# -- env07


@pytest.fixture
def project(home: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a project that has modules of these names."""
    folder = tmp_path / "project"
    for name in ("mcp", "pydantic_core"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
    for name in ("types", "re", "enum", "json", "argparse", "typing", "dataclasses", "sqlite3", "shlex"):
        (folder / f"{name}.py").write_text("raise ImportError('not yours')\n")
    return {**home, "PYTHONPATH": f"{folder}{os.pathsep}relative"}


def test_env07_a_hook_records_whatever_the_projects_modules_are_called(project: dict[str, str]) -> None:
    log = identified(project)
    payload = json.dumps(shell("gh issue view 7 -R o/r")).encode()
    done = subprocess.run(command("claude_code"), input=payload, env=project, capture_output=True, check=True)
    assert done.stderr == b""
    assert [touch.address for touch in log.touches("ann")] == ["github:o/r#7"]


def test_env07_the_server_and_the_commands_work_too(project: dict[str, str]) -> None:
    identified(project)
    with Rig([str(PROGRAMS / "rg-mcp")], project) as server:
        server.ask("initialize", HELLO)
        called = server.ask("tools/call", {"name": "resource", "arguments": {"address": "o/r#1"}})
    assert called["result"]["isError"] is False
    assert ran("rg-memory", "touches", "--json", environ=project).returncode == 0
    assert ran("rg-install", "--all", "--dry-run", environ=project).returncode == 0


def test_env07_a_server_without_its_sdk_answers_with_an_error(home: dict[str, str], tmp_path: Path) -> None:
    """Every request of the session, also a later one; none is left without an answer."""
    made = Separate(tmp_path / "venv")
    broken = next((tmp_path / "venv/lib").iterdir()) / "site-packages/mcp"
    broken.mkdir()
    (broken / "__init__.py").touch()
    with Rig([str(made.bin / "rg-mcp")], home) as server:
        assert server.ask("initialize", HELLO)["result"]["serverInfo"]
        for _ in range(2):
            answer = server.ask("tools/call", {"name": "resource", "arguments": {"address": "o/r#1"}})
            assert "rg-memory doctor" in answer["error"]["message"]


# -- env03


@pytest.fixture
def gone(tmp_path: Path) -> list[str]:
    """A shell that runs what follows in a directory that is gone."""
    folder = tmp_path / "gone"
    folder.mkdir()
    return ["sh", "-c", f'cd {folder} && rmdir {folder} && exec "$@"', "sh"]


def test_env03_a_session_whose_directory_is_gone_reads_memory(stored: dict[str, str], gone: list[str]) -> None:
    with Rig([*gone, str(PROGRAMS / "rg-mcp")], stored) as server:
        server.ask("initialize", HELLO)
        called = server.ask("tools/call", {"name": "resource", "arguments": {"address": "owner/repo#1"}})
        other = server.ask("tools/call", {"name": "resource", "arguments": {"address": "gh issue view 1"}})
    assert called["result"]["isError"] is False, called
    assert "github:owner/repo#1" in json.dumps(called)
    assert "failed on this" not in json.dumps(other)


@pytest.mark.parametrize(
    "words",
    [
        ["rg-memory", "show", "owner/repo#1"],
        ["rg-memory", "explain", "--tool", "Bash", "--input", '{"command": "gh issue view 5 -R acme/widget"}'],
        ["rg-memory", "explain", "--tool", "Bash", "--input", '{"command": "gh issue view 5"}'],
        ["rg-memory", "status"],
        ["rg-install", "--all", "--dry-run"],
    ],
    ids=" ".join,
)
def test_env03_commands_work_in_a_directory_that_is_gone(
    stored: dict[str, str], gone: list[str], words: list[str]
) -> None:
    done = subprocess.run(
        [*gone, str(PROGRAMS / words[0]), *words[1:]], env=stored, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr


@pytest.mark.parametrize(
    "words",
    [["rg-install", "--harness", "grok", "--project", "."], ["rg-memory", "documents", "add", "."]],
    ids=" ".join,
)
def test_env03_what_needs_a_directory_says_that_it_is_gone(
    stored: dict[str, str], gone: list[str], words: list[str]
) -> None:
    program = [*gone, str(PROGRAMS / words[0]), *words[1:]]
    done = subprocess.run(program, env=stored, capture_output=True, text=True, check=False)
    told = f"{words[0]}: the working directory is gone; change to one that is there\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_env03_a_hook_without_a_directory_records(home: dict[str, str], gone: list[str]) -> None:
    log = identified(home)
    call = {key: value for key, value in shell("gh issue view 2 -R acme/widget").items() if key != "cwd"}
    words = [*gone, *command("claude_code")]
    subprocess.run(words, input=json.dumps(call).encode(), env=home, capture_output=True, check=True)
    assert [touch.address for touch in log.touches("ann")] == ["github:acme/widget#2"]


# -- env08


SSH = [
    ("Host github.com-*\n  HostName github.com\n", "github.com-work", True),
    ("Host work?\n  HostName github.com\n", "work1", True),
    ('Host "work"\n  HostName "github.com"\n', "work", True),
    ("Host !work w*\n  HostName github.com\n", "work", False),
    ("Host !work w*\n  HostName github.com\n", "wor", True),
    ("Host w*\n  HostName gitlab.com\nHost work\n  HostName github.com\n", "work", False),
    ("Host other\n  HostName gitlab.com\nHost=work\n  HostName=github.com\n", "work", True),
    ("HostName github.com\nHost other\n", "anything", True),
    ("Host WORK\n  hostname github.com\n", "work", False),
]


@pytest.mark.parametrize(("text", "host", "leads"), SSH)
def test_env08_a_pattern_of_ssh_names_hosts(tmp_path: Path, text: str, host: str, leads: bool) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text(text)
    (tmp_path / "checkout/.git").mkdir(parents=True)
    url = f"git@{host}:acme/widget.git"
    (tmp_path / "checkout/.git/config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    found = git.remotes(str(tmp_path / "checkout"), {"HOME": str(tmp_path)})
    known = (found or {}).get("origin", {}).get("url")
    assert (known == "git@github.com:acme/widget.git") is leads


@pytest.mark.skipif(not shutil.which("ssh"), reason="no ssh here")
@pytest.mark.parametrize(("text", "host", "leads"), SSH)
def test_env08_ssh_itself_says_so(tmp_path: Path, text: str, host: str, leads: bool) -> None:
    (tmp_path / "config").write_text(text)
    done = subprocess.run(["ssh", "-G", "-F", tmp_path / "config", host], capture_output=True, text=True, check=True)
    assert ("hostname github.com" in done.stdout.splitlines()) is leads


# -- env10


def test_env10_a_server_that_advertises_an_address_of_its_own_network_is_told(home: dict[str, str]) -> None:
    """As in a container: it runs, and bolt:// would reach it."""
    servers = [{"addresses": ["graph-db-1.invalid:7687"], "role": role} for role in ("ROUTE", "READ", "WRITE")]
    table = {"rt": {"ttl": 300, "db": "neo4j", "servers": servers}}
    with FakeBolt({ROUTE: (SUCCESS, table)}) as server:
        config.set_values(home, {"identity.user_id": "ann", "store.url": f"neo4j://127.0.0.1:{server.port}"})
        done = ran("rg-memory", "status", environ=home)
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "use bolt:// instead of neo4j://" in told
    assert "see that the server runs" not in told


def test_the_data_of_these_tests_is_their_own(home: dict[str, str]) -> None:
    assert paths.data_dir(home).startswith(home["HOME"])
