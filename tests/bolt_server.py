"""A real Neo4j Community server for tests: fetched once with Maven, started on loopback with a temporary home.

`python -m tests.bolt_server fetch` brings its jars into .cache (about 125 MB) and has Java keep the classes that a
start loads there (120 MB; a start then costs 4.7 s of CPU instead of 7.7); tests only ever use what is there.
`python -m tests.bolt_server run` starts one and prints its address, for work by hand.
RG_TEST_BOLT=bolt://USER:PASSWORD@HOST:PORT makes the tests use that server instead. They empty its database.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from rg_core.store.bolt.store import BoltStore

VERSION = "5.26.30"  # the LTS line; runs on Java 17 and 21
JARS = (Path(__file__).parent.parent / ".cache" / f"neo4j-{VERSION}").resolve()  # Java wants the same path again
CLASSES = JARS / "classes.jsa"  # a Java that finds others there than it knows goes on without
START_SECONDS = 300.0
PORTS = range(20_000, 32_000)  # below those that systems give away: nobody takes one while a server starts
PASSWORD = "only-for-tests"
PATIENCE = 60.0  # seconds for a read where the machine has other things to do

POM = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>rg-memory</groupId>
  <artifactId>bolt-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>{VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""
CONF = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
server.memory.pagecache.size=64m
db.tx_log.rotation.retention_policy=false
db.tx_log.preallocate=false
dbms.cypher.min_replan_interval=1h
"""
OPENS = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")  # what Neo4j's own start script opens
JAVA = [
    "-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
    "-Dio.netty.tryReflectionSetAccessible=true",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENS),
    "-cp", f"{JARS}{os.sep}*", "org.neo4j.server.CommunityEntryPoint",
]  # fmt: skip


class Server(NamedTuple):
    """Where a server listens and how to log in."""

    url: str
    user: str
    password: str


class BoltServers:
    """Up to two servers for one test run: Neo4j's Community edition has one database each."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._started: list[Server] = []

    def server(self, number: int = 0) -> Server:
        """The first or the second server, started now if need be."""
        number %= 2
        while len(self._started) <= number:
            self._started.append(self._stack.enter_context(running()))
        return self._started[number]

    def empty_store(self, number: int = 0) -> BoltStore:
        """A Store in an emptied database of `server(number)`."""
        from rg_core.store.bolt.store import BoltStore

        server = self.server(number)
        store = BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)
        store.connection.write(lambda run: run("MATCH (n) DETACH DELETE n"))
        return store

    def close(self) -> None:
        """Stop them."""
        self._stack.close()


def missing() -> str | None:
    """Why no server can be started here, in one line; None if one can."""
    if os.environ.get("RG_TEST_BOLT"):
        return None
    if not shutil.which("java"):
        return "no Bolt server: java is not installed"
    if not (JARS / "complete").exists():
        return "no Bolt server: `make bolt-deps` fetches one"
    return None


def fetch() -> None:
    """Bring the server's jars into .cache and keep their classes, if they are not there."""
    if not (JARS / "complete").exists():
        JARS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "pom.xml").write_text(POM)
            command = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={JARS}"]
            subprocess.run([*command, "-DincludeScope=runtime"], cwd=scratch, check=True, timeout=900)
        (JARS / "complete").touch()
    if not CLASSES.exists():
        made = CLASSES.with_suffix(".new")
        keeping = [f"-XX:ArchiveClassesAtExit={made}"]
        with tempfile.TemporaryDirectory() as scratch, running(keep=Path(scratch), java=keeping) as server:
            _used(server)
        if made.exists():  # not every Java can
            made.replace(CLASSES)


def _used(server: Server) -> None:
    """Have a server load what tests make it load."""
    from rg_core.store.bolt.store import BoltStore

    with contextlib.closing(BoltStore(server.url, server.user, server.password, read_seconds=PATIENCE)) as store:
        store.init()
        store.counts()


@contextlib.contextmanager
def running(settings: str = "", keep: Path | None = None, java: Sequence[str] = ()) -> Iterator[Server]:
    """A server with an empty database and its own password, stopped and removed at the end.

    `settings` go into its configuration, `java` are options of Java instead of its kept classes; in a directory to
    `keep` it leaves its data, in good order, for the next.
    """
    if given := os.environ.get("RG_TEST_BOLT"):
        parts = urlsplit(given)
        address = f"{parts.scheme}://{parts.hostname}:{parts.port or 7687}"
        yield Server(address, parts.username or "", parts.password or "")
        return
    with tempfile.TemporaryDirectory(prefix="rg-neo4j-", ignore_cleanup_errors=True) as scratch:
        home = keep or Path(scratch)
        port = _free_port()
        kept = (home / "data").exists()
        (home / "conf").mkdir(exist_ok=True)
        (home / "conf" / "neo4j.conf").write_text(CONF.format(port=port) + settings)
        with (home / "out.log").open("wb") as log:
            process = subprocess.Popen(
                [*_dies_with_us(), *_java(java), f"--home-dir={home}", f"--config-dir={home / 'conf'}"],
                stdout=log,
                stderr=log,
                cwd=home,
            )
        try:
            server = Server(f"bolt://127.0.0.1:{port}", "neo4j", PASSWORD)
            _set_password(server, process, home, PASSWORD if kept else "neo4j")
            yield server
        finally:
            if keep:
                process.terminate()
            else:
                process.kill()  # its data goes with it; an orderly shutdown takes ten seconds
            process.wait()


def _set_password(server: Server, process: subprocess.Popen[bytes], home: Path, first: str) -> None:
    """Wait until the server answers, and change the password it is born with, unless it was kept and has ours."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import Neo4jError, ServiceUnavailable

    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with GraphDatabase.driver(server.url, auth=(server.user, first), max_transaction_retry_time=0) as driver:
                if first == PASSWORD:
                    driver.verify_connectivity()
                    return
                driver.execute_query(
                    "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=server.password, database_="system"
                )
                return
        except (ServiceUnavailable, Neo4jError, OSError) as error:
            if process.poll() is not None or time.monotonic() > end:
                logs = (home / "out.log", home / "logs" / "neo4j.log")
                said = "".join(log.read_text()[-2000:] for log in logs if log.exists())
                raise RuntimeError(f"the Neo4j server did not start (exit {process.poll()}): {said}") from error
            time.sleep(0.25)


def _java(options: Sequence[str]) -> list[str]:
    if not options and CLASSES.exists():
        options = [f"-XX:SharedArchiveFile={CLASSES}"]
    return ["java", *options, *JAVA]


def _dies_with_us() -> list[str]:
    """The prefix that ends a server whose test run was killed (Linux)."""
    return ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []


def _free_port() -> int:
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def main(argv: list[str]) -> int:
    """Fetch or run."""
    if argv == ["fetch"]:
        fetch()
        return 0
    if argv == ["run"]:
        with running() as server:
            print(f"{server.url} {server.user} {server.password}", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                time.sleep(24 * 3600)
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
