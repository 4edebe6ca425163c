"""Copilot CLI's conversations, as 1.0.102 writes them: session-state/<id>/events.jsonl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, child, rows, sources, word


def found(place: Place) -> Sequence[Source]:
    """Every session."""
    home = Path(place.environ.get("COPILOT_HOME") or place.home / ".copilot")
    return sources((path.parent.name, path) for path in home.glob("session-state/*/events.jsonl"))


def read(source: Source) -> Conversation:
    """One session; rows with an agentId are a subagent's."""
    told, known = Conversation(), 0
    for row in rows(source.path, told):
        kind, data, at = word(row, "type"), child(row, "data"), word(row, "timestamp")
        known += kind.startswith(("session.", "user.", "assistant."))
        if not kind:
            told.skipped += 1
        elif kind == "session.start":
            told.directory = told.directory or word(data, "context", "cwd")
            told.program = told.program or word(data, "copilotVersion")
        elif row.get("agentId"):
            continue
        elif kind == "user.message":
            told.say("person", word(data, "content"), at)
        elif kind == "assistant.message":
            told.say("assistant", word(data, "content"), at)
        elif kind == "tool.execution_start":
            told.tools[word(data, "toolName")] += 1
    return told.require_known(known)
