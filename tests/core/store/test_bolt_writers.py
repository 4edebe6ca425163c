"""Two writers at the same moment, of whom the first has not committed when the second begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

from rg_core.store.bolt import write
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch, Edge, Item, Repository
from tests.bolt_server import PATIENCE, BoltServers
from tests.core.store.worlds import a_repository, an_item

pytestmark = pytest.mark.bolt
AT = "2026-11-29T21:00:00Z"
TARGET = an_item(5, node_id="I_other", repository_id="R_other", repository="other/repo")
TARGET_REPOSITORY = a_repository(node_id="R_other", name="other/repo")
SOURCE = an_item(1, references=("github:other/repo#5",))
EDGE = Edge("github:owner/repo#1", "REFERENCES", "github:other/repo#5")


@pytest.fixture
def stores(bolt_servers: BoltServers) -> Iterator[tuple[BoltStore, BoltStore]]:
    """Two programs on one empty database."""
    server = bolt_servers.server()
    with (
        closing(bolt_servers.empty_store()) as one,
        closing(BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)) as other,
    ):
        one.init()
        yield one, other


@pytest.mark.parametrize("known", [[], [TARGET_REPOSITORY]], ids=["a new repository", "a known repository"])
@pytest.mark.parametrize(("first", "second"), [(SOURCE, TARGET), (TARGET, SOURCE)], ids=["source", "target"])
def test_a_reference_between_what_two_writers_store_is_drawn(
    known: list[Repository], first: Item, second: Item, stores: tuple[BoltStore, BoltStore]
) -> None:
    one, other = stores
    one.write(Batch(at=AT, repositories=[a_repository(), *known]))
    meanwhile = Thread(target=other.write, args=[Batch(at=AT, items=[second])])

    def work(run: Run) -> None:
        write.put_entries(run, write.entries_of(Batch(at=AT, items=[first])))
        if meanwhile.ident is None:
            meanwhile.start()
            meanwhile.join(0.5)  # time enough, did it not wait for us

    one.change(work)
    meanwhile.join()
    assert one.edges("github:owner/repo#1") == [EDGE]
    assert one.ask(lambda run: run("MATCH (w:RgAwaited) RETURN w")) == []
