"""Documents have the versions that Git knows: one open State each, a chain without gaps, the past readable."""

from itertools import pairwise
from typing import Any

from tests.core.documents.conftest import Project

SPEC = """---
spec_id: SPEC-001
version: {version}
status: {status}
date: {date}
---
# SPEC-001 {title}

{text}
"""


def spec(
    title: str = "Signals", text: str = "First.", version: str = "1.0", status: str = "active", date: str = ""
) -> str:
    return SPEC.format(title=title, text=text, version=version, status=status, date=date or "2025-01-01")


def assert_chain(states: list[dict[str, Any]], *, deleted: bool = False) -> None:
    """One open State unless deleted; acyclic; the next begins where the one before ends."""
    assert [state["valid_until"] for state in states].count(None) == (0 if deleted else 1)
    assert len({state["id"] for state in states}) == len(states)
    for before, after in pairwise(states):
        assert before["valid_until"] == after["valid_from"]
        assert before["valid_from"] < after["valid_from"]


def test_each_commit_that_changed_a_file_is_a_state(repository: Project) -> None:
    repository.write("specs/a.md", spec(text="First."))
    repository.commit("2025-02-01T10:00:00Z")
    repository.write("specs/a.md", spec(text="Second."))
    repository.commit("2025-03-01T10:00:00Z")
    repository.write("other.md", "# Other\n")
    repository.commit("2025-04-01T10:00:00Z")
    repository.run("documents", "add", ".", "--yes")

    states = repository.states("SPEC-001")
    assert_chain(states)
    assert [(state["event_type"], state["valid_from"]) for state in states] == [
        (None, "2025-01-01T00:00:00Z"),  # a first version counts as a change of version: its date is believed
        ("edited", "2025-03-01T10:00:00Z"),
    ]
    then = repository.json("show", "SPEC-001", "--as-of", "2025-02-15")
    assert ("First." in then["text"], then["superseded"]) == (True, True)
    assert "Second." in repository.json("show", "SPEC-001")["text"]
    assert repository.json("show", "SPEC-001", "--as-of", "2024-01-01")["outcome"] == "miss"


def test_what_happened_is_told(repository: Project) -> None:
    wordings = [
        (spec(), None),
        (spec(title="Messages"), "retitled"),
        (spec(title="Messages", version="1.1"), "version_bumped"),
        (spec(title="Messages", version="1.1", text="Other."), "edited"),
        (spec(title="Messages", version="1.1", text="Other.", status="merged"), "merged"),
        (spec(title="Messages", version="1.1", text="Other.", status="deprecated"), "retired"),
        (spec(title="Messages", version="1.1", text="Other.", status="superseded"), "superseded"),
    ]
    for month, (text, _) in enumerate(wordings, 1):
        repository.write("a.md", text)
        repository.commit(f"2026-{month:02}-01T00:00:00Z")
    repository.git("mv", "a.md", "b.md")
    repository.commit("2026-09-01T00:00:00Z")
    repository.run("documents", "add", ".", "--yes")
    states = repository.states("SPEC-001")
    assert_chain(states)
    assert [state["event_type"] for state in states] == [event for _, event in wordings] + ["renamed"]


def test_the_date_of_a_new_version_is_believed_unless_it_lies_before_the_one_before(repository: Project) -> None:
    repository.write("a.md", spec(version="1.0", date="2025-01-01"))
    repository.commit("2025-02-01T00:00:00Z")
    repository.write("a.md", spec(version="1.1", date="2025-03-01"))
    repository.commit("2025-04-01T00:00:00Z")
    repository.write("a.md", spec(version="1.2", date="2024-01-01"))
    repository.commit("2025-05-01T00:00:00Z")
    repository.run("documents", "add", ".", "--yes")
    assert [state["valid_from"] for state in repository.states("SPEC-001")] == [
        "2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z", "2025-05-01T00:00:00Z",
    ]  # fmt: skip


