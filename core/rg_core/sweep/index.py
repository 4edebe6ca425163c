"""Reads the light index of one listing over GraphQL, page by page, and doubts what GitHub itself contradicts."""

from __future__ import annotations

from dataclasses import dataclass

from rg_core.address.model import ANY_REPOSITORY
from rg_core.github import graphql, question
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.graph import Graph, IndexPage, Trouble
from rg_core.store.model import Member
from rg_core.sweep.commit import Ledger, stored_members
from rg_core.sweep.outcome import Members, NotPublic
from rg_core.sweep.plan import Request, touches_stored


@dataclass(frozen=True, slots=True)
class NoRepository:
    """GitHub gave no repository beside the index, and so no index either."""

    trouble: Trouble


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Worth reading again. `members`: what there is where that is all that GitHub ever gives."""

    problem: str
    members: Members | None = None


Found = Members | NotPublic | NoRepository | Doubtful


class IndexReader:
    """Reads one listing's index once, from its first page."""

    def __init__(self, graph: Graph, ledger: Ledger, request: Request, title: str | None, max_members: int) -> None:
        """`title`: of the milestone, where the request names it by number."""
        self.graph = graph
        self.ledger = ledger
        self.request = request
        self.address = request.address
        self.title = title
        self.max_members = max_members
        self.limit = min(request.address.limit or max_members, max_members)
        self.rows: dict[str, IndexRow] = {}
        self.home: SourceRepository | None = None
        self.stored: list[Member] | None = None

    def read(self, *, doubt_emptiness: bool) -> Found:
        """The members, as many as are asked for and as reach what is stored.

        Args:
            doubt_emptiness: whether an empty answer is doubted where something is stored.
        """
        after: str | None = None
        cursors: set[str | None] = set()
        by_search = False
        while True:
            room = self.limit - len(self.rows)
            size = min(graphql.PAGE, room) if room > 0 else graphql.PAGE
            page = self.graph.index(self.address, size, after, self.title, by_search=by_search)
            if (trouble := self._trouble(page)) is not None:
                return trouble
            if page.next in cursors:
                return Doubtful("GitHub repeats a page")
            if self._doubts_labels(page, by_search):
                by_search = True
                continue
            if self.stored is None and self._begin(page):
                continue
            self.rows |= {row.node_id: row for row in page.rows if row.repository.public}
            after = page.next
            cursors.add(after)
            if after is None or self._enough():
                return self._members(page, doubt_emptiness=doubt_emptiness)

    def _trouble(self, page: IndexPage) -> Found | None:
        if page.repository is not None and not page.repository.public:
            return NotPublic(page.repository)
        if page.trouble is not None:
            if page.repository is None and self.address.repository != ANY_REPOSITORY:
                return NoRepository(page.trouble)
            return Doubtful("GitHub did not list the members")
        if not page.whole or (not page.rows and (page.next or page.total > len(self.rows))):
            return Doubtful("GitHub left members out")
        return None

    def _doubts_labels(self, page: IndexPage, by_search: bool) -> bool:
        """Whether this is an empty list by label, which is believed when the search finds nothing either."""
        asked = question.connection(self.address)
        return page.total == 0 and bool(self.address.labels) and not by_search and asked is not None

    def _begin(self, page: IndexPage) -> bool:
        """Take the first page's repository; whether to ask again under its name of today."""
        again = False
        if page.repository is not None:
            self.ledger.found(self.request.address.repository, page.repository)
            self.home = page.repository
            here = question.at(self.address, page.repository.name)
            again = here != self.address and question.connection(here) is None  # a search does not follow renames
            self.address = here
        if not again:
            key = Members({}, home=self.home).key(self.request)
            self.stored = stored_members(self.ledger.store.listing(key, self.address.order))
        return again

    def _enough(self) -> bool:
        if len(self.rows) < self.limit:
            return False
        return len(self.rows) >= self.max_members or touches_stored(self.stored or [], self.rows)

    def _members(self, page: IndexPage, *, doubt_emptiness: bool) -> Found:
        if not self.rows and self.stored and doubt_emptiness:
            return Doubtful("GitHub lists nothing where there was something")
        ended = page.next is None
        short = ended and len(self.rows) < page.total
        members = Members(self.rows, page.total, ended and not short, self.home)
        # A search reaches 1,000; anything else that is short is asked for again.
        if short and (len(self.rows) < question.SEARCH_CAP or question.connection(self.address)):
            return Doubtful("GitHub lists fewer members than it counts", members)
        return members
