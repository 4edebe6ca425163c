"""What a leg added: used recalls fused again from their recorded rows, by the function that recall itself uses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from rg_core.recall.fusion import FINDING, LEGS, Fusion

COLUMNS = (
    "recall_id", "memory_id", "named", "superseded_by", "age_days", *(f"{leg}_rank" for leg in FINDING),
    *(f"{leg}_z" for leg in FINDING), "weights", "rrf_k", "half_life_days", "query_class", "result_count",
)  # fmt: skip


def fill_placed(db: sqlite3.Connection) -> None:
    """Fill the helper table `placed` from `to_fuse`: the shown places with all legs ('') and without each one.

    A leg of weight 0 was off: it had no say, and no line of its own is made for it.
    """
    rows = db.execute(f"SELECT {', '.join(COLUMNS)} FROM to_fuse ORDER BY recall_id")  # noqa: S608 - names of ours
    candidates = (dict(zip(COLUMNS, row, strict=True)) for row in rows.fetchall())
    for recall_id, of_one in groupby(candidates, key=itemgetter("recall_id")):
        db.executemany("INSERT INTO placed VALUES (?, ?, ?, ?)", _places(recall_id, list(of_one)))


def _places(recall_id: str, candidates: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, int]]:
    recall = candidates[0]
    weights = json.loads(recall["weights"])
    fusion = Fusion(candidates, weights, recall["rrf_k"], recall["half_life_days"], recall["query_class"])
    whole = fusion.order()
    for without in ("", *(leg for leg in LEGS if weights.get(leg, 0) > 0)):
        ids = fusion.order(without) if without and fusion.had_a_say(without) else whole
        for place, memory_id in enumerate(ids[: recall["result_count"]], 1):
            yield recall_id, without, memory_id, place
