"""Cursor's hook payloads and answers, as measured with the runtime of @cursor/sdk 1.0.32.

Before a tool call anything but a JSON object denies the call, so every answer is one. Nudges go with postToolUse and
postToolUseFailure, which can block nothing.
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
from rg_core.quickjson import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "MCP:resource"  # hooks are not told the server's name
ARGUMENTS = {"resource": "address", "recall": "query", "cite": "memory", "remember": "text"}
NEUTRAL = "{}"
TAKES_NOTE = frozenset({"beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "sessionStart"})
# A prompt is told what its documents build on; of GitHub's material the call that fetches it is told.
NUDGES_PROMPTS = False


def read(call: Call) -> Event | None:
    """The event of a payload; beforeShellExecution and beforeMCPExecution tell the same calls again and are ignored."""
    payload = call.payload
    match payload:
        case {"cursor_version": str(), "conversation_id": str(session), "hook_event_name": str(event)} if session:
            pass
        case _:
            return None
    agent = text(payload, "parent_tool_call_id")
    match event, payload:
        case "preToolUse", {"tool_name": str(tool), "tool_input": given}:
            call_id = text(payload, "tool_use_id")
            if own := _own_tool(tool, given):
                return MemoryRead(session, given, call_id, agent, "", own)
            return ToolStarted(session, tool, given, _cwd(call), call_id, agent)
        case "postToolUse" | "postToolUseFailure", {"tool_name": str(tool), "tool_input": given}:
            if _own_tool(tool, given):
                return None
            return ToolEnded(session, tool, given, _cwd(call), text(payload, "tool_use_id"), agent)
        case "beforeSubmitPrompt", {"prompt": str(prompt)}:
            generation = text(payload, "generation_id")  # the SDK repeats the conversation here
            return PromptSubmitted(session, prompt, _cwd(call), generation if generation != session else "")
        case "sessionStart", _:
            return SessionStarted(session, cwd=_cwd(call))
        case "subagentStart", {"subagent_id": str(child)}:
            return AgentStarted(session, child, text(payload, "subagent_type"), _cwd(call))
        case "sessionEnd", _:
            return SessionEnded(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note as additional context of an event that cannot block, else an empty object."""
    if not note or "cursor_version" not in call.payload or text(call.payload, "hook_event_name") not in TAKES_NOTE:
        return NEUTRAL
    return f'{{"additional_context": {quote(note)}}}'


def tool(call: Call) -> str:
    """The name of `resource` in the model's list."""
    return "resources-graph-resource"


def _own_tool(tool: str, given: object) -> str:
    """Which of our tools this is; a tool of that name without its argument is another server's."""
    own = own_tool(tool, RESOURCE)
    return own if own and isinstance(given, dict) and ARGUMENTS[own] in given else ""


def _cwd(call: Call) -> str:
    """The call's directory; the IDE and the CLI often leave it empty, then the workspace."""
    match call.payload:
        case {"cwd": str(cwd)} if cwd:
            return cwd
        case {"workspace_roots": [str(root), *_]}:
            return root
    return ""
