"""The server's side, through a real MCP client: what is written of reads and citations, never in the way."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from rg_core import paths
from rg_core.config import set_values
from rg_core.hook.main import respond
from rg_core.mcp_server.served import SKILL_BYTES, Served
from rg_core.mcp_server.tools import Memory
from rg_core.telemetry.estimate import COMMENT, ISSUE
from rg_core.touches.database import TouchLog
from tests.core.assets.test_delivery import BOUND, configure, given, registered
from tests.core.mcp_server.conftest import ME, remembered  # noqa: F401 - a fixture
from tests.core.mcp_server.rig import PATIENT, Rig
from tests.core.telemetry import facts

ROOT = Path(__file__).parents[3]
SESSION, CLIENT = {"threadId": "s1"}, "codex-mcp-client"


def server(home: dict[str, str]) -> Rig:
    rig = Rig(PATIENT, home)
    rig.hello("codex-mcp-client")
    return rig


def test_a_read_leaves_its_touch_and_what_that_does_not_say(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        text, failed = rig.resource(SESSION, address="o/r#1")
        rig.resource(SESSION, address="o/r#404")
        rig.resource(SESSION, address="gh issue list -R o/r")
        assert not failed
    touches = {touch.id: touch for touch in TouchLog(paths.outbox_file(remembered)).touches(ME)}
    by_address = {touches[row["touch_id"]].address: row for row in facts.rows(remembered, "read_event")}
    assert len(touches) == len(by_address) == 3
    hit = by_address["github:o/r#1"]
    floor = len("a title" + "the body of issue one" + "a comment")
    assert (hit["memory_id"], hit["page"], hit["payload_bytes"]) == ("I_1", 1, len(text.encode()))
    assert (hit["floor_bytes"], hit["json_bytes"], hit["requests"]) == (floor, floor + ISSUE + COMMENT, 1)
    miss = by_address["github:o/r#404"]
    assert (miss["memory_id"], miss["floor_bytes"], miss["requests"]) == ("", 0, 0)
    assert miss["payload_bytes"] > 0
    listing = by_address["github:o/r/issues?state=open"]
    assert (listing["memory_id"], listing["json_bytes"], listing["requests"]) == ("", ISSUE, 1)
    (declared,) = facts.rows(remembered, "declared")
    assert 1_000 < declared["tools_bytes"] < 6_000  # the catalogue has its own bound
    assert 100 < declared["nudge_bytes"] < 600


def test_a_read_is_cited_once(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        rig.resource(SESSION, address="o/r#1")
        assert rig.call("cite", SESSION, memory="o/r#1") == ("Noted: #1 cited (read).", False)
        assert rig.call("cite", SESSION, memory="https://github.com/o/r/issues/1") == (
            "Already noted: #1 cited (read).",
            False,
        )
        text, failed = rig.call("cite", SESSION, memory="o/r#2")
        assert (failed, "nothing was noted" in text) == (True, True)
        assert rig.call("cite", SESSION, memory=1, surprise=1)[1]
        rig.resource(None, address="o/r#2")  # a client that tells no session: its connection counts
        assert rig.call("cite", None, memory="o/r#2") == ("Noted: #2 cited (read).", False)
    rows = facts.rows(remembered, "citation_event")
    assert [(row["memory_id"], row["session"], row["harness"], row["given_by"]) for row in rows] == [
        ("I_1", "s1", "codex", "agent"),
        ("PR_2", "", "codex", "agent"),
    ]


def test_a_hook_that_announced_the_call_says_whose_it_is(remembered: dict[str, str]) -> None:  # noqa: F811
    given = {"memory": ["o/r#1"], "kind": "saved_rework"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "mcp__resources_graph__cite", "tool_input": given}
    payload = event | {
        "session_id": "s7",
        "tool_use_id": "u1",
        "agent_id": "a",
        "agent_type": "explorer",
        "turn_id": "t",
    }
    respond("codex", None, json.dumps(payload).encode(), remembered)
    with server(remembered) as rig:
        rig.resource({"threadId": "s7"}, address="o/r#1")
        assert not rig.call("cite", None, **given)[1]
    (row,) = facts.rows(remembered, "citation_event")
    assert (row["session"], row["harness"], row["kind"]) == ("s7", "codex", "saved_rework")


def test_the_session_is_wrapped_up_when_the_input_ends(remembered: dict[str, str]) -> None:  # noqa: F811
    for _ in range(5):  # best effort: 50 ms on a machine that may be busy
        with server(remembered) as rig:
            rig.resource(SESSION, address="o/r#1")
        if facts.rows(remembered, "session_wrap"):
            break
    (row,) = facts.rows(remembered, "session_wrap")
    assert (row["session"], row["harness"]) == ("s1", "codex")
    assert json.loads(row["facts"])["hits"] >= 1


def test_the_catalogue_is_small(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        catalogue = rig.ask("tools/list")["result"]
    assert len(json.dumps(catalogue, separators=(",", ":")).encode()) < 5_000
    (tool,) = (tool for tool in catalogue["tools"] if tool["name"] == "cite")
    assert tool["description"].startswith("Say which remembered results you used. ")
    assert len(tool["description"].split()) <= 60
    hints = tool["annotations"]
    assert (hints["readOnlyHint"], hints["idempotentHint"], hints["openWorldHint"]) == (True, True, False)


def test_what_we_bring_into_a_session_is_declared(
    home: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Catalogue, instructions and Hint, the skill's description, and what the agent is equipped with."""
    head = (ROOT / "installer/rg_installer/memory-first.md").read_text("utf-8").split("---")[1]
    assert len(yaml.safe_load(head)["description"].encode()) == SKILL_BYTES
    directory = tmp_path / "harbor"
    directory.mkdir()
    monkeypatch.chdir(directory)
    configure(home, {"identity.user_id": "alice", "projects.dirs": (f"harbor={directory}",)})

    def declared() -> int:
        served = Served(home)
        served.declare("codex")
        served.events.close()
        (row,) = facts.rows(home, "declared")
        return int(row["tools_bytes"])

    without = declared()
    assert without > SKILL_BYTES + 1_000
    configure(home, {"assets.mcp": "read", "assets.deliver": True})
    registered(home, BOUND)
    text, _ = given(home, directory)
    assert text
    assert declared() == without + len(text.encode())


