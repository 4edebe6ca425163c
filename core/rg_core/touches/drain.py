"""Takes the events that hooks left (rg_core.touches.events) into the file of Touches, each exactly once. Cold.

Called whenever the file is opened (rg_core.touches.database), so that the order of its rows is the order of events.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rg_core.touches import events
from rg_core.touches.touch import PENDING, AnnouncedRead, Touch
from rg_core.touches.upstream import TOLD
from rg_core.transaction import transaction

BATCH = 500  # events of one transaction
BAD = ".bad-"
DAY_NS = 86_400 * 10**9
KEEP_BAD, KEEP_ASIDE, KEEP_TOLD = 30 * DAY_NS, DAY_NS, 30 * DAY_NS
MINUTE_NS = 60 * 10**9
TICK_NS = 2 * 10**9  # the coarsest clock of a file system
TOUCH_COLUMNS = (
    'id, user, address, kind, provenance, at, session, harness, "limit", "order", tool_name, tool_use_id, agent, '
    "agent_type, served_from_memory, outcome, status, reason, attempts"
)
INSERT_TOUCH = (
    f"INSERT OR IGNORE INTO touch ({TOUCH_COLUMNS}) SELECT {','.join('?' * 19)} "  # noqa: S608 - all our own text
    "WHERE NOT EXISTS (SELECT 1 FROM touch WHERE id = ? AND at >= ?)"
)
INSERT_CALLER = (  # the same call seen by two configurations is one caller
    "INSERT INTO caller SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?5 = '' OR NOT EXISTS "
    "(SELECT 1 FROM caller WHERE address = ?1 AND session = ?2 AND tool_use_id = ?5)"
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Events that no drain has taken yet: how many, since when (seconds since 1970, 0 for none)."""

    count: int = 0
    oldest: float = 0.0
    newer: int = 0  # of a later release's form: they wait for the update
    bad: int = 0  # that could not be read, kept for 30 days


class Newer(Exception):
    """An event of a later release."""


def waiting(data: str) -> Waiting:
    """What waits in the data directory."""
    names = _names(events.events(data))
    ready = sorted(name for name in names if not name.startswith("."))
    newer = sum(_is_newer(os.path.join(events.events(data), name)) for name in ready)
    bad = sum(name.startswith(BAD) for name in names)
    return Waiting(len(ready), int(ready[0][:20]) / 1e9 if ready and ready[0][:20].isdecimal() else 0.0, newer, bad)


def drain(db: sqlite3.Connection, data: str) -> int:
    """Take everything that waits; how many events were new. An empty directory costs one listing and no lock.

    Killed anywhere, nothing is lost and nothing comes twice: a name stands in `drained` from the moment its rows do,
    until it is seen to be gone from the directory. Several drainers wait for each other at the lock.

    Raises:
        sqlite3.Error: if the file is locked, full or broken; what waits stays where it is.
    """
    directory = events.events(data)
    if not any(not name.startswith(".") for name in _names(directory)):
        return 0
    total, more = 0, True
    while more:
        done: list[str] = []
        with transaction(db):
            more, taken = _batch(db, directory, done)
        for name in done:
            _unlink(os.path.join(directory, name))
        total += taken
    _tidy(directory)
    _copy_told(db, data)
    return total


def insert_touch(db: sqlite3.Connection, touch: Touch, earlier: str = "", since: str = "") -> None:
    """Add a Touch, unless it or the earlier one is there."""
    db.execute(INSERT_TOUCH, (*(getattr(touch, name) for name in Touch.__annotations__), earlier, since))


def forget_events(data: str) -> None:
    """Remove what no drain can read: broken events, and files aside that their writers left a minute ago or more."""
    directory = events.events(data)
    before = time.time_ns() - MINUTE_NS
    for name in _names(directory):
        if name.startswith(BAD) or (name.startswith(".") and _changed(os.path.join(directory, name)) < before):
            _unlink(os.path.join(directory, name))


def told_entries(data: str) -> Iterator[tuple[str, list[str]]]:
    """Every memory of who was told of what: its file, and user, session, address, time."""
    root = events.told(data)
    for session in _names(root):
        yield from _told_of(os.path.join(root, session))


