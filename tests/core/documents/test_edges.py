"""Edges of documents: reviewed before they are written, in step with the texts, with where they were found."""

from typing import Any

from tests.core.documents.conftest import Project


def edges(project: Project, of: str) -> list[tuple[Any, ...]]:
    rows = project.json("documents", "edges", of)
    return sorted((row["source"], row["verb"], row["target"], row["section"]) for row in rows)


def test_nothing_is_written_without_a_yes(project: Project) -> None:
    project.write("a.md", "# SPEC-001 A\n\n## Depends on\n\nSPEC-002\n")
    shown = project.run("documents", "add", ".", code=1)
    assert "+ DEPENDS_ON SPEC-002  (Depends on)" in shown
    assert project.run("documents", "list").startswith("no documents yet")
    assert "+ DEPENDS_ON SPEC-002" in project.run("documents", "add", ".", "--dry-run")
    assert project.run("documents", "list").startswith("no documents yet")


def test_a_removed_reference_loses_its_edge_after_a_yes(project: Project) -> None:
    file = project.write("a.md", "# SPEC-001 A\n\n## Depends on\n\n- SPEC-002\n- SPEC-003\n")
    project.run("documents", "add", ".", "--yes")
    file.write_text("# SPEC-001 A\n\n## Depends on\n\n- SPEC-003\n")
    assert "- DEPENDS_ON SPEC-002" in project.run("documents", "sync", code=1)
    assert len(edges(project, "SPEC-001")) == 2
    project.run("documents", "sync", "--yes")
    assert edges(project, "SPEC-001") == [("doc:harbor/a.md", "DEPENDS_ON", "SPEC-003", "Depends on")]


def test_front_matter_and_links_draw_edges_that_say_where_they_were_found(project: Project) -> None:
    project.write(
        "a.md",
        "---\nid: SPEC-001\nrequires: [2, SPEC-3]\nsuperseded-by: SPEC-004\nsee_also: https://github.com/o/r/issues/7\n"
        "---\n# A\n\nRead [this](sub/b.md), and [SPEC-3](spec-3.md).\n",
    )
    project.write("sub/b.md", "# B\n")
    project.run("documents", "add", ".", "--yes")
    here = "doc:harbor/a.md"
    assert edges(project, here) == [
        ("SPEC-004", "SUPERSEDES", here, "front matter: superseded-by"),
        (here, "DEPENDS_ON", "SPEC-002", "front matter: requires"),
        (here, "DEPENDS_ON", "SPEC-003", "front matter: requires"),
        (here, "REFERENCES", "doc:harbor/sub/b.md", "text"),
        (here, "REFERENCES", "github:o/r#7", "front matter: see-also"),
    ]
    project.run("config", "set", "documents.front_matter", "false")
    project.write("a.md", "---\nid: SPEC-001\nrequires: [2]\n---\n# A\n\nOther.\n")
    project.run("documents", "sync", "--yes")
    assert edges(project, here) == []


def test_a_target_that_comes_later_is_found_then(project: Project) -> None:
    project.write("a.md", "# SPEC-001 A\n\n## Implements\n\nSPEC-002\n")
    project.run("documents", "add", ".", "--yes")
    assert [row["target_address"] for row in project.json("documents", "edges")] == [None]
    project.write("b.md", "# SPEC-002 B\n")
    project.run("documents", "sync", "--yes")
    assert [row["target_address"] for row in project.json("documents", "edges")] == ["doc:harbor/b.md"]


def test_an_edge_that_stays_keeps_when_it_was_drawn(repository: Project) -> None:
    repository.write("a.md", "# SPEC-001 A\n\n## Extends\n\nSPEC-002\n")
    repository.commit("2025-01-01T00:00:00Z")
    repository.write("a.md", "# SPEC-001 A\n\nMore.\n\n## Extends\n\n- SPEC-002\n- SPEC-003\n")
    repository.commit("2025-06-01T00:00:00Z")
    repository.run("documents", "add", ".", "--yes")
    rows = repository.json("documents", "edges")
    assert {row["target"]: row["created_at"] for row in rows} == {
        "SPEC-002": "2025-01-01T00:00:00Z", "SPEC-003": "2025-06-01T00:00:00Z",
    }  # fmt: skip


def test_yaml_that_could_explode_is_not_read(project: Project) -> None:
    project.write("a.md", "---\na: &x [SPEC-009]\nrequires: *x\n---\n# SPEC-001 A\n")
    project.write("b.md", "---\nid: !!python/object:os.system SPEC-008\nrequires: SPEC-009\n---\n# SPEC-002 B\n")
    project.run("documents", "add", ".", "--yes")
    assert project.json("documents", "edges") == []
    assert [one["names"] for one in project.json("documents", "list")["documents"]] == [["SPEC-001"], ["SPEC-002"]]
