"""Removes events, so that no byte of them stays: not in free pages (secure_delete), not in the write-ahead log.

To be called before the Touches themselves are forgotten: they say which reads were of an address or of a session.
"""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import exists
from typing import Any

from rg_core import times
from rg_core.telemetry.file import BATCH, PAUSE, joined
from rg_core.transaction import transaction

BUSY = 5.0  # seconds
WAITS = 20  # times that the write-ahead log is tried to be emptied


def forget_address(
    telemetry: str, touches: str, user: str | None, address: str, memory_ids: Iterable[str] = (), *, below: bool = False
) -> int:
    """Remove candidates, reads and citations of a memory, and its name from queries, notes and successors.

    Args:
        telemetry: path of telemetry.db.
        touches: path of touches.db.
        user: whose; None for everybody's (what turns out not to be public).
        address: the key of the memory; a recall that loses a result by this keeps its counts.
        memory_ids: its ids, as the store knows them; those that stand beside the address here are found.
        below: also everything whose key begins with this one: a repository's items and listings.

    Returns:
        How many rows were removed.

    Raises:
        UserError: if a file cannot be used.
    """
    if not exists(telemetry):
        return 0
    with joined(telemetry, touches, BUSY) as db:
        at = "({0} = :address OR {0} GLOB :item OR {0} GLOB :listing)" if below else "{0} = :address"
        values = {"address": address, "item": f"{_plain(address)}#*", "listing": f"{_plain(address)}/*", "user": user}
        found = _column(
            db,
            f"SELECT memory_id FROM recall_candidate WHERE {at.format('address')} UNION "
            f"SELECT memory_id FROM citation_event WHERE {at.format('address')} UNION SELECT v.memory_id "
            f"FROM read_event v JOIN touches.touch t ON t.id = v.touch_id WHERE {at.format('t.address')}",
            values,
        )
        reads = _column(
            db,
            "SELECT touch_id FROM read_event v JOIN touches.touch t ON t.id = v.touch_id "
            f"WHERE {at.format('t.address')} AND (:user IS NULL OR v.user = :user)",
            values,
        )
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("CREATE TEMP TABLE gone (memory_id TEXT PRIMARY KEY) WITHOUT ROWID")
        db.executemany("INSERT INTO gone VALUES (?)", [(id_,) for id_ in {*memory_ids, *found} - {""}])
        with transaction(db):
            _unname(db, address, below=below, user=user)
            count = _delete_gone(db, user)
            count += _delete(db, "read_event", "touch_id", reads)
            count += _delete(db, "citation_event", "touch_id", reads)
        _empty_log(db)
        return count


def forget_session(telemetry: str, touches: str, user: str, session: str) -> int:
    """Remove all events, and the wrap, of one session of the user.

    Raises:
        UserError: if a file cannot be used.
    """
    return _forget(
        telemetry,
        touches,
        "SELECT id FROM recall_event WHERE user = :user AND session = :session",
        "SELECT v.touch_id FROM read_event v JOIN touches.touch t ON t.id = v.touch_id "
        "WHERE v.user = :user AND t.session = :session",
        ("citation_event", "user = :user AND session = :session"),
        ("session_wrap", "user = :user AND session = :session"),
        values={"user": user, "session": session},
    )


def forget_user(telemetry: str, touches: str, user: str, before: str = "9999") -> int:
    """Remove everything of the user, or what is older than a time.

    Raises:
        UserError: if a file cannot be used.
    """
    return _forget(
        telemetry,
        touches,
        "SELECT id FROM recall_event WHERE user = :user AND at < :before",
        "SELECT touch_id FROM read_event WHERE user = :user AND at < :before",
        ("citation_event", "user = :user AND at < :before"),
        ("session_wrap", "user = :user AND ended < :before"),
        values={"user": user, "before": before},
    )


def expire(telemetry: str, touches: str, keep_days: int, now: str) -> int:
    """Let go of events that are older than `keep_days`, of everybody on this machine; the wraps stay.

    Raises:
        UserError: if a file cannot be used.
    """
    before = times.written(times.seconds(now) - keep_days * times.DAY)
    return _forget(
        telemetry,
        touches,
        "SELECT id FROM recall_event WHERE at < :before",
        "SELECT touch_id FROM read_event WHERE at < :before",
        ("citation_event", "at < :before AND recall_id NOT IN (SELECT id FROM recall_event)"),
        values={"before": before},
    )


