"""Immutable bodies behind URIs, and the official client in both eras."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import mcp_types as t
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from rg_core import paths
from rg_core.store.model import Batch, Listing, Member, Move
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.mcp_server.conftest import OPEN, first_batch
from tests.core.mcp_server.rig import ENVELOPE, PATIENT, Rig
from tests.core.reading import samples

URI = re.compile(r"resources-graph://(?:state|listing)/[^\s,]+")
LATER = "2026-11-09T00:00:00Z"


class Asker:
    """Asks in one of the two eras."""

    def __init__(self, rig: Rig, *, modern: bool) -> None:
        self.rig, self.modern = rig, modern
        if not modern:
            rig.hello()

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        return self.rig.ask(method, params | ({"_meta": ENVELOPE} if self.modern else {}))

    def text(self, **arguments: Any) -> str:
        answer = self("tools/call", name="resource", arguments=arguments)
        return str(answer["result"]["content"][0]["text"])

    def uri(self, **arguments: Any) -> str:
        found = URI.search(self.text(**arguments))
        assert found
        return found[0]

    def body(self, uri: str) -> Any:
        (content,) = self("resources/read", uri=uri)["result"]["contents"]
        assert content["mimeType"] == "application/json"
        return json.loads(content["text"])


both_eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "envelope"])


@both_eras
def test_an_answer_names_the_uri_of_its_version(remembered: dict[str, str], modern: bool) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=modern)
        state = ask.body(ask.uri(address="o/r#1"))
        listing = ask.body(ask.uri(address=OPEN))
        repository = ask.body(ask.uri(address="o/r"))
    assert (state["kind"], state["address"], state["recorded_at"]) == ("issue", "github:o/r#1", samples.AT)
    assert state["content"]["body"] == "the body of issue one"
    assert (listing["kind"], listing["address"], listing["complete"]) == ("listing", OPEN, True)
    assert [member["address"] for member in listing["members"]] == ["github:o/r#1"]
    assert repository["content"]["readme"] == "# O/R"


@both_eras
def test_n02_a_body_has_no_lifecycle_field(remembered: dict[str, str], modern: bool) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=modern)
        bodies = [ask.body(ask.uri(address=address)) for address in ("o/r#1", "o/r#2", "o/r", OPEN)]
    for body in bodies[:3]:
        assert set(body) == {"about", "id", "kind", "address", "recorded_at", "content"}
        lifecycle = {"fetched_at", "valid_until", "superseded", "superseded_by", "age_days", "deleted", "latest"}
        assert not lifecycle & set(body["content"])
    assert set(bodies[3]) == {
        "about", "id", "kind", "address", "order", "fetched_at", "total_count", "complete", "members"
    }  # fmt: skip


ITEM = samples.item(body="the body of issue one", comments=(samples.comment(1, "a comment"),))
EDITED = samples.comment(1, "edited", updated_at=LATER)
WRITES: dict[str, Callable[[EmbeddedStore], object]] = {
    "the same again": lambda store: store.write(first_batch()),
    "unchanged": lambda store: store.write(Batch(LATER, unchanged=["I_1", "R_1"])),
    "a new version": lambda store: store.write(
        Batch(LATER, items=[replace(ITEM, title="new", body="new", state="closed", updated_at=LATER, comments=())])
    ),
    "an edited comment": lambda store: store.write(
        Batch(LATER, items=[replace(ITEM, updated_at=LATER, comments=(EDITED,))])
    ),
    "deleted on GitHub": lambda store: store.write(Batch(LATER, deleted=["I_1"])),
    "a larger listing": lambda store: store.write(
        Batch(LATER, items=[samples.item(number=3, node_id="I_3")], listings=[
            Listing(OPEN, "created-desc", (Member("I_3", LATER), Member("I_1", LATER)), 2, True, LATER)])
    ),
    "a renamed repository": lambda store: store.write(
        Batch(LATER, repositories=[samples.repository(name="N/N", updated_at=LATER)],
              moves=[Move("github:o/r", "github:n/n", "R_1")])
    ),
    "a transferred issue": lambda store: store.write(
        Batch(LATER, repositories=[samples.repository(name="N/N", node_id="R_2")],
              items=[samples.item(repository="N/N", repository_id="R_2", node_id="I_9", number=9, updated_at=LATER)],
              moves=[Move("github:o/r#1", "github:n/n#9", "I_9", "I_1")])
    ),
    "another item forgotten": lambda store: store.forget(["github:o/r#2"]),
    "a load of its own dump": lambda store: store.load(list(store.dump())),
}  # fmt: skip


def test_no_later_write_changes_a_body(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=True)
        uris = [ask.uri(address=address) for address in ("o/r#1", "o/r", OPEN)]
        before = [ask("resources/read", uri=uri)["result"]["contents"] for uri in uris]
        store = EmbeddedStore(paths.memory_file(remembered))
        for name, write in WRITES.items():
            write(store)
            assert [ask("resources/read", uri=uri)["result"]["contents"] for uri in uris] == before, name
        store.close()


def test_a_changed_resource_has_a_new_uri_and_keeps_the_old_one(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=True)
        before = ask.uri(address="o/r#1")
        store = EmbeddedStore(paths.memory_file(remembered))
        WRITES["a new version"](store)
        store.close()
        after = ask.uri(address="o/r#1")
        assert before != after
        assert ask.uri(address="o/r#1", as_of=samples.AT) == before
        assert (ask.body(before)["content"]["title"], ask.body(after)["content"]["title"]) == ("a title", "new")


NOWHERE = (
    "resources-graph://state/" + "0" * 40,
    "resources-graph://listing/" + "0" * 40,
    "resources-graph://state/",
    "resources-graph://state/../../etc/passwd",
    "resources-graph://state/%00",
    "resources-graph://state/" + "x" * 9_000,
    "resources-graph://other/1",
    "file:///etc/passwd",
)


@both_eras
def test_what_is_missing_and_what_is_malformed_get_the_same_answer(remembered: dict[str, str], modern: bool) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=modern)
        bare = ask.uri(address="o/r#1").removeprefix("resources-graph://state/")
        for uri in (*NOWHERE, bare, f"resources-graph://listing/{bare}", f"x://resources-graph://state/{bare}"):
            error = ask("resources/read", uri=uri)["error"]
            expected = {"code": -32602 if modern else -32002, "message": "Resource not found", "data": {"uri": uri}}
            assert error == expected


def test_what_is_forgotten_is_behind_no_uri(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=False)
        state, listing = ask.uri(address="o/r#1"), ask.uri(address=OPEN)
        store = EmbeddedStore(paths.memory_file(remembered))
        store.forget(["github:o/r#1", OPEN])
        store.close()
        for uri in (state, listing):
            assert ask("resources/read", uri=uri)["error"]["message"] == "Resource not found"
        assert "Not in memory" in ask.text(address="o/r#1")


def test_only_the_envelope_protocol_carries_cache_hints(remembered: dict[str, str]) -> None:
    lists = ("tools/list", "resources/list", "resources/templates/list")
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=True)
        read = ask("resources/read", uri=ask.uri(address="o/r#1"))["result"]
        assert (read["ttlMs"], read["cacheScope"]) == (86_400_000, "private")
        for name in lists:
            answer = ask(name)["result"]
            assert (answer["ttlMs"], answer["cacheScope"]) == (3_600_000, "public")
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=False)
        assert ask("resources/read", uri=ask.uri(address="o/r#1"))["result"].keys() == {"contents"}
        for name in lists:
            assert not ask(name)["result"].keys() & {"ttlMs", "cacheScope"}


@both_eras
def test_completion_goes_from_addresses_to_ids(remembered: dict[str, str], modern: bool) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=modern)

        def complete(kind: str, value: str) -> list[str]:
            ref = {"type": "ref/resource", "uri": f"resources-graph://{kind}/{{id}}"}
            answer = ask("completion/complete", ref=ref, argument={"name": "id", "value": value})
            return list(answer["result"]["completion"]["values"])

        state = ask.uri(address="o/r#1").rpartition("/")[2]
        listing = ask.uri(address=OPEN).rpartition("/")[2]
        assert {"github:o/r", "github:o/r#1", "github:o/r#2", OPEN} <= set(complete("state", "github:"))
        assert complete("state", "github:o/r#1") == [state]
        assert complete("listing", OPEN) == [listing]
        assert complete("state", state[:6]) == [state]
        assert listing not in complete("state", "")
        assert complete("listing", "") == [listing]
        assert complete("state", "zzz") == complete("nothing", "") == []


def test_templates_are_advertised_and_the_list_is_empty(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        ask = Asker(rig, modern=False)
        templates = ask("resources/templates/list")["result"]["resourceTemplates"]
        assert [one["uriTemplate"] for one in templates] == [
            "resources-graph://state/{id}", "resources-graph://listing/{id}"
        ]  # fmt: skip
        assert ask("resources/list")["result"]["resources"] == []


# -- the official client

TEE = """
import os, subprocess, sys
server = subprocess.Popen([sys.executable, "-m", "rg_core.mcp_server.main"], stdin=subprocess.PIPE)
with open(sys.argv[1], "ab", buffering=0) as log:
    for line in sys.stdin.buffer:
        log.write(line)
        server.stdin.write(line)
        server.stdin.flush()
server.stdin.close()
server.wait()
"""


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client(remembered: dict[str, str], mode: str, tmp_path: Path) -> None:
    log = tmp_path / "sent"
    parameters = StdioServerParameters(command=sys.executable, args=["-c", TEE, str(log)], env=remembered)

    async def talk() -> None:
        async with Client(stdio_client(parameters), mode=mode) as client:
            (tool,) = (one for one in (await client.list_tools()).tools if one.name == "resource")
            assert tool.name == "resource"
            assert tool.annotations
            assert tool.annotations.read_only_hint
            called = await client.call_tool("resource", {"address": "o/r#1"})
            assert not called.is_error
            (block,) = called.content
            assert isinstance(block, t.TextContent)
            found = URI.search(block.text)
            assert found
            for _ in range(3):
                (content,) = (await client.read_resource(found[0])).contents
                assert isinstance(content, t.TextResourceContents)
                assert "the body of issue one" in content.text
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource("resources-graph://state/none")

    anyio.run(talk)
    reads = [
        line for line in log.read_bytes().splitlines() if b'"resources/read"' in line and b"state/none" not in line
    ]
    assert len(reads) == (3 if mode == "legacy" else 1)  # a client that caches asks once
