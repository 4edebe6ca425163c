"""cite: who may say what of which memory, and what is written then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.errors import UserError
from rg_core.telemetry.caller import TERMINAL
from rg_core.telemetry.cite import cite, noted_text, request
from rg_core.telemetry.events import Caller, Read
from rg_core.telemetry.log import EventLog
from tests.core.cli.schemas import checked
from tests.core.telemetry import facts


@pytest.fixture
def served(home: dict[str, str]) -> dict[str, str]:
    """A home where session s1 was shown o/r#1, #2 and #3 by two recalls, and then read o/r#7."""
    log = facts.begin(home)
    facts.note(home, "raaaaa", facts.recall(1, 2, 3), at="2026-11-30T10:00:00Z")
    facts.note(home, "rbbbbb", facts.recall(2, 3, shown=2), at="2026-11-30T10:01:00Z")
    log.record([facts.touch(7, "t7", "2026-11-30T10:02:00Z")])
    events = EventLog(paths.telemetry_file(home))
    events.read(Read("t7", facts.ME, "2026-11-30T10:02:00Z", "", "I_7", "s7", 1, 500))
    events.close()
    return home


def said(home: dict[str, str], memory: object, who: Caller | None = None, **arguments: Any) -> str:
    reads = arguments.pop("reads", ())
    return noted_text(
        cite(
            paths.telemetry_file(home),
            paths.outbox_file(home),
            request(memory, **arguments),
            who or facts.caller(),
            "2026-11-30T11:00:00Z",
            find=lambda word: f"github:{word}" if word.startswith("o/") else word,
            reads=reads,
        )
    )


def test_an_agent_cites_its_own_recall_before_that_of_one_beside_it(served: dict[str, str]) -> None:
    child = facts.caller(agent="child", agent_type="default")
    facts.note(served, "rccccc", facts.recall(8, 9), child, at="2026-11-30T10:03:00Z")
    assert said(served, 1) == "Noted: #2 cited (recall rbbbbb)."
    assert said(served, 1, child) == "Noted: #8 cited (recall rccccc)."
    assert said(served, "o/r#9") == "Noted: #9 cited (recall rccccc)."  # what a child found, its parent may use
    assert said(served, 3, child) == "Noted: #3 cited (recall raaaaa)."


def test_a_position_means_the_latest_recall_of_the_session(served: dict[str, str]) -> None:
    assert said(served, 1) == "Noted: #2 cited (recall rbbbbb)."
    (row,) = facts.rows(served, "citation_event")
    assert (row["recall_id"], row["memory_id"], row["kind"], row["given_by"]) == ("rbbbbb", "I_2", "cited", "agent")
    assert said(served, 3) == "Noted: #3 cited (recall raaaaa)."  # only the earlier one had a third


@pytest.mark.parametrize("memory", ["o/r#1", "github:o/r#1", "I_1"])
def test_an_address_or_an_id_means_what_showed_it_last(served: dict[str, str], memory: str) -> None:
    assert said(served, memory) == "Noted: #1 cited (recall raaaaa)."


def test_a_read_can_be_cited_too(served: dict[str, str]) -> None:
    assert said(served, "o/r#7", kind="saved_rework") == "Noted: #7 saved_rework (read)."
    (row,) = facts.rows(served, "citation_event")
    assert (row["recall_id"], row["touch_id"], row["memory_id"]) == ("", "t7", "I_7")


def test_one_memory_one_row_and_kinds_stand_beside_each_other(served: dict[str, str]) -> None:
    assert said(served, [1, "2"], recall="raaaaa") == "Noted: #1, #2 cited (recall raaaaa)."
    assert said(served, [1, 3], recall="raaaaa") == (
        "Noted: #3 cited (recall raaaaa).\nAlready noted: #1 cited (recall raaaaa)."
    )
    assert (
        said(served, 1, recall="raaaaa", kind="flagged_stale", note="moved")
        == "Noted: #1 flagged_stale (recall raaaaa)."
    )
    assert len(facts.rows(served, "citation_event")) == 4


@pytest.mark.parametrize(
    ("memory", "recall"),
    [("o/r#9", None), (4, None), ([1, "o/r#9"], None), (1, "rzzzzz"), (1, "nonsense"), ("", "raaaaa")],
)
def test_what_was_not_served_is_an_error_and_writes_nothing(
    served: dict[str, str], memory: object, recall: str | None
) -> None:
    with pytest.raises(UserError):
        said(served, memory, recall=recall)
    assert facts.rows(served, "citation_event") == []


def test_a_foreign_recall_looks_like_one_that_is_not_there(served: dict[str, str]) -> None:
    errors = []
    for who, recall in ((facts.caller(user="bob"), "raaaaa"), (facts.caller(), "rzzzzz")):
        with pytest.raises(UserError) as raised:
            said(served, 1, who, recall=recall)
        errors.append(str(raised.value).replace(recall, "ID"))
    assert errors[0] == errors[1]
    assert facts.rows(served, "citation_event") == []


def test_without_a_session_the_connection_counts(served: dict[str, str]) -> None:
    nameless = facts.caller("", connection="c9")
    with pytest.raises(UserError):
        said(served, 1, nameless)
    facts.note(served, "rccccc", facts.recall(4, 5), nameless)
    assert said(served, 1, nameless) == "Noted: #4 cited (recall rccccc)."
    with pytest.raises(UserError):
        said(served, 1, facts.caller("", connection="c8"))
    with pytest.raises(UserError):
        said(served, "o/r#7", nameless)
    assert said(served, "o/r#7", nameless, reads=["t7"]) == "Noted: #7 cited (read)."


@pytest.mark.parametrize(
    "arguments",
    [
        {"memory": None},
        {"memory": []},
        {"memory": True},
        {"memory": {"a": 1}},
        {"memory": list(range(1, 22))},
        {"memory": 1, "kind": "liked"},
        {"memory": 1, "recall": 7},
        {"memory": 1, "note": "x" * 501},
    ],
)
def test_a_wrong_argument_says_what_a_right_one_is(arguments: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"memor|kind is one of|recall is the id|note is text"):
        request(**arguments)


def test_the_command(
    served: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, served[name])
    monkeypatch.chdir(tmp_path)
    facts.note(served, "rddddd", facts.recall(8, 9), facts.caller("", harness=TERMINAL, connection=TERMINAL))
    assert main(["cite", "1", "o/r#9", "--json"]) == 0
    assert [one["address"] for one in checked("cite", capsys.readouterr().out)] == ["github:o/r#8", "github:o/r#9"]
    assert main(["cite", "raaaaa", "2", "--kind", "dismissed"]) == 0
    assert capsys.readouterr().out == "Noted: #2 dismissed (recall raaaaa).\n"
    assert {row["given_by"] for row in facts.rows(served, "citation_event")} == {"user"}
    assert main(["cite", "o/r#77"]) == 1
    assert "nothing was noted" in capsys.readouterr().err
    set_values(served, {"telemetry.enabled": False})
    assert main(["cite", "1"]) == 1
    assert "config set telemetry.enabled true" in capsys.readouterr().err
