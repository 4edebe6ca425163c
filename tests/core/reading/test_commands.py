"""rg-memory show, history, diff and reverify, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rg_core import paths
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.store.model import Batch, Listing, Member
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.touches.database import TouchLog
from tests.core.reading import samples

ME = "me@example.org"
LATER = "2026-11-09T00:00:00Z"
OPEN = "github:o/r/issues?state=open"


@pytest.fixture
def memory(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A memory of o/r with two versions of its issue #1, its pull request #2 and a truncated listing."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    store = EmbeddedStore(paths.memory_file(home))
    first = samples.item(
        body="one\ntwo\nthree\n", labels=("Bug",), comments=(samples.comment(1, "so it is", path="a.py"),)
    )
    pull = samples.item(
        kind="pull_request", number=2, node_id="PR_2", state="merged", merged_at=LATER, base_ref="main",
        files=("a.py",), closes=("github:o/r#1",), references=("github:o/r#1",), milestone="v1", assignees=("carol",),
    )  # fmt: skip
    members = (Member("I_1", samples.AT),)
    listing = Listing(OPEN, "created-desc", members, 12, False, samples.AT)
    store.write(
        Batch(samples.AT, repositories=[samples.repository(readme="# hello")], items=[first, pull], listings=[listing])
    )
    second = samples.item(body="one\n2\nthree\n", labels=("Bug",), updated_at=LATER, fetched_at=LATER)
    store.write(Batch(LATER, items=[second]))
    store.close()
    return home


def shown(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def facts(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(capsys, "show", *arguments, "--json"))
    return found


@pytest.mark.usefixtures("memory")
def test_show_json_of_an_issue(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "O/R#1", "--as-of", samples.AT)
    assert found.pop("age_days") > 0
    assert len(found.pop("state_id")) >= 16
    assert found == {
        "outcome": "hit", "address": "github:o/r#1", "kind": "issue", "node_id": "I_1", "fetched_at": samples.AT,
        "updated_at": samples.AT, "superseded": True, "as_of": samples.AT, "valid_from": samples.AT,
        "valid_until": LATER, "recorded_at": samples.AT, "number": 1, "title": "a title", "state": "open",
        "state_reason": None, "body": "one\ntwo\nthree\n", "author": "Alice", "labels": ["Bug"], "assignees": [],
        "milestone": None, "created_at": samples.AT, "closed_at": None, "references": [], "closes": [], "closed_by": [],
        "comments": [{"node_id": "IC_1", "author": "bob", "created_at": samples.AT, "updated_at": samples.AT,
                      "body": "so it is", "path": "a.py"}],
    }  # fmt: skip


@pytest.mark.usefixtures("memory")
def test_show_json_of_a_pull_request_and_a_repository(capsys: pytest.CaptureFixture[str]) -> None:
    pull = facts(capsys, "https://github.com/o/r/pull/2")
    assert (pull["kind"], pull["merged"], pull["base_ref"], pull["files"]) == ("pull_request", True, "main", ["a.py"])
    assert (pull["closes"], pull["references"], pull["milestone"]) == (["github:o/r#1"], ["github:o/r#1"], "v1")
    assert facts(capsys, "o/r#1")["closed_by"] == ["github:o/r#2"]
    repository = facts(capsys, "o/r")
    assert (repository["kind"], repository["readme"], repository["pushed_at"]) == ("repository", "# hello", samples.AT)


@pytest.mark.usefixtures("memory")
def test_show_json_of_a_listing(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "gh issue list -R o/r -L 1")
    assert (found["outcome"], found["kind"], found["node_id"]) == ("hit", "listing", None)
    assert (found["member_count"], found["total_count"], found["complete"], found["source"]) == (1, 12, False, None)
    assert found["members"] == [
        {"address": "github:o/r#1", "number": 1, "title": "a title", "state": "open", "labels": ["Bug"],
         "updated_at": LATER, "comments": 0}
    ]  # fmt: skip


@pytest.mark.usefixtures("memory")
def test_show_json_of_a_miss(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "gh issue list -R o/r -L 5")
    assert (found["outcome"], found["address"], found["fetched_at"]) == ("miss", OPEN, None)
    assert "the first 1 of 12" in found["why"]
    assert "@me" in shown(capsys, "show", "gh issue list -R o/r --assignee @me", "--json", code=1)


def test_show_records_nothing(memory: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    facts(capsys, "o/r#1")
    facts(capsys, "o/r#404")
    assert not Path(paths.outbox_file(memory)).exists()


@pytest.mark.usefixtures("memory")
def test_show_for_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "show", "o/r#1")
    assert text.startswith(f"github:o/r#1  hit, fetched {LATER} (")
    assert "# a title\n#1 · open · by Alice · 0 comments\n" in text
    assert "\x1b" not in text
    listing = shown(capsys, "show", OPEN)
    assert "1 of 12 in created-desc order" in listing
    assert "#1  open    2026-11-09  a title  [Bug]" in listing
    assert shown(capsys, "show", "o/r#9").startswith("not in memory: github:o/r#9\nYou have not explored it.")


def test_a_terminal_gets_no_control_characters_of_others(
    memory: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    store = EmbeddedStore(paths.memory_file(memory))
    evil = "\x1b]0;owned\x07\u202e\x9b2J"
    store.write(Batch(LATER, items=[samples.item(number=7, node_id="I_7", title=evil, body=evil, author=evil)]))
    store.close()
    text = shown(capsys, "show", "o/r#7")
    assert not set("\x1b\x07\u202e\x9b") & set(text)


@pytest.mark.usefixtures("memory")
def test_history_and_diff(capsys: pytest.CaptureFixture[str]) -> None:
    history = shown(capsys, "history", "o/r#1")
    assert "2 versions, oldest first" in history
    assert f"- {samples.AT} until {LATER}: first known" in history
    states = json.loads(shown(capsys, "history", "o/r#1", "--json"))["states"]
    assert [(one["valid_from"], one["valid_until"]) for one in states] == [(samples.AT, LATER), (LATER, None)]
    for arguments in ((), ("--since", samples.AT)):
        diff = shown(capsys, "diff", "o/r#1", *arguments)
        assert "\n-two\n+2\n three\n" in diff
        assert "\n+--- comment" not in diff
    assert "did not change" in shown(capsys, "diff", "o/r#1", "--since", LATER)
    assert "\n github:o/r#1\n" in diff
    assert "one version only" in shown(capsys, "diff", "o/r#2")
    assert "not known before" in shown(capsys, "diff", "o/r#1", "--since", "2020-01-01", code=1)
    assert "not in memory" in shown(capsys, "diff", "o/r#9", code=1)
    assert "a listing has no versions" in shown(capsys, "history", OPEN, code=1)
    assert shown(capsys, "history", "o/r#9") == "not in memory: github:o/r#9\n"


def test_reverify_leaves_a_touch_for_the_next_sweep(memory: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "rg-memory config set identity.user_id" in shown(capsys, "reverify", "o/r#1", code=1)
    set_values(memory, {"identity.user_id": ME})
    shown(capsys, "reverify", "o/r#1")
    shown(capsys, "reverify", "gh issue list -R o/r")
    assert "names nothing" in shown(capsys, "reverify", "nothing", code=1)
    pending = TouchLog(paths.outbox_file(memory)).pending()
    assert [(touch.address, touch.user, touch.limit) for touch in pending] == [
        ("github:o/r#1", ME, None), (OPEN, ME, 30)
    ]  # fmt: skip


@pytest.mark.usefixtures("memory")
def test_wrong_times_say_how_one_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert "write it like" in shown(capsys, "show", "o/r#1", "--as-of", "soon", code=1)


@pytest.mark.usefixtures("memory")
def test_n05_list_shows_what_is_stored(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "list").splitlines()
    assert [line.split()[0] for line in lines] == ["o/r#1", "o/r#2", "o/r"]
    assert "[Bug]" in lines[0]
    assert shown(capsys, "list", "O/R", "--kind", "pr", "--state", "merged").split()[0] == "o/r#2"
    assert "Nothing like that" in shown(capsys, "list", "--label", "none")


@pytest.mark.usefixtures("memory")
def test_n05_list_json_is_what_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, "list", "--limit", "1", "--json"))
    schema = json.loads((Path(__file__).parents[3] / "docs" / "schemas" / "list.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(answer)
    assert answer["more"]
    assert answer["repositories"] == {"o/r": 2}
    assert answer["resources"][0]["address"] == "github:o/r#1"
