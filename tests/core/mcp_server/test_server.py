"""rg-mcp as a client sees it: the tool, its errors, whose read it was, and how it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rg_core import __version__, paths
from rg_core.config import load, set_values
from rg_core.mcp_server.tools import Memory
from rg_core.touches.database import TouchLog
from rg_core.touches.events import record_read
from rg_core.touches.known import Known
from rg_core.touches.touch import CACHE_READ, FETCHED, AnnouncedRead, Touch
from tests.core.mcp_server.conftest import ME, OPEN
from tests.core.mcp_server.rig import ENVELOPE, FRONT, PATIENT, Rig
from tests.core.reading import samples

AT = "2026-11-30T00:00:00Z"
CLIENTS = [
    ("claude-code", "mcp__resources-graph__resource"),
    ("codex-mcp-client", "mcp__resources_graph__resource"),
    ("copilot-cli", "resources-graph-resource"),
    ("Cursor", "resources-graph-resource"),
    ("cursor-vscode", "resources-graph-resource"),
    ("opencode", "resources-graph_resource"),
    ("grok-shell-resources-graph", "resources-graph__resource"),
    ("some-other-client", "resource tool of resources-graph"),
]


def touches(environ: dict[str, str]) -> list[Touch]:
    return TouchLog(paths.outbox_file(environ)).touches(ME, limit=None)


def test_a_hit_a_subsumed_and_a_miss_are_answered_and_recorded(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello("opencode")
        hit, failed = rig.resource(address="https://github.com/O/R/issues/1")
        assert not failed
        assert "Issue github:o/r#1 from memory (hit). Page 1 of 1." in hit
        assert "the body of issue one" in hit
        listing, _ = rig.resource(address="gh issue list -R o/r --label bug")
        assert "(subsumed)" in listing
        assert f"Derived from the listing {OPEN}" in listing
        miss, failed = rig.resource(address="o/r#3")
        assert not failed
        assert "Not in memory (miss): github:o/r#3." in miss
    recorded = touches(remembered)
    assert [(touch.address, touch.outcome, touch.served_from_memory, touch.limit) for touch in recorded] == [
        ("github:o/r#3", "miss", False, None),
        ("github:o/r/issues?label=bug&state=open", "subsumed", True, 30),
        ("github:o/r#1", "hit", True, None),
    ]
    assert {(touch.provenance, touch.harness, touch.user, touch.tool_name) for touch in recorded} == {
        (CACHE_READ, "opencode", ME, "resource")
    }
    assert TouchLog(paths.outbox_file(remembered)).pending() == []  # a miss schedules nothing


def test_t01_what_others_took_off_memory_is_promised_until_it_is_missed(remembered: dict[str, str]) -> None:
    log = TouchLog(paths.outbox_file(remembered))
    log.put_known(Known(f"github:o/r#{number}", "", AT, AT, "t", 0) for number in (1, 3, 4))
    log.put_known([Known(OPEN, "created-desc", AT, "", "", 0, 2, 2, True)])
    memory = Memory(remembered)
    memory.resource({"address": "o/r#3", "as_of": AT}, "", {})  # the past promises nothing
    memory.resource({"address": "o/r#5"}, "", {})
    assert len(log.known_under("o/r")) == 4
    assert "Not in memory" in memory.resource({"address": "o/r#3"}, "", {})[0]
    assert sorted(log.known_under("o/r")) == [("github:o/r#1", ""), (OPEN, "created-desc")]


@pytest.mark.parametrize(
    ("client", "environ", "meta", "expected"),
    [
        ("claude-code", {"CLAUDE_CODE_SESSION_ID": "s-1"}, {"claudecode/toolUseId": "toolu_1"}, ("s-1", "toolu_1", "")),
        ("codex-mcp-client", {}, {"threadId": "t-1", "sessionId": "s-2", "callId": "c-1"}, ("s-2", "c-1", "t-1")),
        ("codex-mcp-client", {}, {"threadId": "s-2", "sessionId": "s-2"}, ("s-2", "", "")),
        ("codex-mcp-client", {}, {"threadId": "t-1"}, ("t-1", "", "")),
        ("copilot-cli", {"COPILOT_AGENT_SESSION_ID": "s-3"}, None, ("s-3", "", "")),
        ("grok-shell-resources-graph", {"GROK_SESSION_ID": "s-4"}, None, ("s-4", "", "")),
        ("Cursor", {"CLAUDE_CODE_SESSION_ID": "not ours"}, None, ("", "", "")),
        ("claude-code", {}, {"claudecode/toolUseId": 7, "sessionId": "x" * 5_000}, ("", "", "")),
    ],
)
def test_whose_call_it_was_comes_from_meta_and_environment(
    remembered: dict[str, str], client: str, environ: dict[str, str], meta: dict[str, Any] | None,
    expected: tuple[str, str, str],
) -> None:  # fmt: skip
    with Rig(PATIENT, remembered | environ) as rig:
        rig.hello(client)
        rig.resource(meta, address="o/r#1")
    (touch,) = touches(remembered)
    assert (touch.session, touch.tool_use_id, touch.agent) == expected


def test_a_redelivered_call_is_one_cache_read(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello("claude-code")
        for _ in range(2):
            rig.resource({"claudecode/toolUseId": "toolu_1"}, address="o/r#1")
    assert len(touches(remembered)) == 1


def test_a_hook_that_announced_the_read_says_whose_it_is(remembered: dict[str, str]) -> None:
    announce(remembered, AnnouncedRead("github:o/r#1", "s-9", "cursor", "use-9", "agent-9", "explorer"))
    with Rig(PATIENT, remembered) as rig:
        rig.hello("Cursor")
        rig.resource(address="o/r#1")
        rig.resource(address="o/r#1")
    second, first = touches(remembered)
    assert (first.session, first.tool_use_id, first.agent, first.agent_type) == ("s-9", "use-9", "agent-9", "explorer")
    assert (second.session, second.agent) == ("", "")


def announce(environ: dict[str, str], caller: AnnouncedRead) -> None:
    """What the hook does when it sees the model about to call our tool."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record_read(paths.data_dir(environ), caller, time.time_ns(), now)


