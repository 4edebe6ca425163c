"""What the OpenCode plugin (plugin.js) sends and gets, for OpenCode 1.18.33.

OpenCode runs no commands: its hooks are functions of a plugin, and ours hands their two objects on as {"hook",
"input", "output"}, without what a tool returned, adding "directory" and, of a subagent, "parentID" and "agent".
The answer is {"note": ...}, which the plugin puts in front of the tool's result.
"""

from __future__ import annotations

from rg_core.harness.events import AgentStarted, MemoryRead, PromptSubmitted, SessionEnded, SessionStarted, ToolStarted
from rg_core.harness.protocol import own_tool, text
from rg_core.quickjson import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "resources-graph_resource"
SUBAGENTS = frozenset({"explore", "general"})  # the built-in ones; their prompts are written by the model
WITHOUT_MCP = frozenset({"explore"})  # is offered MCP tools only if the user's permissions name them


def read(call: Call) -> Event | None:
    """The event of a payload."""
    payload = call.payload
    cwd, parent = text(payload, "directory"), text(payload, "parentID")
    match payload:
        case {
            "hook": "tool.execute.before",
            "input": {"tool": str(tool), "sessionID": str(own), "callID": str(call_id)},
            "output": {"args": given},
        } if own:
            agent, agent_type = (own, text(payload, "agent")) if parent else ("", "")
            if ours := own_tool(tool, RESOURCE):
                return MemoryRead(parent or own, given, call_id, agent, agent_type, ours)
            return ToolStarted(parent or own, tool, given, _cwd(given, cwd), call_id, agent, agent_type)
        case {
            "hook": "chat.message",
            "input": {"sessionID": str(own)},
            "output": {"message": {"id": str(message)}, "parts": [*parts]},
        } if own and not parent and text(payload["input"], "agent") not in SUBAGENTS:
            return PromptSubmitted(own, _typed(parts), cwd, message)
        case {
            "hook": "event",
            "input": {"event": {"type": "session.created", "properties": {"info": {"id": str(own), **of}}}},
        } if own and not of.get("parentID"):
            return AgentStarted(parent, own, text(payload, "agent"), cwd) if parent else SessionStarted(own, cwd=cwd)
        case {"hook": "dispose", "input": {"sessionID": str(own)}} if own:
            return SessionEnded(own)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note for the plugin, or nothing; the plugin knows where to put it."""
    if not note or read(call) is None or text(call.payload, "agent") in WITHOUT_MCP:
        return ""
    return f'{{"note": {quote(note)}}}'


def tool(call: Call) -> str:
    """The name of `resource`."""
    return RESOURCE


def _cwd(given: object, directory: str) -> str:
    """Where the call runs: bash takes a directory of its own."""
    match given:
        case {"workdir": str(workdir)} if workdir:
            return workdir if workdir.startswith("/") or not directory else f"{directory}/{workdir}"
    return directory


def _typed(parts: list[object]) -> str:
    """What the person typed: OpenCode adds the content of attached files as synthetic parts."""
    typed = []
    for part in parts:
        match part:
            case {"type": "text", "text": str(words), **of} if not of.get("synthetic") and not of.get("ignored"):
                typed.append(words)
    return "\n".join(typed)
