"""The oracle asks every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rg_core.store.protocol import Store
from rg_core.store.sqlite.store import EmbeddedStore
from tests.bolt_server import BoltServers
from tests.core.store.conftest import ENGINES

Fresh = Callable[[], AbstractContextManager[Store]]
EXAMPLES = {"embedded": 150, "bolt": 5}
EVERY = {"embedded": 5, "bolt": 37}  # which of the questions around one are asked


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine."""
    return str(request.param)


@pytest.fixture
def fresh(engine: str, request: pytest.FixtureRequest) -> Fresh:
    """Opens an empty Store of the engine; closed when its context ends."""
    servers: BoltServers | None = request.getfixturevalue("bolt_servers") if engine == "bolt" else None

    @contextmanager
    def opened() -> Iterator[Store]:
        with TemporaryDirectory() as directory:
            store: Store = servers.empty_store() if servers else EmbeddedStore(str(Path(directory) / "memory.db"))
            store.init()
            try:
                yield store
            finally:
                store.close()

    return opened