def _batch(db: sqlite3.Connection, directory: str, done: list[str]) -> tuple[bool, int]:
    """Take one batch within a transaction: whether there is more, and how many events were new."""
    names = sorted(name for name in _names(directory) if not name.startswith("."))  # only under the lock
    known = {row[0] for row in db.execute("SELECT name FROM drained")}
    db.executemany("DELETE FROM drained WHERE name = ?", [(name,) for name in known.difference(names)])
    fresh = [name for name in names if name not in known]
    done += [name for name in names if name in known]  # whose unlinking failed, or was killed
    count = 0
    for name in fresh:
        if count == BATCH:
            return True, count
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as file:
                raw = file.read()
        except OSError:
            continue  # another host's stale listing, or somebody holds it: next time
        try:
            _take(db, raw)
        except Newer:
            continue
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            with suppress(OSError):
                os.rename(path, os.path.join(directory, BAD + name))
            continue
        db.execute("INSERT INTO drained VALUES (?)", (name,))
        done.append(name)
        count += 1
    return False, count


def _take(db: sqlite3.Connection, raw: bytes) -> None:
    """Insert what an event holds.

    Raises:
        Newer: for a form that this release does not know.
        ValueError, LookupError, TypeError: for what is no event.
    """
    event = json.loads(raw)
    if not isinstance(event["v"], int) or event["v"] < 1:
        raise ValueError("no version")
    if event["v"] > events.V or event["kind"] not in ("touch", "read"):
        raise Newer
    who = {name: _text(event[name]) for name in ("session", "harness", "tool_use_id", "agent", "agent_type")}
    at = _text(event["at"])
    if event["kind"] == "read":
        caller = AnnouncedRead(_text(event["address"]), **who)
        db.execute(
            INSERT_CALLER,
            (caller.address, caller.session, caller.agent, caller.agent_type, caller.tool_use_id, caller.harness, at),
        )
        return
    common = who | {name: _text(event[name]) for name in ("user", "provenance", "tool_name")} | {"at": at}
    touches = [_touch(row, common) for row in event["rows"]]
    since = _text(event["since"])
    for touch, earlier in touches:
        insert_touch(db, touch, earlier, since)


def _touch(row: Sequence[Any], common: Mapping[str, str]) -> tuple[Touch, str]:
    touch_id, address, kind, limit, order, earlier = row
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or not 0 < limit < 2**63):
        raise ValueError("not a limit")
    texts = {"id": touch_id, "address": address, "kind": kind, "order": order}
    texts = {name: _text(value) for name, value in texts.items()}
    values: dict[str, Any] = {**texts, **common}
    return Touch(**values, limit=limit, status=PENDING), _text(earlier)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    value.encode()  # a lone surrogate, which no column takes
    return value


def _is_newer(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            event = json.loads(file.read())
        return bool(event["v"] > events.V or event["kind"] not in ("touch", "read"))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False


def _tidy(directory: str) -> None:
    """Remove what killed hooks left aside a day ago, and what could not be read a month ago."""
    now = time.time_ns()
    for name in _names(directory):
        if name.startswith("."):
            path = os.path.join(directory, name)
            if _changed(path) < now - (KEEP_BAD if name.startswith(BAD) else KEEP_ASIDE):
                _unlink(path)


def _copy_told(db: sqlite3.Connection, data: str) -> None:
    """Copy who was told of what into `nudged`, and remove sessions that were not told anything for a month."""
    root, now = events.told(data), time.time_ns()
    seen, sessions = dict(db.execute("SELECT session, changed FROM told")), _names(root)
    if gone := seen.keys() - set(sessions):
        with transaction(db):
            db.executemany("DELETE FROM told WHERE session = ?", [(session,) for session in gone])
    for session in sessions:
        path = os.path.join(root, session)
        changed = _changed(path)
        if seen.get(session) == changed:
            if changed < now - KEEP_TOLD:
                for file, _ in list(_told_of(path)):
                    _unlink(file)
                with suppress(OSError):
                    os.rmdir(path)
            continue
        # What was said of documents is no Nudge.
        entries = [(cells[1], cells[2], cells[3]) for _, cells in _told_of(path) if not cells[2].startswith(TOLD)]
        with transaction(db):
            db.executemany("INSERT OR IGNORE INTO nudged (session, address, at) VALUES (?, ?, ?)", entries)
            # What was told within the same tick of the clock as this may not be seen yet.
            stamp = changed if changed < now - TICK_NS else 0
            db.execute("INSERT OR REPLACE INTO told VALUES (?, ?)", (session, stamp))


def _told_of(path: str) -> Iterator[tuple[str, list[str]]]:
    for name in _names(path):
        file = os.path.join(path, name)
        try:
            with open(file, encoding="utf-8", errors="replace") as opened:
                cells = opened.read().split("\t")
        except OSError:
            continue
        if len(cells) == 4:
            yield file, cells


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return time.time_ns()


def _unlink(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
