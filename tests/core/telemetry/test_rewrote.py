"""A document or a note that a recall showed and that became another within a day: the Sweep notes it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from rg_core import paths, times
from tests.core.documents.conftest import Project, project  # noqa: F401 - a fixture
from tests.core.telemetry import facts

PLAN = "# Harbour plan\n\nStatus: draft\n\nThe breakwater is built from the north.\n"


@pytest.fixture
def shown(project: Project) -> Project:  # noqa: F811
    """A project whose document and note a recall showed."""
    project.write("docs/plan.md", PLAN)
    project.run("documents", "add", "docs", "--yes")
    project.run("remember", "The breakwater needs a second crane.")
    for _ in range(2):
        assert len(project.json("recall", "breakwater", "--project", "harbor")["results"]) == 2
    return project


def rewritten(of: Project) -> list[tuple[str, str, str]]:
    """What the next Sweep has noted by then, by recall."""
    of.run("sweep")
    rows = facts.rows(of.environ, "citation_event")
    assert {(row["kind"], row["given_by"], row["user"]) for row in rows} <= {("rewrote", "sweep", "ada")}
    return [(row["recall_id"], row["address"], row["harness"]) for row in rows]


def test_a_text_that_changed_after_a_recall_was_rewritten(shown: Project) -> None:
    assert rewritten(shown) == []
    shown.write("docs/plan.md", PLAN.replace("north", "south"))
    latest = facts.rows(shown.environ, "recall_event")[-1]
    assert rewritten(shown) == [(latest["id"], "doc:harbor/docs/plan.md", "cli")]
    assert len(rewritten(shown)) == 1  # once


def test_a_note_that_was_replaced_was_rewritten(shown: Project) -> None:
    (note,) = (row["address"] for row in facts.rows(shown.environ, "recall_candidate")[:2] if row["kind"] == "note")
    shown.run("remember", "The breakwater needs a third crane.", "--replaces", note)
    assert [address for _, address, _ in rewritten(shown)] == [note]


def test_a_change_without_a_recall_of_its_project_in_the_day_before_is_none(shown: Project) -> None:
    with closing(sqlite3.connect(paths.telemetry_file(shown.environ))) as db, db:
        db.execute("UPDATE recall_event SET at = ? WHERE rowid = 1", (times.now(ago=times.DAY + 60),))
        db.execute("UPDATE recall_event SET project = 'another' WHERE rowid = 2")
    shown.write("docs/plan.md", PLAN.replace("north", "south"))
    assert rewritten(shown) == []
