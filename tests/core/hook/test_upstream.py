"""A prompt that names a stored document is told what that builds on, through the real rg-hook."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.hook.main import respond
from rg_core.hook.relevance import may_name_document
from rg_core.touches.database import TouchLog
from tests.core.documents.conftest import Project, project
from tests.core.hook.running import note, payload, run_hook
from tests.core.hook.test_budget import WATCHED
from tests.core.recall.conftest import SPECS, harbor

__all__ = ["harbor", "project"]
PORT = "port SPEC-054 to TypeScript"


def prompted(project: Project, text: str, session: str = "one", cwd: str | None = None) -> str:
    """What the model is told at a prompt."""
    cwd = str(project.root) if cwd is None else cwd
    return note(run_hook(project.environ, payload("UserPromptSubmit", prompt=text, session_id=session, cwd=cwd)))


def test_the_port_is_told_what_its_specification_builds_on(harbor: Project) -> None:
    told = prompted(harbor, PORT)
    assert [name in told for name in ("SPEC-037", "ADR-007", "SPEC-034")] == [True] * 3
    assert told.startswith("SPEC-054 builds on ")
    assert len(told.encode()) <= 600
    assert 'recall({"query": "SPEC-054 dependencies"})' in told


def test_once_a_session_and_document_and_neither_touch_nor_nudge(harbor: Project) -> None:
    assert prompted(harbor, PORT)
    assert not prompted(harbor, "now read specs/SPEC-054.md")
    assert prompted(harbor, PORT, "two")
    log = TouchLog(paths.outbox_file(harbor.environ))
    assert log.touches("ada") == []
    assert json.loads(harbor.run("status", "--json"))
    assert b"SPEC-054" not in Path(log.path).read_bytes()


@pytest.mark.parametrize(
    "words", ["adr-7 and spec\u2010054?", "see @specs/SPEC-054.md:12, please", "doc:harbor/specs/SPEC-054.md"]
)
def test_other_ways_to_name_it(harbor: Project, words: str) -> None:
    assert prompted(harbor, words).startswith("SPEC-054 builds on ")
    below = harbor.root / "specs"
    assert prompted(harbor, "read ./SPEC-054.md", "two", str(below)).startswith("SPEC-054 builds on ")
    assert prompted(harbor, f"read {below / 'SPEC-054.md'}", "three", "/").startswith("SPEC-054 builds on ")


def test_at_most_three_documents_and_600_bytes(harbor: Project) -> None:
    told = prompted(harbor, "compare " + " ".join(f"SPEC-{number:03d}" for number in range(1, 58)))
    assert 2 <= len(told.split("\n")) <= 3
    assert len(told.encode()) <= 600


@pytest.mark.parametrize("words", ["port it to TypeScript", "SPEC-999", "the spec of 054", "x/none.md"])
def test_a_prompt_that_names_no_document_is_told_nothing(harbor: Project, words: str) -> None:
    assert prompted(harbor, words) == ""


def test_switched_off(harbor: Project) -> None:
    harbor.run("config", "set", "documents.upstream_note", "false")
    assert prompted(harbor, PORT) == ""
    harbor.run("config", "set", "documents.upstream_note", "true")
    assert prompted(harbor, PORT)


def test_of_two_projects_the_one_where_the_session_works(harbor: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "SPEC-054.md").write_text("# SPEC-054 Other\n\n## Depends on\n\nSPEC-990\n")
    harbor.run("project", "add", "other", str(other))
    harbor.run("documents", "add", str(other), "--yes")
    assert "SPEC-990" in prompted(harbor, PORT, "one", str(other))
    assert "SPEC-037" in prompted(harbor, PORT, "two")
    assert prompted(harbor, PORT, "three", "/") == ""


def test_a_github_link_beside_it_is_explored_as_ever(harbor: Project) -> None:
    assert prompted(harbor, f"{PORT} as o/r#5 says").startswith("SPEC-054 builds on ")
    assert [touch.address for touch in TouchLog(paths.outbox_file(harbor.environ)).touches("ada")] == ["github:o/r#5"]


def test_a_prompt_that_names_none_opens_the_names_and_no_more(harbor: Project) -> None:
    environ = harbor.environ | {"WATCHED": paths.data_dir(harbor.environ)}

    def opened(text: str) -> list[str]:
        call = json.dumps(payload("UserPromptSubmit", prompt=text, cwd=str(harbor.root))).encode()
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, "claude_code"], input=call, env=environ, capture_output=True, check=True
        )
        return done.stderr.decode().splitlines()

    assert opened("port it to TypeScript") == ["hook r"]
    assert opened("look at github, and at the SPEC") == ["hook r"]
    shutil.rmtree(Path(paths.data_dir(harbor.environ)) / "hook")
    assert opened(PORT) == ["hook r"]  # which is not there


@pytest.mark.parametrize("harness", ["codex", "opencode"])
def test_the_harnesses_that_show_the_model_a_note_with_a_prompt(harbor: Project, harness: str) -> None:
    payloads = {
        "codex": payload("UserPromptSubmit", prompt=PORT, turn_id="t1", cwd=str(harbor.root)),
        "opencode": {
            "hook": "chat.message", "input": {"sessionID": "s", "agent": "build"}, "directory": str(harbor.root),
            "output": {"message": {"id": "m"}, "parts": [{"type": "text", "text": PORT}]},
        },
    }  # fmt: skip
    raw = json.dumps(payloads[harness]).encode()
    assert may_name_document(raw, harbor.environ)
    assert "SPEC-037" in respond(harness, None, raw, harbor.environ)[0]


def test_the_specifications_are_there() -> None:
    assert "SPEC-037" in (SPECS / "SPEC-054.md").read_text()


def grok(project: Project, event: str, session: str = "one", **more: Any) -> str:
    """What Grok Build is answered, which discards what a prompt's hook says."""
    call = {"hookEventName": event, "sessionId": session, "cwd": str(project.root), "timestamp": "2026-12-01T00:00:00Z"}
    return note(run_hook(project.environ, call | more, "grok"))


def test_a_program_that_drops_it_is_told_with_its_next_tool_call(harbor: Project) -> None:
    waiting = Path(paths.data_dir(harbor.environ)) / "hook" / "later"
    look: dict[str, Any] = {"toolName": "run_terminal_command", "toolInput": {"command": "ls"}, "toolUseId": "t1"}
    assert grok(harbor, "pre_tool_use", **look) == ""
    assert grok(harbor, "user_prompt_submit", prompt=PORT) == ""
    assert grok(harbor, "pre_tool_use", "another", **look) == ""
    assert grok(harbor, "pre_tool_use", **look).startswith("SPEC-054 builds on ")
    assert grok(harbor, "pre_tool_use", **look) == ""
    assert not waiting.exists()


def test_what_was_never_told_goes_with_its_session(harbor: Project) -> None:
    waiting = Path(paths.data_dir(harbor.environ)) / "hook" / "later"
    for session in ("one", "two"):
        grok(harbor, "user_prompt_submit", session, prompt=PORT)
    kept = list(waiting.iterdir())
    assert len(kept) == 2
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}
    grok(harbor, "session_end")
    (left,) = waiting.iterdir()
    os.utime(left, (0, 0))  # a session that ended without a word
    grok(harbor, "session_end", "three")
    assert not waiting.exists()
