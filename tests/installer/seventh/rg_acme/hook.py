"""Acme's payloads and answers."""

from __future__ import annotations

from rg_core.harness.events import SessionStarted, ToolStarted
from rg_core.quickjson import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call


def read(call: Call) -> Event | None:
    """What happened."""
    match call.payload:
        case {"acme": "before", "run": str(line), "session": str(session)}:
            return ToolStarted(session, "Bash", {"command": line}, "/")
        case {"acme": "begin", "session": str(session)}:
            return SessionStarted(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """Acme shows the model what a hook says."""
    return f'{{"say": {quote(note)}}}' if note and "acme" in call.payload else ""


def tool(call: Call) -> str:
    """The name of `resource` in Acme."""
    return "acme.resource"
