"""What has become of the requests of one run. Steps return Outcomes; this is the one place that applies them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rg_core.github.content import IndexRow
from rg_core.github.errors import GitHubError
from rg_core.sweep.commit import Ledger
from rg_core.sweep.outcome import Limited, Members, NotFound, NotPublic, Outcome, Stored, Waits
from rg_core.sweep.plan import Request
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import NOT_FOUND, NOT_PUBLIC, RATE_LIMITED, RESOLVED, UNRESOLVED


class Answers:
    """The last Outcome of each request, and the Touches settled by it.

    `resolved` and `unresolved` (by reason) count Touches.
    """

    def __init__(self, requests: Sequence[Request], ledger: Ledger, log: TouchLog) -> None:
        self.requests = requests
        self.ledger = ledger
        self.log = log
        self.resolved = 0
        self.unresolved: dict[str, int] = {}
        self._outcomes: dict[Request, Outcome] = {}
        self._missing: dict[Request, set[str]] = {}  # node_ids of members that are not stored yet

    def take(self, request: Request, outcome: Outcome) -> None:
        """Apply what a step found: settle its Touches, or remember what it still waits for."""
        self._outcomes[request] = outcome
        match outcome:
            case Members(rows):
                self._missing[request] = set(rows)
                self.ledger.caused(rows, request.cause)
            case Stored(members):
                self.ledger.answered(request, members)
                self._settle(request, RESOLVED)
            case NotFound(deleted):
                if deleted:
                    self.ledger.deleted(request)
                self._settle(request, UNRESOLVED, NOT_FOUND)
            case NotPublic(home):
                self.ledger.withdraw(request, home)
                self._settle(request, UNRESOLVED, NOT_PUBLIC)
            case Limited():
                self._settle(request, UNRESOLVED, RATE_LIMITED)
            case Waits():
                pass

    def unanswered(self) -> list[Request]:
        """Those of which no step has said anything."""
        return [request for request in self.requests if request not in self._outcomes]

    def fetching(self) -> Iterator[tuple[Request, Members]]:
        """Those whose members are known and not all stored."""
        for request, outcome in self._outcomes.items():
            if isinstance(outcome, Members):
                yield request, outcome

    def awaiting(self, node_id: str) -> list[Request]:
        """Those that wait for this item."""
        return [request for request, _ in self.fetching() if node_id in self._missing[request]]

    def arrived(self, node_ids: Iterable[str] = ()) -> None:
        """These items are stored; whatever is complete by that is answered."""
        arrived = set(node_ids)
        for request, members in list(self.fetching()):
            self._missing[request] -= arrived
            if not self._missing[request]:
                self.take(request, Stored(members))

    def left(self, request: Request, row: IndexRow) -> None:
        """This item is no member any more: GitHub took it away after the index was read."""
        members = self._outcomes[request]
        assert isinstance(members, Members)
        rows = {node_id: each for node_id, each in members.rows.items() if node_id != row.node_id}
        self._outcomes[request] = replace(members, rows=rows)
        self._missing[request].discard(row.node_id)

    def waiting(self) -> dict[Request, GitHubError | None]:
        """Those left to the next run, each with its problem, if it has one."""
        return {
            request: outcome.problem if isinstance(outcome, Waits) else None
            for request in self.requests
            if isinstance(outcome := self._outcomes.get(request), Waits | Members | None)
        }

    def limited(self) -> None:
        """A used-up limit ends the run: whatever has no problem of its own waits for the limit."""
        for request, problem in self.waiting().items():
            if not problem:
                self.take(request, Limited())

    def _settle(self, request: Request, status: str, reason: str = "") -> None:
        self.ledger.beat()
        self.log.settle([touch.id for touch in request.touches], status, reason)
        if status == RESOLVED:
            self.resolved += len(request.touches)
        else:
            self.unresolved[reason] = self.unresolved.get(reason, 0) + len(request.touches)
