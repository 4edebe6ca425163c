"""The front desk of rg-mcp: answers the handshake and the lists in 15 ms, before the MCP SDK (400 ms) is imported.

Some harnesses leave a server that is up after one second out of the model's first request (Codex 0.171.0) or call it
unknown (Claude Code 2.1.197). So what every client asks first is answered from front.json, which the SDK itself
rendered (rg_core.mcp_server.generate). Every line is kept all the same: when the first request comes that the desk does
not know for certain, the SDK is started, is given all lines so far, and its answers to what the desk has answered are
dropped. A mistake here costs time, not correctness. Imports next to nothing: where nobody has compiled it yet, the
standard library included, `json`, `threading` and `signal` alone would cost 50 ms.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from rg_core import __version__
from rg_core.mcp_server import wire
from rg_core.mcp_server.launch import Launch, asset_mode, instructions
from rg_core.mcp_server.recall_schemas import hidden
from rg_core.quickjson import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    Sink = Callable[[bytes | None, float], None]

ENVELOPE = "io.modelcontextprotocol/"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE_VERSION = "2026-07-28"
HOOK = b'"hook"'
LISTS = ("ping", "tools/list", "resources/list", "resources/templates/list")
FRONT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "front.json")
# By the mode of assets (`assets.mcp`): what is listed in it. full lists what write does.
FRONTS = {"off": FRONT} | {mode: f"{FRONT[:-5]}_{mode}.json" for mode in ("read", "write")}


def load_front(mode: str = "off") -> dict[str, dict[str, Any]]:
    """The rendered answers by era ("handshake", "envelope") and method; the version is filled in."""
    with open(FRONTS.get(mode, FRONTS["write"]), encoding="utf-8") as file:
        front: dict[str, dict[str, Any]] = loads(file.read().replace("@VERSION@", __version__))
    return front


def crashed(error: BaseException, environ: Mapping[str, str]) -> NoReturn:
    """End the server: a bug of ours goes into the log, and one line that names it to stderr."""
    import sys

    from rg_core import log

    print(log.crash(environ, "rg-mcp", error), file=sys.stderr, flush=True)
    os._exit(1)


def without(front: dict[str, dict[str, Any]], names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The rendered answers without these tools."""
    if names:
        for answers in front.values():
            listed = answers["tools/list"]
            answers["tools/list"] = {**listed, "tools": [one for one in listed["tools"] if one["name"] not in names]}
    return front


