"""Every case of cases.jsonl that needs no corpus: section edges, query classes, fusion."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bolt_server import Server
from tests.core.recall import cases
from tests.core.store.conftest import ENGINES

ROWS = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text().splitlines()]


BOTH = pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "words"])


def rows(kind: str) -> pytest.MarkDecorator:
    """The rows of a kind, as parameters; of recall those on the specifications."""
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(row, id=row.get("name") or row.get("query"))
            for row in ROWS
            if row["kind"] == kind and row.get("corpus", "specs") == "specs"
        ],
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


@pytest.fixture(params=ENGINES)
def server(request: pytest.FixtureRequest) -> Server | None:
    """Where the documents are that are found: on this machine, or on a server, where somebody else asks for them."""
    return request.getfixturevalue("emptied") if request.param == "bolt" else None


@BOTH
@rows("recall")
def test_what_recall_finds(row: dict[str, Any], vectors: bool, server: Server | None) -> None:
    assert set(row["expected"]) <= set(cases.run_recall(row, vectors=vectors, server=server))


@BOTH
@rows("acceptance")
def test_acceptance(row: dict[str, Any], vectors: bool, server: Server | None) -> None:
    assert cases.run_acceptance(row, vectors=vectors, server=server) is True


def test_the_kinds_of_rows_are_there() -> None:
    assert {kind: sum(row["kind"] == kind for row in ROWS) for kind in ("extract", "class", "fusion")} == {
        "extract": 67,
        "class": 84,
        "fusion": 14,
    }
