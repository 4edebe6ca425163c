"""A database that is not ours alone: others' nodes, an earlier release's, clients that start at once."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rg_core.address.model import Address
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.errors import UserError
from rg_core.store.bolt import prepare, schema
from rg_core.store.bolt.connection import again
from rg_core.store.bolt.store import BoltStore
from rg_core.store.check import faults
from rg_core.store.model import Batch
from rg_core.store.protocol import StoreUnavailable
from rg_core.touches.touch import FETCHED, RESOLVED, Touch
from tests.bolt_server import PATIENCE, BoltServers, Server, running
from tests.core.store.shared_database import BESIDE_OLD, FOREIGN, bare, old_graph, others, rows
from tests.core.store.worlds import a_comment, a_listing, a_repository, an_item

AT = "2026-11-29T21:00:00Z"
ITEM = an_item(1, comments=(a_comment(1),))
BATCH = Batch(AT, repositories=[a_repository()], items=[ITEM], listings=[a_listing([ITEM])], causes={"I_1": "t1"})


@pytest.fixture
def server(bolt_servers: BoltServers) -> Server:
    return bolt_servers.server()


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    """A Store in a database without anything, also without a schema."""
    store = bolt_servers.empty_store()
    bare(store)
    yield store
    store.close()


def opened(server: Server) -> BoltStore:
    return BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)


def a_touch(number: int = 1, user: str = "ann", **changes: object) -> Touch:
    values: dict[str, object] = {
        "id": f"t{number}", "user": user, "address": f"github:owner/repo#{number}", "kind": "item",
        "provenance": FETCHED, "at": AT, "session": "s1", "harness": "codex", "status": RESOLVED, "attempts": 1,
    }  # fmt: skip
    return Touch(**values | changes)  # type: ignore[arg-type]


START = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from rg_core.store.bolt.store import BoltStore
(url, user, password), clients = json.loads(sys.argv[1])

def start(_):
    store = BoltStore(url, user, password, read_seconds=120)
    store.init()
    counted = sum(store.counts().values())
    store.close()
    return counted

with ThreadPoolExecutor(clients) as pool:
    print("ready", flush=True)
    for _ in sys.stdin:
        print(sum(pool.map(start, range(clients))), flush=True)
"""


@pytest.mark.bolt
def test_t02_any_number_of_clients_may_start_on_an_empty_database(store: BoltStore, server: Server) -> None:
    """Twenty at once, in four processes, five times."""
    command = [sys.executable, "-c", START, json.dumps([server, 5])]
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(4)]

    def say(process: subprocess.Popen[str]) -> None:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()

    def answer(process: subprocess.Popen[str]) -> str:
        assert process.stdout
        return process.stdout.readline()

    assert {answer(process) for process in processes} == {"ready\n"}
    for _ in range(5):
        bare(store)
        for process in processes:
            say(process)
        assert [answer(process) for process in processes] == ["0\n"] * 4
        assert prepare.look(store.connection, "neo4j").missing == []
    ended = [process.communicate(timeout=300) for process in processes]
    assert [errors for _, errors in ended] == [""] * 4


@pytest.mark.bolt
def test_t03_t04_what_others_keep_is_neither_changed_nor_stumbled_over(store: BoltStore, server: Server) -> None:
    rows(store, FOREIGN)
    before = others(store)
    store.init()
    store.write(BATCH)
    touches = store.touches_of("ann")
    touches.record([a_touch()])
    assert others(store) == before
    reading = store.read("github:owner/repo#1")
    assert reading
    assert reading.resource == ITEM
    assert [touch.id for touch in touches.touches()] == ["t1"]
    records = list(store.dump())
    assert [record["node_id"] for record in records if record["record"] == "resource"] == ["R_1", "I_1"]
    assert list(faults(records)) == list(store.damage()) == []
    assert store.foreign() == {
        "Resource": 1, "Repository": 2, "Issue": 1, "State": 3, "Comment": 3, "Listing": 1, "Touch": 2,
    }  # fmt: skip
    with closing(opened(server)) as another:
        another.init()  # also where all of it is there
    assert touches.forget(everything=True) == 1
    assert store.forget(["github:owner/repo#1", "github:owner/repo/issues?state=all", "github:owner/repo"]) == 3
    assert others(store) == before


