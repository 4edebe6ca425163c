"""Probes: the hook command and the MCP entry as they stand in a harness's files, run for real.

They run with a configuration and a data directory of their own, which lies inside the real data directory: what its
file system and its owner forbid, it forbids here; and no Touch, Cache Read or event is left behind.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from rg_core import config, paths
from rg_core.harness.edits import Json
from rg_core.harness.protocol import Check, Place

SECONDS = 30.0
USER = "rg-doctor"
ADDRESS = "github:octocat/hello-world#1"
TOUCHES = "import sys; from rg_core.cli.main import main; sys.exit(main(['touches', '--json']))"
INITIALIZE: Mapping[str, Json] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "rg-install", "version": "1"},
    },
}
INITIALIZED: Mapping[str, Json] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@contextmanager
def scratch(place: Place) -> Iterator[dict[str, str]]:
    """The environment with a configuration and data of its own, on the file system of the real data."""
    real = paths.data_dir(place.environ)
    with tempfile.TemporaryDirectory(prefix=".doctor-", dir=real if os.path.isdir(real) else None) as folder:
        environ = {**place.environ, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        for name in ("CURSOR_VERSION", "GROK_HOOK_EVENT"):  # as if no other harness had started us
            environ.pop(name, None)
        config.set_values(environ, {"identity.user_id": USER})
        yield environ


def fires(hook: Sequence[str], payload: Mapping[str, Json], place: Place, again: str) -> Check:
    """Whether the command records the payload's call. `again` is the command that puts it right."""
    with scratch(place) as environ:
        start = time.monotonic()
        try:
            ran = _ran(hook, json.dumps(payload).encode(), environ)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Check(f"its hook does not run ({_why(error)})", False, again)
        took = round((time.monotonic() - start) * 1000)
        if ran.returncode:
            return Check(f"its hook ends with exit code {ran.returncode}: {_text(ran.stderr)}", False, again)
        if _recorded(environ):
            return Check(f"its hook records (a probe took {took} ms)", True)
        broken = _broken(hook, environ)
    if program := next((word for word in _programs(hook) if not shutil.which(word)), None):
        return Check(f"its hook records nothing, because {program} is not there", False, again)
    return Check(f"its hook records nothing: {broken or 'it gave up before it was done'}", False, again)


def fires_through(server: Sequence[str], name: str, payload: Mapping[str, Json], place: Place, again: str) -> Check:
    """Whether the running server records the payload's call, as an `mcp_tool` hook hands it over."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in payload.items()}
    with scratch(place) as environ:
        try:
            _ask(server, "hook", {"harness": name, **texts}, environ)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Check(f"its hooks ask the MCP server, which does not run ({_why(error)})", False, again)
        if _recorded(environ):
            return Check("its hooks ask the MCP server, which records", True)
    return Check("its hooks ask the MCP server, which records nothing", False, again)


def answers(server: Sequence[str], added: Mapping[str, str], place: Place, again: str) -> Check:
    """Whether the server starts and answers a call of `resource`, as a session makes it."""
    with scratch(place) as environ:
        start = time.monotonic()
        mine = {name: text for name, text in added.items() if not name.startswith("XDG_")}
        try:
            answer, err = _ask(server, "resource", {"address": ADDRESS}, {**environ, **mine})
        except subprocess.TimeoutExpired:
            return Check(f"its MCP server {server[0]} does not answer within {SECONDS:.0f} s", False, again)
        except OSError as error:
            return Check(f"its MCP server {server[0]} does not start ({_why(error)})", False, again)
        took = round((time.monotonic() - start) * 1000)
    result = answer.get("result")
    if isinstance(result, Mapping) and result.get("content") and not result.get("isError"):
        return Check(f"its MCP server answers a call (in {took} ms)", True)
    said = result or answer.get("error")
    why = json.dumps(said)[:200] if said else _text(err) or "no answer"
    return Check(f"its MCP server does not answer a call: {why}", False, again)


def _ask(
    server: Sequence[str], tool: str, arguments: Mapping[str, Json], environ: Mapping[str, str]
) -> tuple[Mapping[str, Json], bytes]:
    """A server's answer to one call of a tool, {} if there is none, and what it wrote to stderr."""
    call: Json = {"name": tool, "arguments": arguments}
    request: Mapping[str, Json] = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    lines = "".join(json.dumps(message) + "\n" for message in (INITIALIZE, INITIALIZED, request))
    ran = _ran(server, lines.encode(), environ)
    for line in ran.stdout.splitlines():
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(answer, dict) and answer.get("id") == 2:
            return answer, ran.stderr
    return {}, ran.stderr


def _recorded(environ: Mapping[str, str]) -> bool:
    """Whether the probe's Touch is there, as `rg-memory touches` shows it."""
    listed = _ran([sys.executable, "-c", TOUCHES], b"", environ)
    try:
        return ADDRESS in [touch["address"] for touch in json.loads(listed.stdout or b"[]")]
    except ValueError:
        return False


def _broken(hook: Sequence[str], environ: Mapping[str, str]) -> str:
    """What keeps rg-hook from running, which it never shows itself: the last line of its interpreter."""
    for program in _programs(hook):
        interpreter = os.path.join(os.path.dirname(program), "python")
        if os.path.exists(interpreter):
            ran = _ran([interpreter, "-c", "import rg_core.hook.recorder"], b"", environ)
            if ran.returncode:
                return _text(ran.stderr)
    return ""


def _programs(hook: Sequence[str]) -> list[str]:
    """The words of a command that name rg-hook."""
    return re.findall(r"[^\s'\"]*rg-hook", hook[-1]) or [hook[0]]


def _ran(words: Sequence[str], data: bytes, environ: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    home = environ.get("HOME", "/")
    return subprocess.run(
        words, input=data, env=environ, capture_output=True, timeout=SECONDS, check=False,
        cwd=home if os.path.isdir(home) else "/",
    )  # fmt: skip


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else f"no end within {SECONDS:.0f} s"


def _text(raw: bytes) -> str:
    """The last line of an error."""
    return (raw.decode("utf-8", "replace").strip().splitlines() or [""])[-1][-200:]
