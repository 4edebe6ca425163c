"""The Sweep with a token: look up, index, compare, fetch whole what is new or changed, commit, settle.

Items of all Touches are fetched together, so that fifty single items cost a handful of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rg_core.address.model import ANY_REPOSITORY, key_of
from rg_core.github import content, graphql, question
from rg_core.github.content import Light, Owner
from rg_core.github.errors import FATAL, GitHubError, Malformed, RateLimited, Refused
from rg_core.github.graph import Graph, IndexPage, Looked
from rg_core.github.rest import Missing, Rest
from rg_core.store.model import Version
from rg_core.sweep.by_rest import RestSweep
from rg_core.sweep.commit import Ledger, address_at, stored_members
from rg_core.sweep.plan import Ask, lookups, touches_stored
from rg_core.touches.touch import NOT_FOUND, RATE_LIMITED, UNRESOLVED

TRIES = 3  # of an index page that comes with holes
SETTLING = 10.0  # seconds until a changed pull request's closing references are there (7-9 were measured)
VERSIONS = 500  # keys of one question to the store
Progress = Callable[[int, int], None]
T = TypeVar("T")


class GraphSweep:
    """One run over GraphQL; what a token is denied is asked again over REST without it."""

    def __init__(self, graph: Graph, rest: Rest, anonymous: RestSweep, ledger: Ledger, max_members: int) -> None:
        self.graph = graph
        self.rest = rest
        self.anonymous = anonymous
        self.ledger = ledger
        self.max_members = max_members
        self.titles: dict[tuple[str, int], str] = {}  # (repository as asked, milestone number) -> title

    def run(self, asks: Sequence[Ask], progress: Progress) -> None:
        """Answer these Asks as far as possible; RateLimited, Unauthorized and Unreachable end the run."""
        self._look_up(asks)
        for ask in asks:
            if not ask.address.is_listing or ask.settled or ask.error:
                continue
            if question.only_rest(ask.address):
                RestSweep(self.rest, self.ledger, self.max_members).answer(ask)
            else:
                self._attempt(ask, self._index)
        waiting = [ask for ask in asks if ask.rows is not None and not ask.settled]
        self._fetch(waiting, progress)
        self._read_again([row for ask in waiting if ask.address.kind == "item" for row in (ask.rows or {}).values()])

    # -- by name

    def _look_up(self, asks: Sequence[Ask]) -> None:
        by_name: dict[str, list[Ask]] = {}
        for ask in asks:
            by_name.setdefault(ask.address.repository, []).append(ask)
        for wanted in lookups(asks, graphql.LOOKUPS):
            try:
                found = self.graph.lookup(wanted)
            except FATAL:
                raise
            except GitHubError as error:
                for name, numbers, milestones in wanted:
                    for ask in by_name[name]:
                        if self._concerns(ask, numbers, milestones):
                            ask.error = str(error)
                continue
            for (name, numbers, milestones), looked in zip(wanted, found, strict=True):
                self._looked(name, numbers, milestones, looked, by_name[name])

    def _looked(
        self, name: str, numbers: Sequence[int], milestones: Sequence[int], looked: Looked, asks: Sequence[Ask]
    ) -> None:
        self.titles |= {(name, number): title for number, title in looked.milestones.items()}
        concerned = [ask for ask in asks if not ask.settled and self._concerns(ask, numbers, milestones)]
        if looked.owner is None or not looked.owner.public:
            for ask in concerned:
                self._attempt(ask, self._no_repository, looked.trouble, looked.owner)
            return
        if concerned:
            self._renamed(name, looked.owner)
        for ask in concerned:
            if ask.address.kind == "repository":
                self._attempt(ask, self._repository, looked.owner)
            elif ask.address.kind == "item":
                row = looked.items[ask.address.number]
                if isinstance(row, Light):
                    ask.rows = {row.node_id: row}
                else:
                    self._attempt(ask, self._no_item, row)
            elif question.milestone_number(ask.address) not in looked.milestones:
                self.ledger.settle(ask, UNRESOLVED, NOT_FOUND)

    @staticmethod
    def _concerns(ask: Ask, numbers: Sequence[int], milestones: Sequence[int]) -> bool:
        if ask.address.is_listing:
            return question.milestone_number(ask.address) in milestones
        return ask.address.kind == "repository" or ask.address.number in numbers

    def _renamed(self, name: str, owner: Owner) -> None:
        if name != owner.name.lower():
            self.ledger.moved(key_of(name), owner.key, owner.node_id)

    def _no_repository(self, ask: Ask, trouble: str | None, owner: Owner | None) -> None:
        if owner is not None:
            self.ledger.not_public(ask, owner)
        elif trouble == "forbidden":
            self.anonymous.answer(ask)
        elif trouble == "not_found":
            self.ledger.settle(ask, UNRESOLVED, NOT_FOUND)
        else:
            ask.error = "GitHub did not tell of the repository"
            self._by_rest(ask, self.rest.owner, ask.address.repository)

    def _repository(self, ask: Ask, owner: Owner) -> None:
        readme = self.rest.readme(owner)
        self.ledger.causes[owner.node_id] = ask.cause
        self.ledger.repository(content.repository(owner, readme, self.ledger.now()), ask.key)
        ask.rows = {}
        self.ledger.resolve(ask)

    def _no_item(self, ask: Ask, why: str) -> None:
        """A number that GraphQL does not find may have moved: only REST leads on."""
        if why == "forbidden":
            self.anonymous.answer(ask)
            return
        found = self._by_rest(ask, self.rest.issue, ask.address.repository, ask.address.number)
        if found is None:
            return
        row = found.light
        if row.key != ask.key:
            old = self.ledger.store.versions([ask.key]).get(ask.key)
            former = old.node_id if old and old.node_id != row.node_id else None
            self.ledger.moved(ask.key, row.key, row.node_id, former)
        ask.rows = {row.node_id: row}

    def _by_rest(self, ask: Ask, get: Callable[..., T], *arguments: object) -> T | None:
        """What REST says; None after settling an Ask of what is not there."""
        try:
            return get(*arguments)
        except Missing as missing:
            self.anonymous.missing(ask, missing)
            return None

    # -- listings

    def _index(self, ask: Ask) -> None:
        for attempt in range(1, TRIES + 1):
            problem = self._read_index(ask, doubt_emptiness=attempt == 1)
            if not problem or ask.settled:
                return
            self.graph.client.back_off(attempt)
        if ask.rows is None or not problem.startswith("fewer"):
            ask.rows = None
            ask.error = problem

    def _read_index(self, ask: Ask, *, doubt_emptiness: bool) -> str:
        """Read the light index once, from its first page; what was wrong with it, or ""."""
        address, ask.error = ask.address, ""
        limit = min(address.limit or self.max_members, self.max_members)
        number = question.milestone_number(address)
        title = self.titles.get((address.repository, number)) if number is not None else None
        rows: dict[str, Light] = {}
        stored = None
        after: str | None = None
        cursors: set[str | None] = set()
        by_search = False
        while True:
            size = min(graphql.PAGE, limit - len(rows)) if len(rows) < limit else graphql.PAGE
            page = self.graph.index(address, size, after, title, by_search=by_search)
            if page.owner is not None and not page.owner.public:
                self.ledger.not_public(ask, page.owner)
                return ""
            if page.trouble is not None:
                if page.owner is None and address.repository != ANY_REPOSITORY:
                    self._attempt(ask, self._no_repository, page.trouble, None)
                return "" if ask.settled or page.trouble != "broken" else "GitHub did not list the members"
            if not page.whole or (not page.rows and (page.next or page.total > len(rows))):
                return "GitHub left members out"
            if page.next in cursors:
                return "GitHub repeats a page"
            if page.total == 0 and address.labels and not by_search and question.connection(address):
                by_search = True  # an empty list by label is believed when the search finds nothing either
                continue
            if stored is None:
                self._at_home(ask, page)
                if page.owner is not None and question.at(address, page.owner.name) != address:
                    address = question.at(address, page.owner.name)
                    if question.connection(address) is None:
                        continue  # a search does not follow renames
                found = self.ledger.store.listing(address_at(ask), address.order)
                stored = stored_members(found)
            rows |= {row.node_id: row for row in page.rows if row.owner.public}
            ask.total, ask.ended, after = page.total, page.next is None, page.next
            cursors.add(after)
            enough = len(rows) >= limit and (touches_stored(stored, rows) or len(rows) >= self.max_members)
            if ask.ended or enough:
                break
        if not rows and stored and doubt_emptiness:
            return "GitHub lists nothing where there was something"
        ask.rows = rows
        if ask.ended and len(rows) < page.total:
            ask.ended = False  # a search reaches 1,000; anything else is asked again
            if len(rows) < question.SEARCH_CAP or question.connection(address):
                return "fewer members than GitHub counts"
        return ""

    def _at_home(self, ask: Ask, page: IndexPage) -> None:
        if page.owner is not None and not ask.home:
            ask.home = page.owner.name
            self._renamed(ask.address.repository, page.owner)

    # -- whole items

    def _fetch(self, asks: Sequence[Ask], progress: Progress) -> None:
        rows: dict[str, Light] = {}
        for ask in asks:
            assert ask.rows is not None
            ask.missing = set(ask.rows)
            for node_id, row in ask.rows.items():
                rows.setdefault(node_id, row)
                self.ledger.causes.setdefault(node_id, ask.cause)
        changed = self._changed(rows, asks)
        self._settle(asks)
        done = len(rows) - len(changed)
        progress(done, len(rows))
        for batch in self.graph.whole(changed):
            at = self.ledger.now()
            public = [node for node in batch.nodes if _public(node)]
            batch.failed |= {node["id"]: "not_found" for node in batch.nodes if node not in public}
            items = []
            for node in public:
                try:
                    items.append(content.item(node, at))
                except Malformed:
                    batch.failed[node["id"]] = "broken"
            self.ledger.items(items)
            self._stored(asks, [item.node_id for item in items])
            for node_id, trouble in batch.failed.items():
                self._failed(asks, rows[node_id], trouble)
            self._settle(asks)
            done += len(items) + len(batch.failed)
            progress(done, len(rows))

    def _read_again(self, rows: Iterable[Light]) -> None:
        """Read pull requests that changed a moment ago once more: what they close shows some seconds later."""
        now = self.ledger.clock()
        fresh = {row.node_id: row for row in rows if row.kind == "pull_request" and now - _age_begin(row) < SETTLING}
        if not fresh:
            return
        self.ledger.sleep(SETTLING)
        for batch in self.graph.whole(list(fresh.values())):
            at = self.ledger.now()
            self.ledger.items((content.item(node, at) for node in batch.nodes if _public(node)), again=True)

    def _changed(self, rows: dict[str, Light], asks: Sequence[Ask]) -> list[Light]:
        """Those that are new or have another updatedAt; the others are confirmed."""
        ids = list(rows)
        known: dict[str, Version] = {}
        for start in range(0, len(ids), VERSIONS):
            known |= self.ledger.store.versions(ids[start : start + VERSIONS])
        anew = {node_id for ask in asks if ask.anew and ask.rows for node_id in ask.rows}
        changed: list[Light] = []
        same: list[Light] = []
        for node_id, row in rows.items():
            version = known.get(node_id)
            unmoved = version is not None and version.updated_at == row.updated_at
            (same if unmoved and node_id not in anew else changed).append(row)
        self.ledger.confirm(same)
        self._stored(asks, [row.node_id for row in same])
        return changed

    def _failed(self, asks: Sequence[Ask], row: Light, trouble: str) -> None:
        """One item that GraphQL does not give: gone since the index, denied to the token, or too much for it."""
        concerned = [ask for ask in asks if ask.rows is not None and row.node_id in ask.missing]
        rest = self.rest if trouble == "broken" else self.anonymous.rest
        if trouble != "not_found":
            try:
                found = rest.issue(row.owner.name, row.number)
                self.ledger.items([rest.item(found, self.ledger.now())])
                self._stored(asks, [row.node_id])
            except Missing:
                trouble = "not_found"
            except RateLimited:
                if rest is self.rest:
                    raise
                for ask in concerned:
                    self.ledger.settle(ask, UNRESOLVED, RATE_LIMITED)
            except FATAL:
                raise
            except GitHubError as error:
                for ask in concerned:
                    ask.error = str(error)
                return
        for ask in concerned if trouble == "not_found" else ():
            assert ask.rows is not None
            if ask.address.is_listing:
                del ask.rows[row.node_id]
                ask.missing.discard(row.node_id)
            else:
                self._attempt(ask, self._no_item, "not_found")
                ask.rows = None

    @staticmethod
    def _stored(asks: Iterable[Ask], ids: Sequence[str]) -> None:
        for ask in asks:
            ask.missing.difference_update(ids)

    def _settle(self, asks: Iterable[Ask]) -> None:
        for ask in asks:
            if ask.rows is not None and not ask.missing and not ask.settled and not ask.error:
                self.ledger.resolve(ask)

    def _attempt(self, ask: Ask, step: Callable[..., None], *more: object) -> None:
        """Run a step of one Ask: what goes wrong stays with it."""
        try:
            step(ask, *more)
        except FATAL:
            raise
        except Refused as error:
            if error.status != 403:
                ask.error = str(error)
                return
            self.anonymous.answer(ask)  # a token can hide what is public
        except GitHubError as error:
            ask.error = str(error)


def _age_begin(row: Light) -> float:
    return datetime.fromisoformat(row.updated_at).timestamp()


def _public(node: Mapping[str, Any]) -> bool:
    """Whether it still is, now that the item itself was read."""
    return content.owner(node["repository"]).public
