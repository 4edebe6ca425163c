"""The index of a server: filled in steps, kept by whoever writes, left by what is forgotten, beside others' nodes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rg_core.config import load, set_values
from rg_core.recall.answer import Question
from rg_core.recall.indexing import INDEX_VERSION, catch_up
from rg_core.recall.own import MEMORY, OwnRecall
from rg_core.recall.terms import terms
from rg_core.store import open_store
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch, Item
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.search import Scope, SharedIndex
from rg_core.store.sqlite.store import EmbeddedStore
from tests.bolt_server import BoltServers
from tests.core.documents.conftest import Project
from tests.core.reading import samples
from tests.core.recall.conftest import remember_items, share_memory
from tests.core.store.shared_database import FOREIGN, bare, others, rows

pytestmark = pytest.mark.bolt
SWEEP = "from rg_core.cli.main import main; main(['recall', 'signals'])"
EVERYBODY = Scope("ada")


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    """The empty store of a team."""
    with closing(bolt_servers.empty_store()) as store:
        yield store


@pytest.fixture
def team(project: Project, store: BoltStore, bolt_servers: BoltServers) -> Project:
    """A project of somebody whose memory is on that server."""
    share_memory(project.environ, bolt_servers)
    return project


def index_of(store: BoltStore, version: int = INDEX_VERSION) -> SharedIndex:
    """The index, begun and up to date."""
    index = store.index(version)
    index.begin()
    assert catch_up(index, {MEMORY: index}, embed=True).is_empty
    return index


def found(index: SharedIndex, words: str, **scope: Any) -> list[str]:
    return sorted(hit.memory_id for hit in index.lexical(terms(words), Scope("ada", **scope), 100).hits)


def write(store: BoltStore, *items: Item, at: str = samples.AT) -> None:
    store.write(Batch(at, repositories=[samples.repository()], items=items))


def an_item(number: int, title: str, **fields: Any) -> Item:
    return samples.item(number=number, node_id=f"I_{number}", title=title, **fields)


def test_what_was_there_before_and_what_comes_after_is_indexed_once(store: BoltStore) -> None:
    write(store, *(an_item(n, f"okapi {n}") for n in range(1, 31)))
    index = store.index(INDEX_VERSION)
    assert not index.exists()
    index.begin()
    assert index.changes_left(0) == 31
    assert catch_up(index, {MEMORY: index}, seconds=0).changes >= 31 - 25
    assert catch_up(index, {MEMORY: index}, embed=True).is_empty
    counted = index.counts()
    assert counted == {"memories": 31, "states": 31, "vectors": 31}
    write(store, an_item(40, "gerenuk"))
    write(store, an_item(3, "okapi 3"))  # as it was
    assert index.changes_left(0) == 1
    index_of(store)
    assert found(index, "gerenuk") == ["I_40"]
    assert index.counts()["memories"] == 32


def test_the_present_and_the_past_are_found_by_what_they_say(store: BoltStore) -> None:
    write(store, an_item(1, "Okapi leaks", body="zorilla", updated_at="2026-01-01T00:00:00Z"))
    index = index_of(store)
    write(store, an_item(1, "Okapi leaks", body="gerenuk", updated_at="2026-03-01T00:00:00Z"))
    index_of(store)
    then = "2026-02-01T00:00:00Z"
    assert (found(index, "gerenuk"), found(index, "zorilla")) == (["I_1"], [])
    assert (found(index, "gerenuk", as_of=then), found(index, "zorilla", as_of=then)) == ([], ["I_1"])
    assert found(index, "okapi", as_of="2025-01-01T00:00:00Z") == []
    assert index.known_since(EVERYBODY) == "2026-01-01T00:00:00Z"
    from rg_core.recall import vectors

    (asked,) = vectors.embed(["Okapi leaks zorilla"])
    near = [index.similar(asked, vectors.MODEL, Scope("ada", as_of=at), 5) or () for at in (None, then)]
    now, before = ({hit.memory_id: hit.score for hit in hits}["I_1"] for hits in near)
    assert before > 0.85 > now
    assert index.similar(asked, "another model", EVERYBODY, 5) is None


def test_filters_hold_within_the_servers_own_index(store: BoltStore) -> None:
    elsewhere = samples.item(node_id="I_9", number=9, title="okapi", repository="O/X", repository_id="R_9")
    pull = samples.item(kind="pull_request", number=2, node_id="PR_2", title="okapi", base_ref="main")
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[an_item(1, "okapi"), pull, elsewhere]))
    index = index_of(store)
    assert found(index, "okapi") == ["I_1", "I_9", "PR_2"]
    assert found(index, "okapi", repository="o/r") == ["I_1", "PR_2"]
    assert found(index, "okapi", kinds=("pull_request",)) == ["PR_2"]
    assert found(index, "okapi", project="harbor") == []


@pytest.mark.parametrize(
    "query",
    ['a/b "open', "c++ AND (", "title:okapi^5", "tags:x body:*", "\\", '"', "NOT okapi~2", "[a TO b]", "{!}", "^",
     "words " * 10_000, "def f(x): return {x[0]: 'y'}", "'; MATCH (n) DETACH DELETE n; //", "x\0y", "日本語の検索"],
    ids=lambda query: query[:20],
)  # fmt: skip
def test_nothing_in_a_question_is_syntax(store: BoltStore, query: str) -> None:
    write(store, an_item(1, "okapi", body=query[:5_000].replace("\0", " ")))
    index = index_of(store)
    assert found(index, query) == (["I_1"] if terms(query) else [])
    assert found(index, f"zebra {query} quagga") in ([], ["I_1"])
    assert index.counts()["memories"] == 2


def test_killed_anywhere_it_goes_on_and_has_everything(team: Project, store: BoltStore) -> None:
    items = [an_item(n, f"signal {n}", references=("github:o/r#1",)) for n in range(1, 201)]
    write(store, *items)
    for delay in (1.0, 1.6):
        process = subprocess.Popen([sys.executable, "-c", SWEEP], env=team.environ, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    index = index_of(store)
    assert index.counts() == {"memories": 201, "states": 201, "vectors": 201}
    assert len(index.edges(index.named(["github:o/r#1"], EVERYBODY)[0], EVERYBODY)) == 199


def test_two_that_index_at_once_do_everything_once(store: BoltStore, bolt_servers: BoltServers) -> None:
    from threading import Thread

    write(store, *(an_item(n, f"okapi {n}", references=("github:o/r#1",)) for n in range(1, 101)))
    server = bolt_servers.server()
    others_ = [BoltStore(server.url, server.user, server.password, read_seconds=60) for _ in range(2)]
    threads = [Thread(target=index_of, args=(one,)) for one in others_]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in others_:
        one.close()
    assert index_of(store).counts() == {"memories": 101, "states": 101, "vectors": 101}


def test_a_new_version_is_built_beside_the_old_one_and_both_are_kept(store: BoltStore) -> None:
    write(store, an_item(1, "okapi"))
    old, new = index_of(store), index_of(store, INDEX_VERSION + 1)
    write(store, an_item(2, "okapi"))  # whoever writes this knows neither
    for index in (old, new):
        assert index.changes_left(0) == 1
        assert catch_up(index, {MEMORY: index}).is_empty
        assert found(index, "okapi") == ["I_1", "I_2"]
    store.forget(["github:o/r#1"])
    assert found(old, "okapi") == found(new, "okapi") == ["I_2"]


def test_a_writer_who_did_not_know_of_the_index_is_found_out(store: BoltStore) -> None:
    """It began before the index did, and left no note; until a minute has passed everything is looked at again."""
    index = index_of(store)
    write(store, an_item(1, "okapi"))
    rows(store, "MATCH (c:RgChange) DELETE c")
    assert found(index_of(store), "okapi") == ["I_1"]
    rows(store, "MATCH (i:RgIndex) SET i.born = i.born - 61")
    index_of(store)
    assert rows(store, "MATCH (i:RgIndex) RETURN i.settled AS settled") == [{"settled": True}]
    assert index.exists()


def test_renamed_transferred_and_deleted_things_are_followed(store: BoltStore) -> None:
    write(store, an_item(1, "okapi"), an_item(2, "gerenuk"))
    index = index_of(store)
    at = "2026-12-01T00:00:00Z"
    store.write(Batch(at, repositories=[samples.repository(name="o/new", fetched_at=at)], deleted=["I_2"]))
    index_of(store)
    ((node,), (former,)) = index.named(["github:o/new#1", "github:o/r#1"], EVERYBODY)
    assert node == former
    assert node.label == "github:o/new#1"
    assert index.cards(["I_1"], EVERYBODY)["I_1"].scope == "o/new"
    assert found(index, "gerenuk") == []


def test_of_what_is_forgotten_no_node_and_no_index_has_a_word(team: Project, store: BoltStore) -> None:
    remember_items(team, an_item(1, "Bontebokkudu", body="hartebeestnyala", comments=(samples.comment(1, "zorilla"),)))
    remember_items(team, an_item(1, "Bontebokkudu", body="gerenuktopi", updated_at="2026-11-20T00:00:00Z"))
    remember_items(team, an_item(2, "Okapi"))
    assert team.json("recall", "bontebokkudu")["results"][0]["address"] == "github:o/r#1"
    team.run("forget", "o/r#1", "--yes")
    words = ("bontebokkudu", "hartebeestnyala", "gerenuktopi", "zorilla", "i_1")
    nodes = rows(store, "MATCH (n) OPTIONAL MATCH (n)-[r]-() RETURN labels(n) AS labels, properties(n) AS n, "
                        "collect(properties(r)) AS r")  # fmt: skip
    assert not [node for node in nodes for word in words if word in repr(node).lower()]
    for name in ("rg_RgText1", "rg_RgNow1"):
        found_ = "CALL db.index.fulltext.queryNodes($name, $words) YIELD node RETURN node"
        assert rows(store, found_, name=name, words=" ".join(words)) == []
    assert team.json("recall", "okapi")["results"][0]["address"] == "github:o/r#2"


def test_what_is_forgotten_while_it_is_indexed_does_not_come_back(store: BoltStore) -> None:
    write(store, an_item(1, "okapi"))
    index = store.index(INDEX_VERSION)
    index.begin()
    entries = [entry for entry in index.changes(0, 10) if entry.node_id == "I_1"]
    from rg_core.store.search import Indexed, PieceText, VersionText

    (version,) = entries[0].versions
    text = VersionText(version.id, (PieceText("okapi", "a body"),), ())
    store.forget(["github:o/r#1"])
    index.put(MEMORY, [Indexed(entries[0], {version.id: text})])
    assert found(index, "okapi") == []
    assert index.counts()["memories"] == 0


def test_what_others_keep_is_left_alone(store: BoltStore) -> None:
    rows(store, FOREIGN)
    rows(store, "CREATE (:Memory {title: 'okapi', body: 'okapi'}), (:Memory {key: '1 I_1', memory_id: 'I_1'})")
    before = others(store)
    write(store, an_item(1, "okapi"))
    index = index_of(store)
    assert found(index, "okapi") == ["I_1"]
    store.forget(["github:o/r#1", "github:o/r"])
    assert others(store) == before
    assert index.counts()["memories"] == 0


def test_a_server_that_is_away_is_said_and_this_machine_is_searched(team: Project) -> None:
    team.write("SPEC-001.md", "# SPEC-001 Okapi\n\nGerenuk.\n")
    team.run("documents", "add", ".", "--yes")
    assert "not searched" not in team.run("recall", "okapi")
    set_values(team.environ, {"store.url": "bolt://127.0.0.1:1"})
    text = team.run("recall", "okapi")
    assert "What the server holds is not searched: memory at bolt://127.0.0.1:1 cannot be reached" in text
    assert "doc:harbor/SPEC-001.md" in text


def test_an_answer_says_what_is_not_indexed_yet(team: Project, store: BoltStore) -> None:
    write(store, *(an_item(n, f"okapi {n}") for n in range(1, 31)))
    config = load(team.environ)
    with closing(open_store(config, team.environ, 60)) as opened:
        own = OwnRecall(config, team.environ, str(team.root), opened)
        assert own.catch_up(shared_seconds=0).changes == 0
        (said,) = own.ask(Question("okapi"), embed=False).notes
        assert "its index is not begun yet; rg-memory sweep builds it" in said
        assert own.catch_up(shared_seconds=1e-9, embed=False).changes > 0
        own.catch_up(embed=False)
        answer = own.ask(Question("okapi"), embed=False)
        assert (len(answer.results), answer.notes) == (10, ())
        own.close()


def test_store_init_makes_the_indexes_that_another_user_may_not_make(team: Project, store: BoltStore) -> None:
    team.run("store", "init")
    made = store.connection.told("SHOW INDEXES YIELD name, type WHERE type IN ['FULLTEXT', 'VECTOR'] RETURN name, type")
    assert {(row["name"], row["type"]) for row in made} >= {
        ("rg_RgNow1", "FULLTEXT"), ("rg_RgText1", "FULLTEXT"), ("rg_RgNear1", "VECTOR"), ("rg_RgFar1", "VECTOR"),
    }  # fmt: skip
    assert store.index(INDEX_VERSION).exists()


def test_an_index_of_others_in_the_way_is_named(store: BoltStore) -> None:
    bare(store)
    store.connection.define(
        ["CREATE FULLTEXT INDEX theirs FOR (n:RgNow1) ON EACH [n.title, n.body, n.comments, n.tags]"]
    )
    with pytest.raises(
        StoreUnavailable, match=r"the index theirs stands where one of ours must be; .* DROP INDEX theirs"
    ):
        store.index(INDEX_VERSION).begin()
    bare(store)
    assert found(index_of(store), "okapi") == []


def test_what_is_brought_along_is_indexed_too(store: BoltStore, tmp_path: Path) -> None:
    index = index_of(store)
    with closing(EmbeddedStore(str(tmp_path / "memory.db"))) as here:
        here.write(Batch(samples.AT, repositories=[samples.repository()], items=[an_item(1, "okapi")]))
        store.load(here.dump())
    assert index.changes_left(0) == 2
    index_of(store)
    assert found(index, "okapi") == ["I_1"]
