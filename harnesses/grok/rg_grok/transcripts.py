"""Grok Build's conversations, as 1.0.41 writes them: sessions/<directory>/<id>/chat_history.jsonl and summary.json."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rg_core import files
from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, rows, sources, texts, word

QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
KINDS = ("system", "user", "assistant", "tool_result")


def found(place: Place) -> Sequence[Source]:
    """Every session."""
    home = Path(place.environ.get("GROK_HOME") or place.home / ".grok")
    files = home.glob("sessions/*/*/chat_history.jsonl")
    return sources(((path.parent.name, path) for path in files), lambda path: word(_summary(path), "info", "cwd"))


def read(source: Source) -> Conversation:
    """One session; times of single turns are not kept, so all have the session's."""
    summary = _summary(source.path)
    told, known = Conversation(word(summary, "info", "cwd")), 0
    if word(summary, "session_kind") == "subagent":
        return told
    at = word(summary, "created_at")
    for row in rows(source.path, told):
        kind = word(row, "type")
        known += kind in KINDS
        told.skipped += kind not in KINDS
        if kind == "user" and row.get("prompt_index") is not None and not row.get("synthetic_reason"):
            for said in QUERY.findall(texts(row.get("content"), "text")):
                told.say("person", said, at)
        elif kind == "assistant":
            told.say("assistant", texts(row.get("content"), "text"), at)
            calls = row.get("tool_calls")
            told.tools.update(_tool(call) for call in (calls if isinstance(calls, list) else ()))
    return told.require_known(known)


def _tool(call: object) -> str:
    """A tool's own name: those of MCP servers are called by `use_tool`."""
    name = word(call, "name")
    if name != "use_tool":
        return name
    try:
        return word(json.loads(word(call, "arguments")), "tool_name") or name
    except ValueError:
        return name


def _summary(path: Path) -> Any:
    """What stands beside a conversation about it."""
    try:
        return json.loads(files.read(str(path.parent / "summary.json")) or b"")
    except (OSError, ValueError, RecursionError):
        return None
