"""The clients most harnesses are built on, and the official inspector, against the real server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.mcp_server import node_clients

pytestmark = pytest.mark.skipif(node_clients.missing() is not None, reason=str(node_clients.missing()))
TALK = Path(__file__).with_name("talk.mjs")


# The second generation takes either code for "not found" and shows the newer one.
@pytest.mark.parametrize(("client", "not_found"), [("v1", -32002), ("v2", -32602), ("v2-auto", -32602)])
def test_the_typescript_clients(remembered: dict[str, str], client: str, not_found: int) -> None:
    command = ["node", str(TALK), str(node_clients.FOLDER / "node_modules"), client, sys.executable, "o/r#1"]
    done = subprocess.run(command, env=remembered, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert {"resource", "cite"} <= set(seen["tools"])
    (text,) = seen["text"]
    assert "the body of issue one" in text
    assert seen["body"]["content"]["body"] == "the body of issue one"
    assert seen["templates"] == ["resources-graph://state/{id}", "resources-graph://listing/{id}"]
    assert "github:o/r#1" in seen["completion"]
    assert seen["missing"] == not_found
    assert seen["failed"]


def inspect(environ: dict[str, str], *arguments: str) -> tuple[int, str]:
    command = [
        "node", str(node_clients.FOLDER / "node_modules" / ".bin" / "mcp-inspector"), "--cli", sys.executable, "-m",
        "rg_core.mcp_server.main", *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, env=environ, capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_the_inspector(remembered: dict[str, str]) -> None:
    code, out = inspect(remembered, "--method", "tools/list")
    assert code == 0, out
    assert '"name": "resource"' in out
    call = ("--method", "tools/call", "--tool-name", "resource", "--tool-arg")
    code, out = inspect(remembered, *call, "address=o/r#1")
    assert code == 0, out
    assert "the body of issue one" in out
    code, out = inspect(remembered, "--method", "resources/templates/list")
    assert code == 0, out
    assert "resources-graph://state/{id}" in out
