"""Runs one row of cases.jsonl with the product's own functions."""

from typing import Any

from rg_core.documents.edges import section_edges
from rg_core.recall import fusion
from rg_core.recall.query_class import query_class

Row = dict[str, Any]
ABSENT = {"named": None, "superseded_by": None} | {
    f"{leg}_{part}": None for leg in fusion.FINDING for part in ("rank", "z")
}


def run_edges(row: Row) -> list[list[str]]:
    """The section edges of a row's Markdown as [verb, target], sorted."""
    return [[edge.verb, edge.target] for edge in section_edges(row["markdown"], (row["self"],))]


def run_class(row: Row) -> str:
    """The class of a row's query."""
    return query_class(row["query"], row.get("as_of"))


def run_fusion(row: Row) -> dict[str, list[str]]:
    """The row's `order`: with all legs, and without each leg that the row asks for."""
    candidates = [ABSENT | candidate for candidate in row["candidates"]]
    settings = (row["weights"], row["k"], row["half_life_days"], row["class"])
    return {
        without: fusion.order(candidates, *settings, without="" if without == "all" else without)
        for without in row["order"]
    }
