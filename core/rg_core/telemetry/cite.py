"""`cite`: what somebody says of a memory that a recall or a read served. For agents, for people, and for the page.

Unlike the log of events this is asked for, so its errors are said.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

from rg_core.address.local import is_local
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.telemetry.estimate import NOTHING, Estimate, of_resource
from rg_core.telemetry.events import KINDS, LONGEST_NOTE, SHOWN, Caller, Citation, GivenBy, Kind, names
from rg_core.telemetry.file import joined
from rg_core.telemetry.log import ID_LENGTH, LETTERS
from rg_core.transaction import transaction

BUSY = 0.3  # seconds; the server answers within two
MOST = 20  # memories in one call
RECALL_ID = re.compile(f"r[{LETTERS}]{{{ID_LENGTH}}}")
LONGEST_WORD = 10_000  # characters of one memory
COLUMNS = ", ".join(names(Citation))
INSERT = f"INSERT OR IGNORE INTO citation_event ({COLUMNS}) VALUES ({', '.join('?' * len(names(Citation)))})"  # noqa: S608

WEIGH = """
UPDATE recall_candidate SET floor_bytes = ?, json_bytes = ?, requests = ? WHERE recall_id = ? AND memory_id = ?
AND json_bytes = 0
"""

# What was served to the caller, latest first: to this agent, before what other agents of its session were served, who
# may work beside it. A session that is not known is that of the connection.
IN_RECALL = """
SELECT e.id AS recall_id, '' AS touch_id, e.agent = :agent AS own, e.at, c.memory_id, c.address FROM recall_event e
JOIN recall_candidate c ON c.recall_id = e.id AND c.position IS NOT NULL
WHERE e.user = :user AND (:recall = e.id OR :recall = '' AND
    iif(:session <> '', e.session = :session, e.session = '' AND e.connection = :connection))
    AND (c.position = :position OR c.memory_id = :word OR c.address = :key)
ORDER BY own DESC, e.at DESC, e.rowid DESC LIMIT 1
"""
IN_READ = """
SELECT '' AS recall_id, t.id AS touch_id, t.agent = :agent AS own, t.at, v.memory_id, t.address FROM touches.touch t
JOIN read_event v ON v.touch_id = t.id
WHERE t.user = :user AND t.session = :session AND t.outcome IN ('hit', 'subsumed')
    AND (t.address = :key OR v.memory_id = :word AND v.memory_id <> '')
ORDER BY own DESC, t.at DESC, t.rowid DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Noted:
    """What a call of cite wrote of one memory; `fresh` is False where it was noted already."""

    memory_id: str
    address: str
    kind: Kind
    recall: str  # "" where a read served it
    fresh: bool


@dataclass(frozen=True, slots=True)
class CiteRequest:
    """The arguments of cite, checked."""

    memories: tuple[str, ...]
    kind: Kind = "cited"
    recall: str = ""
    note: str = ""


def request(memory: object, kind: object = "cited", recall: object = None, note: object = None) -> CiteRequest:
    """Check the arguments; a single memory, a number in quotes and null for what is absent are understood.

    Raises:
        UserError: saying which is wrong and what a right one looks like.
    """
    words = memory if isinstance(memory, list) else [memory]
    if not words or not all(isinstance(word, str | int) and not isinstance(word, bool) for word in words):
        raise UserError('memory is missing; give a position in the recall, e.g. 1 or [1, 3], or "owner/repo#123"')
    memories = tuple(dict.fromkeys(str(word).strip() for word in words))
    if len(memories) > MOST:
        raise UserError(f"{len(memories)} memories are too many for one call; name at most {MOST}")
    if not all(memories) or any(len(word) > LONGEST_WORD for word in memories):
        raise UserError('a memory is a position such as 1, an address such as "owner/repo#123", or an id')
    chosen: Kind | None = next((known for known in KINDS if known == (kind or "cited")), None)
    if chosen is None:
        raise UserError(f"kind is one of {', '.join(KINDS)}; not {str(kind)[:40]!r}")
    if recall is not None and not isinstance(recall, str):
        raise UserError('recall is the id that a recall printed, such as "r4k2qx"')
    if note is not None and (not isinstance(note, str) or len(note) > LONGEST_NOTE):
        raise UserError(f"note is text of at most {LONGEST_NOTE} characters")
    return CiteRequest(memories, chosen, recall or "", note or "")


