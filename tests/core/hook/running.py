"""Running rg-hook as a harness does, and payloads as Claude Code sends them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rg_core
from rg_core import paths
from rg_core.config import set_values
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known
from rg_core.touches.touch import Touch

SCRIPT = Path(rg_core.__file__).parents[1] / "rg-hook"
SESSION = "edfc7215-8ecb-4dd5-b925-d7fb4913f479"


# The hook without its deadline, for tests of what it does rather than of when it gives up.
PATIENT = "from rg_core.hook import main as hook; hook.INPUT = hook.DEADLINE = 60; hook.main()"


def command(*arguments: str) -> list[str]:
    """The program as harnesses start it."""
    return [sys.executable, str(SCRIPT), *arguments]


def patient(*arguments: str) -> list[str]:
    """The same, for tests of what it does rather than of how long it takes."""
    return [sys.executable, "-c", PATIENT, *arguments]


def run_hook(environ: Mapping[str, str], payload: object, *arguments: str, **more: Any) -> str:
    """What one hook call answers; it must exit 0 and be silent on stderr."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        patient(*(arguments or ("claude_code",))),
        input=data,
        env=environ,
        capture_output=True,
        **{"timeout": 90} | more,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    answer: str = done.stdout.decode()
    return answer


def note(answer: str) -> str:
    """The text for the model in an answer of Claude Code's; "" where there is none."""
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def payload(event: str, **more: object) -> dict[str, object]:
    common = {"session_id": SESSION, "transcript_path": "/home/dev/t.jsonl", "cwd": "/home/dev/project"}
    return {**common, "hook_event_name": event, **more}


def shell(line: str, call_id: str = "toolu_1", **more: object) -> dict[str, object]:
    given = {"tool_name": "Bash", "tool_input": {"command": line, "description": "d"}, "tool_use_id": call_id}
    return payload("PreToolUse", **given | more)


def identified(home: Mapping[str, str], **values: Any) -> TouchLog:
    """A home with an identity and these config values; keys have _ for the dot."""
    settings = {key.replace("_", ".", 1): value for key, value in values.items()}
    set_values(home, {"identity.user_id": "ann", **settings})
    return TouchLog(paths.outbox_file(home))


def explored(log: TouchLog) -> list[str]:
    """What ann explored, oldest first."""
    return [touch.address for touch in reversed(log.touches("ann"))]


def only(log: TouchLog) -> Touch:
    (touch,) = log.touches("ann")
    return touch


def known(address: str, **more: Any) -> Known:
    order = "created-desc" if "?" in address else ""
    return Known(address, order, "2026-11-29T20:00:00Z", "2026-11-28T20:00:00Z", **more)


def everything_below(directory: str) -> bytes:
    """All bytes of all files there."""
    return b"".join(path.read_bytes() for path in sorted(Path(directory).rglob("*")) if path.is_file())
