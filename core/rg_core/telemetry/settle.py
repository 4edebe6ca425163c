"""What the Sweep learns of what was served: whether reads were right by then, and what was brought up to date.

It asks the store, not the run: whatever Sweep fetched a Resource again, of this machine or of a teammate, settles the
reads of it, and a run that was killed is made up for by the next one.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import astuple
from itertools import pairwise
from os.path import exists
from typing import Literal

from rg_core import times
from rg_core.store.documents import DocumentStore
from rg_core.store.model import StateFacts
from rg_core.store.protocol import Store
from rg_core.store.texts import Document
from rg_core.telemetry.cite import INSERT
from rg_core.telemetry.events import Citation
from rg_core.telemetry.file import BATCH, PAUSE, connect, explained, joined
from rg_core.transaction import transaction

BUSY = 5.0
REWRITTEN_WITHIN = times.DAY  # seconds of a recall that showed a document or a note
MIDNIGHT = "T00:00:00Z"
LOOKS_BACK = 30 * times.DAY  # seconds, for what a session explored again

UNSETTLED = """
SELECT v.touch_id, v.memory_id, v.state_id, v.at, t.address FROM read_event v JOIN touches.touch t ON t.id = v.touch_id
WHERE v.user = ? AND v.verdict IS NULL AND v.memory_id <> '' AND t.outcome IN ('hit', 'subsumed') AND t.address <> ''
"""
# The latest serving of a memory to a session before a time: by a recall or by a read.
SERVED = """
SELECT e.id AS recall_id, '' AS touch_id, e.at, c.memory_id, c.address, e.harness FROM recall_event e
JOIN recall_candidate c ON c.recall_id = e.id AND c.position IS NOT NULL
WHERE e.user = :user AND e.session = :session AND c.memory_id = :memory AND e.at <= :at
UNION ALL
SELECT '', t.id, t.at, v.memory_id, t.address, t.harness FROM touches.touch t JOIN read_event v ON v.touch_id = t.id
WHERE t.user = :user AND t.session = :session AND v.memory_id = :memory AND t.at <= :at
    AND t.outcome IN ('hit', 'subsumed')
ORDER BY 3 DESC LIMIT 1
"""
# What a session explored again after it was served it, of late.
AGAIN = """
SELECT c.memory_id, t.address FROM touches.touch t JOIN recall_event e ON e.session = t.session AND e.at <= t.at
JOIN recall_candidate c ON c.recall_id = e.id AND c.address = t.address AND c.position IS NOT NULL
WHERE t.user = :user AND e.user = :user AND t.provenance <> 'CACHE_READ' AND t.session <> '' AND t.at >= :since
UNION SELECT v.memory_id, t.address FROM touches.touch t
JOIN touches.touch s ON s.session = t.session AND s.address = t.address AND s.at <= t.at
JOIN read_event v ON v.touch_id = s.id AND v.memory_id <> ''
WHERE t.user = :user AND s.user = :user AND t.provenance <> 'CACHE_READ' AND t.session <> '' AND t.at >= :since
    AND s.outcome IN ('hit', 'subsumed') AND t.address <> ''
