"""One user's Touches on a Bolt server, in one place with what they are about, whichever machine they come from.

A TouchGraph is made for an identity and cannot say, count or change anything of another. Without an identity there is
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

from rg_core import times
from rg_core.address.local import is_local
from rg_core.address.model import Address
from rg_core.errors import UserError
from rg_core.store.bolt import cypher_touches as cypher
from rg_core.store.bolt import read
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.listings import unique_key
from rg_core.touches.touch import Touch, is_public

T = TypeVar("T")
BATCH = 200
JOINED = 1000  # Touches that one run tries to join
AWAITED = times.DAY  # how long a Touch awaits what other programs write of its call
ALL = 2**31 - 1
KEPT = ("id", *(name for name in Touch.__annotations__ if name != "id"))


class Transactions(Protocol):
    """Runs a function in one transaction, again where that is needed."""

    def __call__(self, work: Callable[[Run], T]) -> T:
        """What `work` returned."""
        ...


class TouchGraph:
    """One user's Touches on a Bolt server. Every method raises StoreUnavailable when it is away."""

    def __init__(self, change: Transactions, ask: Transactions, user: str) -> None:
        """For `user` alone; `change` and `ask` run a function in a write or a read transaction of the open store.

        Raises:
            UserError: if there is no identity.
        """
        if not user:
            raise UserError(
                "nobody's touches are asked for; say who you are: rg-memory config set identity.user_id NAME"
            )
        self._change, self._ask = change, ask
        self._user = user

    def record(self, touches: Iterable[Touch]) -> None:
        """Store the user's Touches, or what became of them since; others' and those of private texts are left out."""
        mine = [touch for touch in touches if touch.user == self._user and not is_local(touch.address)]
        for start in range(0, len(mine), BATCH):
            self.record_some(partial(islice, mine, start, start + BATCH))

    def record_some(self, fetch: Callable[[], Iterable[Touch]]) -> list[Touch]:
        """Store the user's Touches that `fetch` gives while nobody else stores or forgets any of this user.

        So what is forgotten before is not given, and what is stored before is forgotten. `fetch` may run twice.
        """

        def work(run: Run) -> list[Touch]:
            run(cypher.LOCK, name=self._lock)
            batch = [touch for touch in fetch() if touch.user == self._user]
            if hidden := [self._key(touch.id) for touch in batch if not is_public(touch)]:
                run(cypher.TAKE_BACK, keys=hidden)
            if shown := [touch for touch in batch if is_public(touch)]:
                self._put(run, shown)
            return batch

        return self._change(work)

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
        rows = self._ask(lambda run: run(cypher.SELECT, user=self._user, **values))
        return [_touch(row["touch"]) for row in rows]

    def forget(self, *, address: str | None = None, session: str | None = None, everything: bool = False) -> int:
        """Remove the user's Touches of an address, of a session, or all; how many there were."""
        if not (address or session or everything):
            return 0
        values = {"user": self._user, "address": None if everything else address, "most": 10 * BATCH}
        values["session"] = None if everything else session

        def work(run: Run) -> list[list[str]]:
            run(cypher.LOCK, name=self._lock)
            found = run(cypher.FORGET, **values)
            run(cypher.LEAVE_SESSIONS, ids=sorted({session for row in found for session in row["sessions"]}))
            return [row["sessions"] for row in found]

        count = 0
        while gone := len(self._change(work)):
            count += gone
        self._change(lambda run: run(cypher.LEAVE, name=self._lock))
        return count

    def adopt(self, former: Sequence[str]) -> int:
        """Have the Touches that these names of the user made be the user's; how many there were."""

        def work(run: Run, name: str) -> int:
            run(cypher.LOCK, name=self._lock)
            return int(run(cypher.RENAME, former=name, user=self._user, most=BATCH)[0]["n"])

        count = 0
        for name in former:
            while moved := self._change(partial(work, name=name)):
                count += moved
            if count:
                self._change(lambda run, name=name: run(cypher.LEAVE, name=_lock(name)))  # type: ignore[misc]
        return count

    def join(self) -> int:
        """Draw the edges to what caused the user's Touches, as far as other programs of the family have written it."""
        before = times.now(AWAITED)

        def work(run: Run) -> int:
            keys = [row["key"] for row in run(cypher.AWAITING, user=self._user, most=JOINED)]
            if not keys:
                return 0
            run(cypher.MOVE_SESSIONS, keys=keys)
            joins = (cypher.JOIN_CALLS, cypher.JOIN_ACTIONS, cypher.JOIN_AGENTS)
            count = sum(int(run(text, keys=keys)[0]["n"]) for text in joins)
            run(cypher.AWAIT_NO_MORE, keys=keys, before=before)
            return count

        return self._change(work)

    def _put(self, run: Run, batch: Sequence[Touch]) -> None:
        rows = [{"key": self._key(touch.id), "touch": {name: getattr(touch, name) for name in KEPT}} for touch in batch]
        run(cypher.PUT, user=self._user, rows=rows, now=times.now())
        resources, listings = [], []
        stored = read.versions(run, [touch.address for touch in batch if touch.kind in ("repository", "item")])
        for touch in batch:
            row = {"key": self._key(touch.id)}
            if touch.address in stored:
                resources.append(row | {"node_id": stored[touch.address].node_id})
            elif touch.kind in ("issues", "pulls"):
                asked = Address.parse(touch.address)
                listings.append(row | {"listing": unique_key(asked.repository, asked.query, touch.order)})
        if resources:
            run(cypher.TOUCHED_RESOURCES, rows=resources)
        if listings:
            run(cypher.TOUCHED_LISTINGS, rows=listings)

    def _key(self, touch_id: str) -> str:
        return f"{self._user} {touch_id}"

    @property
    def _lock(self) -> str:
        return _lock(self._user)


def _lock(user: str) -> str:
    """The name of the lease that whoever changes a user's Touches takes."""
    return f"touches of {user}"


def _touch(properties: dict[str, object]) -> Touch:
    return Touch(**{name: properties.get(name) for name in KEPT})  # type: ignore[arg-type]
