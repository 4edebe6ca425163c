"""Notes: kept with who wrote them and what they are about; a new wording is a new State; secrets are refused."""

import pytest

from rg_core.secret import secret_in
from tests.core.documents.conftest import Project


def test_a_note_is_kept_and_rewritten(project: Project) -> None:
    note = project.run("remember", "-", "--about", "spec-54", "--kind", "decision", text="Five retries.\nMore hide it.")
    shown = project.json("show", note.strip())
    assert (shown["kind"], shown["note_kind"], shown["author"]) == ("note", "decision", "person")
    assert (shown["title"], shown["project"]) == ("Five retries.", "harbor")
    assert shown["edges"] == [{"verb": "RELATES_TO", "target": "SPEC-054", "section": "about"}]
    assert project.run("remember", "Six retries.", "--replaces", note.strip()) == note
    assert [state["event_type"] for state in project.states(note.strip())] == [None, "rewritten"]


def test_a_note_of_no_project(project: Project) -> None:
    assert project.run("remember", "x", "--no-project").startswith("note:~/")


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "nothing to remember"), ("x" * 4001, "at most 4,000"), ("a ghp_" + "a1" * 18, "a GitHub token")],
)
def test_what_is_refused(project: Project, text: str, why: str) -> None:
    assert why in project.run("remember", "-", text=text, code=1)


@pytest.mark.parametrize(
    "text",
    [
        "github_pat_11AAAAAAA0abcdefghijkl_mnop",
        "sk-ant-api03-abcdefghijklmnop",
        "sk-proj-abcdefghij1234567890",
        "Authorization: Bearer abcdefghij1234567890.x",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN RSA PRIVATE KEY-----",
        "postgres://user:hunter22@db/x",
    ],
)
def test_secrets_are_recognised(text: str) -> None:
    assert secret_in(f"see {text} there")


@pytest.mark.parametrize(
    "text",
    ["sk-learn is a library", "the Bearer token is in the header", "ghp_short", "task-force-of-twenty-people",
     "https://example.org/a:b", "git@github.com:owner/repo", "commit 4d52f4f1dc033c2a326d02c8a6c03b6a07209fcc"],
)  # fmt: skip
def test_look_alikes_are_not(text: str) -> None:
    assert secret_in(text) is None
