"""Codex's conversations, as 0.171 writes them: sessions/YEAR/MONTH/DAY/rollout-*.jsonl, and archived ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, child, rows, sources, texts, word

CALLS = ("function_call", "custom_tool_call")
ITEMS = {"UserMessage": "person", "AgentMessage": "assistant"}
EVENTS = {"user_message": "person", "agent_message": "assistant"}  # of older versions


def found(place: Place) -> Sequence[Source]:
    """Every rollout; the session is the end of the file's name."""
    home = Path(place.environ.get("CODEX_HOME") or place.home / ".codex")
    files = chain(home.glob("sessions/*/*/*/rollout-*.jsonl"), home.glob("archived_sessions/rollout-*.jsonl"))
    return sources(((path.stem[-36:], path) for path in files), _directory)


def read(source: Source) -> Conversation:
    """One rollout. Its own words to the model stand in `response_item`; a person's are events."""
    told, older, known = Conversation(), Conversation(), 0
    for row in rows(source.path, told):
        kind, payload, at = word(row, "type"), child(row, "payload"), word(row, "timestamp")
        if kind == "session_meta":
            known += 1
            told.directory, told.program = word(payload, "cwd"), word(payload, "cli_version")
            if (word(payload, "thread_source") or "user") != "user" or not isinstance(
                child(payload, "source"), str | None
            ):
                return Conversation(told.directory, told.program)
        elif kind == "event_msg":
            known += 1
            if who := ITEMS.get(word(payload, "item", "type")):
                told.say(who, texts(child(payload, "item", "content"), "text", "Text"), at)
            elif who := EVENTS.get(word(payload, "type")):
                older.say(who, word(payload, "message"), at)
        elif kind == "response_item":
            known += 1
            if word(payload, "type") in CALLS:
                told.tools[word(payload, "name")] += 1
        elif not kind:
            told.skipped += 1
    told.turns = told.turns or older.turns
    return told.require_known(known)


def _directory(path: Path) -> str:
    """Where it was held, by the first row."""
    first: Mapping[str, object] = next(rows(path, Conversation()), {})
    return word(first, "payload", "cwd")
