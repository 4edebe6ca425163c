"""OpenCode's conversations, as 1.18.33 keeps them: the tables session, message and part of opencode.db."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rg_core import times
from rg_core.harness.protocol import Place
from rg_core.harness.transcripts import Conversation, Source, UnknownShape, word

SESSIONS = "SELECT id, time_updated, directory FROM session WHERE parent_id IS NULL ORDER BY time_updated, id"
PARTS = """SELECT m.data, p.data, p.time_created FROM message m JOIN part p ON p.message_id = m.id
WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id"""
ROLES = {"user": "person", "assistant": "assistant"}


def found(place: Place) -> Sequence[Source]:
    """Every session that no other one started."""
    data = Path(place.environ.get("XDG_DATA_HOME") or place.home / ".local" / "share")
    path = data / "opencode" / "opencode.db"
    if not path.is_file():
        return []
    try:
        with closing(_opened(path)) as db:
            return [Source(session, path, updated / 1000, where) for session, updated, where in db.execute(SESSIONS)]
    except sqlite3.Error:
        return [Source("opencode.db", path, path.stat().st_mtime)]  # reading it says why


def read(source: Source) -> Conversation:
    """One session."""
    told = Conversation()
    try:
        with closing(_opened(source.path)) as db:
            row = db.execute("SELECT directory, version FROM session WHERE id = ?", (source.session,)).fetchone()
            told.directory, told.program = row or ("", "")
            for message, part, created in db.execute(PARTS, (source.session,)):
                _add(told, _object(message), _object(part), created)
    except sqlite3.Error as error:
        raise UnknownShape(f"opencode.db cannot be read ({error}); upgrade rg-memory") from error
    return told


def _add(told: Conversation, message: Any, part: Any, created: int) -> None:
    who = ROLES.get(word(message, "role"))
    if who is None or part is None:
        told.skipped += 1
    elif word(part, "type") == "text" and not part.get("synthetic"):
        told.say(who, word(part, "text"), times.written(created / 1000))
    elif word(part, "type") == "tool":
        told.tools[word(part, "tool")] += 1


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
