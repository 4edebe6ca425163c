"""touches, status, stats and forget: yours only, and what they print."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import load, set_values
from rg_core.store import open_store
from rg_core.store.model import Batch, Item, Repository
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known
from rg_core.touches.touch import (
    CACHE_READ,
    FETCHED,
    NOT_FOUND,
    NOT_PUBLIC,
    PENDING,
    PROMPTED,
    RESOLVED,
    UNRESOLVED,
    Touch,
)
from tests import commands

MAIN = "import sys; from rg_core.cli.main import main; sys.exit(main())"
AT = "2026-11-29T20:00:00Z"


def rg_memory(home: Mapping[str, str], *arguments: str, code: int = 0, stdin: str = "") -> str:
    done = commands.run(home, *arguments, stdin=stdin.encode())
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def touch(id: str, address: str = "github:o/r#1", user: str = "ann", session: str = "s1", **more: object) -> Touch:
    values = {"kind": "item", "provenance": FETCHED, "at": AT, "harness": "claude_code", "tool_name": "Bash"} | more
    return Touch(id=id, user=user, address=address, session=session, **values)  # type: ignore[arg-type]


@pytest.fixture
def log(home: dict[str, str]) -> TouchLog:
    set_values(home, {"identity.user_id": "ann"})
    log = TouchLog(paths.outbox_file(home))
    log.record(
        [
            touch("1", limit=None, tool_use_id="t1", agent="a1"),
            touch("2", "github:o/r/issues?state=open", kind="issues", limit=30, order="created-desc", session="s2"),
            touch("3", "github:secret/plan#9", user="bob", session="s3"),
            touch("4", provenance=PROMPTED, tool_name=""),
            touch("5", provenance=CACHE_READ, outcome="hit", served_from_memory=True, status=RESOLVED),
            touch("6", "github:o/other#1", provenance=CACHE_READ, outcome="miss", status=RESOLVED),
        ]
    )
    return log


def store(home: Mapping[str, str]) -> None:
    """Repository o/r and its issue 1, in memory and in the index."""
    memory = open_store(load(home), home)
    memory.init()
    item = Item(
        kind="issue", node_id="I1", repository_id="R1", repository="o/r", number=1, title="T", body="B", state="open",
        author="ann", labels=(), assignees=(), milestone=None, milestone_number=None, created_at=AT, updated_at=AT,
        closed_at=None, fetched_at=AT,
    )  # fmt: skip
    memory.write(Batch(at=AT, repositories=[Repository("R1", "o/r", "", "", AT, AT, AT)], items=[item]))
    memory.close()
    TouchLog(paths.outbox_file(home)).put_known([Known("github:o/r#1", "", AT, AT)])


def test_touches_as_json_have_every_field(home: dict[str, str], log: TouchLog) -> None:
    rows = json.loads(rg_memory(home, "touches", "--json"))
    assert [row["address"] for row in rows] == [
        "github:o/other#1", "github:o/r#1", "github:o/r#1", "github:o/r/issues?state=open", "github:o/r#1",
    ]  # fmt: skip
    assert rows[-1] == {
        "address": "github:o/r#1", "kind": "item", "provenance": FETCHED, "status": PENDING, "reason": "",
        "outcome": "", "harness": "claude_code", "tool_name": "Bash", "tool_use_id": "t1", "session_id": "s1",
        "agent": "a1", "agent_type": "", "at": AT, "limit": None, "order": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "count"),
    [((), 5), (("o/r#1",), 3), (("--session", "s2"), 1), (("--limit", "2"), 2), (("--since", "2026-11-30"), 0)],
)
def test_touches_can_be_narrowed(home: dict[str, str], log: TouchLog, arguments: tuple[str, ...], count: int) -> None:
    assert len(json.loads(rg_memory(home, "touches", "--json", *arguments))) == count


def test_a_program_gets_all_touches_and_people_the_last(home: dict[str, str], log: TouchLog) -> None:
    log.record([touch(f"n{number}") for number in range(60)])
    assert len(json.loads(rg_memory(home, "touches", "--json"))) == 65
    assert len(rg_memory(home, "touches").splitlines()) == 50
    assert len(rg_memory(home, "touches", "--limit", "0").splitlines()) == 65


def test_touches_for_people(home: dict[str, str], log: TouchLog) -> None:
    log.settle(["2"], UNRESOLVED, NOT_PUBLIC)
    lines = rg_memory(home, "touches").splitlines()
    assert len(lines) == 5
    assert "2026-11-29 20:00:00  read      hit" in lines[1]
    assert "not public" in lines[3]
    assert "(not public: address not kept)" in lines[3]


def test_nobody_sees_anything(home: dict[str, str], log: TouchLog) -> None:
    set_values(home, {"identity.user_id": ""})
    for command in (("touches",), ("stats",), ("forget", "--all-mine", "--yes")):
        assert "rg-memory config set identity.user_id NAME" in rg_memory(home, *command, code=1)
    assert len(log.pending()) == 4


def test_another_user_cannot_be_seen_or_counted(home: dict[str, str], log: TouchLog) -> None:
    said = [
        rg_memory(home, *command) for command in (("touches",), ("stats",), ("stats", "--json"), ("status", "--json"))
    ]
    said.append(rg_memory(home, "touches", "secret/plan#9"))
    said.append(rg_memory(home, "touches", "--session", "s3"))
    assert not [text for text in said if "secret" in text or "bob" in text]
    assert json.loads(said[3])["touches"] == {"waiting": 3, "resolved": 0, "unresolved": 0, "reads": 2}
    assert "nothing to remove" in rg_memory(home, "forget", "--session", "s3", "--yes")
    assert "nothing to remove" in rg_memory(home, "forget", "secret/plan#9", "--yes")
    assert len(log.touches("bob")) == 1


def test_an_argument_that_names_nothing(home: dict[str, str], log: TouchLog) -> None:
    assert "write owner/repo, owner/repo#number" in rg_memory(home, "touches", "nonsense here", code=1)
    assert "not a time" in rg_memory(home, "touches", "--since", "yesterday", code=1)
    assert "nothing like that" in rg_memory(home, "touches", "o/never#1")


def test_stats_count_what_memory_answered(home: dict[str, str], log: TouchLog) -> None:
    numbers = json.loads(rg_memory(home, "stats", "--json", "--days", "0"))
    assert (numbers["cache_reads"], numbers["served_from_memory"], numbers["outcomes"]) == (2, 1, {"hit": 1, "miss": 1})
    assert [(week["hit"], week["miss"], week["fetched"]) for week in numbers["reads"]] == [(1, 1, 2)]
    assert (numbers["fetched"], numbers["prompted"], numbers["sessions"]) == (2, 1, 2)
    assert numbers["most_explored"][0] == {"address": "github:o/r#1", "count": 3}
    shown = rg_memory(home, "stats", "--days", "0")
    assert "memory answered      1 time (50%)" in shown
    assert json.loads(rg_memory(home, "stats", "--json", "--days", "0"))["since"] is None


def test_n08_status_says_what_waits_and_what_to_do(home: dict[str, str], log: TouchLog) -> None:
    store(home)
    shown = rg_memory(home, "status")
    assert "3 waiting" in shown
    assert "1 repository, 1 issue, " in shown
    assert "rg-memory sweep" in shown
    facts = json.loads(rg_memory(home, "status", "--json"))
    assert facts["stored"]["issues"] == 1
    assert (facts["known"], facts["last_harness"]) == (1, "claude_code")


def test_status_of_a_new_machine(home: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", MAIN, "status"], env=home, capture_output=True, text=True)
    assert done.returncode == 1
    assert "nobody: rg-memory config set identity.user_id NAME" in done.stdout
    assert done.stderr == ""


def test_forgetting_an_address_takes_the_resource_the_touches_and_the_nudge(
    home: dict[str, str], log: TouchLog
) -> None:
    store(home)
    assert json.loads(rg_memory(home, "forget", "https://github.com/o/r/issues/1", "--json", "--yes")) == {
        "address": "github:o/r#1", "resources": 1, "touches": 3, "events": 0,
    }  # fmt: skip
    memory = open_store(load(home), home)
    memory.init()
    assert memory.read("github:o/r#1") is None
    memory.close()
    assert log.known_count() == 0
    assert log.touches("ann", address="github:o/r#1") == []


def test_forgetting_touches_only_keeps_the_resource(home: dict[str, str], log: TouchLog) -> None:
    store(home)
    assert "3 of your touches" in rg_memory(home, "forget", "o/r#1", "--touches-only", "--yes")
    assert log.known_count() == 1


def test_forgetting_all_of_mine(home: dict[str, str], log: TouchLog) -> None:
    assert "5 of your touches" in rg_memory(home, "forget", "--all-mine", "--yes")
    assert len(log.touches("bob")) == 1


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("typed", "code", "left"), [(b"y\n", 0, 2), (b"\n", 1, 5)])
def test_a_terminal_is_asked_first(home: dict[str, str], log: TouchLog, typed: bytes, code: int, left: int) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "forget", "o/r#1"], env=home, stdin=theirs, capture_output=True, timeout=60
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == code
    assert b"Remove github:o/r#1 with all its versions from memory, and your touches of it?" in done.stdout
    assert len(log.touches("ann")) == left


def test_one_choice_is_needed(home: dict[str, str], log: TouchLog) -> None:
    assert "one of the arguments" in rg_memory(home, "forget", code=2)
    assert "not allowed" in rg_memory(home, "forget", "o/r", "--all-mine", code=2)


def test_a_home_that_cannot_be_read_is_said(home: dict[str, str], tmp_path: Path) -> None:
    set_values(home, {"identity.user_id": "ann"})
    (tmp_path / "file").write_text("")
    said = rg_memory(home | {"XDG_DATA_HOME": str(tmp_path / "file")}, "touches", code=1)
    assert "cannot be used" in said
    assert "touches.db" in said


@pytest.mark.parametrize("said", ["n\n" * 50, "y\n", ""])
@pytest.mark.parametrize("what", [("--all-mine",), ("--session", "s1"), ("o/r#1",), ("o/r#1", "--touches-only")])
def test_n04_nobody_at_a_terminal_nothing_is_removed(
    home: dict[str, str], log: TouchLog, what: tuple[str, ...], said: str
) -> None:
    before = log.touches("ann", limit=None)
    assert "--yes" in rg_memory(home, "forget", *what, code=1, stdin=said)
    assert log.touches("ann", limit=None) == before
    assert "Removed" in rg_memory(home, "forget", *what, "--yes")


def test_n06_a_miss_says_what_became_of_it_and_what_to_do(home: dict[str, str], log: TouchLog) -> None:
    shown = rg_memory(home, "show", "o/r#1")
    assert "the next sweep fetches it: rg-memory sweep" in shown
    log.record([touch("7", "github:o/gone#1", status=UNRESOLVED, reason=NOT_FOUND)])
    shown = rg_memory(home, "show", "o/gone#1")
    assert "404" in shown
    assert "rg-memory reverify 'o/gone#1' && rg-memory sweep" in shown
    assert "You have not explored it" in rg_memory(home, "show", "o/new#1")


@pytest.mark.parametrize("text", ["gibberish !!", "", "https://example.org/a", "#12"])
def test_n06_what_names_nothing_is_an_error(home: dict[str, str], text: str) -> None:
    assert "names nothing" in rg_memory(home, "show", text, code=1)
    assert "names nothing" in rg_memory(home, "show", text, "--json", code=1)
