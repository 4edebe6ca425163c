"""The plugin packages, installed by the real programs themselves from the root of a clone of this repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rg_core import paths
from tests.e2e.install import PROGRAMS as INSTALLED
from tests.e2e.install import REPOSITORY, command
from tests.e2e.programs import MAIN, PROGRAMS, Program
from tests.e2e.world import World, unshare

pytestmark = pytest.mark.e2e
PLUGIN = "resources-graph@rg-memory"
ADD = {"claude_code": "install", "codex": "add", "copilot": "install"}
CAN = list({program.installed: program for program in reversed(PROGRAMS) if program.installed in ADD}.values())


@pytest.mark.parametrize("program", CAN, ids=lambda program: program.installed)
def test_a_plugin_records_and_gives_way(program: Program, tmp_path: Path) -> None:
    """Its hooks find rg-hook on the PATH, its server makes up an identity; rg-install refuses beside it."""
    if unshare() is None or (executable := command(program.installed)) is None:
        row = INSTALLED[program.installed]
        pytest.skip(f"no network namespaces, or {row.package} {row.version} is not installed: run `make e2e-deps`")
    world = World(tmp_path, program)
    Path(paths.config_file(world.environ)).unlink()  # the plugin's server makes up an identity

    def plugin(*words: str) -> None:
        done = subprocess.run(
            [str(executable), "plugin", *words], cwd=world.project, env=world.environ | dict(program.environ),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], check=True, env=world.environ)
    plugin("marketplace", "add", str(clone))
    plugin(ADD[program.installed], PLUGIN)
    with pytest.raises(AssertionError, match="our plugin is enabled"):
        world.rg("rg-install", "--harness", program.harness)
    run = world.run()
    assert run.code == 0, run.stderr
    fetched = {touch["address"] for touch in world.touches() if touch["provenance"] == "FETCHED"}
    # Which calls are made is the programs' own test; here that the plugin's hooks run at all.
    assert {"github:o/r#5", "github:o/mcp#3"} & fetched
    assert any("FETCHED BY GH" in sent for sent in run.sent(MAIN))
