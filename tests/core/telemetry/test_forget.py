"""Forgetting: what goes, what stays, and that no byte of it is left in the file or its log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.cli.main import main
from rg_core.telemetry import wrap
from rg_core.telemetry.cite import cite, request
from rg_core.telemetry.events import Caller, Read, Recall
from rg_core.telemetry.forget import expire, forget_address
from rg_core.telemetry.log import EventLog
from rg_core.telemetry.panels import PanelScope
from rg_core.telemetry.tend import eraser
from rg_core.touches.touch import CACHE_READ, RESOLVED, Touch
from tests.core.telemetry import facts

SECRET = "o/secretplans"


@pytest.fixture
def events(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Two users' recalls, reads and citations of o/r and of o/secretplans, in sessions s1, s2 and b1."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    log = facts.begin(home)
    hidden = facts.candidate(9, address=f"github:{SECRET}#9", memory_id="I_secretplans9", position=2, superseded=True)
    found = facts.recall(1, 2, shown=1)
    successor = facts.candidate(5, superseded_by="I_secretplans9", position=3)
    both = Recall(**{name: getattr(found, name) for name in found.__dataclass_fields__} | {
        "candidates": (*found.candidates, hidden, successor), "result_count": 3, "query": "what is in o/secretplans#9"
    })  # fmt: skip
    bob = facts.caller("b1", user="bob")
    facts.note(home, "raaaaa", both)
    facts.note(home, "rbbbbb", facts.recall(1, 3, query="why walrus"), facts.caller("s2"), "2026-11-30T12:00:00Z")
    facts.note(home, "rccccc", both, bob)
    log.record([
        _read_of_secret("t9", facts.ME, "s1"),
        _read_of_secret("tb", "bob", "b1"),
        facts.touch(3, "t3", session="s2"),
    ])  # fmt: skip
    written = EventLog(paths.telemetry_file(home))
    for name, user in (("t9", facts.ME), ("tb", "bob")):
        written.read(Read(name, user, facts.AT, "", "I_secretplans9", "state-secretplans", 1, 500))
    written.read(Read("t3", facts.ME, facts.AT, "", "I_3", "s3", 1, 500))
    written.close()
    for who, recall in ((facts.caller(), "raaaaa"), (bob, "rccccc")):
        _cite(home, who, 2, recall)
    _cite(home, facts.caller("s2"), 1, "rbbbbb")
    wrap.keep(paths.telemetry_file(home), paths.outbox_file(home), PanelScope(facts.ME), "s1")
    wrap.keep(paths.telemetry_file(home), paths.outbox_file(home), PanelScope(facts.ME), "s2")
    return home


def _read_of_secret(name: str, user: str, session: str) -> Touch:
    return Touch(
        id=name, user=user, address=f"github:{SECRET}#9", kind="item", provenance=CACHE_READ, at=facts.AT,
        session=session, harness="codex", outcome="hit", status=RESOLVED,
    )  # fmt: skip


def _cite(home: dict[str, str], who: Caller, memory: int, recall: str) -> None:
    asked = request(memory, recall=recall, note="as secretplans says" if memory == 2 else None)
    cite(paths.telemetry_file(home), paths.outbox_file(home), asked, who, facts.AT, find=str)


def left(home: dict[str, str], word: str) -> bool:
    """Whether a word stands in the file or its log."""
    path = Path(paths.telemetry_file(home))
    return any(word.encode() in file.read_bytes() for file in path.parent.glob(path.name + "*"))


def test_an_address_goes_and_the_counts_stay(events: dict[str, str]) -> None:
    assert main(["forget", f"{SECRET}#9", "--yes"]) == 0
    mine = [row for row in facts.rows(events, "recall_candidate") if row["recall_id"] != "rccccc"]
    assert "I_secretplans9" not in {row["memory_id"] for row in mine} | {row["superseded_by"] for row in mine}
    (recall,) = (row for row in facts.rows(events, "recall_event") if row["id"] == "raaaaa")
    assert (recall["query"], recall["result_count"]) == ("", 3)
    assert {row["user"] for row in facts.rows(events, "citation_event") if row["memory_id"] == "I_secretplans9"} == {
        "bob"
    }
    assert {row["touch_id"] for row in facts.rows(events, "read_event")} == {"tb", "t3"}
    assert [row["query"] for row in facts.rows(events, "recall_event") if row["id"] == "rbbbbb"] == ["why walrus"]


def test_what_is_not_public_goes_for_everybody_and_to_the_byte(events: dict[str, str]) -> None:
    assert left(events, "secretplans")
    eraser(events)(f"github:{SECRET}")
    assert not left(events, "secretplans")
    assert left(events, "walrus")
    assert len(facts.rows(events, "recall_event")) == 3


def test_a_session_goes_whole_and_to_the_byte(events: dict[str, str]) -> None:
    assert main(["forget", "--session", "s2", "--yes"]) == 0
    assert {row["id"] for row in facts.rows(events, "recall_event")} == {"raaaaa", "rccccc"}
    assert {row["session"] for row in facts.rows(events, "session_wrap")} == {"s1"}
    assert {row["touch_id"] for row in facts.rows(events, "read_event")} == {"t9", "tb"}
    assert not left(events, "walrus")


@pytest.mark.parametrize("choice", ["--all-mine", "--telemetry"])
def test_everything_of_mine_goes_and_nothing_of_anybody_else(events: dict[str, str], choice: str) -> None:
    assert main(["forget", choice, "--yes"]) == 0
    for table in ("recall_event", "read_event", "citation_event", "session_wrap"):
        assert {row["user"] for row in facts.rows(events, table)} <= {"bob"}
    assert len(facts.rows(events, "recall_event")) == 1
    assert not left(events, facts.ME)
    with closing(sqlite3.connect(paths.outbox_file(events))) as db:
        mine = db.execute("SELECT count(*) FROM touch WHERE user = ?", (facts.ME,)).fetchone()[0]
    assert mine == (0 if choice == "--all-mine" else 2)


def test_only_what_is_older_goes(events: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", "--telemetry", "--before", "2026-11-30T11:00:00Z", "--yes"]) == 0
    assert {row["id"] for row in facts.rows(events, "recall_event")} == {"rbbbbb", "rccccc"}
    assert main(["forget", "--session", "s1", "--before", "2026-11-30", "--yes"]) == 1
    assert "--before goes with --telemetry" in capsys.readouterr().err


def test_old_rows_go_and_the_counts_of_sessions_stay(events: dict[str, str]) -> None:
    files = (paths.telemetry_file(events), paths.outbox_file(events))
    assert expire(*files, 365, "2026-12-01T00:00:00Z") == 0
    assert expire(*files, 365, "2027-11-30T11:00:00Z") > 0
    assert {row["id"] for row in facts.rows(events, "recall_event")} == {"rbbbbb"}
    assert len(facts.rows(events, "session_wrap")) == 2
    assert not left(events, "secretplans")


@pytest.mark.parametrize(
    ("query", "empties"),
    [
        ("is #1 still open", True),
        ("see o/r#1", True),
        ("https://github.com/O/R/issues/1", True),
        ("is #12 still open", False),
        ("see xo/r#1", False),
        ("o/r#10", False),
    ],
)
def test_queries_that_name_an_address(home: dict[str, str], query: str, empties: bool) -> None:
    facts.begin(home)
    facts.note(home, "raaaaa", facts.recall(4, query=query))
    forget_address(paths.telemetry_file(home), paths.outbox_file(home), facts.ME, "github:o/r#1")
    (row,) = facts.rows(home, "recall_event")
    assert (row["query"] == "") == empties


def test_s09_a_file_of_another_program_is_no_later_version(
    events: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty one has the version 0, which no update helps."""
    path = Path(paths.telemetry_file(events))
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    path.touch()
    assert main(["stats"]) == 1
    assert "no file of rg-memory's telemetry; move it away" in capsys.readouterr().err
