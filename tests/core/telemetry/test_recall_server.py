"""`recall` through a real MCP client: exactly one row a call, also empty or paged; its id stands in the last line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from rg_core import paths
from rg_core.hook.main import respond
from tests.core.mcp_server.conftest import remembered  # noqa: F401 - a fixture
from tests.core.telemetry import facts
from tests.core.telemetry.test_server import SESSION, server


def test_each_call_is_one_row_and_its_results_are_cited(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        text, failed = rig.call("recall", SESSION, query="the body of issue one")
        rig.call("recall", SESSION, query="the body of issue one", page=2)
        rig.call("recall", SESSION, query="why", repository="x/y")
        assert not failed
        (event, *others) = facts.rows(remembered, "recall_event")
        assert text.endswith(f'\nUsed one? cite({{"recall": "{event["id"]}", "memory": [1]}})')
        assert rig.call("cite", SESSION, recall=event["id"], memory=[1]) == (
            f"Noted: #1 cited (recall {event['id']}).",
            False,
        )
    assert (event["session"], event["harness"], event["page"]) == ("s1", "codex", 1)
    assert event["payload_bytes"] == len(text.encode())
    assert [(row["page"], row["result_count"]) for row in others] == [(2, 0), (1, 0)]
    assert len(facts.rows(remembered, "citation_event")) == 1


def test_a_hook_that_announced_the_recall_says_whose_it_is(remembered: dict[str, str]) -> None:  # noqa: F811
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "mcp__resources_graph__recall",
        "tool_input": {"query": "why"},
    }
    payload = event | {
        "session_id": "s7",
        "tool_use_id": "u1",
        "agent_id": "a1",
        "agent_type": "explorer",
        "turn_id": "t",
    }
    respond("codex", None, json.dumps(payload).encode(), remembered)
    with server(remembered) as rig:
        rig.call("recall", None, query="why")
    (row,) = facts.rows(remembered, "recall_event")
    assert (row["session"], row["agent"], row["agent_type"], row["tool_use_id"]) == ("s7", "a1", "explorer", "u1")


def test_a_locked_file_costs_a_recall_its_last_line_only(remembered: dict[str, str]) -> None:  # noqa: F811
    with server(remembered) as rig:
        rig.call("recall", SESSION, query="the body of issue one")
        with closing(sqlite3.connect(paths.telemetry_file(remembered))) as db:
            db.execute("BEGIN EXCLUSIVE")
            text, failed = rig.call("recall", SESSION, query="the body of issue one")
    assert not failed
    assert "github:o/r#1" in text
    assert "Used one?" not in text
    assert len(facts.rows(remembered, "recall_event")) == 1
