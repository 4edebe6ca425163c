"""The acceptance of recall as somebody meets it who has only the server: by the command, and by an MCP client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rg_core.cli.main import main
from tests.bolt_server import Server
from tests.core.mcp_server.rig import PATIENT, Rig
from tests.core.recall import cases
from tests.core.recall.test_cases import ROWS

pytestmark = pytest.mark.bolt
ASKED = [
    row for row in ROWS
    if row["kind"] == "acceptance" and "query" in row and "documents" not in row and "legs" not in row
]  # fmt: skip


WITHOUT_THE_EXTRA = """
import json, sys
sys.modules["wordllama"] = None  # as it is where the extra is not installed
from rg_core.cli.main import main
for command in json.loads(sys.stdin.read()):
    assert main(command) == 0
"""


@pytest.fixture
def bob(emptied: Server) -> dict[str, str]:
    """The home of somebody with the project of the specifications, and none of its documents."""
    world = cases.specifications(emptied)
    return {"PATH": os.environ["PATH"], **world.asker.texts.environ}


@pytest.fixture
def rig(bob: dict[str, str]) -> Iterator[Rig]:
    """An MCP server for him, whose first recall is behind it."""
    with Rig(PATIENT, bob) as server:
        server.hello()
        server.call("recall", query="signals")
        yield server


def holds(row: dict[str, Any], names: list[str]) -> None:
    top = names[: row.get("top", 10)]
    assert [name for name in row.get("must", ()) if name not in top] == []
    assert [name for name in row.get("must_not", ()) if name in top] == []
    if "count" in row:
        assert len(names) == row["count"]


def command(row: dict[str, Any]) -> list[str]:
    as_of = ["--as-of", row["as_of"]] if row.get("as_of") else []
    return ["recall", row["query"], "--limit", str(max(20, row.get("top", 0))), *as_of]


def test_the_command_finds_it(
    bob: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(ASKED) > 3
    for name, value in bob.items():
        monkeypatch.setenv(name, value)
    for row in ASKED:
        assert main([*command(row), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        holds(row, [Path(result["address"]).stem for result in answer["results"]])


def test_the_command_finds_it_without_the_extra(bob: dict[str, str]) -> None:
    commands = [*([*command(row), "--json"] for row in ASKED), command(ASKED[0])]
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_EXTRA], input=json.dumps(commands), env=bob, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.split("\n")
    for row, line in zip(ASKED, lines, strict=False):
        answer = json.loads(line)
        assert not answer["legs"]["vec"]["voted"]
        holds(row, [Path(result["address"]).stem for result in answer["results"]])
    assert "Searched without vectors: rg-memory[vectors] is not installed." in lines[len(ASKED)]


def test_an_mcp_client_is_told_it(rig: Rig) -> None:
    for row in ASKED:
        as_of = {"as_of": row["as_of"]} if row.get("as_of") else {}
        limit = max(20, row.get("top", 0))
        text, failed = rig.call("recall", query=row["query"], limit=limit, **as_of)
        assert not failed, text
        assert "not searched" not in text
        found = [Path(line.split()[1]).stem for line in text.split("\n") if line[:1].isdigit()]
        holds(row, found)
    text, failed = rig.resource(address="SPEC-034")
    assert not failed
    assert "SPEC-034" in text
    assert "(hit)" in text
    uri = next(word for word in text.split() if word.startswith("resources-graph://state/"))
    body = json.loads(rig.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"])
    assert body["address"].endswith("/SPEC-034.md")
    history, _ = rig.resource(address="SPEC-033", page="history")
    assert "superseded" in history