def test_a_moved_file_keeps_its_history_and_its_old_key(repository: Project) -> None:
    repository.write("old.md", spec(text="A text that is long enough to be told again."))
    repository.commit("2025-02-01T00:00:00Z")
    repository.run("documents", "add", ".", "--yes")
    repository.git("mv", "old.md", "new.md")
    repository.run("documents", "sync", "--yes")
    assert repository.json("show", "SPEC-001")["address"] == "doc:harbor/new.md"
    assert repository.json("show", "doc:harbor/old.md")["address"] == "doc:harbor/new.md"
    states = repository.states("SPEC-001")
    assert_chain(states)
    assert states[-1]["event_type"] == "renamed"
    repository.commit("2025-03-01T00:00:00Z")
    repository.run("documents", "sync", "--yes")
    assert repository.states("SPEC-001") == states


def test_the_same_files_again_change_nothing(repository: Project) -> None:
    repository.write("a.md", spec())
    repository.commit("2025-02-01T00:00:00Z")
    repository.write("a.md", spec(text="Not committed."))
    repository.run("documents", "add", ".", "--yes")
    before = repository.states("SPEC-001")
    assert len(before) == 2
    repository.commit("2026-01-01T00:00:00Z")
    for _ in range(2):
        repository.run("documents", "add", ".", "--yes")
        repository.run("documents", "sync")
    assert repository.states("SPEC-001") == before


def test_a_deleted_document_stays_readable_and_comes_back(project: Project) -> None:
    file = project.write("a.md", spec())
    project.run("documents", "add", ".", "--yes")
    file.unlink()
    project.run("documents", "sync", "--yes")
    states = project.states("doc:harbor/a.md")
    assert_chain(states, deleted=True)
    assert states[-1]["event_type"] == "deleted"
    assert project.json("documents", "list")["documents"] == []
    project.write("a.md", spec())
    project.run("documents", "sync", "--yes")
    assert_chain(project.states("SPEC-001"))


def test_without_git_the_file_s_own_time_counts(project: Project) -> None:
    import os

    file = project.write("a.md", "# A\n\none\n")
    os.utime(file, (1_750_000_000, 1_750_000_000))
    project.run("documents", "add", ".", "--yes")
    file.write_text("# A\n\ntwo\n")
    os.utime(file, (1_760_000_000, 1_760_000_000))
    project.run("documents", "sync", "--yes")
    assert [state["valid_from"] for state in project.states("doc:harbor/a.md")] == [
        "2025-06-15T15:06:40Z", "2025-10-09T08:53:20Z",
    ]  # fmt: skip


def test_what_another_document_supersedes_gets_a_state_that_says_so(project: Project) -> None:
    project.write("one.md", spec())
    project.write("two.md", "---\nid: SPEC-002\ndate: 2025-06-01\n---\n# SPEC-002 New\n\n## Supersedes\n\nSPEC-001\n")
    project.run("documents", "add", ".", "--yes")
    states = project.states("SPEC-001")
    assert_chain(states)
    assert [(state["event_type"], state["valid_from"]) for state in states[1:]] == [
        ("superseded", "2025-06-01T00:00:00Z")
    ]
    assert states[1]["cause"] == project.states("SPEC-002")[0]["id"]


def test_a_history_that_was_rewritten_loses_nothing(repository: Project) -> None:
    repository.write("a.md", spec(text="First."))
    repository.commit("2025-02-01T00:00:00Z")
    repository.write("a.md", spec(text="Second."))
    repository.commit("2025-03-01T00:00:00Z")
    repository.run("documents", "add", ".", "--yes")
    before = repository.states("SPEC-001")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.write("a.md", spec(text="Third."))
    repository.commit("2025-04-01T00:00:00Z")
    repository.run("documents", "sync", "--yes")
    after = repository.states("SPEC-001")
    assert_chain(after)
    assert [state["id"] for state in after[:2]] == [state["id"] for state in before]
    assert "Third." in repository.json("show", "SPEC-001")["text"]
