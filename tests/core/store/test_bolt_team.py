"""Two people, two homes, one server: the commands and the MCP server as they run for a team."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.config import set_values
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, RESOLVED, Touch
from tests.bolt_server import BoltServers, Server
from tests.commands import run
from tests.core.mcp_server.rig import PATIENT, Rig
from tests.core.store.worlds import an_item
from tests.github_standin.samples import small_world
from tests.github_standin.server import TOKEN, Standin

ADDRESS = "github:acme/widgets#1"
WAIT = 60.0  # seconds for what happens in the background

Home = dict[str, str]


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    store = bolt_servers.empty_store()
    yield store
    store.close()


@pytest.fixture
def person(home: Home, store: BoltStore, bolt_servers: BoltServers, tmp_path: Path) -> Callable[..., Home]:
    """Makes the home of a person of the team: `person("ann")`."""
    server: Server = bolt_servers.server()

    def make(name: str, url: str = server.url, place: str = "", **values: str | bool) -> Home:
        directory = tmp_path / (place or name)
        environ = home | {
            "HOME": str(directory), "XDG_CONFIG_HOME": str(directory / "c"), "XDG_DATA_HOME": str(directory / "d"),
        }  # fmt: skip
        where: dict[str, str | bool] = {
            "identity.user_id": name, "store.url": url, "store.user": server.user, "store.password": server.password,
        }  # fmt: skip
        set_values(environ, where | values)
        return environ

    return make


def explored(home: Home, user: str, **changes: Any) -> TouchLog:
    """A hook of this person recorded a fetch."""
    log = TouchLog(paths.outbox_file(home))
    log.record([
        Touch("t1", user, ADDRESS, "item", FETCHED, "2026-11-29T21:00:00Z", "s1", "codex", tool_name="Bash", **changes)
    ])  # fmt: skip
    return log


def on_server(store: BoltStore, statement: str) -> list[dict[str, object]]:
    return store.ask(lambda run: run(statement))


@pytest.mark.bolt
def test_what_one_read_all_can_read_and_nobody_sees_who_did(person: Callable[..., Home], store: BoltStore) -> None:
    ann, bob = person("ann"), person("bob")
    explored(ann, "ann")
    with Standin(small_world()) as github:
        set_values(ann, {"github.api_url": github.url, "github.token": TOKEN})
        swept = run(ann, "sweep", "--json")
    assert (swept.returncode, swept.stderr) == (0, "")
    shown = [json.loads(run(home, "show", ADDRESS, "--json").stdout) for home in (ann, bob)]
    assert shown[0] == shown[1]
    assert shown[0]["outcome"] == "hit"
    for command in (["touches", "--json"], ["stats", "--json"], ["status", "--json"], ["history", ADDRESS, "--json"]):
        done = run(bob, *command)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "ann" not in done.stdout.replace(str(bob["HOME"]), "")
        assert "codex" not in done.stdout
    assert json.loads(run(bob, "touches", "--json").stdout) == []
    assert json.loads(run(bob, "forget", "--all-mine", "--yes", "--json").stdout)["touches"] == 0
    found = on_server(store, "MATCH (t:Touch)-[:TOUCHED]->(n) RETURN t.user AS user, t.status AS status, n.number AS n")
    assert found == [{"user": "ann", "status": "resolved", "n": 1}]
    assert json.loads(run(ann, "forget", "--all-mine", "--yes", "--json").stdout)["touches"] == 1
    assert on_server(store, "MATCH (n) WHERE n:Touch OR n:Session OR n:User RETURN n") == []
    assert json.loads(run(bob, "show", ADDRESS, "--json").stdout) == shown[1]


@pytest.mark.bolt
def test_a_persons_touches_are_the_same_on_every_machine(person: Callable[..., Home], tmp_path: Path) -> None:
    laptop, desktop = person("ann"), person("ann", place="desktop")
    explored(laptop, "ann", status=RESOLVED)
    assert [touch["address"] for touch in json.loads(run(laptop, "touches", "--json").stdout)] == [ADDRESS]
    assert run(desktop, "touches", "--json").stdout == run(laptop, "touches", "--json").stdout
    assert json.loads(run(desktop, "stats", "--json").stdout)["fetched"] == 1
    assert "0 waiting, 0 resolved, 0 unresolved on this machine" in run(desktop, "status").stdout
    set_values(laptop, {"store.url": "bolt://127.0.0.1:1"})
    away = run(laptop, "touches", "--json")
    assert [touch["address"] for touch in json.loads(away.stdout)] == [ADDRESS]
    assert "only this machine's touches" in away.stderr


@pytest.mark.bolt
def test_the_mcp_server_sends_its_cache_reads_in_the_background(person: Callable[..., Home], store: BoltStore) -> None:
    ann = person("ann", **{"identity.pseudonym": True})
    store.write(Batch("2026-11-29T21:00:00Z", items=[an_item(1, repository="acme/widgets")]))
    assert store.read(ADDRESS)  # a server that has just started plans each question once, longer than a call may wait
    assert store.read("github:acme/secret#1") is None
    with Rig(PATIENT, ann) as rig:
        rig.hello()
        rig.resource(address=ADDRESS)  # the first call connects and imports, and may outlast its deadline
        text, failed = rig.resource(address=ADDRESS)
        assert not failed, text
        text, failed = rig.resource(address="github:acme/secret#1")  # a miss: nobody knows whether that is public
        assert not failed, text
        end = time.monotonic() + WAIT
        while not (found := on_server(store, "MATCH (t:Touch) RETURN t.user AS user, t.outcome AS outcome")):
            assert time.monotonic() < end
            time.sleep(0.2)
    assert {row["outcome"] for row in found} == {"hit"}
    assert str(found[0]["user"]).startswith("p-")
    private = "MATCH (n) WHERE NOT n:RgResource RETURN properties(n) AS held"  # the item's own author is called ann too
    assert "ann" not in str(on_server(store, private))


@pytest.mark.bolt
def test_a_server_that_is_away_loses_nothing(person: Callable[..., Home], store: BoltStore) -> None:
    ann = person("ann", url="bolt://127.0.0.1:1")
    log = explored(ann, "ann")
    with Rig(PATIENT, ann) as rig:
        rig.hello()
        text, failed = rig.resource(address=ADDRESS)
    assert failed
    assert "cannot be reached" in text
    swept = run(ann, "sweep")
    assert swept.returncode == 1
    assert "bolt://127.0.0.1:1 cannot be reached" in swept.stderr
    assert [touch.id for touch in log.pending("ann")] == ["t1"]
    assert log.unsent("ann") == []  # what waits for a sweep stays here


@pytest.mark.bolt
def test_t06_forget_reaches_every_copy_under_every_name(person: Callable[..., Home], store: BoltStore) -> None:
    """Sent under the plain name, then kept here and under a pseudonym: gone everywhere, or said where not."""
    ann = person("ann")
    explored(ann, "ann", status=RESOLVED)
    assert len(json.loads(run(ann, "touches", "--json").stdout)) == 1
    assert run(ann, "config", "set", "identity.pseudonym", "true").returncode == 0
    assert [touch["address"] for touch in json.loads(run(ann, "touches", "--json").stdout)] == [ADDRESS]
    users = on_server(store, "MATCH (t:Touch) RETURN t.user AS user")
    assert [str(row["user"])[:2] for row in users] == ["p-"]
    assert on_server(store, "MATCH (n) WHERE any(k IN keys(n) WHERE toString(n[k]) CONTAINS 'ann') RETURN n") == []
    assert run(ann, "config", "set", "store.touches", "local").returncode == 0
    gone = run(ann, "forget", "--all-mine", "--yes", "--json")
    assert (gone.returncode, json.loads(gone.stdout)["touches"]) == (0, 1)
    assert on_server(store, "MATCH (t:Touch) RETURN t") == []
    assert "not_reached" not in json.loads(gone.stdout)


@pytest.mark.bolt
def test_t06_forget_says_which_server_it_did_not_reach(person: Callable[..., Home], store: BoltStore) -> None:
    ann = person("ann")
    explored(ann, "ann", status=RESOLVED)
    run(ann, "touches")
    there = run(ann, "config", "get", "store.url").stdout.strip()
    set_values(ann, {"store.url": "bolt://127.0.0.1:1"})
    gone = run(ann, "forget", "--all-mine", "--yes")
    assert gone.returncode == 1
    assert "Removed 1 of your touches." in gone.stdout
    assert f"sent to {there} are still there; set [store] url to it" in gone.stderr
    set_values(ann, {"store.url": there})
    assert run(ann, "forget", "--all-mine", "--yes").returncode == 0
    assert run(ann, "forget", "--all-mine", "--yes").stderr == ""
    assert on_server(store, "MATCH (t:Touch) RETURN t") == []


@pytest.mark.bolt
def test_t06_an_export_has_no_ids_of_touches(person: Callable[..., Home], store: BoltStore, tmp_path: Path) -> None:
    store.write(Batch("2026-11-29T21:00:00Z", items=[an_item(1)], causes={"I_1": "a touch of ann"}))
    bob = person("bob")
    assert run(bob, "export", str(tmp_path / "export")).returncode == 0
    assert "touch of ann" not in (tmp_path / "export").read_text()
