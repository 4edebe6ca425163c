"""One connection to a Bolt server: time limits, retries, and errors that say what to do. Only here is `neo4j` imported.

Reads end within READ_SECONDS, whatever the server does: every call runs in a thread of its own and is abandoned with
its driver when it does not come back (the driver has no limit for a server that accepts TCP and is silent afterwards).
Writes run as managed transactions; what somebody else at work caused is tried again: transient errors (deadlocks,
Memgraph's conflicting transactions) by the driver, a lost race of two MERGEs for one new node here. Schema statements
are tried again for the same reasons.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rg_core.errors import UserError
from rg_core.store.bolt import ADDRESS, cypher, cypher_schema
from rg_core.store.protocol import StoreUnavailable

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Session

T = TypeVar("T")
Run = Callable[..., list[dict[str, Any]]]  # run(statement, **parameters) inside a transaction

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
READ_SECONDS = 1.5  # a reader is told within 2 s, with all that is around this, that memory is away
WRITE_SECONDS = 60.0  # one batch, with its retries
SERVER_READ_SECONDS = 5.0  # the server stops a read that nobody waits for any more
RETRIES = 40  # of a write that lost a race; each waits a little longer, a second at most
LOST = (  # words in an error that somebody else at work caused, by code or, where Memgraph has none, by text
    "EntityNotFound",  # another writer removed a node between our finding and our locking it
    "unique constraint violation",  # Memgraph, at the commit of the loser of two MERGEs
    "unique access",  # Memgraph, a schema statement beside an open transaction
    "conflicting transactions",
)
CHUNK = 1000  # rows in one message: a batch of any size passes through a small server
HELP = "see that the server runs, and correct [store] with: rg-memory config edit"


class Connection:
    """A database on a Bolt server, connected at the first call. Used from one thread at a time."""

    def __init__(
        self, url: str, user: str = "", password: str = "", database: str = "", first_seconds: float = READ_SECONDS
    ) -> None:
        """Nothing is sent yet; the first answer must come within `first_seconds`.

        Raises:
            UserError: if the url is not a Bolt address, or the `neo4j` package is not installed.
        """
        try:
            parts = urlsplit(url)
            whole = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port beyond all ports, or half a bracket
            whole = False
        if not whole:
            raise UserError(f"[store] url must be like {ADDRESS}")
        if parts.username or parts.password:
            raise UserError("[store] url must not hold a user or password; set [store] user and password")
        try:
            import neo4j
        except ImportError as error:
            raise UserError("[store] url needs the package neo4j: uv tool install 'rg-memory[bolt]'") from error
        logging.getLogger("neo4j").addHandler(logging.NullHandler())  # what matters comes as an exception
        logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)  # hints about properties nobody has yet
        self.name = f"{parts.scheme}://{parts.netloc}"
        self.user = user
        self._first_seconds = first_seconds
        self._url = url
        self._password = password
        self._database = database or None
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()  # in a cluster, what was written here is read here
        self._driver: Driver | None = None
        self._agent = ""
        self._layout: int | None = None

    # -- what engines use

    def read(self, work: Callable[[Run], T], seconds: float = READ_SECONDS) -> T:
        """Run `work` in one read transaction.

        Raises:
            StoreUnavailable: if the server is away, refuses, or does not answer within `seconds`.
        """
        import neo4j

        end = time.monotonic() + seconds
        limited = neo4j.unit_of_work(timeout=max(SERVER_READ_SECONDS, seconds))(_in_transaction(work))
        return self._within(end, lambda session: session.execute_read(limited))

    def write(self, work: Callable[[Run], T], seconds: float = WRITE_SECONDS) -> T:
        """Run `work` in one write transaction, again where it lost a race; `work` must not mind running twice.

        Raises:
            StoreUnavailable: as `read`; whether the last try was stored is then not known.
        """
        import neo4j

        end = time.monotonic() + seconds
        limited = neo4j.unit_of_work(timeout=seconds)(_in_transaction(work))
        return self._within(end, lambda session: again(lambda: session.execute_write(limited), end))

    def told(self, statement: str) -> list[dict[str, Any]]:
        """The rows of a statement that asks about the database itself, which Memgraph answers outside transactions.

        Raises:
            StoreUnavailable: as `read`.
        """
        end = time.monotonic() + WRITE_SECONDS
        return self._within(end, lambda session: session.run(statement).data())

    def define(self, statements: Sequence[str]) -> list[str]:
        """Run schema statements, each in a transaction of its own as Memgraph asks for; again where others are at work.

        Returns:
            The errors of those that failed, by code and text: what is there afterwards is looked at.

        Raises:
            StoreUnavailable: if the server is away, or does not answer in time.
        """
        from neo4j.exceptions import Neo4jError

        failed = []
        end = time.monotonic() + WRITE_SECONDS

        def run(session: Session) -> None:
            for statement in statements:
                try:
                    again(lambda: session.run(statement).consume(), end)  # noqa: B023 - called at once
                except Neo4jError as error:
                    failed.append(f"{error.code}: {self._clean(error)}")

        self._within(end, run)
        return failed

    def layout(self) -> int | None:
        """Of which layout our nodes are, as read when the server was first asked; None: there are none, or old ones.

        Raises:
            StoreUnavailable: as `read`.
        """
        self._connected(time.monotonic() + self._first_seconds)
        return self._layout

    def agent(self) -> str:
        """What the server calls itself, e.g. Neo4j/5.26.30.

        Raises:
            StoreUnavailable: as `read`.
        """
        self._connected(time.monotonic() + self._first_seconds)
        return self._agent

    def close(self) -> None:
        """Release the connections."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    # -- inside

    def _within(self, end: float, work: Callable[[Session], T]) -> T:
        driver = self._connected(min(end, time.monotonic() + self._first_seconds))

        def call() -> T:
            with driver.session(database=self._database, bookmark_manager=self._bookmarks) as session:
                return work(session)

        return self._limited(call, end)

    def _connected(self, end: float) -> Driver:
        """The driver, after the server has answered it once."""
        if self._driver is None:
            import neo4j
            from neo4j.exceptions import DriverError

            seconds = max(0.1, end - time.monotonic())
            auth = (self.user, self._password) if self.user else None
            try:
                driver = neo4j.GraphDatabase.driver(
                    self._url,
                    auth=auth,
                    connection_timeout=seconds,
                    connection_acquisition_timeout=seconds,
                    max_transaction_retry_time=seconds / 4,  # a read has no time for more; writes have a loop around
                    user_agent="rg-memory",
                )
            except (DriverError, ValueError) as error:
                raise UserError(f"[store] url {self.name} cannot be used: {self._clean(error)}") from error
            self._driver = driver

            def greet() -> tuple[str, int | None]:
                with driver.session(database=self._database) as session:
                    result = session.run(cypher_schema.SEE_LAYOUT)
                    layout = result.single(strict=True)["layout"]
                    return str(result.consume().server.agent), layout

            try:
                self._agent, self._layout = self._limited(greet, end)
            except BaseException:
                self._abandon()
                raise
        assert self._driver is not None
        return self._driver

    def _limited(self, call: Callable[[], T], end: float) -> T:
        from neo4j.exceptions import DriverError, Neo4jError

        answer: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

        def run() -> None:
            try:
                answer.put((call(), None))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
                answer.put((None, error))

        began = time.monotonic()
        Thread(target=run, daemon=True, name="rg-memory bolt").start()
        try:
            result, error = answer.get(timeout=max(0.05, end - began))
        except Empty:
            self._abandon()
            raise StoreUnavailable(
                f"memory at {self.name} did not answer within {time.monotonic() - began:.1f} s; {HELP}"
            ) from None
        if isinstance(error, (DriverError, Neo4jError, OSError)):
            raise StoreUnavailable(self._explained(error)) from error
        if error is not None:
            raise error
        return result  # type: ignore[return-value]

    def _abandon(self) -> None:
        """Leave a driver that may be stuck; it is closed aside, for closing can be stuck as well."""
        driver, self._driver = self._driver, None
        if driver is not None:
            Thread(target=driver.close, daemon=True, name="rg-memory bolt close").start()

    def _explained(self, error: Exception) -> str:
        code = str(getattr(error, "code", "") or "")
        if "Security" in code:
            return f"memory at {self.name} refused the user {self.user!r}: {code}; set [store] user and password"
        if "Database.DatabaseNotFound" in code:
            return f"memory at {self.name} has no database {self._database!r}; set [store] database"
        if "SSLCertVerification" in str(error):
            return f"memory at {self.name} shows a certificate that is not trusted; trust it, or use a +ssc:// address"
        if type(error).__name__ == "SessionExpired" and self._url.startswith("neo4j"):  # it told whom to ask instead
            return (
                f"memory at {self.name} runs, but the addresses that it advertises for itself are not reached from "
                "here; for a single server use bolt:// instead of neo4j://: rg-memory config edit"
            )
        if "encrypted connection" in str(error):
            return f"memory at {self.name} does not speak TLS; take +s out of [store] url, or set the port that does"
        if "ReadOnly" in code:
            return f"memory at {self.name} is a read-only database; ask who runs it, or set another [store] database"
        if "ConstraintValidation" in code:
            return (
                f"memory at {self.name} meets a constraint of another program in the same database: "
                f"{self._clean(error)}; give it a database of its own: [store] database"
            )
        if code:
            return f"memory at {self.name} failed: {code}: {self._clean(error)}; {HELP}"
        return f"memory at {self.name} cannot be reached: {self._clean(error)}; {HELP}"

    def _clean(self, error: Exception) -> str:
        """The end of what an error says, without the password, should a server or a library have put it there."""
        text = (str(error).splitlines() or [type(error).__name__])[-1]
        if text.startswith("["):  # the name of a cause
            text = text.partition("] ")[2] or text
        return text.replace(self._password, "***") if self._password else text


def again(call: Callable[[], T], end: float) -> T:
    """What `call` returns, called again where somebody else at work made it fail."""
    from neo4j.exceptions import ConstraintError, Neo4jError

    for attempt in range(RETRIES):
        try:
            return call()
        except Neo4jError as error:
            said = f"{error.code} {error}"
            lost = isinstance(error, ConstraintError) or error.is_retryable() or any(word in said for word in LOST)
            if not lost or attempt == RETRIES - 1 or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0.005, min(0.02 * 2**attempt, 1.0)))
    raise AssertionError("the loop returns or raises")


def _in_transaction(work: Callable[[Run], T]) -> Callable[[ManagedTransaction], T]:
    def inside(transaction: ManagedTransaction) -> T:
        def run(statement: str, **parameters: Any) -> list[dict[str, Any]]:
            name = cypher.by_element(statement)
            if not name or len(parameters[name]) <= CHUNK:
                return transaction.run(statement, parameters).data()
            found: list[dict[str, Any]] = []
            for start in range(0, len(parameters[name]), CHUNK):
                some = {**parameters, name: parameters[name][start : start + CHUNK]}
                found += transaction.run(statement, some).data()
            return found

        return work(run)

    return inside
