"""Touches on a shared server, and the way they get there: the local file is the outbox of whoever is away from it.

Everything here is for one user: a TouchGraph is made for an identity and cannot say, count or change anything of
another. Without an identity there is none. The local file stays what the Sweep of this machine works from; the server
has the same Touches, so that they are in one place with what they are about, whichever machine they come from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from threading import Lock, Thread

from rg_core import paths
from rg_core.address.model import Address
from rg_core.config import Config, load
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.store.bolt import cypher, read
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.listings import key_of
from rg_core.store.bolt.store import BoltStore
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.store.sqlite.write import query_of
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import Touch

BATCH = 200
DRAIN_AFTER = 1.0  # seconds
ALL = 2**31 - 1
KEPT = ("id", *(name for name in Touch.__annotations__ if name != "id"))


class TouchGraph:
    """One user's Touches on a Bolt server. Every method raises StoreUnavailable when it is away."""

    def __init__(self, store: BoltStore, user: str) -> None:
        """For `user` alone.

        Raises:
            UserError: if there is no identity.
        """
        if not user:
            raise UserError(
                "nobody's touches are asked for; say who you are: rg-memory config set identity.user_id NAME"
            )
        self._store = store
        self._user = user

    def record(self, touches: Iterable[Touch]) -> None:
        """Store the user's Touches, or what became of them since; those of others are left out."""
        mine = [touch for touch in touches if touch.user == self._user]
        for start in range(0, len(mine), BATCH):
            self.record_some(partial(islice, mine, start, start + BATCH))

    def record_some(self, fetch: Callable[[], Iterable[Touch]]) -> list[Touch]:
        """Store the user's Touches that `fetch` gives while nobody else stores or forgets any of this user.

        So what is forgotten before is not given, and what is stored before is forgotten. `fetch` may run twice.
        """

        def work(run: Run) -> list[Touch]:
            run(cypher.TAKE_USER, user=self._user)
            batch = [touch for touch in fetch() if touch.user == self._user]
            if batch:
                self._put(run, batch)
            return batch

        return self._store.change(work)

    def touches(
        self,
        *,
        limit: int | None = None,
        address: str | None = None,
        session: str | None = None,
        since: str | None = None,
    ) -> list[Touch]:
        """The user's Touches from every machine, newest first."""
        values = {"address": address, "session": session, "since": since, "most": ALL if limit is None else limit}
        rows = self._store.ask(lambda run: run(cypher.TOUCHES, user=self._user, **values))
        return [_touch(row["touch"]) for row in rows]

    def forget(self, *, address: str | None = None, session: str | None = None, everything: bool = False) -> int:
        """Remove the user's Touches of an address, of a session, or all; how many there were."""
        if not (address or session or everything):
            return 0
        values = {"user": self._user, "address": None if everything else address, "most": 10 * BATCH}
        values["session"] = None if everything else session

        def work(run: Run) -> int:
            run(cypher.TAKE_USER, user=self._user)
            return int(run(cypher.FORGET_TOUCHES, **values)[0]["n"])

        count = 0
        while gone := self._store.change(work):
            count += gone
        steps = (cypher.TAKE_USER, cypher.LEAVE_SESSIONS, cypher.LEAVE_USER)
        self._store.change(lambda run: [run(step, user=self._user) for step in steps])
        return count

    def join(self) -> int:
        """Draw the edges to actions-graph's calls and agents that caused the user's Touches; how many were new."""
        statements = (cypher.JOIN_CALLS, cypher.JOIN_ACTIONS, cypher.JOIN_AGENTS)
        return self._store.change(lambda run: sum(int(run(text, user=self._user)[0]["n"]) for text in statements))

    def _put(self, run: Run, batch: Sequence[Touch]) -> None:
        rows = [{"key": self._key(touch.id), "touch": {name: getattr(touch, name) for name in KEPT}} for touch in batch]
        run(cypher.PUT_TOUCHES, user=self._user, rows=rows)
        resources, listings = [], []
        stored = read.versions(run, [touch.address for touch in batch if touch.kind in ("repository", "item")])
        for touch in batch:
            row = {"key": self._key(touch.id)}
            if touch.address in stored:
                resources.append(row | {"node_id": stored[touch.address].node_id})
            elif touch.address and touch.kind in ("issues", "pulls"):
                asked = Address.parse(touch.address)
                listings.append(row | {"listing": key_of(asked.repository, query_of(asked), touch.order)})
        if resources:
            run(cypher.TOUCHED_RESOURCES, rows=resources)
        if listings:
            run(cypher.TOUCHED_LISTINGS, rows=listings)
        run(cypher.UNTOUCH, rows=rows)

    def _key(self, touch_id: str) -> str:
        return f"{self._user} {touch_id}"


def open_touches(config: Config, store: Store) -> TouchGraph | None:
    """The user's Touches on the server; None where they stay on this machine.

    Raises:
        UserError: if they belong there and there is no identity.
    """
    if config.store.touches != "graph" or not isinstance(store, BoltStore):
        return None
    return TouchGraph(store, config.require_user())


def drain(log: TouchLog, config: Config, store: Store) -> int:
    """Send what the server was not told yet of the user's Touches, and join them; how many were sent.

    Each arrives once, whoever else drains the same file and wherever this is killed: a Touch is marked as sent after
    the server has it, and sent again it is the same Touch. What is forgotten meanwhile does not come back.

    Raises:
        StoreUnavailable: if the server is away; what was not sent stays in the local file.
    """
    graph = open_touches(config, store)
    if graph is None:
        return 0
    count = 0
    while log.unsent(config.user, 1):
        batch = graph.record_some(lambda: log.unsent(config.user, BATCH))
        log.mark_sent(batch)
        count += len(batch)
    graph.join()
    return count


class Drainer:
    """Drains in the background, for a program that must not wait for it; what fails stays in the local file."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._lock = Lock()

    def soon(self) -> None:
        """Drain in a moment, together with what comes until then."""
        if self._lock.acquire(blocking=False):
            Thread(target=self._run, daemon=True, name="rg-memory outbox").start()

    def _run(self) -> None:
        time.sleep(DRAIN_AFTER)
        self._lock.release()
        with suppress(UserError, StoreUnavailable):
            config = load(self._environ)
            store = open_store(config, self._environ)
            try:
                drain(TouchLog(paths.outbox_file(self._environ)), config, store)
            finally:
                store.close()


def _touch(properties: dict[str, object]) -> Touch:
    return Touch(**{name: properties.get(name) for name in KEPT})  # type: ignore[arg-type]
