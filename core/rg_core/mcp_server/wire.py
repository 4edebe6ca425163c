"""The lines of JSON-RPC, in and out: whatever comes in gets an answer, and what goes out never holds up what comes in.

Part of the front desk, so it imports next to nothing.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

from rg_core.quickjson import dumps, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BOM = b"\xef\xbb\xbf"
NOT_JSON, NO_REQUEST, FAILED = -32700, -32600, -32603
MOST = 1 << 26  # bytes of answers that wait for a client that does not read


class Unreadable(ValueError):
    """A line that is no JSON-RPC; `answer` is what its sender is told."""

    def __init__(self, key: object, code: int, message: str) -> None:
        super().__init__(message)
        self.answer = error(key, code, message)


def error(key: object, code: int, message: str) -> bytes:
    """An error as a line; `key` is the id of what it answers, or something that cannot be one."""
    key = key if _is_key(key) else None
    return dumps({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": message}}).encode()


def _is_key(key: object) -> bool:
    """Whether this can be the id of a request, as MCP has it: JSON-RPC would let it be null or broken too."""
    return isinstance(key, int | str) and not isinstance(key, bool)


def lines(source: int) -> Iterator[bytes]:
    """The lines of a file descriptor, without a byte order mark or blank lines, until it ends."""
    # os.read: a thread that waits in sys.stdin.buffer holds a lock on which the interpreter's exit aborts
    begun: list[bytes] = []
    while data := os.read(source, 65536):
        *ended, rest = data.split(b"\n")
        for part in ended:
            if line := b"".join([*begun, part]).removeprefix(BOM).strip():
                yield line
            begun.clear()
        begun.append(rest)
    if last := b"".join(begun).removeprefix(BOM).strip():
        yield last


def message(line: bytes) -> Any:
    """The JSON of a line: an object with a method or an answer, or a list of things, which is a batch.

    Raises:
        Unreadable: if it is neither.
    """
    text = line.decode("utf-8", "replace")
    try:
        value = whole(text)
    except (ValueError, StopIteration):
        raise Unreadable(None, NOT_JSON, "this line is not JSON") from None
    except RecursionError:
        raise Unreadable(_key(text), NO_REQUEST, "this message is nested too deeply") from None
    return value if isinstance(value, list) and value else checked(value)


def checked(value: Any) -> dict[str, Any]:
    """A message of JSON-RPC 2.0.

    Raises:
        Unreadable: if it is none.
    """
    key = value.get("id") if isinstance(value, dict) else None
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise Unreadable(key, NO_REQUEST, "this is no message of JSON-RPC 2.0")
    if not isinstance(value.get("method"), str) and not ("id" in value and value.keys() & {"result", "error"}):
        raise Unreadable(key, NO_REQUEST, "this message has no method")
    if "id" in value and not _is_key(key):
        raise Unreadable(key, NO_REQUEST, "an id is text or a whole number")
    return value


class Outgoing:
    """Writes whole lines in a thread of its own, so that a client that does not read is still seen to end.

    Answers to a batch are kept until all are there, and go out as one line.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self._lock = allocate_lock()
        self._lines: list[bytes] = []
        self._waiting = 0  # bytes
        self._writing = False
        self._batches: list[Batch] = []

    def expect(self, batch: Batch) -> None:
        """Have the answers to these ids go out together."""
        with self._lock:
            self._batches.append(batch)

    def answer(self, key: object, line: bytes) -> None:
        """Write the answer to a request, or keep it for its batch."""
        with self._lock:
            batch = next((batch for batch in self._batches if key in batch.open), None)
            if batch:
                batch.answers.append(line)
        if batch:
            self._answered(batch, key)
        else:
            self.write(line)

    def cancel(self, key: object) -> None:
        """Keep no batch waiting for the answer to this request: it will not come."""
        with self._lock:
            batch = next((batch for batch in self._batches if key in batch.open), None)
        if batch:
            self._answered(batch, key)

    def _answered(self, batch: Batch, key: object) -> None:
        with self._lock:
            batch.open.remove(key)
            if batch.open:
                return
            self._batches.remove(batch)
        if batch.answers:
            self.write(b"[" + b", ".join(batch.answers) + b"]")

    def write(self, line: bytes) -> None:
        """Write a line, in order, without waiting for it. Where nobody reads any more, there is nothing to serve."""
        with self._lock:
            self._lines.append(line)
            self._waiting += len(line)
            if self._waiting > MOST:
                os._exit(1)
            if not self._writing:
                self._writing = True
                start_new_thread(self._write, ())

    def finish(self, seconds: float) -> None:
        """Wait until all is written, at most so long."""
        end = time.monotonic() + seconds
        while self._writing and time.monotonic() < end:
            time.sleep(0.005)

    def _write(self) -> None:
        while True:
            with self._lock:
                if not self._lines:
                    self._writing = False
                    return
                data = b"".join(line + b"\n" for line in self._lines)
                self._lines.clear()
                self._waiting = 0
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self.target, rest) :]
            except OSError:
                os._exit(0)


class Batch:
    """Requests that came as one line: the ids that are not answered yet, and the answers so far."""

    def __init__(self, values: list[Any]) -> None:
        self.messages: list[dict[str, Any]] = []
        self.answers: list[bytes] = []
        for value in values:
            try:
                self.messages.append(checked(value))
            except Unreadable as broken:
                self.answers.append(broken.answer)
        self.open: list[object] = [
            one["id"] for one in self.messages if "method" in one and isinstance(one.get("id"), int | str)
        ]


def _key(text: str) -> object:
    """The id of a message that cannot be read because it is nested too deeply: what it holds is left out."""
    outer, depth, quoted, escaped = [], 0, False, False
    for letter in text:
        opens, closes = not quoted and letter in "[{", not quoted and letter in "]}"
        depth -= closes
        if depth <= 1 and not (closes and depth == 1):
            outer.append("null" if opens and depth == 1 else letter)
        depth += opens
        if letter == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and letter == "\\" and not escaped
    try:
        value = whole("".join(outer))
    except (ValueError, StopIteration, RecursionError):
        return None
    return value.get("id") if isinstance(value, dict) else None
