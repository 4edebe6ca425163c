"""A seventh harness, from a distribution that rg-memory has never heard of, is as good as the six."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rg_core import config
from tests.core.mcp_server.rig import Rig
from tests.github_standin.server import Standin
from tests.github_standin.world import World
from tests.installer.separate import Separate, wheel

SOURCES = Path(__file__).parent / "seventh"
ENTRY = "[rg_memory.harnesses]\nacme = rg_acme\n"


@pytest.fixture(scope="module")
def separate(tmp_path_factory: pytest.TempPathFactory) -> Separate:
    """An environment in which somebody has installed acme's adapter."""
    folder = tmp_path_factory.mktemp("seventh")
    made = Separate(folder / "venv")
    files = {str(path.relative_to(SOURCES)): path.read_text() for path in sorted(SOURCES.rglob("*.py"))}
    made.pip("install", "--no-index", "--no-deps", str(wheel(folder, "acme_memory", "1.0", files, ENTRY)))
    return made


@pytest.fixture
def acme(home: dict[str, str]) -> Path:
    """Acme's file, as its user wrote it."""
    file = Path(home["HOME"]) / ".acme" / "acme.json"
    file.parent.mkdir()
    file.write_text('{\n    "on": {"call": [{"run": "echo hi"}]},\n    "theme": "dark"\n}\n')
    return file


def _hook(line: str, environ: dict[str, str], **payload: str) -> str:
    """What the command in Acme's file answers."""
    done = subprocess.run(
        ["/bin/sh", "-c", line], input=json.dumps(payload), env=environ, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_it_is_wired_proven_and_taken_back(separate: Separate, home: dict[str, str], acme: Path) -> None:
    before = acme.read_bytes()
    done = separate.run("rg-install", "--all", environ=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Acme: {acme} changed" in done.stdout
    assert "Acme: start a new session." in done.stdout
    assert [json.loads(acme.read_text())[key] for key in ("theme", "servers")] == [
        "dark",
        {"resources-graph": {"command": str(separate.bin / "rg-mcp"), "args": ["--harness", "acme"]}},
    ]
    assert "Acme: already wired." in separate.run("rg-install", "--harness", "acme", environ=home).stdout
    with Standin(World()) as github:
        config.set_values(home, {"github.api_url": github.url})
        doctor = separate.run("rg-install", "--doctor", environ=home)
    assert doctor.returncode == 0, doctor.stdout
    assert "Acme" in doctor.stdout
    assert "its hook records" in doctor.stdout
    assert "its MCP server answers a call" in doctor.stdout
    assert separate.run("rg-install", "--uninstall", "--harness", "acme", environ=home).returncode == 0
    assert acme.read_bytes() == before
    gone = separate.run("rg-install", "--doctor", "--harness", "acme", environ=home)
    assert (gone.returncode, "not wired in" in gone.stdout) == (1, True)


def test_its_hook_records_and_tells(separate: Separate, home: dict[str, str], acme: Path) -> None:
    """The command that stands in its file; the hook finds the adapter by its name alone."""
    assert separate.run("rg-install", "--harness", "acme", environ=home).returncode == 0
    line = json.loads(acme.read_text())["on"]["begin"][0]["run"]
    assert "acme.resource" in json.loads(_hook(line, home, acme="begin", session="s1"))["say"]
    assert _hook(line, home, acme="before", session="s1", run="gh issue view 7 -R o/r") == ""
    (touch,) = json.loads(separate.run("rg-memory", "touches", "--json", environ=home).stdout)
    assert (touch["address"], touch["harness"], touch["session_id"]) == ("github:o/r#7", "acme", "s1")


def test_its_hook_never_asks_for_entry_points(separate: Separate, home: dict[str, str], acme: Path) -> None:
    separate.run("rg-install", "--harness", "acme", environ=home)
    payload = {"acme": "before", "session": "s1", "run": "gh issue view 7 -R o/r"}
    command = [str(separate.python), "-X", "importtime", str(separate.bin / "rg-hook"), "acme"]
    bare = [str(separate.python), "-X", "importtime", "-c", "pass"]
    seen, start = (
        {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        for words in (command, bare)
        for done in [
            subprocess.run(words, input=json.dumps(payload), env=home, capture_output=True, text=True, check=True)
        ]
    )
    assert "rg_acme.hook" in seen
    assert not {"importlib.metadata", "rg_acme.install", "rg_core.harness.capabilities"} & (seen - start)


def test_its_server_knows_the_tools_name_and_the_session(separate: Separate, home: dict[str, str], acme: Path) -> None:
    separate.run("rg-install", "--harness", "acme", environ=home)
    entry = json.loads(acme.read_text())["servers"]["resources-graph"]
    with Rig([entry["command"], *entry["args"]], {**home, "ACME_SESSION": "s9"}) as server:
        client = {"name": "acme-agent", "version": "1"}
        given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        assert "acme.resource" in server.ask("initialize", given)["result"]["instructions"]
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.ask("tools/call", {"name": "resource", "arguments": {"address": "o/r#1"}})
    (touch,) = json.loads(separate.run("rg-memory", "touches", "--json", environ=home).stdout)
    assert (touch["harness"], touch["session_id"], touch["outcome"]) == ("acme", "s9", "miss")


@pytest.fixture
def broken(separate: Separate, tmp_path: Path) -> Iterator[str]:
    """Another adapter is there, which lacks something."""
    files = {
        "rg_half/__init__.py": 'NEUTRAL = ""\nCLIENTS = {}\n',
        "rg_half/hook.py": "def read(call): ...\n",
        "rg_half/install.py": "",
    }
    made = wheel(tmp_path, "half_memory", "1.0", files, "[rg_memory.harnesses]\nhalf = rg_half\nmisnamed = os\n")
    separate.pip("install", "--no-index", "--no-deps", str(made))
    yield "rg_half.hook lacks answer, tool"
    separate.pip("uninstall", "--yes", "half_memory")


def test_one_that_is_broken_is_refused_and_the_others_go_on(
    separate: Separate, home: dict[str, str], acme: Path, broken: str
) -> None:
    done = separate.run("rg-install", "--all", environ=home)
    assert done.returncode == 1
    assert broken in done.stderr
    assert "the entry point 'misnamed' must name the package rg_misnamed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "resources-graph" in acme.read_text()
    doctor = separate.run("rg-install", "--doctor", environ=home)
    assert doctor.returncode == 1
    assert broken in doctor.stdout
