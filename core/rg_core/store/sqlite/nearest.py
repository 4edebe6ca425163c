"""The vector leg of the index on this machine: brute force over bytes, kept in memory while they do not change."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rg_core.store.search import Hit, Scope
from rg_core.store.sqlite import sql_recall as sql
from rg_core.store.sqlite.scope import valid, values

BLOCK = 512  # vectors that are compared at a time: they stay in the cache, and no threads are started for them
SCALE = 127.0  # of one number in a byte


class Nearest:
    """The vectors of what a user may see now, as they were read last."""

    def __init__(self) -> None:
        self._stamp: tuple[str, str] | None = None
        self._owners: list[str] = []
        self._matrix: Any = None
        self._numbers: Any = None  # of one block

    def search(self, db: sqlite3.Connection, vector: Any, scope: Scope, limit: int, stamp: str) -> Sequence[Hit]:
        """Memories by the cosine of their nearest chunk, best first."""
        import numpy as np

        if scope.is_whole:
            if self._stamp != (scope.user, stamp):
                self._owners, self._matrix = _load(db, scope)
                self._stamp = (scope.user, stamp)
            owners, matrix = self._owners, self._matrix
        else:
            owners, matrix = _load(db, scope)
        if not owners:
            return []
        scores = np.empty(len(owners), dtype=np.float32)
        if self._numbers is None:
            self._numbers = np.empty((BLOCK, matrix.shape[1]), dtype=np.float32)
        for start in range(0, len(owners), BLOCK):
            block = matrix[start : start + BLOCK]
            numbers = self._numbers[: len(block)]
            numbers[...] = block
            np.dot(numbers, vector, out=scores[start : start + len(block)])
        scores /= SCALE
        best: dict[str, float] = {}
        wanted = min(len(owners), limit * 16)
        places = np.argpartition(-scores, wanted - 1)[:wanted]
        places = places[np.argsort(-scores[places], kind="stable")]
        for place, score in zip(places.tolist(), scores[places].tolist(), strict=True):
            best.setdefault(owners[place], score)
            if len(best) == limit:
                break
        return [Hit(memory, score) for memory, score in best.items()]


def _load(db: sqlite3.Connection, scope: Scope) -> tuple[list[str], Any]:
    import numpy as np

    owners: list[str] = []
    data = bytearray()
    for row in db.execute(sql.VECTORS.format(scope=sql.SCOPE, valid=valid(scope)), values(scope)):
        owners.append(row["memory_id"])
        data += row["data"]
    if not owners:
        return [], None
    return owners, np.frombuffer(bytes(data), dtype=np.int8).reshape(len(owners), -1)
