"""Questions about the specifications and about small projects: direction, successors, the past, and bad input."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.recall import cases
from tests.core.recall.test_cases import BOTH

ROWS = [json.loads(line) for line in Path(__file__).with_name("questions.jsonl").read_text("utf-8").splitlines()]
LONG = "duplicate suppression at the merge boundary"


@BOTH
@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "recall"], ids=lambda row: row["query"])
def test_what_recall_finds(row: dict[str, Any], vectors: bool) -> None:
    assert set(row["expected"]) <= set(cases.run_recall(row, vectors=vectors))


@BOTH
@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "acceptance"], ids=lambda row: row["name"])
def test_acceptance(row: dict[str, Any], vectors: bool) -> None:
    assert cases.run_acceptance(row, vectors=vectors or row.get("legs") == ["vec"]) is True


@BOTH
@pytest.mark.parametrize("query", [f"{LONG} " + " ".join(map(str, range(10_000))), "suppression " * 10_000])
def test_ten_thousand_words(query: str, vectors: bool) -> None:
    assert "SPEC-037" in cases.run_recall({"query": query, "top": 5}, vectors=vectors)


@pytest.mark.parametrize(("query", "body"), [
    ("再試行の予算", "再試行の予算は五回に引き上げられた。"),
    ("factory", "RetryBudgetFactory makes them."),
    ("재시도 예산", "재시도 예산을 다섯으로 올렸다."),
])  # fmt: skip
def test_what_the_tokenizer_does_not_know(query: str, body: str) -> None:
    other = {"id": "NOTE-B", "date": "2026-04-01", "title": "Logging", "body": "Nothing here."}
    row = {"query": query, "documents": [other | {"id": "NOTE-A", "body": body}, other]}
    world = cases.notes(row)
    answer = world.asker.ask(cases.question(row), now=cases.NOW, embed=False)
    world.close()
    assert [cases.name_of(result.address) for result in answer.results] == ["NOTE-A"]
