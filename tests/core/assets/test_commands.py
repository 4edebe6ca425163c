from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rg_core.cli import main as cli
from rg_core.config import set_values
from tests.core.cli.schemas import checked, schema_of

Run = Callable[..., Any]
SCHEMA = Path(__file__).parents[3] / "docs" / "agent-manifest-1.schema.json"


@pytest.fixture
def harbor(home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which belongs to project harbor; the user is alice."""
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    directory = tmp_path / "harbor"
    directory.mkdir()
    monkeypatch.chdir(directory)
    become("alice")
    set_values(os.environ, {"projects.dirs": (f"harbor={directory}",)})
    return directory


def become(user: str) -> None:
    set_values(os.environ, {"identity.user_id": user})


@pytest.fixture
def run(harbor: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `rg-memory asset ... --json`; what it printed, held to its schema, or its error."""

    def call(*words: str, code: int = 0) -> Any:
        got = cli.main(["asset", *words, "--json"])
        out, err = capsys.readouterr()
        assert got == code, err
        return checked(schema_of("asset", words[0]), out) if code == 0 else err or out

    return call


def skill(run: Run, name: str = "release-notes", *words: str) -> str:
    Path("how.md").write_text("Read the merged pull requests.\n", "utf-8")
    done = run("register", "--type", "skill", "--name", name, "--description", "How to.", "--body", "how.md", *words)
    return str(done["id"])


def test_from_a_file_to_an_agent_in_five_commands(run: Run, harbor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("how.md").write_text("Read the merged pull requests.", "utf-8")
    Path("check.md").write_text("Every entry has a number.", "utf-8")
    done = run("register", "--type", "skill", "--name", "release-notes", "--trigger", "a release", "--instructions",
               "how.md", "--validation", "check.md", "--resource", "how.md")  # fmt: skip
    assert (done["status"], done["version"], done["effective_version"]) == ("approved", 1, 1)
    run("govern", done["id"], "--agents", "reviewer", "--mode", "direct", "--required", "--visibility", "project")
    (listed,) = run("list")
    assert (listed["name"], listed["version"], listed["visibility"]) == ("release-notes", 2, "project")
    loadout = run("loadout", "--agent", "reviewer", "--framework", "codex", "--text")
    assert [row["mode"] for row in loadout["selected"]] == ["direct"]
    assert "When: a release\n\nRead the merged pull requests.\n\nCheck: Every entry has a number." in loadout["text"]
    assert cli.main(["agent", "manifest", "reviewer", "--interface-url", "https://agents.example.com/a2a"]) == 0
    manifest = json.loads(capsys.readouterr().out)
    jsonschema.validate(manifest, json.loads(SCHEMA.read_text("utf-8")))
    assert [one["name"] for one in manifest["agent_card"]["skills"]] == ["release-notes"]


def test_a_skill_that_lacks_its_check_waits(run: Run) -> None:
    words = ["register", "--type", "skill", "--name", "n", "--trigger", "now"]
    assert run(*words)["status"] == "candidate"
    assert "--instructions and --validation" in run(*words, "--status", "approved", code=1)


def test_json_has_the_fields_that_scripts_rely_on(run: Run) -> None:
    key = skill(run)
    run("govern", key, "--priority", "0.8", "--note", "first")
    (row,) = run("list")
    assert list(row) == [
        "id", "type", "name", "description", "project", "owner", "status", "version", "effective_version",
        "visibility", "labels", "priority", "confidence", "expires_at", "updated_at",
    ]  # fmt: skip
    shown = run("show", key)
    assert list(shown)[15:] == ["content", "policy", "rights", "provenance", "waiting"]
    assert shown["rights"] == ["read", "use", "manage", "assign", "share"]
    history = run("history", key)
    assert [(one["act"], one["changed"], one["note"]) for one in history[1:]] == [("govern", ["priority"], "first")]
    assert [row["op"] for row in run("audit")] == ["govern", "register"]
    loadout = run("loadout")
    assert set(loadout) == {
        "selected", "excluded", "missing_required", "complete", "tokens_used", "token_budget", "project", "query",
    }  # fmt: skip


def test_answers_of_a_code_graph_have_their_schema_for_one_symbol_and_for_several(run: Run, harbor: Path) -> None:
    classes = "".join(f"class {name}:\n    def leaf(self): ...\n" for name in "CD")
    Path("a.py").write_text(f"{classes}def top():\n    C().leaf()\n", "utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    imported = run("import", "code", str(harbor))
    key = imported["assets"][0]["id"]
    run("govern", key, "--status", "approved")
    assert run("symbol", key, "top")["symbol"]["line"] == 5
    assert {one["qualname"] for one in run("callees", key, "top")["callees"]} == {"C", "C.leaf"}
    for question in ("callers", "impact"):
        found = run(question, key, "leaf")
        assert {one["symbol"]["name"]: len(one["callers"]) for one in found} == {"C.leaf": 1, "D.leaf": 0}


def test_entries_and_bindings_are_added_and_removed_one_by_one(run: Run) -> None:
    key = skill(run)
    run(
        "govern",
        key,
        "--allow",
        "user:bob=use",
        "--deny",
        "agent:*=use,read",
        "--agents",
        "a,b",
        "--frameworks",
        "codex",
    )
    run("govern", key, "--revoke", "user:bob", "--unbind", "agent:a")
    policy = run("show", key)["policy"]
    assert policy["acl"] == [{"effect": "deny", "subject": "agent:*", "rights": ["use", "read"]}]
    assert [bound["target"] for bound in policy["bindings"]] == ["agent:b", "framework:codex"]


def test_access_list_is_for_those_who_may_share(run: Run) -> None:
    key = skill(run)
    run("govern", key, "--visibility", "project", "--allow", "user:carol=use")
    become("bob")
    shown = run("show", key)
    assert "acl" not in shown["policy"]
    assert shown["rights"] == ["read", "use"]
    assert "share" in run("govern", key, "--revoke", "user:carol", code=1)


def test_what_may_not_be_read_is_not_there(run: Run) -> None:
    key = skill(run)
    become("bob")
    assert run("list", "--all") == []
    unreadable, missing = run("show", key, code=1), run("show", "as_" + "0" * 20, code=1)
    assert unreadable.replace(key, "ID") == missing.replace("as_" + "0" * 20, "ID")


def test_errors_are_one_line_and_say_what_helps(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = skill(run)
    Path("raw").write_bytes(b"\xff")
    for words, told in (
        (("govern", key, "--status", "draft"), "approved cannot become draft; possible: deprecated, archived"),
        (("govern", key, "--expires", "2020-01-01"), "after now"),
        (("govern", key, "--visibility", "team"), "team"),
        (("govern", key, "--priority", "2"), "from 0 to 1"),
        (("govern", key, "--allow", "bob=use"), "KIND:NAME"),
        (("govern", key, "--mode", "direct"), "--agents"),
        (("govern", key), "--status"),
        (("govern", key, "--status", "archived", "--if-version", "7"), "version 7"),
        (("register", "--type", "llm_wiki", "--name", "w", "--status", "approved"), "possible"),
        (("register", "--type", "skill", "--name", "n" * 81), "1 to 80"),
        (("callers", key, "x"), "code_graph"),
        (
            ("register", "--type", "skill", "--name", "n", "--body", "none.md"),
            "none.md: no such file or directory; name",
        ),
        (("register", "--type", "skill", "--name", "n", "--body", "raw"), "raw is no UTF-8 text"),
        (("loadout", "--budget", "1"), "64"),
        (("list", "--project", "nowhere"), "no project 'nowhere'; there are harbor; add it: rg-memory project add"),
    ):
        error = run(*words, code=1)
        assert told in error, (words, error)
        assert error.count("\n") == 1
    monkeypatch.chdir(tmp_path)
    assert "rg-memory project add" in run("list", code=1)
    become("")
    assert "identity.user_id" in run("list", code=1)


def test_forget_asks_for_yes_where_nobody_can_be_asked(run: Run) -> None:
    key = skill(run)
    assert "--yes" in run("forget", key, code=1)
    assert run("forget", key, "--yes") == {"id": key, "versions": 1}
    assert run("list") == []


def test_input_json_takes_everything_at_once(run: Run) -> None:
    Path("in.json").write_text(
        json.dumps(
            {"type": "llm_wiki", "name": "w", "body": "x", "labels": ["a"], "visibility": "team", "teams": ["core"]}
        ),
        "utf-8",
    )
    key = run("register", "--input-json", "in.json")["id"]
    shown = run("show", key)
    assert (shown["labels"], shown["policy"]["teams"], shown["status"]) == (["a"], ["core"], "candidate")
    Path("in.json").write_text('{"type": "skill", "name": "w", "nonsense": 1}', "utf-8")
    assert "nonsense" in run("register", "--input-json", "in.json", code=1)


def test_show_diff_is_what_approving_changes(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.md").write_text("old line\n", "utf-8")
    key = run("register", "--type", "llm_wiki", "--name", "w", "--body", "a.md")["id"]
    run("govern", key, "--status", "approved")
    Path("a.md").write_text("new line\n", "utf-8")
    assert run("register", "--type", "llm_wiki", "--name", "w", "--body", "a.md")["status"] == "candidate"
    assert run("show", key)["waiting"] is True
    assert cli.main(["asset", "show", key, "--diff"]) == 0
    out = capsys.readouterr().out
    assert "-old line" in out
    assert "+new line" in out


def test_stored_text_cannot_write_to_the_terminal(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    key = skill(run, "a\x1b[2Jb")
    for words in (["list"], ["show", key], ["history", key], ["loadout", "how", "--unbound", "all"], ["audit"]):
        assert cli.main(["asset", *words]) == 0
        assert "\x1b" not in capsys.readouterr().out


def test_lists_and_the_audit_are_narrowed_by_what_is_asked(run: Run) -> None:
    skill(run, "one", "--label", "release")
    Path("a.md").write_text("x\n", "utf-8")
    key = run("register", "--type", "llm_wiki", "--name", "two", "--body", "a.md")["id"]
    run("govern", key, "--status", "archived")

    def names(*words: str) -> list[str]:
        return sorted(row["name"] for row in run("list", *words))

    assert names() == ["one"]
    assert names("--all") == ["one", "two"]
    assert names("--type", "llm_wiki", "--all") == names("--status", "archived") == ["two"]
    assert (names("--label", "release"), names("--label", "x")) == (["one"], [])
    assert {row["asset"] for row in run("audit", key[:12])} == {key}
    assert run("audit", "--since", "2100-01-01") == []
    assert "not a time" in run("audit", "--since", "soon", code=1)


def test_export_of_memory_holds_no_asset(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    skill(run, "zebra")
    assert cli.main(["export", "memory.jsonl"]) == 0
    capsys.readouterr()
    assert "zebra" not in Path("memory.jsonl").read_text("utf-8")
