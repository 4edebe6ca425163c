"""Hooks that ask the running MCP server instead of starting rg-hook (`rg-install --fast-hooks`).

Claude Code's and Codex's `mcp_tool` hooks call a tool with texts made from the payload's fields. The tool is not in the
list of tools: no model sees it. The front desk answers it, so that the MCP SDK is not started for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rg_core.harness.tool_names import CLIENTS
from rg_core.hook.main import within_deadline
from rg_core.hook.relevance import may_concern, may_name_document

TOOL = "hook"


def answer(arguments: Mapping[str, Any], meta: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """What rg-hook would print for the payload that these arguments stand for, within the same time; never raises.

    The arguments are the payload's own fields; `harness` names the adapter, `command` stands for a shell call's input.
    A field that the harness had no value for is empty or still a placeholder, and left out. Codex fails a hook for
    such a field, so its entry asks for none, and a subagent is told by the thread in the call's `_meta`.
    """
    name = arguments.get("harness")
    if name not in [harness for harness, _ in CLIENTS.values()]:
        return ""
    payload = {key: value for key, value in arguments.items() if key != "harness" and _given(value)}
    if isinstance(command := payload.pop("command", None), str):
        payload["tool_input"] = {"command": command}
    elif isinstance(text := payload.get("tool_input"), str):
        try:
            payload["tool_input"] = json.loads(text)
        except (ValueError, RecursionError):
            payload["tool_input"] = text
    thread = meta.get("threadId")
    if isinstance(thread, str) and thread != payload.get("session_id"):
        payload.setdefault("agent_id", thread)
    try:
        raw = json.dumps(payload).encode()
    except RecursionError:
        return ""
    if not (may_concern(raw) or may_name_document(raw, environ)):
        return ""
    return within_deadline(str(name), raw, environ)


def _given(value: object) -> bool:
    return value not in ("", None) and not (isinstance(value, str) and value.startswith("${") and value.endswith("}"))
