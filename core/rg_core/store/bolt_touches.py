"""Touches on a shared server, and the way they get there: the local file is the outbox of whoever is away from it.

Everything here is for one user: a TouchGraph is made for an identity and cannot say, count or change anything of
another. Without an identity there is none. The local file stays what the Sweep of this machine works from; the server
has the same Touches, so that they are in one place with what they are about, whichever machine they come from.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

from rg_core import paths
from rg_core.address.model import Address
from rg_core.config import Config, load
from rg_core.errors import UserError
from rg_core.store import bolt_read, cypher, open_store
from rg_core.store.bolt import BoltStore
from rg_core.store.bolt_connection import Run
from rg_core.store.bolt_list import key_of
from rg_core.store.embedded_write import query_of
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.touch import Touch
from rg_core.touches import TouchLog

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
            batch = mine[start : start + BATCH]
            self._store.change(lambda run, batch=batch: self._put(run, batch))  # type: ignore[misc]

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
        return [_touch(row["touch"]) for row in self._ask(cypher.TOUCHES, **values)]

    def pending(self, limit: int | None = None) -> list[Touch]:
        """Real fetches and prompts that wait for a Sweep, oldest first: pending, or stopped by a rate limit."""
        return [_touch(row["touch"]) for row in self._ask(cypher.PENDING, most=ALL if limit is None else limit)]

    def counts(self) -> list[tuple[str, str, str, str, int]]:
        """How many there are, by (provenance, status, reason, outcome)."""
        return [
            (row["provenance"], row["status"], row["reason"], row["outcome"], row["n"])
            for row in self._ask(cypher.COUNT_TOUCHES)
        ]

    def settle(self, ids: Iterable[str], status: str, reason: str = "") -> None:
        """Give Touches their end; what is not public keeps no address."""
        keys = [self._key(touch_id) for touch_id in ids]
        values = {"keys": keys, "user": self._user, "status": status, "reason": reason}
        self._store.change(lambda run: (run(cypher.SETTLE, **values), run(cypher.UNTOUCH, rows=_keyed(keys))))

    def forget(self, *, address: str | None = None, session: str | None = None, everything: bool = False) -> int:
        """Remove the user's Touches of an address, of a session, or all; how many there were."""
        if not (address or session or everything):
            return 0
        values = {"user": self._user, "address": None if everything else address, "most": 10 * BATCH}
        values["session"] = None if everything else session
        count = 0
        while gone := self._store.change(lambda run: run(cypher.FORGET_TOUCHES, **values))[0]["n"]:
            count += gone
        self._store.change(lambda run: run(cypher.LEAVE_SESSIONS, user=self._user))
        self._store.change(lambda run: run(cypher.LEAVE_USER, user=self._user))
        return count

    def join(self) -> int:
        """Draw the edges to actions-graph's calls and agents that caused the user's Touches; how many were new."""
        statements = (cypher.JOIN_CALLS, cypher.JOIN_ACTIONS, cypher.JOIN_AGENTS)
        return self._store.change(lambda run: sum(int(run(text, user=self._user)[0]["n"]) for text in statements))

    def _put(self, run: Run, batch: Sequence[Touch]) -> None:
        rows = [{"key": self._key(touch.id), "touch": {name: getattr(touch, name) for name in KEPT}} for touch in batch]
        run(cypher.PUT_TOUCHES, user=self._user, rows=rows)
        resources, listings = [], []
        stored = bolt_read.versions(run, [touch.address for touch in batch if touch.kind in ("repository", "item")])
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

    def _ask(self, statement: str, **values: object) -> list[dict[str, Any]]:
        return self._store.ask(lambda run: run(statement, user=self._user, **values))

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
    the server has it, and sent again it is the same Touch.

    Raises:
        StoreUnavailable: if the server is away; what was not sent stays in the local file.
    """
    graph = open_touches(config, store)
    if graph is None:
        return 0
    count = 0
    while batch := log.unsent(config.user, BATCH):
        graph.record(batch)
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


def _keyed(keys: Iterable[str]) -> list[dict[str, str]]:
    return [{"key": key} for key in keys]
