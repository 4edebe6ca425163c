"""Whatever comes in on a line gets an answer, and the server lives: broken, deep, batched, stalled, unread."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.mcp_server import wire
from tests.core.mcp_server.rig import FRONT, PATIENCE, Rig, environment

PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
DEEP = "[" * 100_000


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with Rig(FRONT, environment(tmp_path)) as rig:
        rig.hello()
        yield rig


def hook(cwd: Path, **more: str) -> dict[str, Any]:
    arguments = {
        "harness": "claude_code", "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t",
        "tool_name": "Bash", "cwd": str(cwd), **more,
    }  # fmt: skip
    return {"name": "hook", "arguments": arguments}


BROKEN = {
    "no JSON": (b"not json", -32700, None),
    "half a line of JSON": (b'{"jsonrpc": "2.0", "id": 1', -32700, None),
    "no object": (b"5", -32600, None),
    "an empty batch": (b"[]", -32600, None),
    "another version": (b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600, 7),
    "an id that is none": (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
    "an id that is true": (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
    "an id that is broken": (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    "an id without end": (b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}', -32600, None),
    "a number of 5,000 digits": (b'{"jsonrpc": "2.0", "id": 1, "x": ' + b"9" * 5000 + b"}", -32700, None),
    "no method": (b'{"jsonrpc": "2.0", "id": "x"}', -32600, "x"),
    "nested too deeply": (b'{"jsonrpc": "2.0", "params": ' + DEEP.encode() + b"]" * 100_000 + b', "id": 9}', -32600, 9),
    "an id in what is nested too deeply": (
        b'{"id": 3, "jsonrpc": "2.0", "params": {"id": 4, "x": "\\"[{", "y": ' + b"[" * 5000 + b"]" * 5000 + b"}}",
        -32600,
        3,
    ),
}


@pytest.mark.parametrize(("line", "code", "key"), BROKEN.values(), ids=list(BROKEN))
def test_env11_what_is_no_request_is_told_so(rig: Rig, line: bytes, code: int, key: object) -> None:
    rig.raw(line + b"\n")
    answer = rig.receive()
    assert (answer["id"], answer["error"]["code"]) == (key, code)
    assert rig.ask("ping")["result"] == {}


def test_env11_params_that_the_sdk_cannot_read_are_told_so(rig: Rig) -> None:
    assert rig.ask("tools/call", ["resource"])["error"]["code"] == -32600  # type: ignore[arg-type]
    assert rig.ask("ping")["result"] == {}


def test_env11_a_byte_order_mark_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    with Rig(FRONT, environment(tmp_path)) as rig:
        rig.raw(b"\n\r\n\xef\xbb\xbf")
        assert rig.hello()["result"]["serverInfo"]["name"] == "resources-graph"


def test_env11_a_batch_is_answered_as_one(rig: Rig) -> None:
    call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "nope", "arguments": {}}}
    note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    rig.raw(json.dumps([PING, note, call, 5, {"jsonrpc": "2.0", "id": 3}]).encode() + b"\n")
    answers = rig.receive()
    assert isinstance(answers, list)
    told = {answer["id"]: answer for answer in answers}
    assert told[1]["result"] == {}
    assert told["c"]["result"]["isError"]
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [-32600, -32600]
    assert len(answers) == 4


def test_env11_a_batch_does_not_wait_for_what_is_cancelled(rig: Rig) -> None:
    rig.call("recall", query="so that the tools are there")
    call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "nope", "arguments": {}}}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}}
    rig.raw(json.dumps([call, cancel, PING]).encode() + b"\n")
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} in rig.receive()
    odd = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}
    rig.send(odd)
    assert rig.ask("ping")["result"] == {}


def test_env11_a_batch_of_one_and_a_batch_of_what_is_none(rig: Rig) -> None:
    rig.raw(json.dumps([PING]).encode() + b"\n")
    assert rig.receive() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    rig.raw(b"[1, null]\n")
    assert [answer["error"]["code"] for answer in rig.receive()] == [-32600, -32600]


@pytest.mark.parametrize("tool_input", [DEEP, "{" * 1100, '{"a":' * 2000, "[" * 1100])
def test_s01_deep_json_in_a_hook_call_ends_nothing(rig: Rig, tool_input: str, tmp_path: Path) -> None:
    params = hook(tmp_path, tool_input=tool_input + " gh issue view 1 -R o/r")
    assert rig.ask("tools/call", params)["result"]["isError"] is False
    assert rig.ask("ping")["result"] == {}
    assert rig.close() == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("place", [".git/config", ".git", "home"])
def test_s02_a_file_that_hangs_deafens_nobody(tmp_path: Path, place: str) -> None:
    environ = environment(tmp_path)
    (tmp_path / "w").mkdir()
    (tmp_path / "config" / "rg-memory").mkdir(parents=True)
    pipe = tmp_path / "config" / "rg-memory" / "config.toml" if place == "home" else tmp_path / "w" / place
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    with Rig(FRONT, environ) as rig:
        rig.hello()
        for number in range(3):
            params = hook(tmp_path / "w", command="gh issue view 1", tool_use_id=f"t{number}")
            assert rig.ask("tools/call", params)["result"]["isError"] is False
        text, _ = rig.resource(address="o/r#1")
        assert text
        assert rig.close() == 0


def test_s13_the_server_ends_with_its_input_though_nobody_reads_its_output(tmp_path: Path) -> None:
    server = subprocess.Popen(
        FRONT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(tmp_path)
    )
    assert server.stdin
    assert server.stdout
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    server.stdin.write(json.dumps(PING | {"id": 0, "method": "initialize", "params": hello}).encode() + b"\n")
    for number in range(1, 3000):
        server.stdin.write(json.dumps(PING | {"id": number, "method": "tools/list"}).encode() + b"\n")
    server.stdin.close()
    try:
        assert server.wait(PATIENCE) == 0
    finally:
        server.kill()
        server.stdout.close()


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=60), st.text('{}[]":,\\ jsonrpcidmethd20', max_size=60).map(str.encode)))
def test_env11_no_line_is_without_a_message_or_an_answer(line: bytes) -> None:
    try:
        assert isinstance(wire.message(line), dict | list)
    except wire.Unreadable as broken:
        answer = json.loads(broken.answer)
        assert answer["error"]["code"] in (-32700, -32600)
