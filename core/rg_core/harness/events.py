"""What a harness can tell us, as a closed union. An adapter maps its payload to one of these or to None.

A field that some harness lacks has a default and names who lacks it.
"""

from __future__ import annotations

from rg_core.record import record


@record
class ToolStarted:
    """The model is about to call a tool: the source of a FETCHED Touch."""

    session: str
    tool: str
    input: object
    cwd: str
    tool_use_id: str = ""  # lacking: Grok's and Copilot's older payloads
    agent: str = ""  # "" is the main agent; lacking: Claude Code <= 2.1.9, Cursor
    agent_type: str = ""


@record
class ToolEnded:
    """A tool call came back: where a harness can show a Nudge only after the call (Copilot, Cursor, OpenCode)."""

    session: str
    tool: str
    input: object
    cwd: str
    tool_use_id: str = ""
    agent: str = ""
    agent_type: str = ""


@record
class MemoryRead:
    """The model is about to call one of our own tools; tells the MCP server whose call it will be."""

    session: str
    input: object
    tool_use_id: str = ""
    agent: str = ""
    agent_type: str = ""
    tool: str = "resource"  # or recall, cite, remember


@record
class PromptSubmitted:
    """A person wrote a prompt: the source of PROMPTED Touches. Never a prompt made by the program."""

    session: str
    text: str
    cwd: str = ""
    prompt_id: str = ""  # lacking: all but Claude Code >= 2.1.197, Codex, OpenCode
    agent: str = ""


@record
class SessionStarted:
    """A session began or went on: the place of a Hint."""

    session: str
    source: str = ""  # startup, resume, clear, compact, fork: the harness's word
    cwd: str = ""


@record
class AgentStarted:
    """A subagent began: the place of its own Hint."""

    session: str
    agent: str
    agent_type: str = ""
    cwd: str = ""


@record
class SessionEnded:
    """A session ended: the moment for a detached Sweep when `sweep.auto` is on."""

    session: str


Event = ToolStarted | ToolEnded | MemoryRead | PromptSubmitted | SessionStarted | AgentStarted | SessionEnded