def _forget(
    telemetry: str, touches: str, recalls: str, reads: str, *others: tuple[str, str], values: dict[str, str]
) -> int:
    """Remove recalls and reads with all that hangs on them, and rows of other tables; in small transactions."""
    if not exists(telemetry) or values.get("user") == "":
        return 0
    count = 0
    with joined(telemetry, touches, BUSY) as db:
        for batch in _batches(sorted(_column(db, recalls, values))):
            with transaction(db):
                for table, column in (("recall_candidate", "recall_id"), ("citation_event", "recall_id")):
                    _delete(db, table, column, batch)
                count += _delete(db, "recall_event", "id", batch)
        for batch in _batches(sorted(_column(db, reads, values))):
            with transaction(db):
                _delete(db, "citation_event", "touch_id", batch)
                count += _delete(db, "read_event", "touch_id", batch)
        for table, where in others:
            with transaction(db):
                count += db.execute(f"DELETE FROM {table} WHERE {where}", values).rowcount
        if count:
            _empty_log(db)
    return count


def _delete_gone(db: sqlite3.Connection, user: str | None) -> int:
    """Remove the user's candidates, reads and citations of what is `gone`, and its id where it superseded another."""
    values = {"user": user}
    whose = "(:user IS NULL OR user = :user)"
    shown = f"(:user IS NULL OR recall_id IN (SELECT id FROM recall_event WHERE {whose}))"
    db.execute(f"UPDATE recall_candidate SET superseded_by = NULL WHERE superseded_by IN gone AND {shown}", values)
    return sum(
        db.execute(f"DELETE FROM {table} WHERE memory_id IN gone AND {of_user}", values).rowcount
        for table, of_user in (("recall_candidate", shown), ("read_event", whose), ("citation_event", whose))
    )


def _unname(db: sqlite3.Connection, address: str, *, below: bool, user: str | None) -> None:
    """Empty the queries and notes that name an address, and the queries that named what is `gone`."""
    named = _column(db, "SELECT recall_id FROM recall_candidate WHERE named IS NOT NULL AND memory_id IN gone", ())
    names_it, names_it_here = _naming(address, below=below)
    here = address.partition("#")[0]
    for recall, query, project in db.execute(
        "SELECT id, query, project FROM recall_event WHERE query <> '' AND (?1 IS NULL OR user = ?1)", (user,)
    ).fetchall():
        if recall in named or names_it(query) or (project == here and names_it_here(query)):
            db.execute("UPDATE recall_event SET query = '' WHERE id = ?", (recall,))
    for citation, note in db.execute(
        "SELECT id, note FROM citation_event WHERE note <> '' AND (?1 IS NULL OR user = ?1)", (user,)
    ).fetchall():
        if names_it(note):
            db.execute("UPDATE citation_event SET note = '' WHERE id = ?", (citation,))


def _naming(address: str, *, below: bool) -> tuple[Callable[[str], object], Callable[[str], object]]:
    """Tests on a text: whether it names an address anywhere, and whether it does in the address's own project."""
    body = address.partition(":")[2]
    repository, _, number = body.partition("#")
    if below or not number:
        stem = repository.rpartition("/")[2].rpartition(".")[0] or repository  # of a document: SPEC-037
        anywhere = rf"(?<![\w.-]){re.escape(repository)}(?![\w-])|(?<![\w-]){re.escape(stem)}(?![\w-])"
        here = r"#\d" if below else r"(?!)"
    else:
        anywhere = rf"(?<![\w.-]){re.escape(repository)}(?:#|/(?:issues|pulls?)/){number}(?!\d)"
        here = rf"(?<!\w)#{number}(?!\d)"
    return re.compile(anywhere, re.IGNORECASE).search, re.compile(here, re.IGNORECASE).search


def _delete(db: sqlite3.Connection, table: str, column: str, values: Iterable[str]) -> int:
    return db.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(value,) for value in values]).rowcount


def _column(db: sqlite3.Connection, statement: str, values: Any) -> set[str]:
    return {row[0] for row in db.execute(statement, values)}


def _batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), BATCH):
        yield values[start : start + BATCH]
        if start + BATCH < len(values):
            time.sleep(PAUSE)


def _empty_log(db: sqlite3.Connection) -> None:
    """Move the write-ahead log, which still holds old pages, into the file; whoever reads just now is waited for."""
    for _ in range(WAITS):
        if db.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchone()[0] == 0:
            break
        time.sleep(PAUSE)


def _plain(key: str) -> str:
    """A key whose characters mean themselves in GLOB."""
    return re.sub(r"([*?[])", r"[\1]", key)
