"""Grok Build's hook payloads and answers, as measured with 1.0.41 and, in part, 1.0.5.

1.0.41 says everything twice, in camelCase and as Claude Code would; 1.0.5 only in camelCase, which is read here. A
note reaches the model only with a tool call, after it ran; 1.0.5 ignores it.
"""

from __future__ import annotations

from rg_core.harness.events import AgentStarted, MemoryRead, PromptSubmitted, SessionEnded, SessionStarted, ToolStarted
from rg_core.harness.protocol import context, own_tool, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "resources-graph__resource"
WITHOUT_MCP = frozenset({"explore"})  # agent types that are not offered MCP tools
MACHINE_MADE = "<system-reminder>"  # a background task ended


def read(call: Call) -> Event | None:
    """The event of a payload. A subagent reports itself as the session; only its start names the parent."""
    payload = call.payload
    match payload:
        case {"hookEventName": str(event), "sessionId": str(session)} if session and "cursor_version" not in payload:
            pass
        case _:
            return None
    agent_type = text(payload, "subagentType")
    agent = session if agent_type else ""
    match event, payload:
        case "pre_tool_use", {"toolName": str(named), "toolInput": given}:
            tool, arguments = _unwrapped(named, given)
            call_id = text(payload, "toolUseId")
            if own := own_tool(tool, RESOURCE):
                return MemoryRead(session, arguments, call_id, agent, agent_type, own)
            return ToolStarted(session, tool, arguments, text(payload, "cwd"), call_id, agent, agent_type)
        case "user_prompt_submit", {"prompt": str(prompt)}:
            if agent or prompt.startswith(MACHINE_MADE):
                return None
            return PromptSubmitted(session, prompt, text(payload, "cwd"), text(payload, "promptId"))
        case "session_start", _:
            return SessionStarted(session, text(payload, "source"), text(payload, "cwd"))
        case "subagent_start", {"subagentId": str(child)}:
            return AgentStarted(session, child, agent_type, text(payload, "cwd"))
        case "session_end", _ if not agent:
            return SessionEnded(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note as additional context of a tool call; output of any other event is discarded by the program."""
    match call.payload:
        case {"hookEventName": "pre_tool_use"} if note and text(call.payload, "subagentType") not in WITHOUT_MCP:
            return context("PreToolUse", note)
    return ""


def tool(call: Call) -> str:
    """The full key of `resource`, which the model passes to `use_tool`."""
    return RESOURCE


def _unwrapped(tool: str, given: object) -> tuple[str, object]:
    """An MCP call's own name and arguments: `use_tool` and the Cursor toolset's CallMcpTool put them one level down."""
    match given:
        case {"server": str(server), "toolName": str(name), "arguments": arguments}:
            return f"{server}__{name}", arguments
        case {"tool_name": str(name), "tool_input": arguments}:
            return name, arguments
    return tool, given
