"""rg-hook HARNESS [EVENT]: one payload on stdin, the harness's answer on stdout, exit 0 always.

The hot path: several harnesses wait for this process before every tool call. Nothing is imported and nothing opened
until the payload's bytes say that it may matter; when the payload is whole a clock starts, whose end is the end of
everything; and no failure shows, because a harness may take one for a refusal of the tool call.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from _thread import LockType, allocate_lock, start_new_thread

from rg_core.hook.relevance import may_concern, may_name_document

if "PYTHONPATH" in os.environ:
    __import__("rg_core.isolated")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rg_core.harness.events import Event

INPUT = 10.0  # seconds in which the payload must have come to its end
DEADLINE = 2.0  # seconds from then on; what records in the background, because it had no time, has INPUT again
GRACE = 0.1  # seconds more for an answer that is being written
LOWER = frozenset("abcdefghijklmnopqrstuvwxyz")
NAME = LOWER | frozenset("0123456789_")

SWEEP = "import sys; from rg_core.cli.main import main; sys.exit(main(['sweep']))"

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
            whole = allocate_lock()  # until the payload is
            whole.acquire()
            left: list[bytes] = []  # what came of the payload, while it is not recorded
            start_new_thread(_watch, (whole, answering, text, left))
            raw = _read(left)
            whole.release()
            left.clear()
            if may_concern(raw, event) or may_name_document(raw, os.environ) or _waits(name):
                left.append(raw)
                text, sweep = respond(name, event, raw, os.environ, recorded=left.clear)
                left.clear()
    except BaseException:  # noqa: BLE001, S110 - no failure of ours may show
        pass
    try:
        if answering.acquire(blocking=False):
            _print(text)
            if sweep:
                from rg_core.hook import detached

                detached.start(SWEEP)
    finally:
        os._exit(code)  # saves a millisecond of tidying, and cannot fail


def record_late() -> None:
    """Record the payload on stdin and say nothing; for a hook that had no time (see _hand_over). Ends the process."""
    gc.disable()
    start_new_thread(_end, (INPUT * 6,))
    try:
        name, event = sys.argv[1], sys.argv[2] or None
        respond(name, event, _read([]), os.environ, tells=False)
    finally:
        os._exit(0)


def respond(
    name: str,
    event: str | None,
    raw: bytes,
    environ: Mapping[str, str],
    *,
    tells: bool = True,
    recorded: Callable[[], object] = lambda: None,
) -> tuple[str, bool]:
    """The answer to a payload that may matter, and whether a Sweep should start. Never raises an Exception.

    Args:
        name: the harness, a part of its package's name.
        event: the EVENT argument of rg-hook.
        raw: the payload as it came.
        environ: the environment.
        tells: whether the answer will be heard, so that a note may be given.
        recorded: is called when what the event says is recorded.
    """
    text, sweep = _neutral(name), False
    try:
        from rg_core.harness.events import AgentStarted, PromptSubmitted, SessionStarted
        from rg_core.harness.protocol import Call
        from rg_core.quickjson import loads

        __import__(f"rg_{name}.hook")
        adapter = sys.modules[f"rg_{name}.hook"]
        # From the first brace: Windows puts a byte order mark, and some shells other text, before the payload.
        call = Call(loads(raw.decode("utf-8", "replace")), event, environ)
        text = adapter.answer(call, None)
        happened = adapter.read(call)
        if isinstance(happened, (SessionStarted, AgentStarted)):
            from rg_core.hook.equip import equipped
            from rg_core.hook.nudge import hint

            equipment = equipped(name, happened, environ) if adapter.answer(call, "a note") != text else ""
            text = adapter.answer(call, "\n\n".join(filter(None, (hint(adapter.tool(call)), equipment))))
        elif happened is not None:
            from rg_core.hook.recorder import Hooked, handle

            tells = tells and adapter.answer(call, "a note") != text
            is_prompt, later = isinstance(happened, PromptSubmitted), _tells_later(name)
            nudges = not is_prompt or (getattr(adapter, "NUDGES_PROMPTS", True) and not later)
            told = tells or (is_prompt and later)
            outcome = handle(happened, Hooked(name, environ, adapter.tool(call), told, recorded, nudges))
            note, sweep = outcome.note, outcome.sweep
            if later:
                note = _now_or_later(happened, note, environ, tells=tells)
            text = adapter.answer(call, note)
    except Exception:  # noqa: BLE001, S110 - a payload of no use, a full disk: as if we were not there
        pass
    return text, sweep


def _tells_later(name: str) -> bool:
    """Whether this harness drops what its prompts are told, so that its next tool call is told instead."""
    return getattr(sys.modules[f"rg_{name}"], "PROMPT_NOTES_LATER", False)


def _waits(name: str) -> bool:
    if not _tells_later(name):
        return False
    from rg_core.hook import later

    return later.waits(os.environ)


def _now_or_later(happened: Event, note: str | None, environ: Mapping[str, str], *, tells: bool) -> str | None:
    """The note that can be given now: one of a prompt is kept, one that was kept is given with what can be told."""
    from rg_core.harness.events import PromptSubmitted, SessionEnded
    from rg_core.hook import later

    if isinstance(happened, PromptSubmitted):
        if note:
            later.keep(environ, happened.session, note)
        return None
    if not later.waits(environ) or not (tells or isinstance(happened, SessionEnded)):
        return note
    return "\n".join(filter(None, (note, later.take(environ, happened.session)))) or None


def _neutral(name: str) -> str:
    """What this harness takes for no answer. Imports the adapter's package, which holds nothing else."""
    neutral: str = __import__(f"rg_{name}").NEUTRAL
    return neutral


def within_deadline(name: str, raw: bytes, environ: Mapping[str, str]) -> str:
    """What `respond` answers, for a process that goes on; the neutral answer if that takes longer than DEADLINE.

    What stalls goes on in a thread of its own, and may still record.
    """
    answers = [_neutral(name)]
    done = allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            answers.append(respond(name, None, raw, environ)[0])
        finally:
            done.release()

    start_new_thread(work, ())
    done.acquire(timeout=DEADLINE)
    return answers[-1]


def _watch(whole: LockType, answering: LockType, neutral: str, left: list[bytes]) -> None:
    """Give up when the time has passed. A thread, so that it also works while the file system stalls."""
    if whole.acquire(timeout=INPUT):
        time.sleep(DEADLINE)
    try:
        if answering.acquire(blocking=False):
            _print(neutral)
            if left:  # recorded if it is whole: some keep the pipe open behind it
                _hand_over(b"".join(left))
        else:
            time.sleep(GRACE)
    finally:
        os._exit(0)


def _hand_over(raw: bytes) -> None:
    """Have a process of its own record the payload: the machine is so busy that we had no time, or a disk stalls.

    Nobody waits for it, and it holds none of our files. Windows has no `fork`; there the event is lost.
    """
    name, event = [*sys.argv[1:], ""][:2]
    program = "from rg_core.hook.main import record_late; record_late()"
    source, target = os.pipe()
    if os.fork():
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, file in enumerate((source, nothing, nothing)):
        os.dup2(file, number)
    if os.fork() == 0:
        os.closerange(3, 1024)
        os.execv(sys.executable, [sys.executable, "-P", "-c", program, name, event])  # noqa: S606
    os.close(source)
    os.close(0)
    while raw:
        raw = raw[os.write(target, raw) :]


def _end(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _read(parts: list[bytes]) -> bytes:
    """All of standard input; `parts` has what came while it is not at its end."""
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
