"""The front desk answers what the SDK would answer, sooner."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from rg_core.harness.tool_names import CLIENTS_FILE
from rg_core.mcp_server import generate
from rg_core.mcp_server.handshake import FRONT as FRONT_FILE
from tests.core.mcp_server.rig import ENVELOPE, FRONT, Rig, environment

FRAMES = sorted((Path(__file__).parent / "frames").glob("*.json"))


def test_front_json_is_what_the_sdk_answers_today() -> None:
    """After a change to the tool, the templates or the SDK: python -m rg_core.mcp_server.generate."""
    assert Path(FRONT_FILE).read_text(encoding="utf-8") == generate.render()


def test_clients_json_is_what_the_adapters_say_today() -> None:
    """After a change to CLIENTS of a harness's package: python -m rg_core.mcp_server.generate."""
    assert Path(CLIENTS_FILE).read_text(encoding="utf-8") == generate.render_clients()


def lines(frames: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(frame).encode() + b"\n" for frame in frames]


def plain(frames: list[dict[str, Any]], home: Path) -> dict[Any, Any]:
    """What the SDK's server answers without a desk."""
    return by_id(map(json.loads, anyio.run(generate.exchange, lines(frames), environment(home))))


def front(frames: list[dict[str, Any]], home: Path, *, at_once: bool = False) -> dict[Any, Any]:
    """What the real process answers, with nothing answered twice."""
    rig = Rig(FRONT, environment(home))
    got = []
    if at_once:
        rig.raw(b"".join(lines(frames)))
        got = [rig.receive() for frame in frames if "id" in frame]
    else:
        for frame in frames:
            rig.send(frame)
            if "id" in frame:
                got.append(rig.receive())
    assert rig.close() == 0
    assert rig.lines.get_nowait() is None
    return by_id(got)


def by_id(answers: Iterable[dict[str, Any]]) -> dict[Any, Any]:
    return {answer["id"]: answer for answer in answers}


@pytest.mark.parametrize("at_once", [False, True], ids=["one-by-one", "at-once"])
@pytest.mark.parametrize("path", FRAMES, ids=[path.stem for path in FRAMES])
def test_every_harness_gets_the_plain_servers_answers(path: Path, at_once: bool, tmp_path: Path) -> None:
    frames = [frame for frame in json.loads(path.read_text()) if frame["method"] != "notifications/cancelled"]
    assert front(frames, tmp_path, at_once=at_once) == plain(frames, tmp_path)


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def hello(number: int, version: str = "2025-11-25", **more: Any) -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    return request(
        number, "initialize", **{"protocolVersion": version, "capabilities": {}, "clientInfo": client} | more
    )


DISCOVER = request(1, "server/discover", _meta=ENVELOPE)
LATER = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
NAMELESS = {key: value for key, value in ENVELOPE.items() if "Info" not in key}
CONVERSATIONS = {
    "unknown method first": [request(1, "no/such"), hello(2, "2025-06-18"), request(3, "tools/list")],
    "list before the handshake": [request(1, "tools/list"), request(2, "ping")],
    "discover without envelope, then initialize": [request(1, "server/discover"), hello(2)],
    "discover, then initialize": [DISCOVER, hello(2)],
    "envelope after the handshake": [hello(1), request(2, "tools/list", _meta=ENVELOPE)],
    "an envelope of a version to come": [request(1, "server/discover", _meta=LATER), hello(2)],
    "a list without envelope in the new era": [DISCOVER, request(2, "tools/list")],
    "a cursor": [hello(1), request(2, "tools/list", cursor="x")],
    "initialize twice": [hello(1, "2024-11-05"), hello(2, "2025-03-26")],
    "initialize with params that are not right": [
        hello(1, clientInfo=None),
        hello(2, capabilities=7),
        request(3, "ping"),
    ],
    "a list at once in the new era": [request(2, "tools/list", _meta=ENVELOPE), DISCOVER],
    "ping in the new era": [DISCOVER, request(2, "ping", _meta=ENVELOPE)],
    "a version to come": [hello(1, "2099-01-01"), request(2, "resources/templates/list")],
    "discover without a name": [
        request(1, "server/discover", _meta=NAMELESS),
        request(2, "tools/list", _meta=NAMELESS),
    ],
}


@pytest.mark.parametrize("frames", CONVERSATIONS.values(), ids=list(CONVERSATIONS))
def test_odd_conversations_go_as_with_the_plain_server(frames: list[dict[str, Any]], tmp_path: Path) -> None:
    assert front(frames, tmp_path) == plain(frames, tmp_path)


def test_the_handshake_and_the_lists_load_no_sdk(tmp_path: Path) -> None:
    with Rig([*FRONT[:1], "-v", *FRONT[1:]], environment(tmp_path)) as rig:
        rig.hello()
        listed = [tool["name"] for tool in rig.ask("tools/list")["result"]["tools"]]
        assert listed == ["resource", "recall", "remember", "cite"]
        assert rig.ask("resources/list")["result"]["resources"] == []
        assert rig.close() == 0
        loaded = {line.split()[1].strip(b"'") for line in rig.errors if line.startswith(b"import ")}
    assert b"rg_core.mcp_server.handshake" in loaded
    dear = {b"mcp", b"pydantic", b"anyio", b"asyncio", b"typing", b"json", b"re", b"enum", b"signal"}
    assert not {name for name in loaded if name.partition(b".")[0] in dear}
