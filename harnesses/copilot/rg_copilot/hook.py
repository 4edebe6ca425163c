"""Copilot CLI's hook payloads and answers, as measured with 1.0.102 and, in part, 1.0.24 to 1.0.92.

A payload is camelCase or snake_case after the spelling of the event in the hook file, and only the second names its
event: the first needs the EVENT argument of rg-hook. preToolUse fails closed, so an answer there is rare and plain.
"""

from __future__ import annotations

from rg_core.harness.events import (
    AgentStarted,
    MemoryRead,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolEnded,
    ToolStarted,
)
from rg_core.harness.protocol import own_tool, text
from rg_core.quickjson import loads, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "resources-graph-resource"
WITHOUT_MCP = frozenset({"explore"})  # agent types that are not offered MCP tools
POST_TAKES_NOTE = (1, 0, 51)  # from this version on, a note of postToolUse reaches the model
PROMPT_TAKES_NOTE = (1, 0, 65)  # and one of userPromptSubmitted, of the last hook that gives one
# So a prompt is told what its documents build on, once in a session, and nothing else.
NUDGES_PROMPTS = False
# A prompt of the program's own; a background agent or command ended.
MACHINE_MADE = "<system_notification>"
# Up to 1.0.75 a subagent's session id is the id of the tool call that started it, and nothing else tells it.
CALL_IDS = ("call_", "toolu_")


def read(call: Call) -> Event | None:
    """The event of a payload in either spelling, of any version."""
    payload = call.payload
    if not _own(payload):
        return None
    own, cwd = text(payload, "sessionId", "session_id"), text(payload, "cwd")
    agent = text(payload, "agentId", "agent_id") or (own if own.startswith(CALL_IDS) else "")
    # A subagent reports itself as the session; its parent is the session, or at least nearer to it.
    session = text(payload, "parentAgentId", "parent_agent_id") or own
    agent_type = text(payload, "agentType", "agent_type")
    match _event(call), payload:
        case "preToolUse", {"toolName": str(tool), "toolArgs": given} | {"tool_name": str(tool), "tool_input": given}:
            if ours := own_tool(tool, RESOURCE):
                return MemoryRead(session, _input(given), "", agent, agent_type, ours)
            return ToolStarted(session, tool, _input(given), cwd, "", agent, agent_type)
        case (
            "postToolUse" | "postToolUseFailure",
            {"toolName": str(tool), "toolArgs": given} | {"tool_name": str(tool), "tool_input": given},
        ) if not own_tool(tool, RESOURCE):
            return ToolEnded(session, tool, _input(given), cwd, "", agent, agent_type)
        case "userPromptSubmitted", {"prompt": str(prompt)} if not agent and not prompt.startswith(MACHINE_MADE):
            return PromptSubmitted(session, prompt, cwd)
        case "sessionStart", _:
            return SessionStarted(session, text(payload, "source"), cwd)
        case "subagentStart", _ if agent:
            return AgentStarted(session, agent, agent_type, cwd)
        case "sessionEnd", _:
            return SessionEnded(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note as flat additional context where this version shows it; never null, which it would show literally."""
    if not note or not _own(call.payload) or not _shows(call):
        return ""
    return f'{{"additionalContext": {quote(note)}}}'


def tool(call: Call) -> str:
    """The name of `resource`."""
    return RESOURCE


def _own(payload: Mapping[str, Any]) -> bool:
    """Whether Copilot CLI made this payload: only it, Grok and VS Code stamp the time, and those name hookEventName."""
    match payload:
        case {"cursor_version": _} | {"hookEventName": _}:
            return False
        case {"timestamp": int() | str(), "sessionId": str(session)} | {"timestamp": str(), "session_id": str(session)}:
            return session != ""
    return False


def _event(call: Call) -> str:
    """The event in its camelCase name; told from the payload's shape where neither it nor the command names it."""
    payload = call.payload
    if name := text(payload, "hook_event_name", "hookName") or call.event:
        name = name[:1].lower() + name[1:]
        return "userPromptSubmitted" if name == "userPromptSubmit" else name
    match payload:
        case {"serverName": _} | {"transformedPrompt": _} | {"toolInput": _}:
            return ""
        case {"toolName": _, "toolResult": _}:
            return "postToolUse"
        case {"toolName": _, "error": _}:
            return "postToolUseFailure"
        case {"toolName": _}:
            return "preToolUse"
        case {"prompt": _}:
            return "userPromptSubmitted"
        case {"source": _}:
            return "sessionStart"
        case {"agentName": _} if "stopReason" not in payload:
            return "subagentStart"
        case {"reason": _}:
            return "sessionEnd"
    return ""


def _shows(call: Call) -> bool:
    """Whether a note given now reaches the model, at the one place of a call where it should.

    After a call, where that version shows it; before it in older ones.
    """
    if text(call.payload, "agentType", "agent_type") in WITHOUT_MCP:
        return False
    match _event(call):
        case "sessionStart" | "subagentStart":
            return True
        case "postToolUse" | "postToolUseFailure":
            return _version(call.environ) >= POST_TAKES_NOTE
        case "preToolUse":
            return _version(call.environ) < POST_TAKES_NOTE
        case "userPromptSubmitted":
            return _version(call.environ) >= PROMPT_TAKES_NOTE
    return False


def _version(environ: Mapping[str, str]) -> tuple[int, ...]:
    """The program's version; one that does not say is taken for a current one."""
    parts = environ.get("COPILOT_CLI_BINARY_VERSION", "").split("-")[0].split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else PROMPT_TAKES_NOTE


def _input(given: object) -> object:
    """Arguments: an object from 1.0.85 on, JSON in a string up to 1.0.75; apply_patch has plain text."""
    if isinstance(given, str) and given.startswith("{"):
        try:
            return loads(given)
        except (ValueError, StopIteration, RecursionError):
            return given
    return given
