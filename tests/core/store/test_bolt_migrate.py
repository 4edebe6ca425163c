"""rg-memory migrate: an embedded memory on a server, whole, also after a run that was interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import islice

import pytest

from rg_core import paths
from rg_core.config import set_values
from rg_core.store.bolt.store import BoltStore
from rg_core.store.sqlite.store import EmbeddedStore
from tests import commands
from tests.bolt_server import PATIENCE, BoltServers, Server
from tests.core.store.test_histories import play
from tests.core.store.worlds import Truth, World, a_listing, an_item

Command = Callable[..., commands.Done]


@pytest.fixture
def command(home: dict[str, str]) -> Command:
    return partial(commands.run, home)


@pytest.fixture
def truth(home: dict[str, str]) -> Truth:
    """What the embedded memory of `home` holds: a random history, and a listing."""
    world, truth = World(3), Truth()
    with closing(EmbeddedStore(paths.memory_file(home))) as store:
        play(world, truth, store)
    return truth


@pytest.fixture
def server(bolt_servers: BoltServers, home: dict[str, str]) -> Server:
    bolt_servers.empty_store().close()
    server = bolt_servers.server()
    set_values(home, {"store.user": server.user, "store.password": server.password})
    return server


@pytest.mark.bolt
def test_migrate_moves_everything_and_counts_it(
    command: Command, truth: Truth, server: Server, home: dict[str, str]
) -> None:
    dry = command("migrate", "--to", server.url, "--dry-run", "--json")
    assert (dry.returncode, dry.stderr) == (0, "")
    assert set(json.loads(dry.stdout)["on_server"].values()) == {0}
    moved = command("migrate", "--to", server.url, "--json")
    assert (moved.returncode, moved.stderr) == (0, "")
    said = json.loads(moved.stdout)
    assert said["stored"] == said["on_server"]
    assert said["missing"] == {}
    assert said["compared"] == min(said["stored"]["states"], 200)
    assert said["different"] == []
    same_as_the_file(server, home, truth)
    again = command("migrate", "--to", server.url)
    assert again.returncode == 0
    assert f"store.url {server.url}" in again.stdout
    same_as_the_file(server, home, truth)


@pytest.mark.bolt
def test_an_interrupted_migrate_goes_on(command: Command, truth: Truth, server: Server, home: dict[str, str]) -> None:
    with (
        closing(EmbeddedStore(paths.memory_file(home))) as source,
        closing(BoltStore(server.url, server.user, server.password, read_seconds=60)) as target,
    ):
        target.load(islice(source.dump(), 4))
    assert command("migrate", "--to", server.url).returncode == 0
    same_as_the_file(server, home, truth)


@pytest.mark.bolt
def test_what_the_server_has_already_stays(
    command: Command, truth: Truth, server: Server, home: dict[str, str]
) -> None:
    from rg_core.store.model import Batch

    theirs = an_item(7, node_id="I_theirs", repository_id="R_theirs", repository="their/own")
    listing = a_listing([theirs], address="github:their/own/issues?state=all")
    with closing(BoltStore(server.url, server.user, server.password, read_seconds=60)) as target:
        target.write(Batch(at=theirs.fetched_at, items=[theirs], listings=[listing]))
        assert command("migrate", "--to", server.url).returncode == 0
        reading = target.read("github:their/own#7")
        assert reading
        assert reading.resource == theirs
    same_as_the_file(server, home, truth)


def test_migrate_without_a_memory_says_so(command: Command) -> None:
    done = command("migrate", "--to", "bolt://127.0.0.1:1")
    assert done.returncode == 1
    assert "there is no memory at" in done.stderr


def test_migrate_to_a_server_that_is_away_says_so(command: Command, truth: Truth, home: dict[str, str]) -> None:
    done = command("migrate", "--to", "bolt://127.0.0.1:1")
    assert done.returncode == 1
    assert "bolt://127.0.0.1:1 cannot be reached" in done.stderr
    assert os.path.exists(paths.memory_file(home))


def same_as_the_file(server: Server, home: dict[str, str], truth: Truth) -> None:
    """Every address reads the same from both, now and at every instant, and has the same history."""
    with (
        closing(EmbeddedStore(paths.memory_file(home))) as source,
        closing(BoltStore(server.url, server.user, server.password, read_seconds=60)) as target,
    ):
        for address in truth.known_as:
            assert target.history(address) == source.history(address)
            assert target.edges(address) == source.edges(address)
            for instant in (None, *sorted(truth.instants)[::5]):
                assert target.read(address, instant) == source.read(address, instant)


@pytest.mark.bolt
def test_what_came_out_otherwise_is_told(command: Command, truth: Truth, server: Server) -> None:
    assert command("migrate", "--to", server.url).returncode == 0
    with closing(BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)) as store:
        store.change(lambda run: run("MATCH (s:State) SET s.recorded_at = 'then'"))
    again = command("migrate", "--to", server.url, "--json")
    assert again.returncode == 1
    assert "differ from the file" in again.stderr
    assert len(json.loads(again.stdout)["different"]) == json.loads(again.stdout)["compared"]
