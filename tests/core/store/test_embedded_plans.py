"""No statement that a reader waits for looks through a table: each finds its rows by an index."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from rg_core.store.sqlite import sql_read, sql_write
from rg_core.store.sqlite.file import migrate

THE_WHOLE = {
    "KINDS", "COUNT_STATES", "COUNT_LISTINGS", "REPOSITORIES", "MOVES", "LISTINGS", "RESOURCES_AFTER", "INTEGRITY",
    "REPOSITORY_COUNTS", "STATE_COUNTS", "LABEL_COUNTS",
}  # fmt: skip
FRAGMENTS = {"ROWS", "BY_PLACE"}
STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": text
    for module in (sql_read, sql_write)
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str) and name not in THE_WHOLE | FRAGMENTS and "PRAGMA" not in text
} | {
    f"a page with {name}, {order}": f"{sql_read.MATCHING} AND {clause.format(':value')} ORDER BY {ordering}"
    for name, clause in sql_read.FILTERS.items()
    for order, ordering in sql_read.ORDERS.items()
}  # fmt: skip


@pytest.fixture(scope="module")
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        yield connection


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_finds_its_rows_by_an_index(name: str, db: sqlite3.Connection) -> None:
    text = STATEMENTS[name]
    named = set(re.findall(r":(\w+)", text))
    values = dict.fromkeys(named, "") if named else [""] * text.count("?")
    plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {text}", values)]
    # json_each is the list of what was asked for; a constant row is what an INSERT puts in
    scans = [
        step for step in plan if step.startswith("SCAN") and not re.match(r"SCAN (asked|wanted|j|json_each|\d)", step)
    ]
    assert scans == [], plan
