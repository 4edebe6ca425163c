"""Recall in the six real programs, with one set-up and one run each.

A prompt that names a specification is told what that builds on; every model gets the same five results; telemetry has
recalls, reads and citations under the session and agent that made them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.core.recall.conftest import SPECS
from tests.core.telemetry import facts
from tests.e2e.programs import (
    CLAUDE_CODE,
    CODEX,
    COPILOT,
    CURSOR,
    GROK,
    MAIN,
    OPENCODE,
    PROMPT,
    RESOURCE,
    SUB,
    Call,
    Program,
)
from tests.e2e.test_programs import program, seeded  # noqa: F401 - a fixture

pytestmark = pytest.mark.e2e
SIX = (CLAUDE_CODE, CODEX, COPILOT, CURSOR, OPENCODE, GROK)
QUERY, SUB_QUERY = "why does it leak", "who says that it leaks"
PORT = "SPEC-054 dependencies port plan TypeScript"
FIVE = ["SPEC-054", "SPEC-034", "SPEC-037", "SPEC-044", "SPEC-052"]
RESULT = re.compile(r"\d\. doc:harbor/(SPEC-\d+)\.md ")
SKILL = "Use before searching Git history, the web or GitHub"  # the beginning of its description
UPSTREAM = "SPEC-054 builds on ADR-007, SPEC-037"
# Cursor's SDK drops what a prompt's hook says; Grok Build discards it, and is told with its next tool call.
TOLD_AT_PROMPTS = ("claude_code", "codex", "copilot", "opencode")


def own(of: Program, tool: str, **arguments: object) -> Call:
    """A call of another of our tools, as the program's model writes that of `resource`."""
    text = json.dumps(of.resource).replace(json.dumps(RESOURCE), json.dumps(arguments))
    call: Call = json.loads(re.sub(r'resource(?=")', tool, text))
    return call


def task(of: Program) -> list[dict[str, Any]]:
    """Recall, read and cite; a subagent recalls and cites too."""
    cite = own(of, "cite", memory=[1])
    port = own(of, "recall", query=PORT, limit=5)
    # A program whose subagents run beside it lets this one have more time.
    calls = [port, own(of, "recall", query=QUERY), of.resource, cite, of.subagent, *of.after_subagent * 2]
    return [
        {"marker": MAIN, "turns": [{"calls": [call]} for call in calls]},
        {"marker": SUB, "turns": [{"calls": [call]} for call in (own(of, "recall", query=SUB_QUERY), cite)]},
    ]


@pytest.mark.parametrize("program", SIX, indirect=True, ids=[one.name for one in SIX])
def test_what_memory_served_is_under_its_session_and_agent(tmp_path: Path, program: Program) -> None:  # noqa: F811
    world = seeded(tmp_path, program)
    shutil.copytree(SPECS, world.project, dirs_exist_ok=True)
    subprocess.run(["git", "add", "."], cwd=world.project, env=world.environ, check=True)
    world.rg("rg-memory", "project", "add", "harbor", str(world.project))
    world.rg("rg-memory", "documents", "add", str(world.project), "--no-history", "--yes")
    world.rg("rg-install", "--harness", program.harness, "--yes")
    run = world.run(conversations=task(program), prompt=f"{PROMPT}, then port SPEC-054 to TypeScript")
    assert run.code == 0, run.stderr
    assert (UPSTREAM in run.sent(MAIN)[0]) is (program.harness in TOLD_AT_PROMPTS)
    if program.harness == "grok":
        assert UPSTREAM in run.sent(MAIN)[1]
    assert SKILL in run.sent(MAIN)[0]
    assert RESULT.findall(run.sent(MAIN)[-1])[:5] == FIVE
    assert "Used one? cite(" in run.sent(MAIN)[-1]
    assert "cited (recall " in run.sent(MAIN)[-1]
    assert "cited (recall " in run.sent(SUB)[-1]

    touches = world.touches()
    (session,) = {touch["session_id"] for touch in touches if touch["address"] == "github:o/prompted#9"}
    recalls = {row["query"]: row for row in facts.rows(world.environ, "recall_event")}
    said = {row["recall_id"]: row for row in facts.rows(world.environ, "citation_event")}
    (read,) = facts.rows(world.environ, "read_event")
    (touch,) = (touch for touch in touches if touch["provenance"] == "CACHE_READ")
    assert recalls.keys() == {PORT, QUERY, SUB_QUERY}
    assert said.keys() == {recalls[query]["id"] for query in (QUERY, SUB_QUERY)}
    assert session
    mine, theirs = recalls[QUERY], recalls[SUB_QUERY]
    assert (mine["harness"], mine["session"], mine["agent_type"]) == (program.harness, session, "")
    assert (said[mine["id"]]["harness"], said[mine["id"]]["session"]) == (program.harness, session)
    assert (touch["session_id"], touch["agent"], read["memory_id"]) == (session, "", "I_o/r")
    assert (theirs["harness"], bool(theirs["agent"])) == (program.harness, program.names_agents)
    assert said[theirs["id"]]["session"] == theirs["session"] != ""
