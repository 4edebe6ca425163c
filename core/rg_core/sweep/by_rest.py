"""The Sweep over REST, Ask by Ask: all of it without a token, and what a token is denied.

Sixty requests an hour are few, so everything is committed as it comes and the next run goes on from there; who
mentions an item (its timeline, one request more) is asked for items that were explored themselves, not for members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rg_core.address.model import ANY_REPOSITORY, key_of
from rg_core.github import content, question
from rg_core.github.content import Owner
from rg_core.github.errors import FATAL, GitHubError, RateLimited, Refused
from rg_core.github.rest import Missing, Rest, Row
from rg_core.store.model import Item, Version
from rg_core.sweep.commit import Ledger, address_at, stored_members
from rg_core.sweep.plan import Ask, touches_stored
from rg_core.touches.touch import NOT_FOUND, RATE_LIMITED, UNRESOLVED

TOGETHER = 10  # items of one write
ORDER = ("item", "repository", "issues", "pulls")
Progress = Callable[[int, int], None]


class RestSweep:
    """Answers Asks one by one."""

    def __init__(self, rest: Rest, ledger: Ledger, max_members: int) -> None:
        self.rest = rest
        self.ledger = ledger
        self.max_members = max_members

    def run(self, asks: Sequence[Ask], progress: Progress) -> None:
        """Items first, then repositories, then listings. RateLimited ends the run."""
        for done, ask in enumerate(sorted(asks, key=lambda ask: ORDER.index(ask.address.kind))):
            progress(done, len(asks))
            self._answer(ask)

    def answer(self, ask: Ask) -> None:
        """Answer one Ask of a run over GraphQL; a used-up limit stays with it."""
        try:
            self._answer(ask)
        except RateLimited:
            self.ledger.settle(ask, UNRESOLVED, RATE_LIMITED)

    def _answer(self, ask: Ask) -> None:
        try:
            if ask.address.kind == "item":
                self._item(ask)
            elif ask.address.kind == "repository":
                self._repository(ask)
            else:
                self._listing(ask)
        except Missing as missing:
            self.missing(ask, missing)
        except FATAL:
            raise
        except Refused as error:
            if error.status == 422:  # a search that GitHub does not understand, or may not answer
                self.ledger.settle(ask, UNRESOLVED, NOT_FOUND)
            else:
                ask.error = str(error)
        except GitHubError as error:
            ask.error = str(error)

    def missing(self, ask: Ask, missing: Missing) -> None:
        """Settle what is not there."""
        if missing.trouble == "not_public":
            self.ledger.not_public(ask)
            return
        if missing.trouble == "deleted":
            self.ledger.deleted(ask)
        self.ledger.settle(ask, UNRESOLVED, NOT_FOUND)

    def _home(self, ask: Ask) -> Owner:
        home = self.rest.owner(ask.address.repository)
        ask.home = home.name
        if home.name.lower() != ask.address.repository:
            self.ledger.moved(key_of(ask.address.repository), home.key, home.node_id)
        return home

    def _repository(self, ask: Ask) -> None:
        home = self._home(ask)
        self.ledger.causes[home.node_id] = ask.cause
        self.ledger.repository(content.repository(home, self.rest.readme(home), self.ledger.now()), ask.key)
        ask.rows = {}
        self.ledger.resolve(ask)

    def _item(self, ask: Ask) -> None:
        self._home(ask)
        found = self.rest.issue(ask.address.repository, ask.address.number)
        row = found.light
        if row.key != key_of(ask.home, ask.address.number):
            old = self.ledger.store.versions([ask.key]).get(ask.key)
            former = old.node_id if old and old.node_id != row.node_id else None
            self.ledger.moved(ask.key, row.key, row.node_id, former)
        self.ledger.causes[row.node_id] = ask.cause
        known = self.ledger.store.versions([row.node_id]).get(row.node_id)
        if known is not None and known.updated_at == row.updated_at and not ask.anew:
            self.ledger.confirm([row])
        else:
            self.ledger.items([self.rest.item(found, self.ledger.now())])
        ask.rows = {row.node_id: row}
        self.ledger.resolve(ask)

    # -- listings

    def _listing(self, ask: Ask) -> None:
        home = None if ask.address.repository == ANY_REPOSITORY else self._home(ask)
        number = question.milestone_number(ask.address)
        title = None
        if number is not None and question.rest(ask.address) is None:
            title = self.rest.milestone(ask.address.repository, number)
        rows = self._rows(ask, home, title)
        ask.rows = {row.light.node_id: row.light for row in rows}
        self.ledger.causes |= {node_id: ask.cause for node_id in ask.rows if node_id not in self.ledger.causes}
        self._members(rows)
        self.ledger.resolve(ask)

    def _rows(self, ask: Ask, home: Owner | None, title: str | None) -> list[Row]:
        limit = min(ask.address.limit or self.max_members, self.max_members)
        stored = stored_members(self.ledger.store.listing(address_at(ask), ask.address.order))
        rows: dict[str, Row] = {}
        after: str | None = None
        while True:
            page = self.rest.page(ask.address, home, after, title)
            rows |= {row.light.node_id: row for row in page.rows}
            ask.total, after = page.total, page.next
            enough = len(rows) >= limit and touches_stored(stored, rows)
            if after is None or enough or len(rows) >= self.max_members:
                break
        ask.ended = after is None and page.total in (-1, len(rows))
        if ask.ended:
            ask.total = len(rows)
        return list(rows.values())

    def _members(self, rows: Sequence[Row]) -> None:
        """Store the members that are new or changed; what is done when the limit strikes stays done."""
        known = self.ledger.store.versions([row.light.node_id for row in rows])
        same = [row.light for row in rows if _unchanged(row, known)]
        self.ledger.confirm(same)
        kept = {row.node_id for row in same}
        waiting: list[Item] = []
        try:
            for row in rows:
                if row.light.node_id not in kept:
                    waiting.append(self.rest.item(row, self.ledger.now(), events=False))
                if len(waiting) >= TOGETHER:
                    self.ledger.items(waiting)
                    waiting = []
        finally:
            self.ledger.items(waiting)


def _unchanged(row: Row, known: Mapping[str, Version]) -> bool:
    version = known.get(row.light.node_id)
    return version is not None and version.updated_at == row.light.updated_at