class Desk:
    """Reads requests from a file descriptor; answers what it knows until `open` hands the connection over."""

    def __init__(
        self,
        source: int,
        target: int,
        environ: Mapping[str, str],
        launch: Launch = Launch(),  # noqa: B008 - it cannot be changed
    ) -> None:
        self.source, self.environ, self.launch = source, environ, launch
        self.out = wire.Outgoing(target)
        self.front = without(load_front(asset_mode(environ)), hidden(environ))
        self.era = ""
        self.lines: list[tuple[bytes | None, float]] = []  # all so far, and when they came; None is the end of input
        self.answered: list[Any] = []  # ids whose answers by the SDK are to be dropped
        self.sink: Sink | None = None
        self.lock = allocate_lock()
        self.waiting = allocate_lock()  # held until somebody else has to answer
        self.waiting.acquire()
        self.called = False  # whether it was
        self.ended = False  # the input ended with everything answered

    def wait(self, seconds: float = -1) -> bool:
        """Until somebody else has to answer, or the input ends; false if that takes longer than so many seconds."""
        return self.waiting.acquire(timeout=seconds)

    def read(self) -> None:
        """Serve until the input ends. Runs in a thread of its own; a failure ends the process, never leaves it deaf."""
        try:
            for line in wire.lines(self.source):
                self._take(line)
            self._end()
        except BaseException as error:  # noqa: BLE001 - whatever it is: without a reader the server would hang for ever
            crashed(error, self.environ)

    def open(self, sink: Sink) -> None:
        """Hand over: `sink` gets every line so far, then every further one, then None; each with when it came."""
        with self.lock:
            for line, came in self.lines:
                sink(line, came)
            self.lines.clear()
            self.sink = sink

    def refuse(self, why: str) -> NoReturn:
        """Answer every request that the desk does not with this error, and end with the input."""

        def sink(line: bytes | None, _: float) -> None:
            if line is None:
                self.out.finish(1.0)
                os._exit(0)
            match wire.message(line):
                case {"id": int() | str() as key, "method": str()} if not self.was_answered(key):
                    self.answer(key, wire.error(key, wire.FAILED, why))

        self.open(sink)
        while True:
            self.wait()

    def was_answered(self, id: Any) -> bool:
        """Whether the desk has answered this request; says so once."""
        if id in self.answered:
            self.answered.remove(id)
            return True
        return False

    def answer(self, key: object, message: bytes) -> None:
        """Answer a request."""
        self.out.answer(key, message)

    def _take(self, line: bytes) -> None:
        """Answer a line or hand it on. Whatever is wrong with it is answered too, so that nobody waits for nothing."""
        try:
            message = wire.message(line)
        except wire.Unreadable as broken:
            self.out.write(broken.answer)
            return
        if isinstance(message, dict):
            self._handle(line, message)
            return
        batch = wire.Batch(message)
        if batch.open:
            self.out.expect(batch)
        elif batch.answers:
            self.out.write(b"[" + b", ".join(batch.answers) + b"]")
        for one in batch.messages:
            self._handle(dumps(one).encode(), one)

    def _handle(self, line: bytes, message: dict[str, Any]) -> None:
        if HOOK in line and self._hooked(message):
            return  # also after the handover: a hook never waits for the SDK, which never sees the call
        came = time.monotonic()
        with self.lock:
            sink = self.sink
            if sink is None:
                self.lines.append((line, came))
                if not self._answer(line, message):
                    self.era = self.era or "unknown"  # the SDK decides it, by this line or a later one
                    self._call()
        if sink:
            sink(line, came)

    def _end(self) -> None:
        with self.lock:
            sink = self.sink
            if sink is None:
                self.lines.append((None, 0.0))
                self.ended = not self.called
                self._call()
        if sink:
            sink(None, 0.0)

    def _call(self) -> None:
        if not self.called:
            self.called = True
            self.waiting.release()

    def _hooked(self, message: dict[str, Any]) -> bool:
        """Answer a call of the unlisted `hook` tool (rg_core.mcp_server.hook_tool); True if the message was one."""
        match message:
            case {
                "jsonrpc": "2.0",
                "id": int() | str() as key,
                "method": "tools/call",
                "params": {"name": "hook", "arguments": dict() as arguments, **of},
            }:
                from rg_core.mcp_server import hook_tool

                meta = of.get("_meta")
                meta = meta if isinstance(meta, dict) else {}
                try:
                    text = hook_tool.answer(arguments, meta, self.environ)
                except Exception:  # noqa: BLE001 - whatever a payload does to us: as if there were no hook
                    text = ""
                result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": False}
                if ENVELOPE + "protocolVersion" in meta:
                    result["resultType"] = "complete"
                self.answer(key, dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode())
                return True
        return False

    def _answer(self, line: bytes, request: dict[str, Any]) -> bool:
        """Answer a message if its answer is certain; True if nobody else has to."""
        key = request.get("id")
        if "id" not in request and str(request.get("method", "")).startswith("notifications/"):
            return True
        if not isinstance(key, int | str) or isinstance(key, bool) or b"\\ud" in line.lower():
            return False  # no id, or maybe a lone surrogate: the SDK knows what becomes of those
        result = self._result(request.get("method"), request.get("params", {}))
        if result is None:
            return False
        self.answered.append(key)
        self.answer(key, dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode())
        return True

    def _result(self, method: object, params: object) -> dict[str, Any] | None:
        """What the SDK would answer, or None where that is not certain."""
        meta = params.get("_meta", {}) if isinstance(params, dict) else None
        if not isinstance(params, dict) or not isinstance(meta, dict):
            return None
        version = meta.get(ENVELOPE + "protocolVersion")
        if method == "initialize":
            return self._initialize(params) if not self.era and version is None else None
        modern = version == ENVELOPE_VERSION and isinstance(meta.get(ENVELOPE + "clientCapabilities"), dict)
        client = meta.get(ENVELOPE + "clientInfo")
        if (version is not None and not modern) or not params.keys() <= {"_meta"}:
            return None
        if method == "server/discover" and modern and self.era in ("", "envelope"):
            name = _name(client)
            if name is None and client is not None:
                return None
            self.era = "envelope"
            return {
                **self.front[self.era]["server/discover"],
                "instructions": instructions(name or "", self.environ, self.launch),
            }
        if method in LISTS and self.era == ("envelope" if modern else "handshake"):
            return self.front[self.era].get(str(method))
        return None

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any] | None:
        asked, name = params.get("protocolVersion"), _name(params.get("clientInfo"))
        if not isinstance(asked, str) or name is None or not isinstance(params.get("capabilities"), dict):
            return None
        self.era = "handshake"
        return {
            **self.front[self.era]["initialize"],
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "instructions": instructions(name, self.environ, self.launch),
        }


def _name(client: object) -> str | None:
    """clientInfo.name of a client that introduces itself as the protocol asks."""
    if isinstance(client, dict) and isinstance(client.get("name"), str) and isinstance(client.get("version"), str):
        return str(client["name"])
    return None
