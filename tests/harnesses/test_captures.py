"""What every adapter makes of every payload that a real program sent."""

from __future__ import annotations

import json

import pytest
from pytest_snapshot.plugin import Snapshot

from rg_core.address import of_call, of_prompt
from rg_core.harness.events import (
    AgentStarted,
    Event,
    MemoryRead,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    ToolEnded,
    ToolStarted,
)
from rg_core.harness.protocol import Call
from rg_core.hook.relevance import may_concern
from tests.harnesses.captured import HERE, NEUTRAL, Capture, captures
from tests.harnesses.known import HOOKS

CAPTURES = captures()
NUDGE, HINT = "memory has this", "ask memory first"


def touches(event: Event | None) -> list[str]:
    match event:
        case ToolStarted() | ToolEnded():
            found = of_call(event.tool, event.input, event.cwd, lambda directory: None, {})
        case PromptSubmitted():
            found = of_prompt(event.text)
        case _:
            return []
    return [str(address) for address in found.addresses]


def mapped(capture: Capture) -> dict[str, object]:
    hook, call = HOOKS[capture.harness], capture.call()
    event = hook.read(call)
    fields = None if event is None else {"type": type(event).__name__} | vars(event)
    takes_nudge = isinstance(event, ToolStarted | ToolEnded | PromptSubmitted)
    takes_hint = isinstance(event, SessionStarted | AgentStarted)
    return {
        "event": fields,
        "touches": touches(event),
        "neutral": hook.answer(call, None),
        "nudge": hook.answer(call, NUDGE) if takes_nudge else None,
        "hint": hook.answer(call, HINT) if takes_hint else None,
    }


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_a_payload_becomes_what_is_expected(capture: Capture, snapshot: Snapshot) -> None:
    """`pytest tests/harnesses --snapshot-update` writes them beside the captures; the diff is the review."""
    snapshot.snapshot_dir = capture.expectation.parent
    text = json.dumps(mapped(capture), indent=1, ensure_ascii=False) + "\n"
    snapshot.assert_match(text.encode("utf-8"), capture.expectation.name)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_what_matters_passes_the_test_on_bytes(capture: Capture) -> None:
    event = HOOKS[capture.harness].read(capture.call())
    if touches(event) or isinstance(event, MemoryRead | SessionStarted | AgentStarted | SessionEnded):
        assert may_concern(capture.path.read_bytes(), capture.event)


def test_every_expectation_has_a_capture() -> None:
    expected = set(HERE.glob("*/expected/*/*.json"))
    assert expected == {capture.expectation for capture in CAPTURES}


@pytest.mark.parametrize("harness", HOOKS)
def test_every_harness_has_captures(harness: str) -> None:
    assert sum(capture.harness == harness for capture in CAPTURES) > 40


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_a_payload_of_another_program_is_refused(capture: Capture) -> None:
    """Cursor, Grok and Copilot run Claude Code's hooks, and Codex its plugins: nothing is recorded or said twice."""
    payload = capture.payload()
    for harness, hook in HOOKS.items():
        if harness == capture.harness:
            continue
        call = Call(payload, capture.event, {})
        assert hook.read(call) is None, harness
        assert hook.answer(call, NUDGE) == hook.answer(call, None) in {NEUTRAL[harness], "{}"}, harness


@pytest.mark.parametrize("capture", [c for c in CAPTURES if c.harness == "copilot"], ids=lambda capture: capture.name)
def test_copilot_events_are_told_without_the_event_argument(capture: Capture) -> None:
    hook, call = HOOKS["copilot"], capture.call()
    assert hook.read(Call(call.payload, None, call.environ)) == hook.read(call)