@pytest.mark.bolt
def test_t03_every_node_of_ours_has_a_label_of_its_own_beside_the_public_one(store: BoltStore) -> None:
    store.write(BATCH)
    store.touches_of("ann").record([a_touch()])
    found = {tuple(sorted(row["labels"])) for row in rows(store, "MATCH (n) RETURN DISTINCT labels(n) AS labels")}
    assert {labels for labels in found if not any(label.startswith("Rg") for label in labels)} == set()
    public = {label for labels in found for label in labels if not label.startswith("Rg")}
    assert public == {"Resource", "Repository", "Issue", "State", "Comment", "Listing", "Touch", "Session"}


@pytest.mark.bolt
def test_t07_init_says_what_stands_in_the_way_and_replaces_its_own(store: BoltStore) -> None:
    store.connection.define(["CREATE INDEX theirs FOR (n:RgResource) ON (n.rg_id)"])
    with pytest.raises(StoreUnavailable, match=r"the index theirs on :RgResource\(rg_id\) .* DROP INDEX theirs"):
        store.init()
    with pytest.raises(StoreUnavailable, match="theirs"):
        store.write(BATCH)  # nor does anybody write without it
    store.connection.define(["DROP INDEX theirs", "CREATE INDEX rg_RgResource_rg_id FOR (n:RgResource) ON (n.rg_id)"])
    assert any("constraint on :RgResource(rg_id) is missing" in line for line in store.damage())
    store.init()
    assert list(store.damage()) == []
    for label, name in schema.UNIQUE[:4]:  # as an earlier release, or somebody by hand, may leave them
        store.connection.define([f"DROP CONSTRAINT rg_{label}_{name}"])
    rows(store, "CREATE (:RgName {name: 'a'}), (:RgName {name: 'a'}), (:RgState {id: 's'}), (:RgState {id: 's'})")
    with pytest.raises(StoreUnavailable, match="2 nodes :RgName have name a"):
        store.init()
    assert "2 nodes :RgState have id s" in store.damage()


@pytest.mark.bolt
def test_t07_a_constraint_of_others_is_named(store: BoltStore) -> None:
    store.connection.define(["CREATE CONSTRAINT theirs FOR (n:Repository) REQUIRE n.name IS UNIQUE"])
    rows(store, "CREATE (:Repository {name: 'Owner/Repo'})")
    with pytest.raises(StoreUnavailable, match=r"constraint of another program .*\[store\] database"):
        store.write(BATCH)


@pytest.mark.bolt
def test_data_of_release_0_1_opens_as_before(store: BoltStore, server: Server) -> None:
    expected = old_graph(store)
    rows(store, BESIDE_OLD)
    with closing(opened(server)) as reader:  # a reader that comes first finds all of it
        for key, resource in expected["reads"].items():
            reading = reader.read(key)
            assert (json.loads(json.dumps(dataclasses.asdict(reading))) if reading else None) == resource, key
        assert list(reader.dump()) == expected["dump"]
        assert reader.counts() == expected["counts"]
    ann = store.touches_of("ann")
    public = [touch for touch in expected["touches"] if touch["status"] == RESOLVED]
    assert [dataclasses_of(touch) for touch in ann.touches()] == public
    left = {label for labels, _, _ in others(store) for label in labels}
    assert left == {
        "Resource", "Repository", "Issue", "State", "Comment", "Name", "Touch", "Listing", "Snapshot", "Move", "Lease",
        "Awaited", "User", "Session", "RgOther", "Action", "ToolCall",
    }  # fmt: skip
    assert rows(store, "MATCH (:User)-[e:HAD_SESSION]->() RETURN e") == []
    caused = rows(store, "MATCH (t:Touch)-[:CAUSED_BY]->(c) RETURN t.user AS user, c.action_id AS call")
    assert caused == [{"user": "bob", "call": "x"}]  # ann's had the same tool_use_id, in another session
    names = {row["name"] for row in store.connection.told("SHOW CONSTRAINTS YIELD name")}
    assert names == {f"rg_{label}_{name}" for label, name in schema.UNIQUE}
    store.write(BATCH)
    assert list(faults(store.dump())) == []
    assert ann.forget(everything=True) == len(public)


def dataclasses_of(touch: Touch) -> dict[str, Any]:
    return {name: getattr(touch, name) for name in Touch.__annotations__}


