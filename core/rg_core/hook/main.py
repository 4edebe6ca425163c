"""rg-hook HARNESS [EVENT]: one payload on stdin, the harness's answer on stdout, exit 0 always.

The hot path: several harnesses wait for this process before every tool call. Nothing is imported and nothing opened
until the payload's bytes say that it may matter; one deadline is over everything; and no failure shows, because a
harness may take one for a refusal of the tool call.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from _thread import LockType, allocate_lock, start_new_thread

from rg_core.hook.relevance import may_concern

if "PYTHONPATH" in os.environ:
    __import__("rg_core.isolated")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE = 0.25  # seconds for everything, reading stdin included
LATEST = 1.0  # seconds for a hook that gets on, but slowly: the machine is too busy for it
LOOK = 0.2  # seconds in which a hook that gets on computes, whatever else the machine does, ...
MOVES = 0.0005  # ... for so many seconds; one that waits for a lock or a file takes less
GRACE = 0.1  # seconds more for an answer that is being written
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
NAME = LOWER | frozenset("0123456789_")


HELP = """\
usage: rg-hook HARNESS [EVENT]

Notes which GitHub material a tool call or a prompt names. Coding agents run it, as `rg-install` tells them to: one
payload on standard input, the agent's answer on standard output, exit code 0 always.
"""


def main() -> None:
    """Answer one hook call. Ends the process with exit code 0, whatever happens; 1 if this harness is not installed."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(HELP, end="")
        return
    gc.disable()  # nothing here lives long enough to be collected
    answering = allocate_lock()  # who has it answers: this thread, or the one that watches the clock
    text, sweep, code = "", False, 0
    try:
        name, event = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
        if name[:1] in LOWER and NAME.issuperset(name):
            code = 1  # while the neutral answer is not known: the line that calls us has it too
            text, code = _neutral(name), 0
            start_new_thread(_watch, (answering, text))
            raw = _read()
            if may_concern(raw, event):
                text, sweep = respond(name, event, raw, os.environ, ending=True)
    except BaseException:  # noqa: BLE001, S110 - no failure of ours may show
        pass
    try:
        if answering.acquire(blocking=False):
            _print(text)
            if sweep:
                _start_sweep()
    finally:
        os._exit(code)  # saves a millisecond of tidying, and cannot fail


def respond(
    name: str, event: str | None, raw: bytes, environ: Mapping[str, str], *, ending: bool = False
) -> tuple[str, bool]:
    """The answer to a payload that may matter, and whether a Sweep should start. Never raises an Exception.

    Args:
        name: the harness, a part of its package's name.
        event: the EVENT argument of rg-hook.
        raw: the payload as it came.
        environ: the environment.
        ending: the process ends right after this.
    """
    text, sweep = _neutral(name), False
    try:
        from rg_core.harness.events import AgentStarted, SessionStarted
        from rg_core.harness.protocol import Call
        from rg_core.quickjson import loads

        __import__(f"rg_{name}.hook")
        adapter = sys.modules[f"rg_{name}.hook"]
        # From the first brace: Windows puts a byte order mark, and some shells other text, before the payload.
        call = Call(loads(raw.decode("utf-8", "replace")), event, environ)
        text = adapter.answer(call, None)
        happened = adapter.read(call)
        if isinstance(happened, (SessionStarted, AgentStarted)):  # a Hint is the same for everybody: nothing is opened
            from rg_core.hook.nudge import hint

            text = adapter.answer(call, hint(adapter.tool(call)))
        elif happened is not None:
            from rg_core.hook.recorder import Hooked, handle

            tells = adapter.answer(call, "a note") != text
            outcome = handle(happened, Hooked(name, environ, adapter.tool(call), tells), ending=ending)
            text = adapter.answer(call, outcome.note)
            sweep = outcome.sweep
    except Exception:  # noqa: BLE001, S110 - a payload of no use, a locked file, a full disk: as if we were not there
        pass
    return text, sweep


def _neutral(name: str) -> str:
    """What this harness takes for no answer. Imports the adapter's package, which holds nothing else."""
    neutral: str = __import__(f"rg_{name}").NEUTRAL
    return neutral


def _watch(answering: LockType, neutral: str) -> None:
    """Give up when the deadline has passed. A thread, so that it also works while the file system or a lock stalls.

    On a machine that is too busy, a hook that still computes is let finish: to give up what is nearly done would lose
    a Touch and spare nobody any time.
    """
    latest = time.monotonic() + LATEST
    time.sleep(DEADLINE - LOOK)
    spent = -MOVES
    while time.process_time() - spent >= MOVES and time.monotonic() < latest:
        spent = time.process_time()
        time.sleep(LOOK)
    if answering.acquire(blocking=False):
        _print(neutral)
    else:
        time.sleep(GRACE)
    os._exit(0)


def _read() -> bytes:
    parts = []
    while part := os.read(0, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _print(text: str) -> None:
    """Write the whole answer to stdout; a closed one is nobody's loss."""
    try:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass


def _start_sweep() -> None:
    """Start a Sweep that outlives us and the session, and holds none of our files: some harnesses wait for those."""
    from subprocess import DEVNULL, Popen

    program = "import sys; from rg_core.cli.main import main; sys.exit(main(['sweep']))"
    Popen(
        [sys.executable, "-c", program],
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        close_fds=True,
        start_new_session=True,
        cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else None,
    )
