"""A hook that asks the running MCP server against one that starts rg-hook: `python benchmarks/fast_hooks.py`.

Both answer the same relevant payload, by turns, in a scratch home; printed are medians and their ratio to bare Python.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rg_claude_code.install import probe
from rg_core import config
from rg_core.harness import guard

ROUNDS = 60


def main() -> None:
    """Measure and print."""
    scripts = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as scratch:
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        environ = {**os.environ, **dict.fromkeys(names, scratch)}
        config.set_values(environ, {"identity.user_id": "bench"})
        payload = probe().payload
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in payload.items()}
        server = subprocess.Popen(
            [scripts / "rg-mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, bufsize=0
        )
        line = guard.posix(str(scripts / "rg-hook"), "claude_code")

        def ask() -> None:
            call = {"name": "hook", "arguments": {"harness": "claude_code", **texts}}
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            assert server.stdin
            assert server.stdout
            server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdout.readline()

        def start() -> None:
            subprocess.run(["/bin/sh", "-c", line], input=json.dumps(payload).encode(), env=environ, check=True)

        def bare() -> None:
            subprocess.run([sys.executable, "-c", "pass"], env=environ, check=True)

        ask()
        start()
        took: dict[str, list[float]] = {"bare Python": [], "rg-hook, a process": [], "rg-mcp, a question": []}
        for _ in range(ROUNDS):
            for name, work in zip(took, (bare, start, ask), strict=True):
                took[name].append(_seconds(work))
        assert server.stdin
        server.stdin.close()
        server.wait()
    medians = {name: statistics.median(seconds) for name, seconds in took.items()}
    for name, median in medians.items():
        print(f"{name:20} {median * 1000:7.2f} ms  {median / medians['bare Python']:5.2f}x bare Python")


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
