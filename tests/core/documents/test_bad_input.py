"""What is no document is left out and counted; what is no repository is refused with what to do; nothing is lost."""

import io
import os
import subprocess
from pathlib import Path

import pytest

from tests.core.documents.conftest import Project


def test_files_that_are_no_documents_are_left_out(project: Project, tmp_path: Path) -> None:
    project.write("good.md", "# Good\n")
    project.write("more.md", "# More\n")
    (project.root / "binary.md").write_bytes(b"# x\0y")
    (project.root / "latin.md").write_bytes("# Größe\n".encode("latin-1"))
    (project.root / "large.md").write_bytes(b"x" * (30 << 20))
    secret = tmp_path / "secret.md"
    secret.write_text("# outside\n")
    (project.root / "link.md").symlink_to(secret)
    (project.root / "outside").symlink_to(tmp_path, target_is_directory=True)
    (project.root / "line\nend.md").write_text("# x\n")
    unreadable = {}
    if hasattr(os, "mkfifo"):
        os.mkfifo(project.root / "pipe.md")
        unreadable = {"unreadable": 1}
    project.write(".hidden/x.md", "# x\n")
    found = project.json("documents", "add", ".", "--yes")
    assert found["new"] == ["doc:harbor/good.md", "doc:harbor/more.md"]
    assert found["documents"] == 2
    assert found["left_out"] == {"binary": 1, "encoding": 1, "large": 1, "link": 1, "name": 1} | unreadable
    assert "2 documents in memory" in project.run("documents", "sync", "--yes")
    assert "2 documents\n" in project.run("status")


class Terminal(io.StringIO):
    """A standard input at which a person sits."""

    def isatty(self) -> bool:
        return True


def test_documents_are_removed_only_where_somebody_agrees(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a.md", "# A\n")
    project.run("documents", "add", ".", "--yes")
    assert "pass --yes" in project.run("documents", "remove", ".", text="y\n", code=1)  # a pipe is nobody's consent
    monkeypatch.setattr(io, "StringIO", Terminal)
    asked = project.run("documents", "remove", ".", text="n\n", code=1)
    assert "Take 1 document with all versions out of memory? This cannot be undone." in asked
    assert len(project.json("documents", "list")["documents"]) == 1
    assert "1 document out of memory" in project.run("documents", "remove", ".", text="y\n")
    assert project.json("documents", "list")["documents"] == []


def test_a_document_that_becomes_binary_ends_and_keeps_its_past(project: Project) -> None:
    file = project.write("a.md", "# A\n\ntext\n")
    project.run("documents", "add", ".", "--yes")
    file.write_bytes(b"\0\1\2")
    project.run("documents", "sync", "--yes")
    assert [state["event_type"] for state in project.states("doc:harbor/a.md")] == [None, "deleted"]
    assert "text" in project.json("show", "doc:harbor/a.md")["text"]


def test_a_broken_repository_is_refused_with_what_to_do(repository: Project) -> None:
    repository.write("a.md", "# A\n")
    repository.commit("2025-01-01T00:00:00Z")
    (repository.root / ".git" / "HEAD").write_text("garbage\n")
    said = repository.run("documents", "add", ".", "--yes", code=1)
    assert "git cannot read" in said
    assert "--no-history" in said
    assert repository.json("documents", "add", ".", "--yes", "--no-history")["new"] == ["doc:harbor/a.md"]


def test_a_shallow_repository_gives_the_versions_it_has(repository: Project, tmp_path: Path) -> None:
    for month in (1, 2, 3):
        repository.write("a.md", f"# A\n\n{month}\n")
        repository.commit(f"2025-{month:02}-01T00:00:00Z")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository.root}", clone], check=True,
                   env=repository.environ)  # fmt: skip
    repository.run("project", "add", "clone", str(clone))
    repository.run("documents", "add", str(clone), "--yes")
    assert [state["valid_from"] for state in repository.states("doc:clone/a.md")] == ["2025-03-01T00:00:00Z"]


