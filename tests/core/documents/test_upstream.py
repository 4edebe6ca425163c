"""What is said of the documents that a document builds on."""

from pathlib import Path

from rg_core import paths
from rg_core.documents.upstream import SENTENCE, sentences
from rg_core.store import open_documents
from rg_core.touches.upstream import Notes, names_path
from tests.core.documents.conftest import Project


def said(project: Project) -> dict[str, str]:
    """The sentences by document."""
    store = open_documents(project.environ)
    try:
        return {page.address: note for page, note in sentences(store, "ada")}
    finally:
        store.close()


def published(project: Project, key: str) -> str:
    """What hooks are given of a document."""
    notes = Notes(paths.data_dir(project.environ), "ada")
    try:
        return notes.of(key)
    finally:
        notes.close()


def test_the_nearest_first_with_titles_and_one_hop_more_over_what_builds(project: Project) -> None:
    project.write("a.md", "# SPEC-001 — Port\n\n## References\n\nSPEC-002 ADR-007\n\n## Depends on\n\nSPEC-003\n")
    project.write("b.md", "# SPEC-002: Merging\n\n## Depends on\n\nSPEC-004\n\n## References\n\nSPEC-005\n")
    project.write("c.md", "# SPEC-003\n\n## Implements\n\nSPEC-001\n")
    project.write("d.md", "# SPEC-004 Order\n\n## Depends on\n\nSPEC-006\n")
    project.write("e.md", "# SPEC-005 Not so far\n")
    project.run("documents", "add", ".", "--yes")
    assert said(project)["doc:harbor/a.md"] == (
        'SPEC-001 builds on SPEC-003, ADR-007, SPEC-002 "Merging", SPEC-004 "Order". '
        'Read them before you plan a change to it: recall({"query": "SPEC-001 dependencies"}).'
    )
    assert "doc:harbor/e.md" not in said(project)


def test_what_was_superseded_is_replaced_by_its_successors(project: Project) -> None:
    project.write("a.md", "# SPEC-001\n\n## Depends on\n\nSPEC-002\n")
    project.write("b.md", "# SPEC-002\n")
    project.write("c.md", "# SPEC-003\n\n## Supersedes\n\nSPEC-002\n")
    project.write("d.md", "# SPEC-004 New\n\n## Supersedes\n\nSPEC-003\n")
    project.run("documents", "add", ".", "--yes")
    assert said(project)["doc:harbor/a.md"].startswith('SPEC-001 builds on SPEC-004 "New". ')


def test_two_that_supersede_each_other_end(project: Project) -> None:
    project.write("a.md", "# SPEC-001\n\n## Depends on\n\nSPEC-002\n")
    project.write("b.md", "# SPEC-002\n\n## Supersedes\n\nSPEC-003\n")
    project.write("c.md", "# SPEC-003\n\n## Supersedes\n\nSPEC-002\n")
    project.run("documents", "add", ".", "--yes")
    assert said(project)["doc:harbor/a.md"].startswith("SPEC-001 builds on SPEC-002. ")


def test_a_sentence_is_short_however_much_there_is_and_its_titles_are_clean(project: Project) -> None:
    numbers = range(2, 90)
    project.write("a.md", "# SPEC-001\n\n## Depends on\n\n" + " ".join(f"SPEC-{number:03d}" for number in numbers))
    project.write("b.md", "# Other\n\n## References\n\n[c](c.md)\n")
    project.write("c.md", '# A "<b>\u202e\u200b title\n')
    for number in numbers:
        project.write(f"s{number}.md", f"# SPEC-{number:03d} — {'long ' * 20}\n")
    project.run("documents", "add", ".", "--yes")
    whole = said(project)
    assert max(len(note.encode()) for note in whole.values()) <= SENTENCE
    assert whole["doc:harbor/a.md"].startswith("SPEC-001 builds on SPEC-002, SPEC-003, ")
    assert " more. Read them" in whole["doc:harbor/a.md"]
    assert whole["doc:harbor/b.md"].startswith('b.md builds on c.md "A \'‹b›\ufffd title". ')


def test_hooks_are_given_what_stands_in_the_files_now(project: Project) -> None:
    project.write("a.md", "# SPEC-001\n\n## Depends on\n\nSPEC-002\n")
    project.run("documents", "add", ".", "--yes")
    assert "SPEC-002" in published(project, "doc:harbor/a.md")
    project.write("a.md", "# SPEC-001\n\n## Depends on\n\nSPEC-003, and more\n")
    project.run("documents", "sync", "--yes")
    assert "SPEC-003" in published(project, "doc:harbor/a.md")
    project.run("forget", "SPEC-001", "--yes")
    assert published(project, "doc:harbor/a.md") == ""
    assert not Path(names_path(paths.data_dir(project.environ))).exists()
