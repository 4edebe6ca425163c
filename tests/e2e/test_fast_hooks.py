"""Hooks that ask the running MCP server (`rg-install --fast-hooks`), in the real programs that can."""

from __future__ import annotations

from pathlib import Path

import pytest

from rg_core import paths
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known
from tests.e2e.install import PROGRAMS as INSTALLED
from tests.e2e.install import command
from tests.e2e.programs import MAIN, PROGRAMS, Program
from tests.e2e.world import World, unshare

pytestmark = pytest.mark.e2e
AT = "2026-11-01T10:00:00Z"
CAN = [program for program in PROGRAMS if program.harness in ("claude_code", "codex")]


@pytest.mark.parametrize("program", CAN, ids=lambda program: program.installed)
def test_hooks_that_ask_the_server_record_and_nudge(program: Program, tmp_path: Path) -> None:
    """Shell, web and MCP calls, the prompt and a subagent's call: recorded once each, the Nudge in the next request."""
    if unshare() is None or (executable := command(program.installed)) is None:
        row = INSTALLED[program.installed]
        pytest.skip(f"no network namespaces, or {row.package} {row.version} is not installed: run `make e2e-deps`")
    world = World(tmp_path, program)
    (tmp_path / "bin" / executable.name).symlink_to(executable)  # rg-install asks for its version
    TouchLog(paths.outbox_file(world.environ)).put_known([Known("github:o/r#5", "", AT, AT, "It leaks", 1)])
    before = world.files()
    world.rg("rg-install", "--harness", program.harness, "--fast-hooks")
    run = world.run()
    assert run.code == 0, run.stderr
    touched = [(touch["address"], touch["provenance"]) for touch in world.touches()]
    shell, web = ("github:o/r#5", "FETCHED"), ("github:o/fetched#7", "FETCHED")
    for expected in (shell, web, ("github:o/mcp#3", "FETCHED"), ("github:o/prompted#9", "PROMPTED")):
        assert touched.count(expected) == 1, touched
    assert ("github:o/sub#8", "FETCHED") in touched
    assert all(touch["agent"] for touch in world.touches() if touch["address"] == "github:o/sub#8")
    assert any("Memory already has github:o/r#5" in sent for sent in run.sent(MAIN))
    assert '"hook"' not in run.sent(MAIN)[0].replace("rg-hook", ""), "the model was offered the hook tool"
    used = world.files()
    world.rg("rg-install", "--harness", program.harness, "--uninstall")
    for name, text in world.files().items():
        assert text == before[name] or used[name] != before[name], name
    assert not [path for path in world.left() if b"resources-graph" in path.read_bytes()]
