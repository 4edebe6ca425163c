"""The doctor: in a broken world a FAIL that names the cause and what helps; in a healthy one every line is true."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rg_core import config, paths
from rg_core.touches.database import TouchLog
from tests import commands
from tests.core.test_files import ROOT
from tests.fake_bolt import FAILURE, HELLO, FakeBolt
from tests.github_standin.server import TOKEN, Standin
from tests.github_standin.world import World
from tests.installer.separate import Separate
from tests.installer.test_command import HARNESSES, everything_in, run, tree

HERE = "claude_code"
INSTALL = Path(sys.executable).with_name("rg-install")
AGAIN = f"rg-install --harness {HERE}"
Break = Callable[[dict[str, str], Path], None]


@pytest.fixture(scope="module")
def github() -> Iterator[Standin]:
    with Standin(World()) as standin:
        yield standin


@pytest.fixture
def wired(home: dict[str, str], github: Standin) -> dict[str, str]:
    """A home with Claude Code wired in, a token, and nothing wrong."""
    everything_in(home)
    config.set_values(home, {"identity.user_id": "ann", "github.api_url": github.url, "github.token": TOKEN})
    assert run(home, "--harness", HERE).returncode == 0
    return home


def failures(done: commands.Done | subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in done.stdout + done.stderr
    return [line.strip() for line in done.stdout.splitlines() if line.startswith("  FAIL")]


def settings(environ: dict[str, str]) -> Path:
    return Path(environ["HOME"]) / ".claude/settings.json"


def touches_damaged(environ: dict[str, str], data: Path) -> None:
    data.mkdir(parents=True, exist_ok=True)
    Path(paths.outbox_file(environ)).write_bytes(b"garbage" * 300)


def memory_damaged(environ: dict[str, str], data: Path) -> None:
    data.mkdir(parents=True, exist_ok=True)
    Path(paths.memory_file(environ)).write_bytes(b"garbage" * 300)


def configuration_broken(environ: dict[str, str], data: Path) -> None:
    Path(paths.config_file(environ)).write_text("[identity\n")


def identity_lost(environ: dict[str, str], data: Path) -> None:
    config.set_values(environ, {"identity.user_id": ""})


def token_refused(environ: dict[str, str], data: Path) -> None:
    config.set_values(environ, {"github.token": "ghp_another"})


def github_away(environ: dict[str, str], data: Path) -> None:
    config.set_values(environ, {"github.api_url": "http://127.0.0.1:9"})


def server_refuses(environ: dict[str, str], data: Path) -> None:
    config.set_values(environ, {"store.url": "bolt://127.0.0.1:9"})


def hook_gone(environ: dict[str, str], data: Path) -> None:
    settings(environ).write_text(settings(environ).read_text().replace("/rg-hook", "/gone/rg-hook"))


def hooks_removed(environ: dict[str, str], data: Path) -> None:
    settings(environ).write_text("{}")


def server_gone(environ: dict[str, str], data: Path) -> None:
    file = Path(environ["HOME"]) / ".claude.json"
    file.write_text(file.read_text().replace("/rg-mcp", "/gone/rg-mcp"))


def switched_off(environ: dict[str, str], data: Path) -> None:
    content = json.loads(settings(environ).read_text())
    settings(environ).write_text(json.dumps({**content, "disableAllHooks": True}))


def older_release(environ: dict[str, str], data: Path) -> None:
    settings(environ).write_text(settings(environ).read_text().replace('"onFailure": "continue"', '"onFailure": "x"'))


def later_release(environ: dict[str, str], data: Path) -> None:
    (data / "events").mkdir(parents=True, exist_ok=True)
    (data / "events" / f"{1:020}-00000000").write_text('{"v": 99, "kind": "touch"}')


WORLDS: list[tuple[Break, str, str]] = [
    (touches_damaged, "touches.db cannot be used (file is not a database)", "move it away, and a new one is made: mv "),
    (memory_damaged, "memory.db cannot be used", "move it away"),
    (configuration_broken, "the configuration cannot be used", "rg-memory config edit"),
    (identity_lost, "there is no identity, so nothing is recorded", "rg-memory config set identity.user_id NAME"),
    (token_refused, "GitHub does not accept the token", "rg-memory config edit"),
    (github_away, "a sweep cannot fetch: http://127.0.0.1:9 cannot be reached", "rg-memory config get github.api_url"),
    (server_refuses, "memory: bolt://127.0.0.1:9 cannot be used", "see that the server runs"),
    (hook_gone, "/gone/rg-hook is not there", AGAIN),
    (hooks_removed, "its hooks are not in its file", AGAIN),
    (server_gone, "its MCP server", AGAIN),
    (switched_off, "hooks are switched off", "remove disableAllHooks from"),
    (later_release, "events of a later release wait: 1", "upgrade rg-memory"),
    (older_release, "settings.json is not as this release writes it", AGAIN),
]


@pytest.mark.parametrize(("broken", "cause", "help_"), WORLDS, ids=lambda value: getattr(value, "__name__", None))
def test_env01_a_broken_world_is_found_out(wired: dict[str, str], broken: Break, cause: str, help_: str) -> None:
    """Exit code 1, and one FAIL that says both."""
    broken(wired, Path(paths.data_dir(wired)))
    done = run(wired, "--doctor")
    assert done.returncode == 1, done.stdout
    assert any(cause in line and help_ in line for line in failures(done)), done.stdout


def test_env01_a_server_without_its_sdk_is_found_out(wired: dict[str, str], tmp_path: Path) -> None:
    """It shakes hands all the same; the first call of a session is what fails. So does a hook that is half there."""
    made = Separate(tmp_path / "venv")
    site = next((tmp_path / "venv/lib").iterdir()) / "site-packages"
    (site / "mcp").mkdir()
    (site / "mcp/__init__.py").touch()
    assert made.run("rg-install", "--harness", HERE, environ=wired).returncode == 0
    done = made.run("rg-install", "--doctor", environ=wired)
    assert done.returncode == 1
    assert any("MCP server does not answer a call" in line and AGAIN in line for line in failures(done)), done.stdout
    (site / "rg_claude_code").mkdir()
    (site / "rg_claude_code/__init__.py").write_text("raise ImportError('half written')\n")
    half = run(wired, "--doctor")  # the files name the separate programs
    assert any("its hook records nothing" in line for line in failures(half)), half.stdout


def hanging() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"


def refusing() -> Iterator[str]:
    told = {"code": "Neo.ClientError.Security.Unauthorized", "message": "The client is unauthorized"}
    with FakeBolt({HELLO: (FAILURE, told)}) as server:
        yield f"bolt://127.0.0.1:{server.port}"


@pytest.mark.parametrize(("server", "cause"), [(hanging, "answer"), (refusing, "refused the user 'neo4j'")])
def test_t08_a_store_that_hangs_or_refuses_is_found_out(
    wired: dict[str, str], server: Callable[[], Iterator[str]], cause: str
) -> None:
    with contextmanager(server)() as url:
        config.set_values(wired, {"store.url": url, "store.user": "neo4j", "store.password": "not-this-one"})
        done = run(wired, "--doctor")
        assert done.returncode == 1
        (line,) = [line for line in failures(done) if "memory: " in line]
        assert cause in line
        assert url in line
        assert "not-this-one" not in done.stdout


def test_env01_a_file_that_another_program_holds_is_found_out(wired: dict[str, str]) -> None:
    TouchLog(paths.outbox_file(wired)).touches("ann")
    with closing(sqlite3.connect(paths.outbox_file(wired), isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        done = run(wired, "--doctor")
    assert any("database is locked" in line and "end that program" in line for line in failures(done)), done.stdout
    assert "move it away" not in done.stdout


@pytest.mark.skipif(not ROOT or not shutil.which("setpriv"), reason="only root can make another user's directory")
def test_env01_a_data_directory_of_another_user_is_found_out(wired: dict[str, str]) -> None:
    data = Path(paths.data_dir(wired))
    data.mkdir(parents=True, exist_ok=True)
    os.chown(data, 1234, 1234)
    data.chmod(0o700)
    weak = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
    done = subprocess.run(
        [*weak, str(INSTALL), "--doctor"], env=wired, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert any(f"nothing can be written in {data}" in line and "chown" in line for line in failures(done)), done.stdout


@pytest.mark.skipif(not ROOT or not shutil.which("unshare"), reason="only root may mount")
def test_env01_a_full_disk_is_found_out(wired: dict[str, str]) -> None:
    data = Path(paths.data_dir(wired))
    data.mkdir(parents=True, exist_ok=True)
    line = f"mount -t tmpfs -o size=64k none {data} && (cat /dev/zero > {data}/filling 2>/dev/null; {INSTALL} --doctor)"
    done = subprocess.run(["unshare", "-m", "sh", "-c", line], env=wired, capture_output=True, text=True, check=False)
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("nothing may be mounted here")
    assert done.returncode == 1
    assert any("free some space" in line for line in failures(done)), done.stdout


def test_n03_of_the_healthy_six_every_line_is_true_and_nothing_stays_behind(wired: dict[str, str]) -> None:
    """No FAIL, no advice about what is done already, no Touch, no file; and no line contradicts another."""
    assert run(wired, "--harness", *HARNESSES, "--trust-hooks").returncode == 0
    home = Path(wired["HOME"])
    before = tree(home), sorted(home.joinpath(".local").rglob("*"))
    done = run(wired, "--doctor")
    assert done.returncode == 0, done.stdout
    assert failures(done) == []
    assert done.stdout.count("its hook records (a probe took ") == len(HARNESSES)
    assert done.stdout.count("its MCP server answers a call (in ") == len(HARNESSES)
    assert "you have trusted its hooks" in done.stdout
    assert "until you trust" not in done.stdout
    assert "GitHub answers to the token: 5000 requests an hour" in done.stdout
    assert done.stdout.count("nothing of a real session was recorded yet") == len(HARNESSES)
    assert (tree(home), sorted(home.joinpath(".local").rglob("*"))) == before
    assert TouchLog(paths.outbox_file(wired)).touches("ann") == []


def test_n03_a_home_that_had_nothing_has_nothing_afterwards(home: dict[str, str], github: Standin) -> None:
    """Programs make folders even when they are asked for their version."""
    folder = Path(home["HOME"])
    programs = folder.parent / "bin"
    programs.mkdir()
    for name in ("opencode", "grok", "claude", "codex", "copilot", "cursor-agent"):
        line = f'#!/bin/sh\nmkdir -p "$HOME/.{name}" "$XDG_DATA_HOME/{name}"\necho 1.18.33\n'
        (programs / name).write_text(line)
        (programs / name).chmod(0o755)
    environ = {**home, "PATH": f"{programs}:/usr/bin:/bin"}
    done = subprocess.run([str(INSTALL), "--doctor"], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "rg-memory config set identity.user_id NAME" in done.stdout
    assert done.stdout.count("not wired in: rg-install --harness ") == len(HARNESSES)
    assert list(folder.rglob("*")) == []


def test_n05_rg_memory_doctor_is_the_same(wired: dict[str, str]) -> None:
    (Path(wired["HOME"]) / ".claude.json").unlink()
    program = INSTALL.with_name("rg-memory")
    words = [str(program), "doctor", "--harness", HERE, "--json"]
    done = subprocess.run(words, env=wired, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert [harness["name"] for harness in told["harnesses"]] == [HERE]
    assert "its MCP server is not in its file" in [check["what"] for check in told["harnesses"][0]["checks"]]
