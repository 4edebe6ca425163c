"""The official conformance suite, as far as it applies: it speaks HTTP only, so the same Server is served on loopback.

Optional: it needs node 22, on the PATH or from `make node-deps`. Left out are scenarios that want the suite's own
fixture tools, prompts or resources.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.core.mcp_server import node_clients

NODE = node_clients.modern_node()
SUITE = node_clients.FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
pytestmark = pytest.mark.skipif(
    not NODE or not SUITE.exists(), reason="no conformance suite: make node-deps fetches it"
)
BOTH = ("completion-complete", "tools-list", "resources-list", "dns-rebinding-protection")
SCENARIOS = {
    "2025-11-25": ("server-initialize", "server-session-lifecycle", "ping", *BOTH),
    "2026-07-28": (
        "sep-2164-resource-not-found", "http-header-validation", "input-required-result-unsupported-methods", *BOTH
    ),
}  # fmt: skip


@contextmanager
def served(environ: dict[str, str]) -> Iterator[str]:
    """The server's URL on loopback."""
    import uvicorn

    from rg_core.mcp_server.server import build

    server = uvicorn.Server(uvicorn.Config(build(environ).streamable_http_app(), port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    ("version", "scenario"), [(version, name) for version, names in SCENARIOS.items() for name in names]
)
def test_the_official_suite(remembered: dict[str, str], version: str, scenario: str) -> None:
    with served(remembered) as url:
        asked = ["server", "--url", url, "--scenario", scenario, "--spec-version", version]
        done = subprocess.run(
            [NODE, str(SUITE), *asked], env=remembered, capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stdout
    assert " 0 failed" in done.stdout
