from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.core.assets import cases

TABLES: dict[str, tuple[int, Callable[[dict[str, Any]], Any]]] = {
    "access": (61, cases.run_access),
    "transitions": (97, cases.run_transition),
    "loadouts": (47, cases.run_loadout),
    "texts": (5, cases.run_text),
    "manifests": (8, cases.run_manifest),
}
ROWS = [(name, row) for name in TABLES for row in cases.rows(name)]


@pytest.mark.parametrize(("table", "row"), ROWS, ids=[f"{name}: {row['case']}" for name, row in ROWS])
def test_row_gives_what_it_wants(table: str, row: dict[str, Any]) -> None:
    assert TABLES[table][1](row) == row["want"]


@pytest.mark.parametrize("table", TABLES)
def test_table_is_whole(table: str) -> None:
    assert len(cases.rows(table)) == TABLES[table][0]
