"""Recalls and reads as the tools hand them over, and the rows that stand in the files."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from rg_core import paths
from rg_core.config import set_values
from rg_core.recall.fusion import order
from rg_core.telemetry.events import Caller, Candidate, Recall
from rg_core.telemetry.log import EventLog
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, RESOLVED, Touch

ME = "me@example.org"
AT = "2026-11-30T10:00:00Z"
WEIGHTS = {"vec": 0, "lex": 2, "graph": 1, "temporal": 0.1}


def candidate(number: int, **fields: Any) -> Candidate:
    """The issue o/r#number, found by the lexical leg at that rank."""
    values: dict[str, Any] = {
        "memory_id": f"I_{number}", "kind": "issue", "address": f"github:o/r#{number}", "state_id": f"s{number}",
        "position": None, "score": 0.0, "named": None, "vec_rank": None, "lex_rank": number, "graph_rank": None,
        "vec_z": None, "lex_z": 1 / number, "graph_z": None, "age_days": 1.0, "superseded": False,
        "superseded_by": None, "floor_bytes": 100, "json_bytes": 900, "requests": 1,
    }  # fmt: skip
    return Candidate(**values | fields)


def recall(*numbers: int, shown: int = 3, **fields: Any) -> Recall:
    """A recall that found these issues and showed the first of them."""
    found = [candidate(number) for number in numbers]
    values: dict[str, Any] = {
        "query": "retry storms", "query_class": "other", "as_of": None, "page": 1, "candidate_count": len(found),
        "payload_bytes": 700, "took_ms": 3.5, "match": "strong", "weights": WEIGHTS, "rrf_k": 60,
        "half_life_days": 180.0,
    } | fields  # fmt: skip
    rows = [{name: getattr(one, name) for name in Candidate._fields} for one in found]
    ids = order(rows, values["weights"], 60, 180.0, values["query_class"])[:shown]
    placed = [
        Candidate(**row | {"position": ids.index(row["memory_id"]) + 1 if row["memory_id"] in ids else None})
        for row in rows
    ]
    return Recall(result_count=len(ids), candidates=tuple(placed), **values)


def caller(session: str = "s1", **fields: Any) -> Caller:
    """An agent of Codex in a session."""
    values: dict[str, Any] = {"user": ME, "harness": "codex", "connection": "c1", "project": "github:o/r"} | fields
    return Caller(session=session, **values)


def note(home: Mapping[str, str], name: str, what: Recall, who: Caller | None = None, at: str = AT) -> str:
    """Write a recall under an id; gives the id."""
    log = EventLog(paths.telemetry_file(home))
    assert log.recall(name, who or caller(), what, at)
    log.close()
    return name


def touch(number: int, name: str, at: str = AT, session: str = "s1", outcome: str = "hit", **fields: Any) -> Touch:
    """A read of o/r#number, or with outcome "" a fetch of it."""
    provenance = CACHE_READ if outcome else FETCHED
    values: dict[str, Any] = {"user": ME, "harness": "codex", "kind": "item", "status": RESOLVED} | fields
    return Touch(
        id=name,
        address=f"github:o/r#{number}",
        provenance=provenance,
        at=at,
        session=session,
        outcome=outcome,
        **values,
    )


def begin(home: Mapping[str, str]) -> TouchLog:
    """A home with an identity and an empty file of Touches."""
    set_values(home, {"identity.user_id": ME})
    log = TouchLog(paths.outbox_file(home))
    log.record([])
    return log


def rows(home: Mapping[str, str], table: str) -> list[dict[str, Any]]:
    """All rows of a table of telemetry.db."""
    with closing(sqlite3.connect(paths.telemetry_file(home))) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(f"SELECT * FROM {table}")]
