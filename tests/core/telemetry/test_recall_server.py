"""`recall` through a real MCP client: exactly one row a call, also empty or paged; its id stands in the last line."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest

from rg_core import paths
from rg_core.hook.main import respond
from rg_core.mcp_server import server as mcp_server
from rg_core.store.protocol import StoreUnavailable
from rg_core.touches.database import TouchLog
from tests.core.mcp_server.conftest import (
    ME,
    remembered,  # noqa: F401 - a fixture
)
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


@pytest.mark.parametrize(
    ("tool", "arguments"), [("recall", {"query": "the body of issue one"}), ("resource", {"address": "o/r#1"})]
)
def test_an_answer_that_came_too_late_was_not_served(
    remembered: dict[str, str],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: Mapping[str, Any],
) -> None:
    def asked(after: float) -> Any:
        def work(memory: Any) -> Any:
            time.sleep(after)
            return getattr(memory, tool)(arguments, "codex-mcp-client", SESSION)

        return worker.ask(work)

    def events() -> int:
        return len(facts.rows(remembered, f"{'recall' if tool == 'recall' else 'read'}_event"))

    async def play() -> None:
        await asked(0)
        for name in ("ANSWER_SECONDS", "LEAST_SECONDS", "ALIVE_SECONDS"):
            monkeypatch.setattr(mcp_server, name, 0.05)
        with pytest.raises(StoreUnavailable, match="in time"):
            await asked(0.3)
        monkeypatch.setattr(mcp_server, "ANSWER_SECONDS", 60)
        assert events() == 1
        await asked(0)  # behind the late one, in the same thread
        assert events() == 2

    monkeypatch.setattr(mcp_server, "ANSWER_SECONDS", 60)
    worker = mcp_server.Worker(remembered)
    asyncio.run(play())
    assert len(TouchLog(paths.outbox_file(remembered)).touches(ME)) == (0 if tool == "recall" else 2)
