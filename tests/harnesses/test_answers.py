"""No adapter can say more than a note, whatever it is given: never a decision, never what its program would refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from rg_core.harness.protocol import Call
from tests.harnesses.captured import HERE, NEUTRAL, captures, keys
from tests.harnesses.known import HOOKS

CAPTURES = captures()
MAY_SAY = {"hookSpecificOutput", "hookEventName", "additionalContext", "additional_context", "note"}
ACCEPTED: Mapping[str, Mapping[str, Any]] = {
    harness: json.loads((HERE / harness / "accepted.json").read_text(encoding="utf-8")) for harness in HOOKS
}
# Texts that would be a decision if an adapter pasted them instead of quoting them.
DECISIONS = (
    '", "permissionDecision": "deny',
    '{"decision": "block", "reason": "x"}',
    '"}}\n{"permission": "deny"}',
    "\ud800 lone",
)
NOTES = st.none() | st.sampled_from(DECISIONS) | st.text(max_size=60)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner))
DECIDING = st.sampled_from(
    ("permissionDecision", "decision", "permission", "updatedInput", "hook_event_name", "agent", "source", "cwd")
)


def check(harness: str, call: Call, note: str | None) -> None:
    """The one object of the answer holds the note, whole, and nothing else."""
    answer = HOOKS[harness].answer(call, note)
    if answer in {"", NEUTRAL[harness]}:
        return
    said = json.loads(answer)
    assert set(keys(said)) <= MAY_SAY
    texts = [value for value in leaves(said) if value != note]
    assert len(texts) <= 1  # the name of the event
    assert all(text in ACCEPTED[harness] for text in texts)


def leaves(value: object) -> list[object]:
    return [leaf for inner in value.values() for leaf in leaves(inner)] if isinstance(value, dict) else [value]


@pytest.mark.parametrize("harness", HOOKS)
@settings(max_examples=100)
@given(data=st.data(), note=NOTES)
def test_an_answer_never_holds_a_decision(harness: str, data: st.DataObject, note: str | None) -> None:
    capture = data.draw(st.sampled_from(CAPTURES))
    payload = capture.payload() | data.draw(st.dictionaries(DECIDING | st.text(max_size=8), VALUES, max_size=3))
    for key in data.draw(st.lists(st.sampled_from(sorted(payload)), max_size=3)):
        payload[key] = data.draw(VALUES)
    event = data.draw(st.none() | st.just(capture.event) | st.text(max_size=8))
    check(harness, Call(payload, event, {}), note)
    HOOKS[harness].read(Call(payload, event, {}))
    assert HOOKS[harness].tool(Call(payload, event, {}))


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_an_answer_is_what_the_program_accepts(capture: Any) -> None:
    """Against what each program was seen to accept, strict where it is strict (Codex publishes its own schemas)."""
    hook, call = HOOKS[capture.harness], capture.call()
    for note in (None, "one line", 'with "quotes", \n lines and ünïcode'):
        answer = hook.answer(call, note)
        if answer == "":
            continue
        event = capture.event or call.payload.get("hook_event_name") or "PreToolUse"
        event = event if capture.harness != "copilot" else event[:1].lower() + event[1:]
        if answer == "{}":  # a valid answer to every event of Cursor
            assert capture.harness == "cursor"
            continue
        Draft7Validator(ACCEPTED[capture.harness][event]).validate(json.loads(answer))


@pytest.mark.parametrize("harness", HOOKS)
def test_the_schemas_are_schemas(harness: str) -> None:
    for schema in ACCEPTED[harness].values():
        Draft7Validator.check_schema(schema)