def test_a_repository_can_run_nothing(repository: Project) -> None:
    ran = repository.root / "ran"
    script = repository.write("evil.sh", f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    repository.write("a.md", "# A\n\none\n")
    repository.commit("2025-01-01T00:00:00Z")
    repository.write("a.md", "# A\n\ntwo\n")
    repository.commit("2025-02-01T00:00:00Z")
    hooks = repository.root / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "pre-commit", "reference-transaction"):
        (hooks / name).symlink_to(script)
    for key, value in {"core.fsmonitor": script, "diff.external": script, "core.hooksPath": hooks, "core.pager": script,
                       "diff.evil.textconv": script, "diff.evil.command": script}.items():  # fmt: skip
        repository.git("config", key, str(value))
    ran.unlink(missing_ok=True)
    (repository.root / ".git" / "info").mkdir(exist_ok=True)
    (repository.root / ".git" / "info" / "attributes").write_text("*.md diff=evil\n")
    repository.run("documents", "add", ".", "--yes")
    assert not ran.exists()
    assert len(repository.states("doc:harbor/a.md")) == 2


def test_only_what_git_tracks_is_read(repository: Project) -> None:
    repository.write(".gitignore", "secret.md\n")
    repository.write("a.md", "# A\n")
    repository.commit("2025-01-01T00:00:00Z")
    repository.write("secret.md", "# S\n")
    repository.write("draft.md", "# D\n")
    assert repository.json("documents", "add", ".", "--yes")["new"] == ["doc:harbor/a.md"]


def test_an_excluded_directory_is_refused(project: Project) -> None:
    project.write("private/a.md", "# A\n")
    project.write("b.md", "# B\n")
    project.run("config", "set", "capture.exclude_projects", str(project.root / "private"))
    assert "excluded" in project.run("documents", "add", "private", "--yes", code=1)
    assert project.json("documents", "add", ".", "--yes")["new"] == ["doc:harbor/b.md"]


def test_a_directory_of_no_project_is_refused_with_the_command(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert "rg-memory project add" in project.run("documents", "add", str(other), "--yes", code=1)
    assert "is not there" in project.run("documents", "add", "nowhere", "--yes", code=1)


def test_an_unknown_name_tells_what_is_near(project: Project) -> None:
    project.write("a.md", "# SPEC-054 A\n")
    project.run("documents", "add", ".", "--yes")
    assert "SPEC-054" in project.run("history", "SPEC-055", code=1)
    assert project.json("show", "SPEC-055")["outcome"] == "miss"
    assert "SPEC-054" in project.json("show", "SPEC-055")["why"]


def test_another_user_sees_nothing(project: Project) -> None:
    project.write("a.md", "# SPEC-054 A\n\nWords.\n")
    project.run("documents", "add", ".", "--yes")
    note = project.run("remember", "something").strip()
    project.run("config", "set", "identity.user_id", "eve")
    assert project.json("documents", "list") == {"roots": [], "documents": []}
    assert project.json("documents", "edges") == []
    for address in ("SPEC-054", "doc:harbor/a.md", note):
        assert project.json("show", address)["outcome"] == "miss"
        project.run("forget", address, "--yes", code=1)
    project.run("config", "set", "identity.user_id", "ada")
    assert "Words." in project.json("show", "SPEC-054")["text"]


def test_forgetting_leaves_no_word_in_any_file(project: Project) -> None:
    project.write("a.md", "# SPEC-054 A\n\nZebraquagga.\n")
    project.run("documents", "add", ".", "--yes")
    note = project.run("remember", "Okapizorilla one").strip()
    project.run("remember", "Okapizorilla two", "--replaces", note)
    project.run("forget", "SPEC-054", "--yes")
    project.run("forget", note, "--yes")
    data = Path(project.environ["XDG_DATA_HOME"])
    for file in data.rglob("*"):
        if file.is_file():
            assert b"zebraquagga" not in file.read_bytes().lower()
            assert b"okapizorilla" not in file.read_bytes().lower()
    assert os.listdir(data / "rg-memory")
