"""Probes: the hook command and the MCP entry as they stand in a harness's files, run for real.

A hook gets the payload of a call in a scratch home, where the Touch that it records is looked up; a server is started
and shaken hands with.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence

from rg_core import config, paths
from rg_core.harness.edits import Json
from rg_core.harness.protocol import Check, Place
from rg_core.touches.database import TouchLog

SECONDS = 10.0
TRIES = 8  # a hook gives up after a quarter of a second, which a busy machine may need for its start
PROBE_USER = "rg-doctor"
ADDRESS = "github:octocat/hello-world#1"
HANDSHAKE: Sequence[Mapping[str, Json]] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "rg-install", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def fires(hook: Sequence[str], payload: Mapping[str, Json], place: Place) -> Check:
    """Whether the command records the payload's call; the check's words are for the user."""
    with tempfile.TemporaryDirectory() as scratch:
        environ = _scratch(place.environ, scratch)
        for _ in range(TRIES):
            start = time.monotonic()
            try:
                ran = subprocess.run(
                    hook,
                    input=json.dumps(payload).encode(),
                    env=environ,
                    capture_output=True,
                    timeout=SECONDS,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                return Check("hook fires", False, f"{hook[-1]} did not run: {error}")
            took = round((time.monotonic() - start) * 1000)
            if ran.returncode:
                return Check("hook fires", False, f"{hook[-1]} ended with {ran.returncode}: {_text(ran.stderr)}")
            if ADDRESS in [touch.address for touch in TouchLog(paths.outbox_file(environ)).touches(PROBE_USER)]:
                return Check(f"hook fires: a probe was recorded in {took} ms", True)
    gone = "it recorded nothing" if _programs_there(hook) else "the program in its command is gone"
    return Check("hook fires", False, f"{gone}; run rg-install again")


def fires_through(server: Sequence[str], name: str, payload: Mapping[str, Json], place: Place) -> Check:
    """Whether the running server records the payload's call, as an `mcp_tool` hook hands it over."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in payload.items()}
    call: Json = {"name": "hook", "arguments": {"harness": name, **texts}}
    with tempfile.TemporaryDirectory() as scratch:
        environ = _scratch(place.environ, scratch)
        _said(server, [*HANDSHAKE, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}], environ)
        found = [touch.address for touch in TouchLog(paths.outbox_file(environ)).touches(PROBE_USER)]
    if ADDRESS in found:
        return Check("hooks ask the MCP server, which recorded a probe", True)
    return Check("hooks ask the MCP server", False, f"{server[0]} recorded nothing; run rg-install again")


def answers(server: Sequence[str], place: Place) -> Check:
    """Whether the server starts, shakes hands and offers `resource`."""
    start = time.monotonic()
    try:
        out, err = _said(server, HANDSHAKE, place.environ)
    except OSError as error:
        return Check(
            "MCP server answers", False, f"{server[0]} does not start ({error.strerror}); run rg-install again"
        )
    took = round((time.monotonic() - start) * 1000)
    tools = [tool for answer in _answers_in(out) for tool in _tools(answer)]
    if "resource" not in tools:
        return Check("MCP server answers", False, f"{server[0]} offered no `resource`: {_text(err) or 'no answer'}")
    return Check(f"MCP server answers in {took} ms", True)


def _said(
    server: Sequence[str], messages: Sequence[Mapping[str, Json]], environ: Mapping[str, str]
) -> tuple[bytes, bytes]:
    """What a server writes to stdout and stderr when it is sent these messages and the end of input."""
    lines = "".join(json.dumps(message) + "\n" for message in messages).encode()
    pipe = subprocess.PIPE
    process = subprocess.Popen(server, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(environ))
    try:
        return process.communicate(lines, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


def _programs_there(hook: Sequence[str]) -> bool:
    paths_named = re.findall(r"/[^'\"]*?rg-hook", hook[-1]) or [hook[0]]
    return any(shutil.which(path) for path in paths_named)


def _scratch(environ: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment with a home of its own and an identity in it."""
    names = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    scratch = {**environ, **dict.fromkeys(names, folder)}
    config.set_values(scratch, {"identity.user_id": PROBE_USER})
    for name in ("CURSOR_VERSION", "GROK_HOOK_EVENT"):  # as if no other harness had started us
        scratch.pop(name, None)
    return scratch


def _answers_in(out: bytes) -> Iterator[Mapping[str, Json]]:
    for line in out.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict):
            yield answer


def _tools(answer: Mapping[str, Json]) -> list[Json]:
    result = answer.get("result")
    tools = result.get("tools") if isinstance(result, Mapping) else None
    return [tool.get("name") for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else []


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()[-200:]
