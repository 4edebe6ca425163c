"""What a leg added: used recalls fused again from their recorded rows, by the function that recall itself uses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rg_core.recall.fusion import LEGS, order


def fill_placed(db: sqlite3.Connection) -> None:
    """Fill the helper table `placed` from `to_fuse`: the shown places with all legs ('') and without each one.

    A leg of weight 0 was off: it had no say, and no line of its own is made for it.
    """
    rows = db.execute("SELECT * FROM to_fuse ORDER BY recall_id")
    columns = [column[0] for column in rows.description]
    candidates = (dict(zip(columns, row, strict=True)) for row in rows.fetchall())
    for recall_id, of_one in groupby(candidates, key=lambda candidate: candidate["recall_id"]):
        db.executemany("INSERT INTO placed VALUES (?, ?, ?, ?)", _places(recall_id, list(of_one)))


def _places(recall_id: str, candidates: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, int]]:
    recall = candidates[0]
    weights = json.loads(recall["weights"])
    how = (weights, recall["rrf_k"], recall["half_life_days"], recall["query_class"])
    for without in ("", *(leg for leg in LEGS if weights.get(leg, 0) > 0)):
        ids = order(candidates, *how, without)[: recall["result_count"]]
        yield from ((recall_id, without, memory_id, place) for place, memory_id in enumerate(ids, 1))
