"""Shared assets on a real Bolt server: two installations of one team."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets.errors import Refused
from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.store import Assets, Source
from rg_core.store.asset_rows import CallRow, FileRows, LinkRow, MaybeRow, PageRow, Parts, SymbolRow, file_part
from rg_core.store.bolt import assets_cypher as cypher
from rg_core.store.bolt.assets import BoltAssets
from rg_core.store.bolt.connection import Connection
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sqlite.assets import SqliteAssets
from tests.bolt_server import PATIENCE, BoltServers
from tests.core.assets.people import ALICE, BOB, CLI, IMPORT, NOW, SKILL

pytestmark = pytest.mark.bolt
PROJECT = {"visibility": "project"}


@pytest.fixture
def connection(bolt_servers: BoltServers) -> Iterator[Connection]:
    """A connection to an emptied database."""
    store = bolt_servers.empty_store()
    # A new server on a busy machine takes longer to plan a statement than it gives a read to run: once, as a writer.
    asked = {"id": "", "project": "", "since": "", "ids": []}
    for statement in (cypher.LOAD, cypher.VERSIONS, cypher.AUDIT, cypher.TEXTS, cypher.ALL_PAGES, cypher.LINKS):
        store.connection.write(lambda run, statement=statement: run(statement, **asked))  # type: ignore[misc]
    yield store.connection
    store.close()


@pytest.fixture
def installation(
    bolt_servers: BoltServers, connection: Connection, tmp_path: Path
) -> Iterator[Callable[[str], Assets]]:
    """Makes an installation with a local file of its own and the server."""
    made: list[Assets] = []

    def make(name: str) -> Assets:
        at = bolt_servers.server()
        server = BoltAssets(Connection(at.url, at.user, at.password), read_seconds=PATIENCE)
        made.append(Assets(SqliteAssets(str(tmp_path / name / "assets.db")), server))
        return made[-1]

    yield make
    for assets in made:
        assets.close()


def on_server(connection: Connection) -> str:
    """Everything that the server holds."""
    return str(connection.read(lambda run: run("MATCH (n) RETURN labels(n) AS l, properties(n) AS p"), PATIENCE))


def test_private_assets_stay_in_the_local_file(installation: Callable[[str], Assets], connection: Connection) -> None:
    mine = installation("alice")
    done = mine.register(ALICE, "skill", {**SKILL, "body": "zebra"}, CLI)
    mine.revise(ALICE, done.id, {"body": "quagga"}, CLI)
    assert "zebra" not in on_server(connection)
    assert "quagga" not in on_server(connection)
    assert not installation("bob").readable(BOB)


def test_widening_sends_the_newest_and_the_effective_version_alone(
    installation: Callable[[str], Assets], connection: Connection
) -> None:
    mine, his = installation("alice"), installation("bob")
    done = mine.register(ALICE, "llm_wiki", {"name": "w", "body": "zebra"}, CLI)
    mine.govern(ALICE, done.id, {"status": "approved"}, CLI)
    mine.revise(ALICE, done.id, {"body": "quagga"}, CLI)
    mine.govern(ALICE, done.id, {"status": "approved"}, CLI)
    mine.revise(ALICE, done.id, {"body": "okapi"}, CLI)
    mine.govern(ALICE, done.id, PROJECT, CLI)
    assert "zebra" not in on_server(connection)
    found = his.get(BOB, done.id)
    assert (found.head.n, found.head.content.body) == (6, "okapi")
    assert found.effective is not None
    assert found.effective.content.body == "quagga"
    assert [one.n for one in his.history(BOB, done.id)] == [4, 6]
    assert [one.n for one in mine.history(ALICE, done.id)] == [1, 2, 3, 4, 5, 6]


def test_narrowing_takes_everything_off_the_server_and_keeps_it_here(
    installation: Callable[[str], Assets], connection: Connection
) -> None:
    mine, his = installation("alice"), installation("bob")
    done = mine.register(ALICE, "skill", {**SKILL, "body": "zebra"}, CLI, patch=PROJECT)
    mine.govern(ALICE, done.id, {"acl": [{"effect": "allow", "subject": "user:bob", "rights": ["manage"]}]}, CLI)
    his.revise(BOB, done.id, {"body": "quagga"}, CLI)
    mine.govern(ALICE, done.id, {"visibility": "private"}, CLI)
    left = on_server(connection)
    assert "zebra" not in left
    assert "quagga" not in left
    assert [(one.n, one.by) for one in mine.history(ALICE, done.id)] == [
        (1, "alice"), (2, "alice"), (3, "bob"), (4, "alice"),
    ]  # fmt: skip
    assert his.audit(BOB)
    again = mine.govern(ALICE, done.id, PROJECT, CLI)
    assert (again.version, his.get(BOB, done.id).head.n) == (5, 5)


def test_teammates_see_and_decide_as_the_policy_says(installation: Callable[[str], Assets]) -> None:
    mine, his = installation("alice"), installation("bob")
    patch = {"visibility": "team", "teams": ["core"], "bindings": [{"target": "framework:codex", "priority": 0}]}
    done = mine.register(ALICE, "skill", SKILL, CLI, patch=patch)
    member = replace(BOB, teams=("core",))
    assert SKILL["body"] in his.loadout(member, LoadoutRequest(NOW)).text()
    assert not his.readable(BOB)
    assert his.search(member, "merged")
    assert not his.search(BOB, "merged")
    with pytest.raises(Refused) as refused:
        his.govern(member, done.id, {"status": "archived"}, CLI)
    assert refused.value.word == "forbidden"
    assert [row.op for row in his.audit(member)] == ["govern", "register"]


def symbol(name: str, number: int) -> SymbolRow:
    return SymbolRow(number, name, f"m.{name}", "function", "a.py" if name == "x" else "b.py", number, number + 1)


def test_parts_travel_with_their_content(installation: Callable[[str], Assets]) -> None:
    mine, his = installation("alice"), installation("bob")
    parts = Parts(
        [PageRow("a.md", "A", "1", "alpha", "a.md#a"), PageRow("b.md", "B", "2", "beta", "b.md#b")],
        [LinkRow("a.md", "b.md", 1), LinkRow("a.md", "gone.md", 0)],
        [
            file_part(FileRows([symbol("x", 0)], [CallRow(0, 1, 5, "scope")], [MaybeRow(0, "z", 9)])),
            file_part(FileRows([symbol("y", 1), symbol("z", 2)], [CallRow(1, 2, 6, "self")])),
        ],
    )
    source = Source("code:.", {"source_type": "code", "source_ref": ".", "commit": "c0ffee"}, parts)
    done = mine.register(ALICE, "code_graph", {"name": "code"}, IMPORT, source)
    mine.govern(ALICE, done.id, {"status": "approved", **PROJECT}, CLI)
    assert [page.path for page in his.pages(BOB, done.id)] == ["a.md", "b.md"]
    page = his.page(BOB, done.id, "b.md")
    assert page is not None
    assert page.body == "beta"
    (impact,) = his.ask_code(BOB, done.id, "impact", "z")
    assert [one.symbol.name for one in impact.found] == ["y", "x"]
    assert impact.maybe == 1
    mine.govern(ALICE, done.id, {"visibility": "private"}, CLI)
    (kept,) = mine.ask_code(ALICE, done.id, "callers", "m.z")
    assert [one.how for one in kept.found] == ["self"]


def test_forget_removes_the_server_copy_too(installation: Callable[[str], Assets], connection: Connection) -> None:
    mine, his = installation("alice"), installation("bob")
    done = mine.register(ALICE, "skill", {**SKILL, "body": "zebra"}, CLI, patch=PROJECT)
    mine.forget(ALICE, done.id, CLI)
    assert not his.readable(BOB)
    assert not mine.readable(ALICE)
    left = on_server(connection)
    assert "zebra" not in left
    assert "RgAsset'" not in left


@pytest.mark.parametrize("act", ["narrow", "forget"])
def test_what_leaves_the_server_leaves_it_later_where_it_was_away_meanwhile(
    installation: Callable[[str], Assets], connection: Connection, act: str
) -> None:
    mine, his = installation("alice"), installation("bob")
    key = mine.register(ALICE, "skill", {**SKILL, "body": "zebra"}, CLI, patch=PROJECT).id
    server = mine._homes.server
    assert server is not None

    def away(id: str) -> None:
        raise StoreUnavailable("as if killed here, or unplugged")

    server.remove = away  # type: ignore[method-assign]
    acts: dict[str, Callable[[], object]] = {
        "narrow": lambda: mine.govern(ALICE, key, {"visibility": "private"}, CLI),
        "forget": lambda: mine.forget(ALICE, key, CLI),
    }
    with pytest.raises(StoreUnavailable):
        acts[act]()
    again = installation("alice")
    assert [asset.policy.visibility for asset in again.readable(ALICE)] == (["private"] if act == "narrow" else [])
    with again.audited(ALICE, CLI, "list"):
        pass  # whatever is done next
    assert "zebra" not in on_server(connection)
    assert not his.readable(BOB)
    assert again.audit(ALICE, key)[0].op == {"narrow": "govern"}.get(act, act)


def test_two_writers_at_the_same_moment_do_not_overwrite_each_other(installation: Callable[[str], Assets]) -> None:
    mine, his = installation("alice"), installation("bob")
    done = mine.register(ALICE, "skill", SKILL, CLI, patch=PROJECT)
    mine.govern(ALICE, done.id, {"acl": [{"effect": "allow", "subject": "user:bob", "rights": ["manage"]}]}, CLI)
    server = mine._homes.server
    assert server is not None

    def write_over_his() -> None:
        with server.transaction():
            found = server.get(done.id)
            assert found is not None
            his.govern(BOB, done.id, {"priority": 0.9}, CLI)
            server.add(found.asset._replace(head=3), found.head._replace(n=3), found.head_content)

    with pytest.raises(StoreUnavailable, match="same moment"):
        write_over_his()
    assert mine.get(ALICE, done.id).policy.priority == 900


def test_foreign_nodes_are_neither_met_nor_changed(
    installation: Callable[[str], Assets], connection: Connection
) -> None:
    foreign = "UNWIND ['Asset','Agent','Project','Symbol','Page','AssetVersion','Commit'] AS name CREATE (n:Foreign)"
    connection.write(lambda run: run(f"{foreign} SET n.name = name, n.id = 'x', n.project = 'harbor'"))
    connection.write(lambda run: run("CREATE (:Agent {name: 'reviewer'}), (:Project {name: 'harbor'})"))
    before: Any = connection.read(lambda run: run("MATCH (n:Agent) RETURN properties(n) AS p"), PATIENCE)
    mine = installation("alice")
    mine.register(ALICE, "skill", SKILL, CLI, patch={**PROJECT, "bindings": [{"target": "agent:reviewer"}]})
    assert len(mine.readable(ALICE)) == 1
    after = connection.read(lambda run: run("MATCH (n:Agent) WHERE NOT n:RgTarget RETURN properties(n) AS p"), PATIENCE)
    assert after == before


EDGES = "MATCH (a)-[r]->(b) RETURN labels(a) AS a, type(r) AS r, properties(r) AS p, labels(b) AS b"


def test_the_graph_has_the_edges_that_others_ask_for(
    installation: Callable[[str], Assets], connection: Connection
) -> None:
    there = "CREATE (:User {user_id: 'alice'}), (:Session {session_id: 's1'}), (:RgState:State {id: 'st1'})"
    connection.write(lambda run: run(there))
    pages = [PageRow("a.md", "A", "1", "", "resources-graph://state/st1"), PageRow("b.md", "B", "2", "beta", "b.md")]
    graph = file_part(FileRows([symbol("x", 0), symbol("y", 1)], [CallRow(0, 1, 5, "scope")]))
    parts = Parts(pages, [LinkRow("a.md", "b.md", 1)], [graph])
    provenance = {"source_type": "wiki", "source_ref": "w", "commit": "c0ffee", "session": "s1"}
    mine = installation("alice")
    done = mine.register(ALICE, "llm_wiki", {"name": "w"}, IMPORT, Source("wiki:w", provenance, parts))
    bound = [{"target": f"{kind}:x", "mode": "summary", "required": True} for kind in ("agent", "task", "framework")]
    mine.govern(ALICE, done.id, {"status": "approved", "bindings": bound, **PROJECT}, CLI)
    mine.govern(ALICE, done.id, {"priority": 0.9}, CLI)
    rows = connection.read(lambda run: run(EDGES), PATIENCE)
    found = {(_public(row["a"]), row["r"], _public(row["b"])) for row in rows}
    assert found >= {
        ("Project", "HAS_ASSET", "Asset"), ("Asset", "HAS_VERSION", "AssetVersion"), ("Asset", "OWNED_BY", "User"),
        ("AssetVersion", "SUPERSEDED_BY", "AssetVersion"), ("AssetVersion", "HAS_CONTENT", "AssetContent"),
        ("AssetContent", "HAS_PAGE", "Page"), ("Page", "LINKS_TO", "Page"), ("AssetContent", "HAS_SYMBOL", "Symbol"),
        ("Symbol", "CALLS", "Symbol"), ("Asset", "BOUND_TO", "Agent"), ("Asset", "BOUND_TO", "Task"),
        ("Asset", "BOUND_TO", "Framework"), ("AssetVersion", "DERIVED_FROM", "State"),
        ("AssetVersion", "DERIVED_FROM", "Session"), ("AssetVersion", "DERIVED_FROM", "Commit"),
    }  # fmt: skip
    assert {"mode": "summary", "required": True, "enabled": True} in [
        row["p"] for row in rows if row["r"] == "BOUND_TO"
    ]
    assert all(any(label.startswith("Rg") for label in row["a"]) for row in rows)


def _public(labels: list[str]) -> str:
    """A node's label that others know."""
    return next(label for label in labels if not label.startswith("Rg"))
