"""Claude Code's hook payloads and answers, as measured with 2.1.332 and 2.1.197, in part 2.0.76 to 2.1.123.

A note given with PreToolUse reaches the model beside the call's result, from 2.1.9 on; the permission of the call is
untouched by it. Cursor, Grok Build and Copilot CLI run Claude Code's hooks too, with payloads of their own.
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
from rg_core.harness.protocol import context, own_tool, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rg_core.harness.events import Event
    from rg_core.harness.protocol import Call

RESOURCE = "mcp__resources-graph__resource"
PLUGIN_RESOURCE = "mcp__plugin_resources-graph_resources-graph__resource"
TAKES_NOTE = frozenset({"PreToolUse", "SessionStart", "SubagentStart", "UserPromptSubmit"})
# A prompt is told what its documents build on; of GitHub's material the call that fetches it is told.
NUDGES_PROMPTS = False
# Built-in agents of 2.1.332 that have a list of tools of their own, without any of an MCP server.
WITHOUT_MCP = frozenset({"claude-code-guide", "comment-thread-analyst", "statusline-setup"})
# Prompts of the program's own: a background agent or command ended, or what a local command printed.
MACHINE_MADE = ("<task-notification>", "<system-reminder>", "<local-command-", "<bash-stdout>", "<bash-stderr>")


def read(call: Call) -> Event | None:
    """The event of a payload. The id of a subagent is there from 2.1.123 on, that of a prompt from 2.1.197 on."""
    payload = call.payload
    if not _own(payload):
        return None
    agent, agent_type, cwd = text(payload, "agent_id"), text(payload, "agent_type"), text(payload, "cwd")
    match payload:
        case {"hook_event_name": "PreToolUse", "session_id": session, "tool_name": str(tool), "tool_input": given}:
            call_id = text(payload, "tool_use_id")
            if own := _own_tool(tool):
                return MemoryRead(session, given, call_id, agent, agent_type, own)
            return ToolStarted(session, tool, given, cwd, call_id, agent, agent_type)
        case {
            "hook_event_name": "PostToolUse" | "PostToolUseFailure",
            "session_id": session,
            "tool_name": str(tool),
            "tool_input": given,
        } if not _own_tool(tool):
            return ToolEnded(session, tool, given, cwd, text(payload, "tool_use_id"), agent, agent_type)
        case {"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": str(prompt)}:
            if agent or prompt.lstrip().startswith(MACHINE_MADE):
                return None
            return PromptSubmitted(session, prompt, cwd, text(payload, "prompt_id"))
        case {"hook_event_name": "SessionStart", "session_id": session}:
            return SessionStarted(session, text(payload, "source"), cwd)
        case {"hook_event_name": "SubagentStart", "session_id": session} if agent:
            return AgentStarted(session, agent, agent_type, cwd)
        case {"hook_event_name": "SessionEnd", "session_id": session}:
            return SessionEnded(session)
    return None


def answer(call: Call, note: str | None) -> str:
    """The note as additional context, or nothing."""
    event = text(call.payload, "hook_event_name")
    if not note or event not in TAKES_NOTE or not _own(call.payload):
        return ""
    if text(call.payload, "agent_type") in WITHOUT_MCP:
        return ""
    return context(event, note)


def tool(call: Call) -> str:
    """The name of `resource`: another one where this hook, and so its MCP server, came with the plugin."""
    return PLUGIN_RESOURCE if "CLAUDE_PLUGIN_ROOT" in call.environ else RESOURCE


def _own_tool(tool: str) -> str:
    return own_tool(tool, RESOURCE) or own_tool(tool, PLUGIN_RESOURCE)


def _own(payload: Mapping[str, Any]) -> bool:
    """Whether Claude Code made this payload.

    Cursor's has cursor_version, Grok's hookEventName, Copilot's a timestamp, Codex's a turn or, for a session,
    a permission mode or a rollout as its transcript.
    """
    match payload:
        case {"cursor_version": _} | {"hookEventName": _} | {"timestamp": _} | {"turn_id": _}:
            return False
        case {"hook_event_name": "SessionStart", "permission_mode": _}:
            return False
        case {"session_id": str(session), "hook_event_name": str()}:
            return session != "" and "/rollout-" not in text(payload, "transcript_path").replace("\\", "/")
    return False