def test_only_its_user_can_read_the_file(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        rig.resource(SESSION, address="o/r#1")
    path = Path(paths.telemetry_file(remembered))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_switched_off_no_file_is_made(remembered: dict[str, str]) -> None:  # noqa: F811
    set_values(remembered, {"telemetry.enabled": False})
    with server(remembered) as rig:
        assert not rig.resource(SESSION, address="o/r#1")[1]
        text, failed = rig.call("cite", SESSION, memory="o/r#1")
    assert failed
    assert "telemetry is off" in text
    assert not Path(paths.telemetry_file(remembered)).exists()


def _locked(path: Path) -> Any:
    db = sqlite3.connect(path)
    db.execute("BEGIN EXCLUSIVE")
    return db


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


def _broken(path: Path) -> None:
    for file in path.parent.glob(path.name + "-*"):
        file.unlink()
    path.write_bytes(b"no database at all" * 1_000)


def _a_directory(path: Path) -> None:
    for file in path.parent.glob(path.name + "*"):
        file.unlink()
    path.mkdir()


def _full(path: Path) -> None:
    """No page more may be written: what a full disk gives."""
    for file in path.parent.glob(path.name + "*"):
        file.unlink()
    os.symlink("/dev/full", path)


@pytest.mark.parametrize("spoil", [_locked, _newer, _broken, _a_directory, _full])
def test_a_file_in_trouble_is_never_in_the_way(
    remembered: dict[str, str],  # noqa: F811
    spoil: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = Path(paths.telemetry_file(remembered))

    def answers() -> list[tuple[str, bool]]:
        """What a new server's memory says to a read, a recall and a citation."""
        memory = Memory(remembered)
        calls = ((memory.resource, {"address": "o/r#1"}), (memory.recall, {"query": "the body of issue one"}),
                 (memory.cite, {"memory": "o/r#1"}))  # fmt: skip
        said = [call(arguments, CLIENT, SESSION) for call, arguments in calls]
        memory.served.events.close()
        return said

    before = answers()
    held = spoil(path)
    read, recalled, cited = answers()
    assert _without_frame(read) == _without_frame(before[0])
    assert ("github:o/r#1  a title" in recalled[0], "Used one?" in recalled[0], recalled[1]) == (True, False, False)
    assert ("telemetry" in cited[0], cited[1]) == (True, True)
    assert len([record for record in caplog.records if "telemetry is not written" in record.message]) == 1
    assert len(TouchLog(paths.outbox_file(remembered)).touches(ME)) == 2
    with suppress(AttributeError):
        held.close()


def _without_frame(answer: tuple[str, bool]) -> tuple[list[str], bool]:
    """An answer but for the word of its frame, which is new in every one."""
    lines = answer[0].split("\n")
    return [line for line in lines if "=====[" not in line and "stands between the two lines" not in line], answer[1]
