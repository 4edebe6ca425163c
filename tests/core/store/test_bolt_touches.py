"""Touches on a shared server: each arrives once, each is its user's alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rg_core.config import Config, Identity, StoreConfig
from rg_core.errors import UserError
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch
from rg_core.store.sharing import drain
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import (
    CACHE_READ,
    FETCHED,
    NOT_FOUND,
    NOT_PUBLIC,
    PENDING,
    RATE_LIMITED,
    RESOLVED,
    UNRESOLVED,
    Touch,
)
from tests.bolt_server import PATIENCE, BoltServers, Server
from tests.core.store.worlds import a_listing, a_repository, an_item

pytestmark = pytest.mark.bolt
AT = "2026-11-29T21:00:00Z"


@pytest.fixture
def server(bolt_servers: BoltServers) -> Server:
    return bolt_servers.server()


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    store = bolt_servers.empty_store()
    store.init()
    yield store
    store.close()


def a_touch(number: int = 1, user: str = "ann", **changes: Any) -> Touch:
    values: dict[str, Any] = {
        "id": f"t{number}", "user": user, "address": f"github:owner/repo#{number}", "kind": "item",
        "provenance": FETCHED, "at": AT, "session": f"session of {user}", "harness": "codex", "status": RESOLVED,
    }  # fmt: skip
    return Touch(**values | changes)


def configured(server: Server, user: str = "ann", touches: str = "graph") -> Config:
    store = StoreConfig(server.url, server.user, server.password, touches=touches)
    return Config("config.toml", Identity(user), store=store)


def rows(store: BoltStore, statement: str, **values: object) -> list[dict[str, Any]]:
    return store.ask(lambda run: run(statement, **values))


def test_a_touch_comes_back_as_it_was(store: BoltStore) -> None:
    touch = a_touch(
        kind="issues", address="github:owner/repo/issues?state=open", limit=30, order="created-desc", tool_name="Bash",
        tool_use_id="toolu_1", agent="a1", agent_type="Explore", provenance=CACHE_READ, served_from_memory=True,
        outcome="hit", status=RESOLVED, attempts=1,
    )  # fmt: skip
    graph = store.touches_of("ann")
    graph.record([touch])
    assert graph.touches() == [touch]


def test_the_graph_shows_who_explored_what(store: BoltStore) -> None:
    store.write(Batch(at=AT, repositories=[a_repository()], items=[an_item(1)], listings=[a_listing([an_item(1)])]))
    listing = {"kind": "issues", "address": "github:owner/repo/issues?state=all", "order": "created-desc"}
    store.touches_of("ann").record([a_touch(1), a_touch(2, **listing), a_touch(3)])
    found = rows(
        store,
        "MATCH (s:Session)<-[:IN_SESSION]-(t:Touch) OPTIONAL MATCH (t)-[:TOUCHED]->(x) "
        "RETURN t.user AS user, s.session_id AS session, t.id AS id, labels(x) AS labels ORDER BY id",
    )
    assert [(row["user"], row["session"], row["id"]) for row in found] == [
        ("ann", "session of ann", "t1"), ("ann", "session of ann", "t2"), ("ann", "session of ann", "t3")
    ]  # fmt: skip
    assert [row["labels"] and sorted(row["labels"]) for row in found] == [
        ["Issue", "Resource", "RgResource"],
        ["Listing", "RgListing"],
        None,
    ]


def test_recording_again_changes_nothing_and_a_late_copy_undoes_no_settlement(store: BoltStore) -> None:
    graph = store.touches_of("ann")
    graph.record([a_touch()])
    graph.record([a_touch()])
    graph.record([a_touch(address="github:new/name#1", attempts=1)])
    graph.record([a_touch()])
    assert [(touch.address, touch.attempts) for touch in graph.touches()] == [("github:new/name#1", 1)]


@pytest.mark.parametrize(
    "hidden",
    [
        {"status": PENDING},
        {"status": UNRESOLVED, "reason": NOT_FOUND},
        {"status": UNRESOLVED, "reason": RATE_LIMITED},
        {"status": UNRESOLVED, "reason": NOT_PUBLIC, "address": ""},
        {"provenance": CACHE_READ, "outcome": "miss"},
    ],
)  # fmt: skip
def test_s07_what_is_not_known_to_be_public_is_not_sent(
    store: BoltStore, server: Server, tmp_path: Path, hidden: dict[str, Any]
) -> None:
    log = TouchLog(str(tmp_path / "touches.db"))
    log.record([a_touch(1, **{"address": "github:acme/secret#1"} | hidden), a_touch(2)])
    drain(log, configured(server), store)
    assert [touch.id for touch in store.touches_of("ann").touches()] == ["t2"]
    everything = "MATCH (n) WHERE any(k IN keys(n) WHERE toString(n[k]) CONTAINS 'secret') RETURN n"
    assert rows(store, everything) == []
    assert sorted(touch.id for touch in log.touches("ann")) == ["t1", "t2"]


def test_s07_what_is_not_public_any_more_is_taken_back(store: BoltStore, server: Server, tmp_path: Path) -> None:
    log = TouchLog(str(tmp_path / "touches.db"))
    read: dict[str, Any] = {"provenance": CACHE_READ, "served_from_memory": True, "outcome": "hit"}
    log.record([a_touch(1), a_touch(2, address="github:owner/repo#1", **read), a_touch(3, address="github:a/b#1")])
    drain(log, configured(server), store)
    assert len(store.touches_of("ann").touches()) == 3
    log.settle(["t1"], UNRESOLVED, NOT_PUBLIC)
    drain(log, configured(server), store)
    assert [touch.id for touch in store.touches_of("ann").touches()] == ["t3"]


def test_what_is_not_public_leaves_no_trace(store: BoltStore) -> None:
    store.write(Batch(at=AT, repositories=[a_repository()], items=[an_item(1)]))
    graph = store.touches_of("ann")
    graph.record([a_touch(1), a_touch(2)])
    graph.record(a_touch(number, address="", status=UNRESOLVED, reason=NOT_PUBLIC, attempts=1) for number in (1, 2))
    assert graph.touches() == []
    assert rows(store, "MATCH (t:Touch) RETURN t") == []


def test_two_users_see_the_same_resources_and_none_of_each_others_touches(store: BoltStore) -> None:
    """Also where ids, sessions and addresses are the same, on purpose or not."""
    store.write(Batch(at=AT, repositories=[a_repository()], items=[an_item(1)]))
    ann, bob = store.touches_of("ann"), store.touches_of("bob")
    ann.record([a_touch(1, session="same"), a_touch(2, session="same")])
    assert (bob.touches(), bob.forget(everything=True), bob.join()) == ([], 0, 0)
    bob.record([a_touch(1, user="ann", status=UNRESOLVED, attempts=9)])
    bob.record([a_touch(1, user="bob", session="same")])
    assert [touch.id for touch in bob.touches(session="same")] == ["t1"]
    assert bob.touches() == [a_touch(1, user="bob", session="same")]
    assert bob.forget(address="github:owner/repo#1") == 1
    assert bob.forget(session="same") == 0
    assert [touch.id for touch in ann.touches()] == ["t2", "t1"]
    assert rows(store, "MATCH (u:User) RETURN u") == []


def test_without_an_identity_there_is_nothing(store: BoltStore, server: Server, tmp_path: Path) -> None:
    store.touches_of("ann").record([a_touch()])
    with pytest.raises(UserError, match="say who you are"):
        store.touches_of("")
    with pytest.raises(UserError, match="say who you are"):
        drain(TouchLog(str(tmp_path / "touches.db")), configured(server, ""), store)


def test_forgetting_leaves_no_trace_but_what_others_hold(store: BoltStore) -> None:
    store.change(lambda run: run("CREATE (:Session {session_id: 'session of ann', started_at: 'then'})"))
    graph = store.touches_of("ann")
    graph.record([a_touch(1), a_touch(2, session="other")])
    assert graph.forget(everything=True) == 2
    assert rows(store, "MATCH (t:Touch) RETURN t") == []
    assert rows(store, "MATCH (n) WHERE n:User OR n:RgLease RETURN n") == []
    assert rows(store, "MATCH (s:Session) RETURN s.started_at AS at") == [{"at": "then"}]


def test_draining_sends_each_touch_once_and_every_settlement(store: BoltStore, server: Server, tmp_path: Path) -> None:
    log, config, graph = TouchLog(str(tmp_path / "touches.db")), configured(server), store.touches_of("ann")
    log.record([a_touch(number) for number in range(450)] + [a_touch(1, user="bob", id="b")])
    assert drain(log, config, store) == 450
    assert drain(log, config, store) == 0
    log.record([a_touch(450, status=PENDING)])
    assert drain(log, config, store) == 0
    log.settle(["t450", "t7"], RESOLVED)
    assert drain(log, config, store) == 2
    assert len(graph.touches()) == 451
    assert {touch.id for touch in graph.touches() if touch.attempts} == {"t450", "t7"}
    assert store.touches_of("bob").touches() == []


def test_what_is_forgotten_while_it_is_sent_does_not_come_back(
    store: BoltStore, server: Server, tmp_path: Path
) -> None:
    log, graph = TouchLog(str(tmp_path / "touches.db")), store.touches_of("ann")
    log.record([a_touch(number) for number in range(20)])

    def forget() -> None:
        log.forget("ann", everything=True)
        with closing(BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)) as another:
            another.touches_of("ann").forget(everything=True)

    forgetter = Thread(target=forget)

    def fetch() -> list[Touch]:
        batch = log.unsent("ann")
        if forgetter.ident is None:
            forgetter.start()
            forgetter.join(0.5)  # time enough, did it not wait for us
        return batch

    assert len(graph.record_some(fetch)) == 20
    forgetter.join()
    assert drain(log, configured(server), store) == 0
    assert rows(store, "MATCH (n) WHERE n:Touch OR n:User OR n:Session RETURN n") == []


def test_local_touches_never_leave_the_machine(store: BoltStore, server: Server, tmp_path: Path) -> None:
    log = TouchLog(str(tmp_path / "touches.db"))
    log.record([a_touch()])
    assert drain(log, configured(server, touches="local"), store) == 0
    assert rows(store, "MATCH (n) WHERE n:Touch OR n:User OR n:Session RETURN n") == []
    assert len(log.unsent("ann")) == 1


DRAIN = """
import json, sys
from rg_core.config import Config, Identity, StoreConfig
from rg_core.store.bolt.store import BoltStore
from rg_core.store.sharing import drain
from rg_core.touches.database import TouchLog
path, url, user, password = json.loads(sys.argv[1])
config = Config("", Identity("ann"), store=StoreConfig(url, user, password))
store = BoltStore(url, user, password, read_seconds=60)
print("ready", flush=True)
while True:
    drain(TouchLog(path), config, store)
