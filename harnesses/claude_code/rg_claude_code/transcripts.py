"""Claude Code's conversations, as 2.1.332 writes them: projects/<directory>/<session>.jsonl."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, child, rows, sources, texts, word

MACHINE_MADE = ("<command-name>", "<local-command-", "<task-notification>", "<system-reminder>")
BEGIN = 100  # characters of a directory in the name of its folder; the end of long ones is another
NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary")


def found(place: Place) -> Sequence[Source]:
    """The sessions' files, of the place's project alone where it has one: their folders begin with its name.

    Subagents have folders of their own, which are not looked into.
    """
    home = Path(place.environ.get("CLAUDE_CONFIG_DIR") or place.home / ".claude")
    begin = re.sub(r"[^A-Za-z0-9]", "-", str(place.project))[:BEGIN] if place.project else ""
    return sources((path.stem, path) for path in home.glob(f"projects/{begin}*/*.jsonl"))


def read(source: Source) -> Conversation:
    """One session."""
    told, known = Conversation(), 0
    for row in rows(source.path, told):
        told.directory = told.directory or word(row, "cwd")
        told.program = told.program or word(row, "version")
        kind, content, at = row.get("type"), child(row, "message", "content"), word(row, "timestamp")
        if not isinstance(kind, str) or (kind in ("user", "assistant") and content is None):
            told.skipped += 1
            continue
        known += kind in ("user", "assistant", "attachment", "system", "summary", "queue-operation")
        if any(row.get(mark) for mark in NOT_SAID):
            continue
        blocks = content if isinstance(content, list) else []
        if kind == "assistant":
            told.say("assistant", texts(content, "text"), at)
            told.tools.update(word(block, "name") for block in blocks if word(block, "type") == "tool_use")
        elif kind == "user" and not any(word(block, "type") == "tool_result" for block in blocks):
            text = texts(content, "text")
            if not text.lstrip().startswith(MACHINE_MADE):
                told.say("person", text, at)
    return told.require_known(known)
