"""Cursor's conversations (CLI and IDE): projects/<slug>/agent-transcripts/<id>/<id>.jsonl.

By what public readers of these files do; not seen from the program itself. They keep neither times nor a directory:
the slug is the directory with everything but letters and digits as hyphens. The SDK leaves no prompts to import.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, child, rows, sources, texts, word

QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
KNOWN = ("turn_ended",)


def found(place: Place) -> Sequence[Source]:
    """Every conversation of the place's project: only the folder's name says whose they are."""
    home = Path(place.environ.get("CURSOR_DATA_DIR") or place.home / ".cursor")
    slug = re.sub(r"[^A-Za-z0-9]+", "-", str(place.project)).strip("-") if place.project else "*"
    files = home.glob(f"projects/{slug}/agent-transcripts/*/*.jsonl")
    own = ((path.stem, path) for path in files if path.stem == path.parent.name)
    return sources(own, lambda path: str(place.project or ""))


def read(source: Source) -> Conversation:
    """One conversation."""
    told, known = Conversation(), 0
    for row in rows(source.path, told):
        role, content = word(row, "role"), child(row, "message", "content")
        if content is None:
            content = row.get("content")
        known += role in ("user", "assistant", "system", "tool") or word(row, "type") in KNOWN
        if role == "user":
            for said in QUERY.findall(texts(content, "text")):
                told.say("person", said)
        elif role == "assistant":
            told.say("assistant", texts(content, "text"))
            blocks = content if isinstance(content, list) else []
            told.tools.update(word(block, "name") for block in blocks if word(block, "type") == "tool_use")
        elif not role and word(row, "type") not in KNOWN:
            told.skipped += 1
    return told.require_known(known)