"""


def test_drainers_that_are_killed_lose_and_double_nothing(store: BoltStore, server: Server, tmp_path: Path) -> None:
    log = TouchLog(str(tmp_path / "touches.db"))
    log.record([a_touch(0)])
    arguments = json.dumps([log.path, server.url, server.user, server.password])

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", DRAIN, arguments], stdout=subprocess.PIPE)

    drainers = [start(), start()]
    for drainer in drainers:
        assert drainer.stdout
        drainer.stdout.readline()
    sent = 1
    for victim in (0, 1, 0):
        for _ in range(3):
            log.record([a_touch(number) for number in range(sent, sent + 100)])
            log.settle([f"t{sent}"], RESOLVED)
            sent += 100
            time.sleep(0.05)
        os.kill(drainers[victim].pid, signal.SIGKILL)
        stdout = drainers[victim].stdout
        drainers[victim].wait()
        assert stdout
        stdout.close()
        drainers[victim] = start()
    for drainer in drainers:
        drainer.kill()
        drainer.wait()
        assert drainer.stdout
        drainer.stdout.close()
    drain(log, configured(server), store)
    found = store.touches_of("ann").touches()
    assert sorted(touch.id for touch in found) == sorted(f"t{number}" for number in range(sent))
    assert {touch.id for touch in found if touch.attempts} == {f"t{n}" for n in range(1, sent, 100)}


def test_touches_join_what_actions_graph_wrote(store: BoltStore, server: Server) -> None:
    """Written by the real package: in either order, and the same edge once."""
    actions_graph = pytest.importorskip("actions_graph", reason="actions-graph is not installed")
    actions = actions_graph.ActionsGraph(
        url=server.url, username=server.user, password=server.password, database="neo4j"
    )
    graph = store.touches_of("ann")
    caused = {"session": "s1", "tool_use_id": "toolu_1", "agent": "agent_1"}
    graph.record([a_touch(1, **caused), a_touch(2, tool_use_id="toolu_unknown"), a_touch(3, **caused)])
    assert graph.join() == 0
    try:
        actions.create_session(actions_graph.Session(session_id="s1", model="a model"))
        actions.ensure_agent("agent_1", "s1", agent_type="Explore", started_at=AT)
        actions.record_tool_call(
            session_id="s1", tool_name="Bash", tool_input={"command": "gh issue view 1"}, tool_use_id="toolu_1"
        )
        actions.record_tool_result(session_id="s1", tool_use_id="toolu_1", tool_name="Bash", content="text")
    finally:
        actions.db.driver.close()
    assert graph.join() == 4
    assert graph.join() == 0
    assert rows(store, "MATCH (s:Session) RETURN s.session_id AS id, s.model AS model ORDER BY id") == [
        {"id": "s1", "model": "a model"}, {"id": "session of ann", "model": None},
    ]  # fmt: skip
    found = rows(
        store,
        "MATCH (t:Touch)-[:CAUSED_BY]->(c:ToolCall) MATCH (t)-[:BY_AGENT]->(a:Agent) "
        "RETURN t.id AS id, c.tool_name AS tool, a.agent_type AS agent ORDER BY id",
    )
    assert found == [{"id": name, "tool": "Bash", "agent": "Explore"} for name in ("t1", "t3")]
