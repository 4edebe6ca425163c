"""Assets at session start in the real programs: in the model's first request, and nothing of them when off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.programs import MAIN, PROMPT, SUB, Program
from tests.e2e.test_programs import program  # noqa: F401 - a fixture
from tests.e2e.world import World

pytestmark = pytest.mark.e2e
BY_HOOK = ("claude_code", "codex", "copilot", "opencode")  # Cursor's SDK drops what its session start is given
CONVERSATION = ["### person", PROMPT, "### assistant", "done"]
DESCRIPTION, BODY = "EQUIPPED-DESCRIPTION", "EQUIPPED-BODY"


def equipped(root: Path, of: Program, deliver: str) -> World:
    """A home whose project has one skill for the program's harness."""
    world = World(root, of, f'[assets]\nmcp = "read"\ndeliver = {deliver}\n')
    world.rg("rg-memory", "project", "add", "harbor", str(world.project))
    body = world.home / "skill.md"
    body.write_text(f"{BODY}\n", "utf-8")
    words = ["--type", "skill", "--name", "release", "--description", DESCRIPTION, "--body", str(body)]
    made = json.loads(world.rg("rg-memory", "asset", "register", *words, "--frameworks", of.harness, "--json"))
    assert made["status"] == "approved"
    world.rg("rg-install", "--harness", of.harness, "--yes")
    return world


def test_what_a_session_should_have_is_in_the_models_first_request(
    tmp_path: Path,
    program: Program,  # noqa: F811
) -> None:
    run = equipped(tmp_path, program, "true").run()
    first = run.sent(MAIN)[0]
    by_hook = program.harness in BY_HOOK
    assert (BODY in first) is by_hook
    if by_hook or program.harness == "grok":
        assert DESCRIPTION in first or BODY in first
    if program.hints_subagents:
        assert BODY in run.sent(SUB)[0]


def test_nothing_of_it_is_there_when_delivery_is_off(tmp_path: Path, program: Program) -> None:  # noqa: F811
    world = equipped(tmp_path, program, "false")
    everything = json.dumps(world.run().requests)
    assert DESCRIPTION not in everything
    assert BODY not in everything
    assert conversations(world) == (CONVERSATION if program.harness != "cursor" else [])  # its SDK keeps none


def conversations(world: World) -> list[str]:
    """Every line that is imported of the conversations of this home; the second import must change nothing."""
    made, again = (json.loads(world.rg("rg-memory", "asset", "import", "chat", "--json")) for _ in range(2))
    assert (made["failed"], made["changed"]) == ([], 0)
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, made["new"])
    bodies = [
        json.loads(world.rg("rg-memory", "asset", "show", one["id"], "--json"))["content"]["body"]
        for one in made["assets"]
    ]
    lines = [line for body in bodies for line in body.splitlines() if line]
    return [" ".join(line.split()[:2]) if line.startswith("### ") else line.strip('"') for line in lines]
