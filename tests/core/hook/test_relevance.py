"""The test on raw bytes lets pass whatever yields an Address, and keeps out what agents mostly do."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.address import of_call, of_prompt
from rg_core.hook.relevance import may_concern
from tests.core.hook.running import payload, shell

CASES = sorted((Path(__file__).parents[1] / "address" / "cases").glob("*.jsonl"))
ROWS = [json.loads(line) for path in CASES for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
CALLS = [row for row in ROWS if "tool" in row]
PROMPTS = [row["prompt"] for row in ROWS if "prompt" in row]
ARGUMENTS = [row["address"] for row in ROWS if "address" in row]


def remotes(directory: str) -> dict[str, dict[str, str]]:
    return {"origin": {"url": "https://github.com/o/r.git"}}


def spelled(value: object) -> list[bytes]:
    """The payload as harnesses write JSON: compact or not, with text as it is or escaped."""
    return [
        json.dumps(value, ensure_ascii=escaped, separators=separators).encode("utf-8", "surrogatepass")
        for escaped in (True, False)
        for separators in (None, (",", ":"))
    ]


def yields(tool: str, input: object) -> bool:
    return bool(of_call(tool, input, "/home/dev/project", remotes, {}).addresses)


def started(tool: str, input: object) -> dict[str, object]:
    return payload("PreToolUse", tool_name=tool, tool_input=input, tool_use_id="t")


def test_calls_with_an_address_pass() -> None:
    payloads = [started(row["tool"], row["input"]) for row in CALLS if yields(row["tool"], row["input"])]
    assert len(payloads) > 200
    assert not [raw for call in payloads for raw in spelled(call) if not may_concern(raw)]


def test_prompts_with_an_address_pass() -> None:
    assert PROMPTS
    for prompt in PROMPTS:
        if of_prompt(prompt).addresses:
            assert all(map(may_concern, spelled(payload("UserPromptSubmit", prompt=prompt))))


@pytest.mark.parametrize(
    "tool",
    [
        "mcp__resources-graph__resource", "mcp__plugin_resources-graph_resources-graph__resource",
        "mcp__resources_graph__resource", "MCP:resource", "resources-graph-resource", "resources-graph__resource",
        "resources-graph_resource",
    ],
)  # fmt: skip
def test_every_read_of_memory_passes(tool: str) -> None:
    assert ARGUMENTS
    for argument in ARGUMENTS:
        assert may_concern(json.dumps(started(tool, {"address": argument})).encode())


COMMANDS = [row["input"]["command"] for row in CALLS if isinstance(row["input"], dict) and "command" in row["input"]]
LINES = [line for line in COMMANDS if isinstance(line, str)] + [
    "gh issue view 5 -R a/b", "curl https://api.github.com/repos/a/b/issues/5", "/usr/bin/gh pr view 5 -R a/b",
]  # fmt: skip
DISGUISES = ("''", '""', "\\", "\\\n", "`", "$''", "${x}", "\n", " ", "\t", ";", "&&", "$(", "'", '"')


@pytest.mark.unmeasured
@settings(max_examples=1500)
@given(st.sampled_from(LINES), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(DISGUISES)), max_size=4))
def test_a_disguised_command_with_an_address_passes(line: str, disguises: list[tuple[float, str]]) -> None:
    """A shell takes quotes, escapes and line ends out of words; whatever the reader still reads, passes."""
    for place, disguise in disguises:
        at = int(place * len(line))
        line = line[:at] + disguise + line[at:]
    if yields("Bash", {"command": line}):
        assert all(map(may_concern, spelled(shell(line)))), line


@pytest.mark.parametrize(
    "line",
    [
        "g''h issue view 5 -R a/b",
        'g"h" issue view 5 -R a/b',
        "g\\\nh issue view 5 -R a/b",
        "echo x\ngh issue view 5 -R a/b",
        "true\tgh issue view 5 -R a/b",
        "true;gh issue view 5 -R a/b",
        'curl https://git"hub".com/a/b/issues/5',
        "A=g; ${A}h issue view 5 -R a/b",
        "for i in gh; do $i issue view 5 -R a/b; done",
        "C:\\bin\\gh.exe issue view 5 -R a/b",
        "(gh issue view 5 -R a/b)",
        "GH issue view 5 -R a/b",
    ],
)
def test_unusual_spellings_pass(line: str) -> None:
    assert all(map(may_concern, spelled(shell(line))))


@pytest.mark.parametrize("event", ["SessionStart", "sessionStart", "session_start", "SubagentStart", "sessionEnd"])
def test_session_events_pass_by_name(event: str) -> None:
    assert may_concern(b"{}", event)
    assert may_concern(json.dumps({"hook_event_name": event}).encode())


@pytest.mark.parametrize(
    "line",
    ["ls -la", "make light right high through", "git status", "python -m pytest tests -k 'weigh'", "cat src/ghost.py",
     "sed -n 1,20p README.md", "npm run build && echo done", 'grep -rn "laugh" .'],
)  # fmt: skip
def test_most_calls_do_not_pass(line: str) -> None:
    call = shell(line) | {"effort": {"level": "high"}, "permission_mode": "default"}
    assert not any(map(may_concern, spelled(call)))
