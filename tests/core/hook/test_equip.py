"""What a session is given when it begins, in each harness: by payloads that the real programs sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets import installation
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Identity
from rg_core.config import load, set_values
from rg_core.harness.events import AgentStarted, SessionStarted
from rg_core.hook.equip import GOING_ON
from rg_core.hook.main import respond
from tests.harnesses.captured import Capture, captures
from tests.harnesses.known import HOOKS

BODY = "Read the merged pull requests first."
CLI = Setting("cli", "2026-12-01T00:00:00Z")
ALICE = Identity("alice", "harbor")


def begins() -> Iterator[Capture]:
    """The captured starts of sessions and subagents after which the harness takes a note."""
    for capture in captures():
        hook, call = HOOKS[capture.harness], capture.call()
        if isinstance(hook.read(call), SessionStarted | AgentStarted) and hook.answer(call, "a note") != hook.answer(
            call, None
        ):
            yield capture


BEGINS = list(begins())


def moved(value: Any, directory: Path) -> Any:
    """A payload as if its session worked in another directory."""
    if isinstance(value, dict):
        places = {"cwd": str(directory), "directory": str(directory), "workspace_roots": [str(directory)]}
        return {key: places[key] if key in places else moved(one, directory) for key, one in value.items()}
    return [moved(one, directory) for one in value] if isinstance(value, list) else value


@pytest.fixture
def harbor(home: dict[str, str], tmp_path: Path) -> Path:
    """A directory of project harbor; every harness is bound to one skill."""
    directory = tmp_path / "harbor"
    directory.mkdir()
    set_values(home, {"identity.user_id": "alice", "projects.dirs": (f"harbor={directory}",), "assets.mcp": "read"})
    set_values(home, {"assets.deliver": True})
    bindings = [{"target": f"framework:{harness}"} for harness in HOOKS]
    content = {"name": "release", "description": "Releases.", "body": BODY}
    with installation.opened(load(home), home) as assets:
        assets.register(ALICE, "skill", content, CLI, patch={"bindings": bindings})
    return directory


def answer(capture: Capture, directory: Path, home: Mapping[str, str]) -> str:
    payload = moved(capture.payload(), directory)
    if capture.harness == "opencode":  # its plugin says where it works, beside the program's own event
        payload["directory"] = str(directory)
    raw = json.dumps(payload).encode()
    environ = {**home, **capture.call().environ}
    return respond(capture.harness, capture.event, raw, environ)[0]


def test_five_harnesses_take_it_and_the_sixth_by_its_instructions() -> None:
    assert {capture.harness for capture in BEGINS} == set(HOOKS) - {"grok"}


@pytest.mark.parametrize("capture", BEGINS, ids=lambda capture: capture.name)
def test_a_session_is_given_its_assets_with_the_hint(capture: Capture, harbor: Path, home: dict[str, str]) -> None:
    event = HOOKS[capture.harness].read(capture.call())
    going_on = isinstance(event, SessionStarted) and event.source in GOING_ON
    text = answer(capture, harbor, home)
    assert (BODY in text) is not going_on
    assert "resource" in text
    assert BODY not in answer(capture, harbor.parent, home)


@pytest.mark.parametrize("capture", BEGINS[:: max(1, len(BEGINS) // 6)], ids=lambda capture: capture.name)
def test_nothing_of_it_when_delivery_is_off(capture: Capture, harbor: Path, home: dict[str, str]) -> None:
    before = answer(capture, harbor, home)
    set_values(home, {"assets.deliver": False})
    installation.refresh(home)
    after = answer(capture, harbor, home)
    assert BODY not in after
    assert after != before or BODY not in before
