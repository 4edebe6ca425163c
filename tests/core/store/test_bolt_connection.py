"""A server that is away, slow, silent or says no: told in time, in words that help, never with the password."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rg_core.errors import UserError
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch
from rg_core.store.protocol import StoreUnavailable
from tests.bolt_server import BoltServers
from tests.core.store.worlds import an_item

PASSWORD = "s3cret-word"
PATIENCE = 20.0  # far above what is promised (2 s): the machine may have other things to do


@pytest.fixture
def nobody() -> str:
    """The address of a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"bolt://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that accepts TCP and never says anything."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(20)
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("kind", ["nobody", "silent"])
def test_a_server_that_is_away_is_told_in_time(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(kind)
    with closing(BoltStore(url, "neo4j", PASSWORD)) as store:
        for call in (
            lambda: store.read("github:owner/repo#1"),
            lambda: store.candidates("owner/repo", "issues"),
            lambda: store.write(Batch(at="2026-11-29T21:00:00Z", items=[an_item()])),
            lambda: store.lease("sweep", "me", 60),
            store.counts,
            store.init,
        ):
            began = time.monotonic()
            with pytest.raises(StoreUnavailable) as told:
                call()
            assert time.monotonic() - began < PATIENCE
            assert url in str(told.value)
            assert "rg-memory config edit" in str(told.value)
            assert PASSWORD not in str(told.value)


def test_a_host_without_a_name_is_told_too() -> None:
    store = BoltStore("bolt://no-such-host.invalid:7687", "neo4j", PASSWORD)
    with closing(store), pytest.raises(StoreUnavailable, match="no-such-host"):
        store.read("github:owner/repo#1")


@pytest.mark.parametrize("url", ["http://host", "memory.db", "bolt://", "bolt://ann:s3cret-word@host:7687"])
def test_what_is_no_bolt_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(UserError, match=r"\[store\]") as told:
        BoltStore(url)
    assert PASSWORD not in str(told.value)


class Gate:
    """Passes bytes on to a server, until it is shut: then it takes them and passes nothing on."""

    def __init__(self, url: str) -> None:
        self.target = urlsplit(url)
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"bolt://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                server = socket.create_connection((self.target.hostname or "", self.target.port or 0))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError), source, sink:
            while data := source.recv(65536):
                self.open.wait()
                sink.sendall(data)


@pytest.mark.bolt
def test_a_server_that_falls_silent_is_told_and_found_again(bolt_servers: BoltServers) -> None:
    server = bolt_servers.server()
    gate = Gate(server.url)
    with closing(BoltStore(gate.url, server.user, server.password, read_seconds=PATIENCE)) as patient:
        patient.init()
        assert patient.read("github:owner/repo#1") is None
    with closing(BoltStore(gate.url, server.user, server.password, read_seconds=PATIENCE)) as store:
        store.read("github:owner/repo#1")
        store.read_seconds = 1.5  # what is promised, now that a busy machine has connected
        gate.open.clear()
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="did not answer"):
            store.read("github:owner/repo#1")
        assert time.monotonic() - began < PATIENCE
        gate.open.set()
        store.read_seconds = PATIENCE
        assert store.read("github:owner/repo#1") is None
    gate.listener.close()


@pytest.mark.bolt
def test_a_wrong_password_is_told_and_not_shown(bolt_servers: BoltServers) -> None:
    server = bolt_servers.server()
    store = BoltStore(server.url, server.user, PASSWORD, read_seconds=PATIENCE)
    with closing(store), pytest.raises(StoreUnavailable, match="refused the user 'neo4j'") as told:
        store.counts()
    assert PASSWORD not in str(told.value)


@pytest.mark.bolt
def test_a_database_that_is_not_there_is_named(bolt_servers: BoltServers) -> None:
    server = bolt_servers.server()
    store = BoltStore(server.url, server.user, server.password, "elsewhere", read_seconds=PATIENCE)
    with closing(store), pytest.raises(StoreUnavailable, match="elsewhere"):
        store.counts()


def test_a_process_ends_though_a_server_hangs(silent: str, tmp_path: Path) -> None:
    """The thread that waits for the server holds nobody back."""
    code = f"""
from rg_core.store.bolt.store import BoltStore
from rg_core.store.protocol import StoreUnavailable
store = BoltStore({silent!r}, "neo4j", "word")
try:
    store.read("github:owner/repo#1")
except StoreUnavailable as error:
    print(error)
store.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=dict(os.environ)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert silent in done.stdout
