"""Odd Markdown: which names a text's sections draw edges to, and which heading names the text itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from rg_core.documents.parse import parse
from tests.core.recall import cases

ROWS = [
    json.loads(line)
    for line in (Path(cases.__file__).with_name("odd_markdown.jsonl")).read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_section_edges(row: dict[str, Any]) -> None:
    assert cases.run_edges(row) == row["edges"]


def test_many_names_in_one_section() -> None:
    text = "## References\n" + " ".join(f"SPEC-{number}" for number in range(1, 1001))
    assert len(cases.run_edges({"markdown": text, "self": "SPEC-100"})) == 999


@pytest.mark.parametrize(
    ("markdown", "title", "names"),
    [
        ("# SPEC-012 Queue\n", "SPEC-012 Queue", ("SPEC-012",)),
        ("SPEC-012 Queue\n==============\n", "SPEC-012 Queue", ("SPEC-012",)),
        ("spec-12: Queue\n---\n\n# SPEC-013\n", "spec-12: Queue", ("SPEC-012",)),
        ("```\n# SPEC-013\n```\n\n# SPEC-012 Queue #\n", "SPEC-012 Queue", ("SPEC-012",)),
        ("<!--\n# SPEC-013\n-->\n# **SPEC-012** Queue\n", "**SPEC-012** Queue", ("SPEC-012",)),
        ("> # SPEC-013\n\n### SPEC-014\n\n# ADR #12 Queue\n", "ADR #12 Queue", ("ADR-012",)),
        ("# [SPEC-012](x.md) Queue\r\n", "[SPEC-012](x.md) Queue", ("SPEC-012",)),
        ("---\nspec_id: spec-12\ntitle: Queue\n---\n# SPEC-013\n", "Queue", ("SPEC-012",)),
        ("---\nSPEC_ID: SPEC-012\n---\n#\n\n# Queue\n", "Queue", ("SPEC-012",)),
        ("---\nadr: 7\n---\n# Queue\n", "Queue", ("ADR-007",)),
        ("# Specification: SPEC-012\n", "Specification: SPEC-012", ("SPEC-012",)),
        ("# Architecture Decision Record ADR#7\n", "Architecture Decision Record ADR#7", ("ADR-007",)),
        ("# `SPEC-012-queue`\n", "`SPEC-012-queue`", ("SPEC-012",)),
        ("# How SPEC-013 is used\n", "How SPEC-013 is used", ("SPEC-099",)),
        ("no heading\n", "SPEC-099-x.md", ("SPEC-099",)),
    ],
)
def test_what_a_text_is_called(markdown: str, title: str, names: tuple[str, ...]) -> None:
    said = parse(markdown, "harbor", "specs/SPEC-099-x.md")
    assert (said.title, said.names) == (title, names)
