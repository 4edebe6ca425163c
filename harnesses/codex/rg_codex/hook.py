"""Codex's hook payloads and answers, as measured with 0.171.0.

Its output schema is strict: a field it does not know voids the whole answer. A note given before a tool call reaches
the model as a developer message beside the call's output.
"""

from __future__ import annotations

from rg_core.harness.events import AgentStarted, MemoryRead, PromptSubmitted, SessionEnded, SessionStarted, ToolStarted
from rg_core.harness.protocol import context, own_tool, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "mcp__resources_graph__resource"
TAKES_NOTE = frozenset({"PreToolUse", "SessionStart", "SubagentStart", "UserPromptSubmit"})
# A prompt is told what its documents build on; of GitHub's material the call that fetches it is told.
NUDGES_PROMPTS = False


def read(call: Call) -> Event | None:
    """The event of a payload; code-mode calls (tool_use_id "exec-...") look like direct ones."""
    payload = call.payload
    if not _own(payload):
        return None
    agent, agent_type = text(payload, "agent_id"), text(payload, "agent_type")
    match payload:
        case {"hook_event_name": "PreToolUse", "session_id": str(session), "tool_name": str(tool), "tool_input": given}:
            call_id = text(payload, "tool_use_id")
            if own := own_tool(tool, RESOURCE):
                return MemoryRead(session, given, call_id, agent, agent_type, own)
            # cwd is the call's own working directory where the model named one
            return ToolStarted(session, tool, given, text(payload, "cwd"), call_id, agent, agent_type)
        case {"hook_event_name": "UserPromptSubmit", "session_id": str(session), "prompt": str(prompt)}:
            if agent:  # multi-agent v1 submits the task that the model wrote as a prompt
                return None
            return PromptSubmitted(session, prompt, text(payload, "cwd"), text(payload, "turn_id"))
        case {"hook_event_name": "SessionStart", "session_id": str(session)}:
            return SessionStarted(session, text(payload, "source"), text(payload, "cwd"))
        case {"hook_event_name": "SubagentStart", "session_id": str(session)} if agent:
            return AgentStarted(session, agent, agent_type, text(payload, "cwd"))
        case {"hook_event_name": "SessionEnd", "session_id": str(session)}:
            return SessionEnded(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note as additional context, or nothing: an empty note would become an empty message to the model."""
    event = text(call.payload, "hook_event_name")
    if not note or event not in TAKES_NOTE or not _own(call.payload):
        return ""
    if call.payload.get("source") == "resume":  # what was said is in the history that was resumed
        return ""
    return context(event, note)


def tool(call: Call) -> str:
    """The name of `resource`: hyphens of a server's name become underscores here."""
    return RESOURCE


def _own(payload: Mapping[str, Any]) -> bool:
    """Whether Codex made this payload; Claude Code's differ only by their lack of a turn."""
    match payload:
        case {"cursor_version": _} | {"hookEventName": _} | {"prompt_id": _} | {"timestamp": _}:
            return False
        case {"session_id": "" | None}:
            return False
        case {"turn_id": str()}:
            return True
        case {"hook_event_name": "SessionStart", "model": str(), "permission_mode": str()}:
            return True
        case {"hook_event_name": "SessionEnd", "reason": "other"}:
            transcript = payload.get("transcript_path")  # null for an ephemeral session
            return transcript is None or "/rollout-" in str(transcript).replace("\\", "/")
    return False
