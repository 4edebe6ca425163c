"""A server that plans its questions takes longer than a call may wait: it is asked beforehand."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rg_core import paths
from rg_core.config import set_values
from rg_core.mcp_server.warm import warm
from rg_core.recall.indexing import INDEX_VERSION, catch_up
from rg_core.recall.own import MEMORY
from tests.bolt_server import BoltServers, Server
from tests.core.mcp_server.conftest import ME, first_batch
from tests.core.mcp_server.rig import FRONT, Rig

WAIT = 120.0


class Line:
    """A line to a server that tells whether somebody is on it."""

    def __init__(self, server: Server) -> None:
        parts = urlsplit(server.url)
        self.to = (str(parts.hostname), int(parts.port or 0))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"bolt://127.0.0.1:{self.listener.getsockname()[1]}"
        self.calls = 0
        self.open = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                there = socket.create_connection(self.to)
                for end in (client, there):  # else many small messages wait for each other
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.calls, self.open = self.calls + 1, self.open + 1
                threading.Thread(target=self._pass_on, args=(there, client), daemon=True).start()
                threading.Thread(target=self._listen, args=(client, there), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError), one, other:
            while data := one.recv(65_536):
                other.sendall(data)

    def _listen(self, client: socket.socket, there: socket.socket) -> None:
        self._pass_on(client, there)
        self.open -= 1

    def wait_until_left(self) -> None:
        """Until somebody called, and everybody has hung up."""
        end = time.monotonic() + WAIT
        while not self.calls or self.open:
            assert time.monotonic() < end, "nothing is asked beforehand" if not self.calls else "it asks for ever"
            time.sleep(0.05)


@pytest.fixture
def forgetful(bolt_servers: BoltServers) -> Server:
    """A server that holds an issue, and has no plan for any question."""
    server = bolt_servers.server()
    with closing(bolt_servers.empty_store()) as store:
        store.write(first_batch())
        index = store.index(INDEX_VERSION)
        index.begin()
        assert catch_up(index, {MEMORY: index}).is_empty
        store.connection.told("CALL db.clearQueryCaches()")
    return server


@pytest.mark.bolt
def test_the_first_call_is_answered_by_a_server_that_has_no_plans_yet(forgetful: Server, home: dict[str, str]) -> None:
    line = Line(forgetful)
    where: dict[str, str | bool] = {"identity.user_id": ME, "store.url": line.url}
    set_values(home, where | {"store.user": forgetful.user, "store.password": forgetful.password})
    with Rig(FRONT, home) as rig:
        rig.hello()
        line.wait_until_left()  # as it is while a model thinks
        text, failed = rig.resource(address="o/r#1")
        assert not failed, text
        assert "the body of issue one" in text
        assert b"".join(rig.errors) == b""
    line.listener.close()


def test_without_a_server_or_an_identity_nobody_is_asked(home: dict[str, str]) -> None:
    warm(home)
    set_values(home, {"store.url": "bolt://127.0.0.1:1"})
    warm(home)
    set_values(home, {"identity.user_id": ME})
    warm(home)  # it is away
    assert not Path(paths.memory_file(home)).exists()