"""
TEXTS = """
SELECT DISTINCT c.memory_id, c.address FROM recall_event e JOIN recall_candidate c ON c.recall_id = e.id
WHERE e.user = :user AND e.at >= :since AND c.kind IN ('document', 'note') AND c.position IS NOT NULL
"""
SHOWN_TEXT = """
SELECT e.id AS recall_id, '' AS touch_id, e.at, c.memory_id, c.address, e.harness, e.session FROM recall_event e
JOIN recall_candidate c ON c.recall_id = e.id AND c.position IS NOT NULL
WHERE e.user = ? AND c.memory_id = ? AND e.at <= ? AND e.at >= ? AND e.project = ? ORDER BY e.at DESC, e.rowid DESC
LIMIT 1
"""
CAUSE = "SELECT session, at FROM touches.touch WHERE id = ? AND user = ? AND session <> ''"


def settle(telemetry: str, touches: str, store: Store, user: str, now: str) -> int:
    """Settle the user's reads of what was fetched again since, and note what their own sessions brought up to date.

    Args:
        telemetry: path of telemetry.db; nothing is done where there is none.
        touches: path of touches.db.
        store: memory, open.
        user: whose reads.
        now: the time of the verdict.

    Returns:
        How many reads were settled.

    Raises:
        UserError: if a file cannot be used.
        StoreUnavailable: if memory cannot be read.
    """
    if not exists(telemetry) or not user:
        return 0
    with joined(telemetry, touches, BUSY) as db:
        waiting = db.execute(UNSETTLED, (user,)).fetchall()
        chains = _chains(store, {(row["memory_id"], row["address"]) for row in waiting})
        verdicts = []
        for row in waiting:
            fetched_at, chain = chains.get(row["memory_id"], ("", ()))
            if found := verdict(chain, row["state_id"], row["at"], fetched_at):
                verdicts.append((found, now, row["touch_id"]))
        _write(db, "UPDATE read_event SET verdict = ?, verified_at = ? WHERE touch_id = ?", verdicts)
        since = _before(now, LOOKS_BACK)
        again = {(row[0], row[1]) for row in db.execute(AGAIN, {"user": user, "since": since})}
        _rewrote(db, user, now, _chains(store, again))
        return len(verdicts)


def verdict(
    chain: Sequence[StateFacts], state_id: str, read_at: str, fetched_at: str
) -> Literal["current", "stale"] | None:
    """Whether memory was right when it served the latest State that it then knew; None while that is not known.

    Args:
        chain: the States of the Resource, oldest first.
        state_id: the one that was served.
        read_at: when.
        fetched_at: when the source was last asked.
    """
    place = next((number for number, facts in enumerate(chain) if facts.id == state_id), None)
    if place is None or fetched_at <= read_at:
        return None
    newer = chain[place + 1 :]
    if any(facts.recorded_at < read_at for facts in newer):
        return None  # an old version was asked for on purpose
    return "stale" if any(facts.valid_from <= read_at for facts in newer) else "current"


def settle_texts(telemetry: str, texts: DocumentStore, user: str, now: str) -> int:
    """Note the user's documents and notes whose text changed within a day after a recall in their project showed them.

    Args:
        telemetry: path of telemetry.db; nothing is done where there is none.
        texts: the documents and notes of this machine.
        user: whose.
        now: recalls of the LOOKS_BACK before it are looked at.

    Returns:
        How many changes were noted that were not before.

    Raises:
        UserError: if the file cannot be used.
        StoreUnavailable: if the documents cannot be read.
    """
    if not exists(telemetry) or not user:
        return 0
    with explained(telemetry), closing(connect(telemetry, BUSY)) as db:
        since = _before(now, LOOKS_BACK)
        rows = []
        for memory_id, key in db.execute(TEXTS, {"user": user, "since": since}).fetchall():
            if not (reading := texts.read(user, key)):
                continue
            project = reading.resource.project if isinstance(reading.resource, Document) else ""
            for at in _changed(texts, user, key, since):
                within = (user, memory_id, at, _before(at, REWRITTEN_WITHIN), project)
                if row := db.execute(SHOWN_TEXT, within).fetchone():
                    rows.append(_citation(row, user, at, row["session"]))
        return _write(db, INSERT, rows)


def _changed(texts: DocumentStore, user: str, key: str, since: str) -> list[str]:
    """When the text at a key became another one, since a time."""
    chain = texts.history(user, key)
    bodies = {id_: text.body for id_, text in texts.entry_texts([facts.id for facts in chain]).items()}
    return [
        at
        for before, after in pairwise(chain)
        if (at := _began(after)) >= since and bodies.get(before.id) != bodies.get(after.id)
    ]


def _began(facts: StateFacts) -> str:
    """When a State was written; where front matter tells a day only, when it was seen."""
    return facts.recorded_at if facts.valid_from.endswith(MIDNIGHT) else facts.valid_from


def _chains(store: Store, served: Iterable[tuple[str, str]]) -> dict[str, tuple[str, Sequence[StateFacts]]]:
    """By memory id, when the source was last asked and all States."""
    addresses = dict(served)
    versions = store.versions(list(addresses.values()))
    return {
        memory: (versions[address].fetched_at, store.history(address))
        for memory, address in addresses.items()
        if address in versions
    }


def _rewrote(db: sqlite3.Connection, user: str, now: str, chains: dict[str, tuple[str, Sequence[StateFacts]]]) -> None:
    """States whose cause is a Touch of a session that was served this Resource before."""
    rows = []
    for memory_id, (_, chain) in chains.items():
        for facts in chain:
            cause = db.execute(CAUSE, (facts.cause, user)).fetchone() if facts.cause and facts.event_type else None
            if cause is None:
                continue
            values = {"user": user, "session": cause["session"], "memory": memory_id, "at": cause["at"]}
            if row := db.execute(SERVED, values).fetchone():
                rows.append(_citation(row, user, now, cause["session"]))
    _write(db, INSERT, rows)


def _citation(row: sqlite3.Row, user: str, at: str, session: str) -> tuple[str, ...]:
    citation = Citation(
        secrets.token_hex(8), user, at, row["recall_id"], row["touch_id"], row["memory_id"], row["address"], session,
        row["harness"], "rewrote", "sweep",
    )  # fmt: skip
    return astuple(citation)


def _before(at: str, span: float) -> str:
    return times.written(times.seconds(at) - span)


def _write(db: sqlite3.Connection, statement: str, rows: Sequence[tuple[str, ...]]) -> int:
    count = 0
    for start in range(0, len(rows), BATCH):
        with transaction(db):
            count += db.executemany(statement, rows[start : start + BATCH]).rowcount
        time.sleep(PAUSE)
    return count
