"""The Sweep with a token: look up, index, compare, fetch whole what is new or changed, commit, settle.

Items of all Touches are fetched together, so that fifty single items cost a handful of queries. Each step tells what
it found as an Outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from rg_core.github import content, graphql, question
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.errors import FATAL, GitHubError, Malformed, RateLimited, Refused, Withdrawn
from rg_core.github.graph import Lookup, Trouble
from rg_core.github.rest import Missing, Rest
from rg_core.github.whole import Fetched, WholeItems
from rg_core.store.model import Item, Version
from rg_core.sweep.answers import Answers
from rg_core.sweep.by_rest import RestSweep
from rg_core.sweep.commit import Ledger
from rg_core.sweep.index import Doubtful, IndexReader, NoRepository
from rg_core.sweep.outcome import Limited, Members, NotFound, NotPublic, Outcome, Waits, of_missing
from rg_core.sweep.plan import Request, lookups

TRIES = 3  # of an index that comes with holes
SETTLING = 10.0  # seconds until a changed pull request's closing references are there (7-9 were measured)
VERSIONS = 500  # keys of one question to the store
Progress = Callable[[int, int], None]


class GraphSweep:
    """One run over GraphQL; what a token is denied is asked again over REST without it."""

    def __init__(
        self, items: WholeItems, rest: Rest, anonymous: Rest, ledger: Ledger, answers: Answers, max_members: int
    ) -> None:
        """`anonymous` is REST without the token."""
        self.items = items
        self.graph = items.graph
        self.rest = rest
        self.by_rest = RestSweep(rest, ledger, max_members)
        self.without_token = RestSweep(anonymous, ledger, max_members)
        self.ledger = ledger
        self.answers = answers
        self.max_members = max_members
        self.titles: dict[tuple[str, int], str] = {}  # (repository as asked, milestone number) -> title

    def run(self, progress: Progress) -> None:
        """Answer the requests as far as possible; RateLimited, Unauthorized and Unreachable end the run."""
        self._look_up()
        for request in self.answers.unanswered():  # listings
            if question.only_rest(request.address):
                self.answers.take(request, self.by_rest.outcome(request))
            else:
                self.answers.take(request, self._attempt(self._index, request))
        found = list(self.answers.fetching())
        self._fetch(progress)
        self._read_again(
            [row for request, members in found if request.address.kind == "item" for row in members.rows.values()]
        )

    def _attempt(self, step: Callable[..., Outcome], request: Request, *more: object) -> Outcome:
        """Run a step of one request: what goes wrong stays with it."""
        try:
            return step(request, *more)
        except Missing as missing:
            return of_missing(missing)
        except FATAL:
            raise
        except Withdrawn:
            return self.by_rest.outcome(request)
        except Refused as error:
            if error.status != 403:
                return Waits(error)
            return self.without_token.outcome(request)  # a token can hide what is public
        except GitHubError as error:
            return Waits(error)

    # -- by name

    def _look_up(self) -> None:
        by_name: dict[str, list[Request]] = {}
        for request in self.answers.requests:
            by_name.setdefault(request.address.repository, []).append(request)
        for wanted in lookups(self.answers.requests, graphql.LOOKUPS):
            try:
                found = self.graph.lookup(wanted)
            except FATAL:
                raise
            except GitHubError as error:
                for name, numbers, milestones in wanted:
                    for request in by_name[name]:
                        if _concerns(request, numbers, milestones):
                            by_rest = isinstance(error, Withdrawn)
                            self.answers.take(request, self.by_rest.outcome(request) if by_rest else Waits(error))
                continue
            for (name, numbers, milestones), lookup in zip(wanted, found, strict=True):
                concerned = [request for request in by_name[name] if _concerns(request, numbers, milestones)]
                self._looked_up(name, lookup, concerned)

    def _looked_up(self, name: str, lookup: Lookup, requests: Sequence[Request]) -> None:
        self.titles |= {(name, number): title for number, title in lookup.milestones.items()}
        if lookup.repository is not None and lookup.repository.public:
            self.ledger.found(name, lookup.repository)
        open_ = set(self.answers.unanswered())
        for request in requests:
            if request not in open_:
                continue
            if request.address.is_listing and question.milestone_number(request.address) in lookup.milestones:
                continue  # its index comes next
            self.answers.take(request, self._attempt(self._of_lookup, request, lookup))

    def _of_lookup(self, request: Request, lookup: Lookup) -> Outcome:
        home = lookup.repository
        if home is None:
            return self._no_repository(request, lookup.trouble)
        if not home.public:
            return NotPublic(home)
        if request.address.kind == "repository":
            return self._repository(request, home)
        if request.address.is_listing:
            return NotFound()  # its milestone is not there
        row = lookup.items[request.address.number]
        return Members({row.node_id: row}, home=home) if isinstance(row, IndexRow) else self._no_item(request, row)

    def _no_repository(self, request: Request, trouble: Trouble | None) -> Outcome:
        if trouble == "forbidden":
            return self.without_token.outcome(request)
        if trouble == "not_found":
            return NotFound()
        self.rest.repository(request.address.repository)  # Missing, if it is
        return Waits(GitHubError("GitHub did not tell of the repository"))

    def _repository(self, request: Request, home: SourceRepository) -> Outcome:
        self.ledger.caused([home.node_id], request.cause)
        self.ledger.repository(content.repository(home, self.rest.readme(home), self.ledger.now()), request.key)
        return Members({}, home=home)

    def _no_item(self, request: Request, trouble: Trouble) -> Outcome:
        """A number that GraphQL does not find may have moved: only REST leads on."""
        if trouble == "forbidden":
            return self.without_token.outcome(request)
        row = self.rest.issue(request.address.repository, request.address.number).index
        if row.key != request.key:
            self.ledger.transferred(request.key, row)
        return Members({row.node_id: row}, home=row.repository)

    # -- listings

    def _index(self, request: Request) -> Outcome:
        number = question.milestone_number(request.address)
        title = self.titles.get((request.address.repository, number)) if number is not None else None
        for attempt in range(1, TRIES + 1):
            reader = IndexReader(self.graph, self.ledger, request, title, self.max_members)
            match reader.read(doubt_emptiness=attempt == 1):
                case Doubtful(problem, members):
                    outcome: Outcome = members or Waits(GitHubError(problem))
                case NoRepository("broken"):
                    outcome = self._no_repository(request, "broken")
                    if not isinstance(outcome, Waits):
                        return outcome
                case NoRepository(trouble):
                    return self._no_repository(request, trouble)
                case found:
                    return found
            self.graph.client.back_off(attempt)
        return outcome

    # -- whole items

    def _fetch(self, progress: Progress) -> None:
        rows: dict[str, IndexRow] = {}
        for _, members in self.answers.fetching():
            rows = dict(members.rows) | rows
        changed = self._changed(rows)
        self.answers.arrived()
        done = len(rows) - len(changed)
        progress(done, len(rows))
        for batch in self.items.fetch(changed):
            items, failed = _items(batch, self.ledger.now())
            self.ledger.items(items)
            self.answers.arrived(item.node_id for item in items)
            for node_id, trouble in failed.items():
                self._failed(rows[node_id], trouble)
            self.answers.arrived()
            done += len(items) + len(failed)
            progress(done, len(rows))

    def _changed(self, rows: Mapping[str, IndexRow]) -> list[IndexRow]:
        """Those that are new or have another updatedAt; the others are confirmed."""
        ids = list(rows)
        known: dict[str, Version] = {}
        for start in range(0, len(ids), VERSIONS):
            known |= self.ledger.store.versions(ids[start : start + VERSIONS])
        anew = {node_id for request, members in self.answers.fetching() if request.anew for node_id in members.rows}
        changed: list[IndexRow] = []
        same: list[IndexRow] = []
        for node_id, row in rows.items():
            version = known.get(node_id)
            unmoved = version is not None and version.updated_at == row.updated_at
            (same if unmoved and node_id not in anew else changed).append(row)
        self.ledger.confirm(same)
        self.answers.arrived(row.node_id for row in same)
        return changed

    def _failed(self, row: IndexRow, trouble: Trouble) -> None:
        """One item that GraphQL does not give: gone since the index, denied to the token, or too much for it."""
        if trouble != "not_found":
            try:
                rest = self.rest if trouble == "broken" else self.without_token.rest
                found = rest.issue(row.repository.name, row.number)
                self.ledger.items([rest.item(found, self.ledger.now())])
                self.answers.arrived([row.node_id])
                return
            except Missing:
                pass
            except RateLimited:
                if trouble == "broken":
                    raise
                self._all_of(row, Limited())
                return
            except FATAL:
                raise
            except GitHubError as error:
                self._all_of(row, Waits(error))
                return
        for request in self.answers.awaiting(row.node_id):
            if request.address.is_listing:
                self.answers.left(request, row)
            else:
                self.answers.take(request, self.by_rest.outcome(request))  # it may have moved

    def _all_of(self, row: IndexRow, outcome: Outcome) -> None:
        for request in self.answers.awaiting(row.node_id):
            self.answers.take(request, outcome)

    def _read_again(self, rows: Iterable[IndexRow]) -> None:
        """Read pull requests that changed a moment ago once more: what they close shows some seconds later."""
        now = self.ledger.clock()
        fresh = {row.node_id: row for row in rows if row.kind == "pull_request" and now - _changed_at(row) < SETTLING}
        if not fresh:
            return
        self.ledger.sleep(SETTLING)
        for batch in self.items.fetch(list(fresh.values())):
            self.ledger.items(_items(batch, self.ledger.now())[0], again=True)


def _concerns(request: Request, numbers: Sequence[int], milestones: Sequence[int]) -> bool:
    """Whether a lookup of these numbers and milestones of its repository says anything of a request."""
    if request.address.is_listing:
        return question.milestone_number(request.address) in milestones
    return request.address.kind == "repository" or request.address.number in numbers


def _changed_at(row: IndexRow) -> float:
    return datetime.fromisoformat(row.updated_at).timestamp()


def _items(batch: Fetched, at: str) -> tuple[list[Item], dict[str, Trouble]]:
    """What a batch brought as items, and what it did not; an item whose repository is not public any more is gone."""
    items: list[Item] = []
    failed = dict(batch.failed)
    for node in batch.nodes:
        try:
            if content.source_repository(node["repository"]).public:
                items.append(content.item(node, at))
            else:
                failed[node["id"]] = "not_found"
        except Malformed:
            failed[node["id"]] = "broken"
    return items, failed