def test_pages_versions_and_times(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        for page in (1, "1", 1.0, None):
            assert "Page 1 of 1." in rig.resource(address="o/r#1", page=page)[0]
        assert "there is no page 2" in rig.resource(address="o/r#1", page="2")[0]
        history, failed = rig.resource(address="o/r#1", page="history")
        assert not failed
        assert "1 version. Page 1 of 1." in history
        assert f"- {samples.AT}, current: first known (learned {samples.AT})" in history
        assert "not known before" in rig.resource(address="o/r#1", as_of="2020-01-01")[0]
        assert "as of 2026-11-20T00:00:00Z" in rig.resource(address="o/r#1", as_of="2026-11-20T01:00:00+01:00")[0]


def test_history_tells_the_cause_to_its_own_user_only(remembered: dict[str, str]) -> None:
    from rg_core.store.model import Batch
    from rg_core.store.sqlite.store import EmbeddedStore

    def fetch(user: str, identity: str) -> Touch:
        return Touch(identity, user, "github:o/r#1", "item", FETCHED, samples.AT, "s", "codex")

    TouchLog(paths.outbox_file(remembered)).record([fetch(ME, "mine"), fetch("somebody else", "theirs")])
    store = EmbeddedStore(paths.memory_file(remembered))
    for number, cause in enumerate(("mine", "theirs"), 2):
        at = f"2026-11-0{number}T00:00:00Z"
        store.write(Batch(at, items=[samples.item(title=cause, updated_at=at, fetched_at=at)], causes={"I_1": cause}))
    store.close()
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        history, _ = rig.resource(address="o/r#1", page="history")
    assert "3 versions" in history
    assert history.count("because you fetched github:o/r#1") == 1
    assert "somebody" not in history
    assert "theirs" not in history


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "address is missing"),
    ({"address": ""}, "address is missing"),
    ({"address": 7}, "address is missing"),
    ({"address": "o/r#1", "page": 0}, "page is a whole number from 1 on"),
    ({"address": "o/r#1", "page": "two"}, "page is a whole number from 1 on"),
    ({"address": "o/r#1", "page": True}, "page is a whole number from 1 on"),
    ({"address": "o/r#1", "page": 1.5}, "page is a whole number from 1 on"),
    ({"address": "o/r#1", "page": 10**30}, "page is a whole number from 1 on"),
    ({"address": "o/r#1", "as_of": "yesterday"}, "write it like 2026-04-15T00:00:00Z"),
    ({"address": "o/r#1", "as_of": 5}, "as_of is a time"),
    ({"address": "o/r#1", "user": "root"}, "unknown argument 'user'; resource takes address, page, find and as_of"),
    ({"address": "x" * 50_000}, "too long"),
]


