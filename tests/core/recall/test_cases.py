"""Every case of cases.jsonl that needs no corpus: section edges, query classes, fusion."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.recall import cases

ROWS = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text().splitlines()]


def rows(kind: str) -> pytest.MarkDecorator:
    """The rows of a kind, as parameters."""
    return pytest.mark.parametrize(
        "row", [pytest.param(row, id=row.get("name") or row.get("query")) for row in ROWS if row["kind"] == kind]
    )


@rows("extract")
def test_section_edges(row: dict[str, Any]) -> None:
    assert cases.run_edges(row) == row["edges"]


@rows("class")
def test_the_class_of_a_query(row: dict[str, Any]) -> None:
    assert cases.run_class(row) == row["class"]


@rows("fusion")
def test_the_order_that_fusion_gives(row: dict[str, Any]) -> None:
    assert cases.run_fusion(row) == row["order"]


def test_the_kinds_of_rows_are_there() -> None:
    assert {kind: sum(row["kind"] == kind for row in ROWS) for kind in ("extract", "class", "fusion")} == {
        "extract": 67,
        "class": 84,
        "fusion": 14,
    }
