"""One user's Touches on a Bolt server, in one place with what they are about, whichever machine they come from.

A TouchGraph is made for an identity and cannot say, count or change anything of another. Without an identity there is
none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

from rg_core.address.local import is_local
from rg_core.address.model import Address
from rg_core.errors import UserError
from rg_core.store.bolt import cypher, read
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.listings import unique_key
from rg_core.touches.touch import Touch

T = TypeVar("T")
BATCH = 200
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
            run(cypher.TAKE_USER, user=self._user)
            batch = [touch for touch in fetch() if touch.user == self._user]
            if batch:
                self._put(run, batch)
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
        rows = self._ask(lambda run: run(cypher.TOUCHES, user=self._user, **values))
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
        while gone := self._change(work):
            count += gone
        steps = (cypher.TAKE_USER, cypher.LEAVE_SESSIONS, cypher.LEAVE_USER)
        self._change(lambda run: [run(step, user=self._user) for step in steps])
        return count

    def join(self) -> int:
        """Draw the edges to actions-graph's calls and agents that caused the user's Touches; how many were new."""
        statements = (cypher.JOIN_CALLS, cypher.JOIN_ACTIONS, cypher.JOIN_AGENTS)
        return self._change(lambda run: sum(int(run(text, user=self._user)[0]["n"]) for text in statements))

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
                listings.append(row | {"listing": unique_key(asked.repository, asked.query, touch.order)})
        if resources:
            run(cypher.TOUCHED_RESOURCES, rows=resources)
        if listings:
            run(cypher.TOUCHED_LISTINGS, rows=listings)
        run(cypher.UNTOUCH, rows=rows)

    def _key(self, touch_id: str) -> str:
        return f"{self._user} {touch_id}"


def _touch(properties: dict[str, object]) -> Touch:
    return Touch(**{name: properties.get(name) for name in KEPT})  # type: ignore[arg-type]