@pytest.mark.bolt
def test_t05_the_familys_own_functions_work_before_and_after(store: BoltStore, server: Server) -> None:
    """With the real package; one query crosses from an Agent to what it read."""
    family = pytest.importorskip("actions_graph", reason="actions-graph is not installed")
    actions = family.ActionsGraph(url=server.url, username=server.user, password=server.password, database="neo4j")
    try:
        actions.record_session_start(family.Session(session_id="before", started_at=AT, model="a model"))
        rows(store, "MATCH (s:Session) MERGE (u:User {user_id: 'Ann'}) MERGE (u)-[:HAD_SESSION]->(s)")
        store.write(BATCH)
        touches = store.touches_of("ann")
        call = {"tool_use_id": "toolu_1", "agent": "agent_1"}
        touches.record([a_touch(1, session="before", **call), a_touch(1, id="other", session="after", **call)])
        assert touches.join() == 0
        assert {session.session_id for session in actions.list_sessions()} == {"before", "after"}
        actions.record_session_start(family.Session(session_id="after", started_at=AT, model="another model"))
        actions.ensure_agent("agent_1", "after", agent_type="Explore", started_at=AT)
        actions.record_tool_call(
            session_id="after", tool_name="Bash", tool_input={"command": "gh issue view 1"}, tool_use_id="toolu_1"
        )
        assert touches.join() == 2
        assert touches.join() == 0
        assert {session.model for session in actions.list_sessions()} == {"a model", "another model"}
        assert [row["tool_name"] for row in actions.get_tool_usage_stats("after")] == ["Bash"]
    finally:
        actions.db.driver.close()
    crossing = rows(
        store,
        "MATCH (a:Agent)<-[:BY_AGENT]-(t:Touch)-[:TOUCHED]->(r:Resource) MATCH (t)-[:CAUSED_BY]->(c:ToolCall) "
        "RETURN a.agent_type AS agent, t.id AS touch, c.tool_name AS tool, r.number AS number",
    )
    assert crossing == [{"agent": "Explore", "touch": "other", "tool": "Bash", "number": 1}]
    mine = "MATCH (:User {user_id: 'Ann'})-[:HAD_SESSION]->(:Session)<-[:IN_SESSION]-(t:Touch) RETURN t.id AS id"
    assert rows(store, mine) == [{"id": "t1"}]
    assert touches.forget(everything=True) == 2
    left = rows(store, "MATCH (s:Session) RETURN s.session_id AS id ORDER BY id")
    assert left == [{"id": "after"}, {"id": "before"}]


@pytest.mark.bolt
def test_t05_a_session_that_the_family_forgot_is_not_made_again(store: BoltStore) -> None:
    rows(store, "CREATE (:ForgottenSession {session_id: 's1'})")
    touches = store.touches_of("ann")
    touches.record([a_touch(1), a_touch(2, session="s2")])
    assert rows(store, "MATCH (s:Session) RETURN s.session_id AS id") == [{"id": "s2"}]
    assert touches.forget(everything=True) == 2
    assert rows(store, "MATCH (s:Session) RETURN s") == []


@pytest.mark.bolt
def test_t06_earlier_names_of_one_identity_become_its_present_one(store: BoltStore) -> None:
    store.touches_of("ann").record([a_touch(1), a_touch(2)])
    now = store.touches_of("p-1")
    now.record([a_touch(2, user="p-1"), a_touch(3, user="p-1")])
    assert now.adopt(["ann", "nobody"]) == 2
    assert sorted(touch.id for touch in now.touches()) == ["t1", "t2", "t3"]
    assert {touch.user for touch in now.touches()} == {"p-1"}
    assert store.touches_of("ann").touches() == []
    assert now.forget(everything=True) == 3
    assert rows(store, "MATCH (n) WHERE any(k IN keys(n) WHERE toString(n[k]) CONTAINS 'ann') RETURN n") == []


@pytest.mark.bolt
def test_t09_a_run_of_joins_looks_at_so_many_touches_however_many_wait(store: BoltStore) -> None:
    store.init()
    rows(
        store,
        "UNWIND range(1, 3000) AS n CREATE (:RgTouch:Touch {key: 'ann ' + toString(n), id: toString(n), user: 'ann', "
        "awaits: 'ann', put_at: '2020-01-01T00:00:00Z', session: 's', tool_use_id: 'none', agent: ''})",
    )
    touches = store.touches_of("ann")
    waiting = "MATCH (t:RgTouch {awaits: 'ann'}) RETURN count(t) AS n"
    left = []
    for _ in range(4):
        touches.join()
        left.append(rows(store, waiting)[0]["n"])
    assert left == [2000, 1000, 0, 0]


