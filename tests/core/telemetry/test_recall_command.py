"""`rg-memory recall` as a person runs it: one event a call, its id cited, its order explained, and nowhere else."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.telemetry.cite import RECALL_ID
from rg_core.telemetry.estimate import COMMENT, ISSUE
from tests.core.mcp_server.conftest import remembered  # noqa: F401 - a fixture
from tests.core.telemetry import facts


@pytest.fixture
def person(remembered: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:  # noqa: F811
    """The environment of a person in a directory of their own, as this process's."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, remembered[name])
    monkeypatch.chdir(tmp_path)
    return remembered


def test_every_call_is_one_event_and_can_be_cited(person: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "body", "of", "issue"]) == 0
    shown = capsys.readouterr().out
    (name,) = re.findall(RECALL_ID.pattern + r"(?= 1$)", shown, re.MULTILINE)
    (event,) = facts.rows(person, "recall_event")
    assert (event["id"], event["harness"], event["query"]) == (name, "cli", "body of issue")
    assert event["payload_bytes"] == len(shown.rstrip("\n").encode())
    first = next(row for row in facts.rows(person, "recall_candidate") if row["position"] == 1)
    assert first["address"] == "github:o/r#1"
    assert first["floor_bytes"] == 0  # what it would have cost is looked up when it was used
    assert main(["cite", "1"]) == 0
    assert capsys.readouterr().out == f"Noted: #1 cited (recall {name}).\n"
    floor = len("a title" + "the body of issue one" + "a comment")
    used = [row for row in facts.rows(person, "recall_candidate") if row["json_bytes"]]
    assert [(row["position"], row["floor_bytes"], row["json_bytes"], row["requests"]) for row in used] == [
        (1, floor, floor + ISSUE + COMMENT, 1)
    ]
    assert main(["recall", "zzzz", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert len(facts.rows(person, "recall_event")) == 2
    assert printed["recall"] in {row["id"] for row in facts.rows(person, "recall_event")}
    assert main(["stats", "--json", "--days", "0"]) == 0
    panels = json.loads(capsys.readouterr().out)
    assert panels["unexplained"] == {"recalls": 0}
    assert sum(row["used"] for row in panels["hit_rate"]) == 1
    assert main(["stats", "--days", "0"]) == 0
    assert "Where does memory pull its weight?" in capsys.readouterr().out


def test_switched_off_recall_answers_without_an_id(person: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    set_values(person, {"telemetry.enabled": False})
    assert main(["recall", "body", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recall"] is None
    assert main(["recall", "body"]) == 0
    assert "Used one?" not in capsys.readouterr().out
    assert not Path(paths.telemetry_file(person)).exists()


def test_an_export_has_none_of_it(person: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["recall", "walrus"]) == 0
    (event,) = facts.rows(person, "recall_event")
    out = tmp_path / "memory.jsonl"
    assert main(["export", str(out)]) == 0
    exported = out.read_text(encoding="utf-8")
    assert "the body of issue one" in exported
    assert "walrus" not in exported
    assert event["id"] not in exported


def test_two_users_see_nothing_of_each_other(person: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "walrus", "--json"]) == 0
    recall = json.loads(capsys.readouterr().out)["recall"]
    set_values(person, {"identity.user_id": "bob"})
    assert main(["cite", recall, "1"]) == 1
    assert main(["wrap"]) == 1
    assert main(["stats", "--json", "--days", "0"]) == 0
    panels = json.loads(capsys.readouterr().out)
    assert (panels["hit_rate"], panels["agents"], panels["tokens"]["recalled"]) == ([], [], 0)
    assert main(["forget", "--all-mine", "--yes"]) == 0
    assert len(facts.rows(person, "recall_event")) == 1


WRITER = """
import sys
from rg_core.telemetry.log import EventLog
from tests.core.telemetry import facts
log = EventLog(sys.argv[1])
while True:
    name = log.recall_id()
    if log.recall(name, facts.caller(), facts.recall(1, 2, 3), facts.AT):
        print(name, flush=True)
"""


@pytest.mark.unmeasured
def test_a_kill_at_any_moment_loses_no_acknowledged_row(home: dict[str, str]) -> None:
    facts.begin(home)
    root = Path(__file__).parents[3]
    acknowledged: set[str] = set()
    for lines in (1, 7, 30):
        command = [sys.executable, "-c", WRITER, paths.telemetry_file(home)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=home, cwd=root, text=True) as process:
            assert process.stdout
            acknowledged |= {process.stdout.readline().strip() for _ in range(lines)}
            os.kill(process.pid, signal.SIGKILL)
            acknowledged |= {line.strip() for line in process.stdout if line.endswith("\n")}
    stored = {row["id"] for row in facts.rows(home, "recall_event")}
    assert acknowledged <= stored
    by_recall = [row["recall_id"] for row in facts.rows(home, "recall_candidate")]
    assert all(by_recall.count(name) == 3 for name in stored)
