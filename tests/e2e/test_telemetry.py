"""Telemetry of the six real programs: a recall, a read and a citation, under the session and agent that made them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.core.telemetry import facts
from tests.e2e.programs import CLAUDE_CODE, CODEX, COPILOT, CURSOR, GROK, MAIN, OPENCODE, RESOURCE, SUB, Call, Program
from tests.e2e.test_programs import program, seeded  # noqa: F401 - a fixture

pytestmark = pytest.mark.e2e
SIX = (CLAUDE_CODE, CODEX, COPILOT, CURSOR, OPENCODE, GROK)
QUERY, SUB_QUERY = "why does it leak", "who says that it leaks"


def own(of: Program, tool: str, **arguments: object) -> Call:
    """A call of another of our tools, as the program's model writes that of `resource`."""
    text = json.dumps(of.resource).replace(json.dumps(RESOURCE), json.dumps(arguments))
    call: Call = json.loads(re.sub(r'resource(?=")', tool, text))
    return call


def task(of: Program) -> list[dict[str, Any]]:
    """Recall, read and cite; a subagent recalls and cites too."""
    cite = own(of, "cite", memory=[1])
    calls = [own(of, "recall", query=QUERY), of.resource, cite, of.subagent, *of.after_subagent]
    return [
        {"marker": MAIN, "turns": [{"calls": [call]} for call in calls]},
        {"marker": SUB, "turns": [{"calls": [call]} for call in (own(of, "recall", query=SUB_QUERY), cite)]},
    ]


@pytest.mark.parametrize("program", SIX, indirect=True, ids=[one.name for one in SIX])
def test_what_memory_served_is_under_its_session_and_agent(tmp_path: Path, program: Program) -> None:  # noqa: F811
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", program.harness, "--yes")
    run = world.run(conversations=task(program))
    assert run.code == 0, run.stderr
    assert "Used one? cite(" in run.sent(MAIN)[-1]
    assert "cited (recall " in run.sent(MAIN)[-1]
    assert "cited (recall " in run.sent(SUB)[-1]

    touches = world.touches()
    (session,) = {touch["session_id"] for touch in touches if touch["address"] == "github:o/prompted#9"}
    recalls = {row["query"]: row for row in facts.rows(world.environ, "recall_event")}
    said = {row["recall_id"]: row for row in facts.rows(world.environ, "citation_event")}
    (read,) = facts.rows(world.environ, "read_event")
    (touch,) = (touch for touch in touches if touch["provenance"] == "CACHE_READ")
    assert recalls.keys() == {QUERY, SUB_QUERY}
    assert said.keys() == {row["id"] for row in recalls.values()}
    assert session
    mine, theirs = recalls[QUERY], recalls[SUB_QUERY]
    assert (mine["harness"], mine["session"], mine["agent_type"]) == (program.harness, session, "")
    assert (said[mine["id"]]["harness"], said[mine["id"]]["session"]) == (program.harness, session)
    assert (touch["session_id"], touch["agent"], read["memory_id"]) == (session, "", "I_o/r")
    assert (theirs["harness"], bool(theirs["agent"])) == (program.harness, program.names_agents)
    assert said[theirs["id"]]["session"] == theirs["session"] != ""
