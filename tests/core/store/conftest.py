"""The contract suite runs over every engine: a test that takes `store` (or `new_store`) is run once for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rg_core.store.protocol import Store
from rg_core.store.sqlite.store import EmbeddedStore
from tests.bolt_server import BoltServers

ENGINES = ["embedded", pytest.param("bolt", marks=pytest.mark.bolt)]


@pytest.fixture(params=ENGINES)
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Makes a new, empty, initialised Store of the engine, as often as it is called; each is closed at the end.

    On Bolt, the last two are there at the same time: the third is in the emptied database of the first.
    """
    servers: BoltServers | None = request.getfixturevalue("bolt_servers") if request.param == "bolt" else None
    made: list[Store] = []

    def make() -> Store:
        if servers:
            store: Store = servers.empty_store(len(made))
        else:
            store = EmbeddedStore(str(tmp_path / f"store{len(made)}" / "memory.db"))
        store.init()
        made.append(store)
        return store

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Store:
    """A new, empty, initialised Store."""
    return new_store()
