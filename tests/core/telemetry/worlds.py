"""Loads a world, one JSON row a line, into the real files of a home: touches.db, telemetry.db, config.toml, memory.db.

A row is {"table": ..., columns}. `scope` says who asks, from when to when, and four declared numbers, each of which
goes where the product reads it: the declared row, `telemetry.rework_tokens`, as many resources as are stored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from rg_core import paths
from rg_core.config import set_values
from rg_core.store.model import Batch
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.telemetry.file import connect
from rg_core.touches.database import TouchLog
from tests.core.reading import samples

Row = Mapping[str, Any]


def load(path: str | Path, home: Mapping[str, str]) -> Row:
    """Fill an empty home, the fixture's environment, with a world; gives its row of `scope`."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line]
    return store(rows, home)


def store(rows: list[dict[str, Any]], home: Mapping[str, str], *, memory: bool = True) -> Row:
    """Fill an empty home with a world's rows; without `memory` nothing is stored but them."""
    (scope,) = (row for row in rows if row["table"] == "scope")
    set_values(home, {"identity.user_id": scope["user"], "telemetry.rework_tokens": scope["rework_bytes"] // 4})
    if memory:
        _memory(home, scope["stored"])
    TouchLog(paths.outbox_file(home)).record([])
    connect(paths.telemetry_file(home), 5).close()
    with closing(sqlite3.connect(paths.outbox_file(home))) as touches, touches:
        _insert(touches, [row for row in rows if row["table"] in ("touch", "nudged")])
    with closing(sqlite3.connect(paths.telemetry_file(home))) as telemetry, telemetry:
        telemetry.execute("INSERT INTO declared VALUES (?, ?)", (scope["tools_bytes"], scope["nudge_bytes"]))
        _insert(telemetry, [row for row in rows if row["table"] not in ("scope", "touch", "nudged")])
    return scope


def _insert(db: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        columns = [name for name in row if name != "table"]
        db.execute(
            f"INSERT INTO {row['table']} ({', '.join(map(_quoted, columns))}) VALUES ({','.join('?' * len(columns))})",
            [row[name] for name in columns],
        )


def _quoted(name: str) -> str:
    return f'"{name}"'


def _memory(home: Mapping[str, str], count: int) -> None:
    """So many stored resources: a repository, the rest its issues."""
    memory = EmbeddedStore(paths.memory_file(home))
    memory.init()
    if count:
        issues = [samples.item(number=number, node_id=f"I_stored{number}") for number in range(1, count)]
        memory.write(Batch(samples.AT, repositories=[samples.repository()], items=issues))
    memory.close()