def test_wrong_arguments_are_told_how_to_be_right(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        for arguments, says in WRONG:
            text, failed = rig.resource(**arguments)
            assert failed, arguments
            assert says in text
    assert touches(remembered) == []


def test_a_call_without_arguments_and_a_call_of_another_tool(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        bare = rig.ask("tools/call", {"name": "resource"})["result"]
        other = rig.ask("tools/call", {"name": "issue_read", "arguments": {}})["result"]
    assert bare["isError"]
    assert other["isError"]
    assert "there is resource" in other["content"][0]["text"]


def test_answers_are_one_block_of_text_and_nothing_else(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        tool = rig.ask("tools/list", {"_meta": ENVELOPE})["result"]["tools"][0]
        result = rig.ask("tools/call", {"name": "resource", "arguments": {"address": "o/r#1"}, "_meta": ENVELOPE})
    assert "outputSchema" not in tool
    assert result["result"].keys() <= {"content", "isError", "resultType", "_meta"}
    assert [block["type"] for block in result["result"]["content"]] == ["text"]


@pytest.mark.parametrize("modern", [False, True], ids=["initialize", "discover"])
@pytest.mark.parametrize(("client", "tool"), CLIENTS)
def test_instructions_name_the_tool_as_this_client_does(
    home: dict[str, str], client: str, tool: str, modern: bool
) -> None:
    with Rig(PATIENT, home) as rig:
        if modern:
            info = {"io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
            result = rig.ask("server/discover", {"_meta": ENVELOPE | info})["result"]
        else:
            result = rig.hello(client)["result"]
    assert tool in result["instructions"][:200]
    assert "recall searches memory" in result["instructions"][:250]


def test_a_claude_code_plugin_has_another_name_for_the_tool(home: dict[str, str]) -> None:
    with Rig(PATIENT, home | {"CLAUDE_PLUGIN_ROOT": "/plugin"}) as rig:
        said = rig.hello("claude-code")["result"]["instructions"]
    assert "mcp__plugin_resources-graph_resources-graph__resource" in said[:200]


def test_without_an_identity_everything_is_refused_with_the_way_out(home: dict[str, str]) -> None:
    with Rig(PATIENT, home) as rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1")
        read = rig.ask("resources/read", {"uri": "resources-graph://state/x"})
    assert failed
    assert "rg-memory config set identity.user_id" in text
    assert "rg-memory config set identity.user_id" in read["error"]["message"]


def test_a_plugins_server_makes_up_an_identity_once(home: dict[str, str]) -> None:
    """Where rg-install does not run; one that is there stays."""
    users = []
    for _ in range(2):
        with Rig([*PATIENT, "--make-identity"], home) as rig:
            rig.hello()
            assert not rig.resource(address="o/r#1")[1]
        users.append(load(home).user)
    assert users[0] == users[1] != ""


def test_an_identity_given_later_counts_at_once(home: dict[str, str]) -> None:
    with Rig(PATIENT, home) as rig:
        rig.hello()
        assert rig.resource(address="o/r#1")[1]
        set_values(home, {"identity.user_id": ME})
        assert not rig.resource(address="o/r#1")[1]


def test_a_broken_configuration_names_its_line(home: dict[str, str]) -> None:
    config = Path(paths.config_file(home))
    config.parent.mkdir(parents=True)
    config.write_text("[identity]\nuser_id = \n")
    with Rig(PATIENT, home) as rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1")
    assert failed
    assert "config.toml" in text
    assert "line 2" in text


def test_a_store_that_is_not_one_is_named(remembered: dict[str, str]) -> None:
    for file in Path(paths.data_dir(remembered)).glob("memory.db*"):
        file.unlink()
    Path(paths.memory_file(remembered)).write_bytes(b"no database" * 1_000)
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1")
        assert failed
        assert "memory.db" in text
        Path(paths.memory_file(remembered)).unlink()
        assert "Not in memory" in rig.resource(address="o/r#1")[0]  # it is opened anew


@contextmanager
def mute_server() -> Iterator[int]:
    """A port on which everything connects and nothing is ever answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_store_that_does_not_answer_is_told_of_and_blocks_nothing(remembered: dict[str, str]) -> None:
    with mute_server() as port:
        set_values(remembered, {"store.url": f"bolt://127.0.0.1:{port}", "store.user": "u", "store.password": "p",
                                "assets.mcp": "read", "projects.dirs": (f"harbor={remembered['HOME']}",)})  # fmt: skip
        with Rig([*FRONT, "--project", "harbor"], remembered) as rig:
            rig.hello()
            text, failed = rig.resource(address="o/r#1")
            assert failed
            assert "did not answer in time" in text
            text, failed = rig.call("asset_catalog")
            assert failed
            assert text.startswith("unavailable: memory ")
            assert rig.ask("ping")["result"] == {}
            assert rig.close() == 0  # although its worker still waits


def test_a_cancelled_call_gets_no_answer_and_the_next_one_does(remembered: dict[str, str]) -> None:
    with mute_server() as port:
        set_values(remembered, {"store.url": f"bolt://127.0.0.1:{port}", "store.user": "u", "store.password": "p"})
        with Rig(FRONT, remembered) as rig:
            rig.hello()
            call = {"name": "resource", "arguments": {"address": "o/r#1"}}
            rig.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call})
            rig.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
            rig.send({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": call})
            assert rig.receive()["id"] == 6


def test_many_calls_at_once_are_all_answered(remembered: dict[str, str]) -> None:
    addresses = [
        ("o/r#1", "the body of issue one"),
        ("o/r#2", "a change"),
        ("o/r", "# O/R"),
        ("o/r#9", "Not in memory"),
    ]
    with Rig(PATIENT, remembered) as rig:
        for number in range(100):
            arguments = {"address": addresses[number % 4][0]}
            params = {"name": "resource", "arguments": arguments, "_meta": ENVELOPE}
            rig.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answers = {message["id"]: message for message in (rig.receive() for _ in range(100))}
    for number in range(100):
        assert addresses[number % 4][1] in answers[number]["result"]["content"][0]["text"]
    assert len(touches(remembered)) == 100


JUNK = [
    b"\n", b"not json\n", b"[]\n", b"[1, 2]\n", b"null\n", b'{"jsonrpc": "2.0"}\n', b"\xff\xfe\n", b"{" * 3_000 + b"\n",
    b"[" * 200_000 + b"\n", b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n', b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}\n',
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "ping"}\n',
    b'\xef\xbb\xbf{"jsonrpc": "2.0", "method": "x"}\n',
]  # fmt: skip


@pytest.mark.parametrize("started", [False, True], ids=["desk", "sdk"])
def test_broken_input_ends_nothing(remembered: dict[str, str], started: bool) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        if started:
            rig.resource(address="o/r#1")
        rig.raw(b"".join(JUNK))
        assert rig.ask("ping")["result"] == {}
        assert "the body" in rig.resource(address="o/r#1")[0]


def test_a_call_that_names_a_lone_surrogate_ends_nothing(remembered: dict[str, str]) -> None:
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        rig.resource(address="o/r#1")
        rig.raw(
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resource","arguments":{"address":"\\ud800"}}}\n'
        )
        assert "the body" in rig.resource(address="o/r#1")[0]


@pytest.mark.parametrize("started", [False, True], ids=["desk", "sdk"])
def test_the_end_of_the_input_ends_it(remembered: dict[str, str], started: bool) -> None:
    rig = Rig(FRONT, remembered)
    rig.hello()
    if started:
        rig.resource(address="o/r#1")
    assert rig.close() == 0
    assert rig.errors == []


@pytest.mark.parametrize("started", [False, True], ids=["desk", "sdk"])
def test_a_client_that_hangs_up_is_no_error(remembered: dict[str, str], started: bool) -> None:
    process = subprocess.Popen(
        FRONT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=remembered
    )
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    call = {"name": "resource", "arguments": {"address": "o/r#1"}, "_meta": ENVELOPE}
    method, params = ("tools/call", call) if started else ("server/discover", {"_meta": ENVELOPE})
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    assert process.wait(60) == 0
    process.stdin.close()
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_request_right_before_the_end_of_the_input_is_answered(remembered: dict[str, str]) -> None:
    rig = Rig(PATIENT, remembered)
    rig.hello()
    call = {"name": "resource", "arguments": {"address": "o/r#1"}}
    rig.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call})
    assert rig.close() == 0
    assert "the body" in json.dumps(rig.receive())


@pytest.mark.parametrize("started", [False, True], ids=["desk", "sdk"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it(remembered: dict[str, str], started: bool, number: signal.Signals) -> None:
    with Rig(FRONT, remembered) as rig:
        rig.hello()
        if started:
            rig.resource(address="o/r#1")
        rig.process.send_signal(number)
        assert rig.process.wait(20) == -number


def test_a_person_is_told_what_it_is(home: dict[str, str]) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([*FRONT, *arguments], env=home, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    assert said("--help")[0] == 0
    assert "rg-install" in said("--help")[1]
    assert said("--version") == (0, f"rg-mcp {__version__}\n")
    assert said("--port", "1")[0] == 2


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_version_is_served(remembered: dict[str, str], version: str) -> None:
    with Rig(PATIENT, remembered) as rig:
        assert rig.hello(version=version)["result"]["protocolVersion"] == version
        assert "the body" in rig.resource(address="o/r#1")[0]


def test_two_servers_and_a_writer_share_one_memory(remembered: dict[str, str]) -> None:
    from rg_core.store.model import Batch
    from rg_core.store.sqlite.store import EmbeddedStore

    def write() -> None:
        store = EmbeddedStore(paths.memory_file(remembered))
        for number in range(100, 150):
            store.write(Batch(samples.AT, items=[samples.item(number=number, node_id=f"I_{number}")]))
        store.close()

    writer = threading.Thread(target=write)
    with Rig(PATIENT, remembered) as one, Rig(PATIENT, remembered) as other:
        one.hello()
        other.hello()
        writer.start()
        for _ in range(20):
            assert "the body" in one.resource(address="o/r#1")[0]
            assert "the body" in other.resource(address="o/r#1")[0]
        writer.join()
        assert "(hit)" in one.resource(address="o/r#149")[0]
    assert len(touches(remembered)) == 41
