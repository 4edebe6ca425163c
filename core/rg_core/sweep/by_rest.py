"""The Sweep over REST, request by request: all of it without a token, and what a token is denied.

Sixty calls an hour are few, so everything is committed as it comes and the next run goes on from there; who mentions
an item (its timeline, one call more) is asked for items that were explored themselves, not for members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rg_core.address.model import ANY_REPOSITORY, key_of
from rg_core.github import content, question
from rg_core.github.content import SourceRepository
from rg_core.github.errors import FATAL, GitHubError, RateLimited, Refused
from rg_core.github.rest import Missing, Rest, RestRow
from rg_core.store.model import Item, Version
from rg_core.sweep.answers import Answers
from rg_core.sweep.commit import Ledger, stored_members
from rg_core.sweep.outcome import Limited, Members, NotFound, Outcome, Stored, Waits, of_missing
from rg_core.sweep.plan import Request, touches_stored

TOGETHER = 10  # items of one write
ORDER = ("item", "repository", "issues", "pulls")
Progress = Callable[[int, int], None]


class RestSweep:
    """Answers requests one by one."""

    def __init__(self, rest: Rest, ledger: Ledger, max_members: int) -> None:
        self.rest = rest
        self.ledger = ledger
        self.max_members = max_members

    def run(self, answers: Answers, progress: Progress) -> None:
        """Items first, then repositories, then listings. RateLimited ends the run."""
        requests = sorted(answers.requests, key=lambda request: ORDER.index(request.address.kind))
        for done, request in enumerate(requests):
            progress(done, len(requests))
            answers.take(request, self._outcome(request))

    def outcome(self, request: Request) -> Outcome:
        """What becomes of one request of a run over GraphQL; a used-up limit stays with it."""
        try:
            return self._outcome(request)
        except RateLimited:
            return Limited()

    def _outcome(self, request: Request) -> Outcome:
        try:
            if request.address.kind == "item":
                return self._item(request)
            if request.address.kind == "repository":
                return self._repository(request)
            return self._listing(request)
        except Missing as missing:
            return of_missing(missing)
        except FATAL:
            raise
        except Refused as error:
            if error.status == 422:  # a search that GitHub does not understand, or may not answer
                return NotFound()
            return Waits(error)
        except GitHubError as error:
            return Waits(error)

    def _home(self, request: Request) -> SourceRepository:
        home = self.rest.repository(request.address.repository)
        self.ledger.found(request.address.repository, home)
        return home

    def _repository(self, request: Request) -> Outcome:
        home = self._home(request)
        self.ledger.caused([home.node_id], request.cause)
        self.ledger.repository(content.repository(home, self.rest.readme(home), self.ledger.now()), request.key)
        return Stored(Members({}, home=home))

    def _item(self, request: Request) -> Outcome:
        home = self._home(request)
        found = self.rest.issue(request.address.repository, request.address.number)
        row = found.index
        if row.key != key_of(home.name, request.address.number):
            self.ledger.transferred(request.key, row)
        self.ledger.caused([row.node_id], request.cause)
        known = self.ledger.store.versions([row.node_id])
        if _unchanged(found, known) and not request.anew:
            self.ledger.confirm([row])
        else:
            self.ledger.items([self.rest.item(found, self.ledger.now())])
        return Stored(Members({row.node_id: row}, home=home))

    # -- listings

    def _listing(self, request: Request) -> Outcome:
        home = None if request.address.repository == ANY_REPOSITORY else self._home(request)
        number = question.milestone_number(request.address)
        title = None
        if number is not None and question.rest(request.address) is None:
            title = self.rest.milestone(request.address.repository, number)
        rows, total, ended = self._rows(request, home, title)
        members = Members({row.index.node_id: row.index for row in rows}, total, ended, home)
        self.ledger.caused(members.rows, request.cause)
        self._store(rows)
        return Stored(members)

    def _rows(
        self, request: Request, home: SourceRepository | None, title: str | None
    ) -> tuple[list[RestRow], int, bool]:
        """The rows, how many there are by GitHub's count, and whether these are all."""
        limit = min(request.address.limit or self.max_members, self.max_members)
        key = Members({}, home=home).key(request)
        stored = stored_members(self.ledger.store.listing(key, request.address.order))
        rows: dict[str, RestRow] = {}
        after: str | None = None
        while True:
            page = self.rest.page(request.address, home, after, title)
            rows |= {row.index.node_id: row for row in page.rows}
            after = page.next
            enough = len(rows) >= limit and touches_stored(stored, rows)
            if after is None or enough or len(rows) >= self.max_members:
                break
        ended = after is None and page.total in (-1, len(rows))
        return list(rows.values()), len(rows) if ended else page.total, ended

    def _store(self, rows: list[RestRow]) -> None:
        """Store the members that are new or changed; what is done when the limit strikes stays done."""
        known = self.ledger.store.versions([row.index.node_id for row in rows])
        same = [row.index for row in rows if _unchanged(row, known)]
        self.ledger.confirm(same)
        kept = {row.node_id for row in same}
        waiting: list[Item] = []
        try:
            for row in rows:
                if row.index.node_id not in kept:
                    waiting.append(self.rest.item(row, self.ledger.now(), events=False))
                if len(waiting) >= TOGETHER:
                    self.ledger.items(waiting)
                    waiting = []
        finally:
            self.ledger.items(waiting)


def _unchanged(row: RestRow, known: Mapping[str, Version]) -> bool:
    version = known.get(row.index.node_id)
    return version is not None and version.updated_at == row.index.updated_at
