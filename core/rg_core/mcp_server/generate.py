"""Renders what the front desk knows: front*.json by asking the SDK's server, clients.json from the adapters.

python -m rg_core.mcp_server.generate        writes the files; a test renders again and compares
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from rg_core import __version__
from rg_core.config import set_values
from rg_core.harness.tool_names import CLIENTS_FILE
from rg_core.mcp_server.handshake import ENVELOPE, ENVELOPE_VERSION, FRONTS, HANDSHAKE_VERSIONS, LISTS
from rg_core.mcp_server.server import build, encode, parse

INITIALIZE = {
    "protocolVersion": HANDSHAKE_VERSIONS[-1],
    "capabilities": {},
    "clientInfo": {"name": "", "version": ""},
}
META = {f"{ENVELOPE}protocolVersion": ENVELOPE_VERSION, f"{ENVELOPE}clientCapabilities": {}}


def render(mode: str = "off") -> str:
    """The text of the file of FRONTS for a mode of assets."""
    with tempfile.TemporaryDirectory() as home:
        environ = {"XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "HOME": home}
        if mode != "off":
            set_values(environ, {"assets.mcp": mode})
        return _rendered(environ)


def _rendered(environ: Mapping[str, str]) -> str:
    eras: dict[str, dict[str, Any]] = {}
    handshake = [("initialize", INITIALIZE), *((method, {}) for method in LISTS)]
    envelope = [(method, {"_meta": META}) for method in ("server/discover", *LISTS)]
    for era, requests in (("handshake", handshake), ("envelope", envelope)):
        frames = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(requests)
        ]
        answers = anyio.run(exchange, [json.dumps(frame).encode() for frame in frames], environ)
        eras[era] = {
            method: answer["result"]
            for (method, _), answer in zip(requests, map(json.loads, answers), strict=True)
            if "result" in answer
        }
    return (
        json.dumps(eras, indent=1, sort_keys=True).replace(f'"version": "{__version__}"', '"version": "@VERSION@"')
        + "\n"
    )


def render_clients() -> str:
    """The text of clients.json: by clientInfo.name, whose client it is and where it tells a server its session."""
    harnesses = sorted(entry_points(group="rg_memory.harnesses"), key=lambda point: point.name)
    clients = {
        client: (point.name, variable)
        for point in harnesses
        for client, variable in import_module(point.value).CLIENTS.items()
    }
    return json.dumps(clients, indent=1) + "\n"


async def exchange(lines: Sequence[bytes], environ: Mapping[str, str]) -> list[bytes]:
    """What the plain SDK server answers to these lines, sent one after another."""
    server = build(environ)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    answers = []
    async with to_server, from_server, anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, from_client, to_client, server.create_initialization_options())
        for line in lines:
            message = parse(line)
            await to_server.send(message)
            if isinstance(message, SessionMessage) and isinstance(message.message, JSONRPCRequest):
                answers.append(encode((await from_server.receive()).message))
        tasks.cancel_scope.cancel()
    return answers


if __name__ == "__main__":
    fronts = [(path, render(mode)) for mode, path in FRONTS.items()]
    for path, text in (*fronts, (CLIENTS_FILE, render_clients())):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
