"""A server process and a client that speaks raw lines to it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

FRONT = [sys.executable, "-m", "rg_core.mcp_server.main"]
# The server that waits for memory as long as it takes, for tests of what it answers rather than of when it gives up.
# What it imports of others is not measured: that takes 0.2 s longer in each process.
PATIENT = [
    sys.executable,
    "-c",
    """
import sys
measured = sys.gettrace()
sys.settrace(None)
import mcp.server.lowlevel, mcp_types, pydantic
sys.settrace(measured)
from rg_core.mcp_server import main, server
server.ANSWER_SECONDS = 60
main.main()
""",
]
PATIENCE = 60.0  # seconds; nothing here waits so long unless something is broken
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def environment(home: Path) -> dict[str, str]:
    """An environment whose home is a directory of the test's."""
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "PATH": os.environ["PATH"],
    }


class Rig:
    """One server process."""

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environ)
        )
        self.lines: queue.Queue[Any] = queue.Queue()
        self.errors: list[bytes] = []
        self.number = 1000
        self.threads = [threading.Thread(target=self._read), threading.Thread(target=self._drain)]
        for thread in self.threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def _drain(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)

    def __enter__(self) -> Rig:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def raw(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def receive(self) -> Any:
        message = self.lines.get(timeout=PATIENCE)
        assert message is not None, f"the server ended: {b''.join(self.errors).decode()}"
        return message

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self.number += 1
        request: dict[str, Any] = {"jsonrpc": "2.0", "id": self.number, "method": method}
        self.send(request if params is None else request | {"params": params})
        while True:
            answer = self.receive()
            if isinstance(answer, dict) and answer.get("id") == self.number:  # not the answers to a batch
                return answer

    def hello(self, client: str = "test", version: str = "2025-11-25") -> dict[str, Any]:
        """The handshake of the older protocols."""
        answer = self.ask(
            "initialize",
            {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def resource(self, meta: Mapping[str, Any] | None = None, **arguments: Any) -> tuple[str, bool]:
        """The text of the tool's answer, and whether it is an error."""
        return self.call("resource", meta, **arguments)

    def call(self, tool: str, meta: Mapping[str, Any] | None = None, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool's answer, and whether it is an error."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        result = self.ask("tools/call", params if meta is None else params | {"_meta": meta})["result"]
        (block,) = result["content"]
        return block["text"], result.get("isError", False)

    def close(self) -> int:
        """End the input and wait for the exit."""
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            for thread in self.threads:
                thread.join()
            self.process.stdout.close()
            self.process.stderr.close()
