"""Codex runs our hooks only when they are trusted; `--trust-hooks` writes the hash that Codex itself computes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.install import PROGRAMS as INSTALLED
from tests.e2e.install import command
from tests.e2e.programs import CODEX
from tests.e2e.world import World, unshare

pytestmark = pytest.mark.e2e
# Without the flag that runs hooks whether trusted or not.
CAREFUL = replace(
    CODEX, arguments=lambda prompt: [word for word in CODEX.arguments(prompt) if "bypass-hook-trust" not in word]
)


@pytest.mark.parametrize("flags", [(), ("--trust-hooks",), ("--trust-hooks", "--fast-hooks")], ids=" ".join)
def test_hooks_run_when_they_are_trusted(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Untrusted hooks are skipped silently; the trust of ours covers process hooks and those that ask the server."""
    if unshare() is None or (executable := command(CODEX.installed)) is None:
        row = INSTALLED[CODEX.installed]
        pytest.skip(f"no network namespaces, or {row.package} {row.version} is not installed: run `make e2e-deps`")
    world = World(tmp_path, CAREFUL)
    (tmp_path / "bin" / "codex").symlink_to(executable)
    before = world.files()
    world.rg("rg-install", "--harness", "codex", *flags)
    run = world.run()
    assert run.code == 0, run.stderr
    fetched = {touch["address"] for touch in world.touches() if touch["provenance"] == "FETCHED"}
    assert fetched == ({"github:o/r#5", "github:o/fetched#7", "github:o/mcp#3", "github:o/sub#8"} if flags else set())
    world.rg("rg-install", "--harness", "codex", "--uninstall")
    assert world.files() == before
