"""With a shared memory nothing of telemetry is on the server: no question, citation, note, count or wrap, ever."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.hook.main import respond
from rg_core.store.bolt.store import BoltStore
from tests.bolt_server import BoltServers, Server
from tests.core.mcp_server.rig import PATIENT, Rig
from tests.core.telemetry import facts
from tests.github_standin.server import Standin
from tests.github_standin.world import World

pytestmark = pytest.mark.bolt
ME, SESSION = "ann@example.org", {"threadId": "s1"}
QUERY, NOTE, WHY = "why does the pelican leak", "The pelican leaks in the heron's bay.", "because of the heron"
SHELL = {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash", "tool_use_id": "u1"}
# Columns of telemetry's tables that no node of memory has.
COLUMNS = {"query_class", "recall_id", "touch_id", "payload_bytes", "floor_bytes", "rrf_k", "weights", "given_by",
           "verdict", "note", "tools_bytes", "took_ms", "result_count", "lex_rank", "facts_json"}  # fmt: skip


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    store = bolt_servers.empty_store()
    yield store
    store.close()


@pytest.fixture
def run(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`rg-memory ARGUMENTS` in this home."""
    for name in set(os.environ) - set(home):
        monkeypatch.delenv(name)
    for name, value in home.items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str) -> None:
        assert main(arguments) == 0, arguments

    return command


def on_server(store: BoltStore) -> str:
    """Every node and every edge there, with all their properties."""
    held = store.ask(lambda run: run("MATCH (n) RETURN labels(n) AS l, properties(n) AS p"))
    edges = store.ask(lambda run: run("MATCH ()-[e]->() RETURN type(e) AS l, properties(e) AS p"))
    assert not {name for row in (*held, *edges) for name in row["p"]} & COLUMNS
    return repr([held, edges])


def ever_named(store: BoltStore) -> set[str]:
    """The names of all properties that anything there ever had; a server keeps them for good."""
    return {row["propertyKey"] for row in store.ask(lambda run: run("CALL db.propertyKeys()"))}


def answered(rig: Rig, tool: str, **arguments: object) -> None:
    text, failed = rig.call(tool, SESSION, **arguments)
    assert not failed, text


def test_nothing_of_telemetry_is_ever_on_the_server(
    home: dict[str, str], run: Callable[..., None], bolt_servers: BoltServers, store: BoltStore, tmp_path: Path
) -> None:
    at: Server = bolt_servers.server()
    named = ever_named(store)  # by other tests
    values = {
        "identity.user_id": ME, "store.url": at.url, "store.user": at.user, "store.password": at.password,
    }  # fmt: skip
    github = World()
    github.repo("o/r", "a pelican").issue("The pelican leaks", "It does.").comment("Since when?", "bob")
    seen: list[str] = []
    with Standin(github) as standin:
        set_values(home, values | {"github.api_url": standin.url, "github.token": standin.token})
        payload = SHELL | {"tool_input": {"command": "gh issue view 1 -R o/r"}}
        respond("claude_code", None, json.dumps(payload).encode(), home)
        run("sweep")
        run("remember", NOTE)
        with Rig(PATIENT, home) as rig:
            rig.hello("codex-mcp-client")
            answered(rig, "resource", address="o/r#1")
            answered(rig, "recall", query=QUERY)
            answered(rig, "cite", memory=[1], note=WHY)
            answered(rig, "cite", memory="o/r#1", kind="flagged_stale")
            seen.append(on_server(store))
        recalls = facts.rows(home, "recall_event")
        citations = facts.rows(home, "citation_event")
        github.repos["o/r"].issue("Another", "It leaks too.")
        for words in (["sweep"], ["wrap"], ["export", str(tmp_path / "export.jsonl")], ["forget", "o/r#1", "--yes"],
                      ["forget", "--telemetry", "--yes"]):  # fmt: skip
            run(*words)
            seen.append(on_server(store))
    assert not (ever_named(store) - named) & COLUMNS
    assert {(row["query"], row["harness"]) for row in recalls} == {(QUERY, "codex")}
    assert len(citations) == 2
    assert any("github:o/r#1" in held and "s1" in held for held in seen)  # the Touches are there
    private = [QUERY, NOTE, WHY, *(row["id"] for row in (*recalls, *citations)), recalls[-1]["connection"]]
    everything = [*seen, (tmp_path / "export.jsonl").read_text("utf-8")]
    assert [word for word in private for held in everything if word in held] == []
    assert Path(paths.telemetry_file(home)).exists()