@pytest.mark.bolt
def test_t09_a_read_only_database_is_read(
    tmp_path: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(keep=tmp_path) as server, closing(opened(server)) as store:
        store.write(BATCH)
    with running("server.databases.read_only=neo4j\n", keep=tmp_path) as server, closing(opened(server)) as store:
        assert store.counts()["issues"] == 1  # the first answer of a server takes longer than `status` waits
        values: dict[str, str | bool] = {
            "identity.user_id": "ann", "store.url": server.url, "store.user": server.user,
            "store.password": server.password,
        }  # fmt: skip
        set_values(home, values)
        for name, value in home.items():
            monkeypatch.setenv(name, value)
        assert main(["status"]) == 0
        out, err = capsys.readouterr()
        assert ("1 issue" in out, err) == (True, "")
        with pytest.raises(StoreUnavailable, match="read-only database"):
            store.write(BATCH)


@pytest.mark.bolt
def test_t09_tls_where_there_is_none_is_said_in_a_sentence(server: Server) -> None:
    url = server.url.replace("bolt://", "bolt+ssc://")
    with (
        closing(BoltStore(url, server.user, server.password, read_seconds=PATIENCE)) as store,
        pytest.raises(StoreUnavailable, match=r"^memory at bolt\+ssc://.* does not speak TLS; take \+s out of"),
    ):
        store.counts()


@pytest.mark.bolt
def test_t09_equal_stores_have_the_same_bytes(store: BoltStore, bolt_servers: BoltServers, tmp_path: Path) -> None:
    """On either engine, in whatever order they were filled."""
    from rg_core.store.sqlite.store import EmbeddedStore

    batches = [
        BATCH, Batch(AT, items=[an_item(n, repository="Other/Place", repository_id="R_0") for n in (9, 3)]),
        Batch(AT, items=[an_item(5)]),
    ]  # fmt: skip
    dumps = []
    for engine, order in (("bolt", batches), ("sqlite", batches[::-1])):
        one = store if engine == "bolt" else EmbeddedStore(str(tmp_path / "memory.db"))
        for batch in order:
            one.write(batch)
        dumps.append([json.dumps(record) for record in one.dump()])
        one.close()
    assert dumps[0] == dumps[1]


@pytest.mark.parametrize(
    "said",
    [
        "Unable to commit due to unique constraint violation on :RgResource(rg_id)",
        "Cannot resolve conflicting transactions. You can retry this transaction when the conflicting one is finished",
        "Cannot get unique access to the storage. Try stopping other queries that are running in parallel.",
    ],
)
def test_t10_what_memgraph_says_of_a_lost_race_is_tried_again(said: str) -> None:
    """By its documentation; it has not been run."""
    from time import monotonic

    from neo4j.exceptions import ClientError

    tries = []

    def work() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise ClientError(said)
        return "stored"

    assert again(work, monotonic() + 60) == "stored"
    assert len(tries) == 3


def test_t10_memgraphs_schema_is_read_and_written_in_its_own_words() -> None:
    found = schema.found(
        [{"constraint type": "unique", "label": "RgName", "properties": ["name"]}],
        [{"index type": "label+property", "label": "RgName", "property": "name", "count": 0}],
    )
    assert ("RgName", "name") not in found.missing
    assert len(found.missing) == len(schema.UNIQUE) - 1
    assert found.in_the_way() == []


def test_an_identity_is_needed(tmp_path: Path) -> None:
    from rg_core.store.sqlite.store import EmbeddedStore

    with pytest.raises(UserError, match="store"):
        EmbeddedStore(str(tmp_path / "memory.db")).touches_of("ann")


def of_github(number: int, **changes: object) -> dict[str, Any]:
    """What the peer takes for an issue."""
    item: dict[str, Any] = {
        "__typename": "Issue", "id": f"I_{number}", "number": number, "url": f"https://github.com/owner/repo/issues/{number}",
        "title": "theirs", "body": "their body", "state": "OPEN", "author": {"login": "ann"}, "labels": {"nodes": []},
        "assignees": {"nodes": []}, "milestone": None, "createdAt": AT, "updatedAt": AT, "closedAt": None,
        "repository": {"id": "R_1", "nameWithOwner": "owner/repo"}, "timelineItems": {"nodes": []},
        "comments": {"totalCount": 1, "nodes": [{"id": "C_1", "author": {"login": "bob"}, "body": "their words",
                                                 "createdAt": AT, "updatedAt": AT, "url": "u"}]},
    }  # fmt: skip
    return item | changes


@pytest.mark.bolt
def test_t03_the_peers_graph_and_ours_leave_each_other_alone(store: BoltStore, server: Server) -> None:
    """With the real package, which keys its nodes by the same ids and addresses, and a great many unrelated nodes."""
    peer = pytest.importorskip("resources_graph", reason="resources-graph is not installed")
    graph = peer.ResourcesGraph(url=server.url, username=server.user, password=server.password, database="neo4j")
    many = int(os.environ.get("RG_FOREIGN_NODES", "2000"))  # 200,000 by hand
    store.connection.define([  # as its own set-up does on Memgraph
        f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.{name} IS UNIQUE"
        for label, name in (("Resource", "node_id"), ("Comment", "node_id"), ("Touch", "touch_id"), ("Listing", "key"),
                            ("Session", "session_id"))
    ])  # fmt: skip
    each = many // len(schema.PUBLIC)
    for label in schema.PUBLIC:
        statement = f"UNWIND range($first, $last) AS n CREATE (:{label} {{id: n, name: toString(n), key: n}})"
        for begin in range(0, each, 5000):
            rows(store, statement, first=begin, last=min(begin + 5000, each) - 1)
    item, listing = peer.parse_address("owner/repo#1"), peer.parse_address("https://github.com/owner/repo/issues")
    repository = {"id": "R_1", "nameWithOwner": "owner/repo", "url": "u", "updatedAt": AT, "pushedAt": AT}

    def theirs(body: str) -> list[object]:
        """Everything that the peer does, and what it then reads."""
        graph.store_repository(repository)
        graph.store_item(of_github(1, body=body), fetched_at=AT)
        graph.store_listing(listing, 1, [item.key])
        touch = graph.record_touch("s1", item, "FETCHED", discriminator="d", at=AT)
        graph.resolve_touch(touch, item.key)
        served = graph.read(item)
        return [served.outcome, served.kind, served.resource, served.comments, graph.read(listing).outcome,
                graph.has_resource(item), graph.pending_touches(), graph.stored_freshness(["I_1"])]  # fmt: skip

    try:
        first = theirs("before")
        before = alone(store) if many <= 2000 else []
        store.init()
        store.write(BATCH)
        store.touches_of("ann").record([a_touch()])
        store.touches_of("ann").join()
        if before:
            assert alone(store) == before
        assert theirs("before") == first
        theirs("after")
        served = graph.read(item)
        assert served.resource["body"] == "after"
    finally:
        graph._db.driver.close()
        theirs_ = store.connection.told("SHOW CONSTRAINTS YIELD name WHERE NOT name STARTS WITH 'rg_' RETURN name")
        store.connection.define([f"DROP CONSTRAINT `{row['name']}`" for row in theirs_])  # they would be in others' way
    reading = store.read("github:owner/repo#1")
    assert reading
    assert reading.resource == ITEM
    page = store.page(store.candidates("owner/repo", "issues")[0], Address.parse(BATCH.listings[0].address), 0, 10)
    assert [(row.number, row.title, row.state) for row in page.rows] == [(1, "Title 1", "open")]
    assert list(faults(store.dump())) == list(store.damage()) == []
    found = store.foreign()
    assert found["Issue"] == each + 1
    assert store.touches_of("ann").forget(everything=True) == 1
    assert graph_counts(store) == {"Touch": 1 + each}


def alone(store: BoltStore) -> list[tuple[list[str], dict[str, Any], int]]:
    """What others keep, but for the Sessions, in which our Touches are too."""
    return [node for node in others(store) if "Session" not in node[0]]


def graph_counts(store: BoltStore) -> dict[str, int]:
    return {"Touch": rows(store, "MATCH (t:Touch) RETURN count(t) AS n")[0]["n"]}