def cite(
    telemetry: str,
    touches: str,
    asked: CiteRequest,
    caller: Caller,
    at: str,
    *,
    find: Callable[[str], str],
    estimated: Callable[[str], Estimate] = lambda address: NOTHING,
    given_by: GivenBy = "agent",
    reads: Sequence[str] = (),
) -> list[Noted]:
    """Note what a caller says of memories that were served to it: all of them, or none and an error.

    Args:
        telemetry: path of telemetry.db.
        touches: path of touches.db.
        asked: what is said.
        caller: who says it; without a session, what its connection was served counts.
        at: now.
        find: the canonical key of what a word names, "" if it names none.
        estimated: what a recalled memory that was used would have cost from GitHub, by its address.
        given_by: who says it.
        reads: ids of the reads that the caller's connection was answered; looked at where it has no session.

    Raises:
        UserError: if one of the memories was not served, or a file cannot be used; nothing is written then.
    """
    if not os.path.exists(telemetry):
        raise _not_served(asked.memories[0], asked.recall)
    with joined(telemetry, touches, BUSY) as db:
        with transaction(db):
            served = [_served(db, word, asked, caller, find, reads) for word in asked.memories]
            noted = [_note(db, row, asked, caller, at, given_by) for row in served]
        if asked.kind in SHOWN:
            _weigh(db, noted, estimated)
        return noted


def estimator(store: Callable[[], Store], texts: OwnTexts) -> Callable[[str], Estimate]:
    """What the memory at an address would have cost from GitHub, by what is stored there; nothing if that is away."""

    def estimated(address: str) -> Estimate:
        try:
            reading = texts.store.read(texts.user, address) if is_local(address) else store().read(address)
        except (UserError, StoreUnavailable):
            return NOTHING
        return of_resource(reading.resource) if reading else NOTHING

    return estimated


def noted_text(noted: Sequence[Noted]) -> str:
    """What was noted, in a line or two: "Noted: #37 cited (recall r4k2qx)."."""
    lines = []
    for fresh, begin in ((True, "Noted"), (False, "Already noted")):
        by_source: dict[tuple[Kind, str], list[str]] = {}
        for one in noted:
            if one.fresh == fresh:
                by_source.setdefault((one.kind, one.recall), []).append(_short(one.address))
        lines += [
            f"{begin}: {', '.join(labels)} {kind} ({f'recall {recall}' if recall else 'read'})."
            for (kind, recall), labels in by_source.items()
        ]
    return "\n".join(lines)


def _served(
    db: sqlite3.Connection,
    word: str,
    asked: CiteRequest,
    caller: Caller,
    find: Callable[[str], str],
    reads: Sequence[str],
) -> sqlite3.Row:
    """The latest recall or read that served what a word means: a position, an id, or an address."""
    position = int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None
    values: dict[str, object] = {
        "user": caller.user, "session": caller.session, "connection": caller.connection, "recall": asked.recall,
        "position": position, "word": word, "key": "" if position else find(word), "agent": caller.agent,
    }  # fmt: skip
    if not caller.user:
        raise _not_served(word, asked.recall)
    rows: list[sqlite3.Row] = db.execute(IN_RECALL, values).fetchall()
    if not asked.recall and position is None:
        if caller.session:
            rows += db.execute(IN_READ, values).fetchall()
        else:
            rows += _in_connection(db, values, reads)
    if not rows:
        raise _not_served(word, asked.recall)
    return max(rows, key=lambda row: (row["own"], row["at"], row["touch_id"] != ""))


def _in_connection(db: sqlite3.Connection, values: dict[str, object], reads: Sequence[str]) -> list[sqlite3.Row]:
    own = IN_READ.replace("t.session = :session", "t.id = :touch")
    rows = (db.execute(own, values | {"touch": touch}).fetchone() for touch in reversed(reads))
    return [row for row in rows if row is not None][:1]


def _note(
    db: sqlite3.Connection, row: sqlite3.Row, asked: CiteRequest, caller: Caller, at: str, given_by: GivenBy
) -> Noted:
    memory_id = row["memory_id"] or row["address"]  # a listing has no id of its own
    citation = Citation(
        secrets.token_hex(8), caller.user, at, row["recall_id"], row["touch_id"], memory_id, row["address"],
        caller.session, caller.harness, asked.kind, given_by, asked.note,
    )  # fmt: skip
    fresh = db.execute(INSERT, astuple(citation)).rowcount > 0
    return Noted(memory_id, row["address"], asked.kind, row["recall_id"], fresh)


def _weigh(db: sqlite3.Connection, noted: Sequence[Noted], estimated: Callable[[str], Estimate]) -> None:
    """Write what the used results of a recall would have cost, beside them: now, for few of the shown are ever used.

    Outside the transaction that noted them: the store may take its time, and nobody is kept from writing meanwhile.
    """
    guesses = [(one, estimated(one.address)) for one in noted if one.fresh and one.recall]
    rows = [(*astuple(guess), one.recall, one.memory_id) for one, guess in guesses if guess != NOTHING]
    if rows:
        with transaction(db):
            db.executemany(WEIGH, rows)


def _not_served(word: str, recall: str) -> UserError:
    where = f"recall {recall[:40]!r} did not show" if recall else "no recall and no read of this session showed"
    return UserError(
        f"{where} {word[:200]!r}, so nothing was noted; give the id that a recall printed and a position in it"
    )


def _short(address: str) -> str:
    """How an answer names what it noted: #37, or the key without its scheme."""
    name = address.partition(":")[2]
    return "#" + name.rpartition("#")[2] if "#" in name else name
