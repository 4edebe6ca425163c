"""What the pages are about, read from the files and the store; the only module of the dashboard that reads them.

A store or file that is away costs its own part of a page: the sentence that says so stands there instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

from rg_core import paths, times
from rg_core.address.model import Address
from rg_core.config import Config, load
from rg_core.dashboard import explored
from rg_core.dashboard import stored as shelves
from rg_core.dashboard.memory import SESSIONS, MemoryFacts, Session, Span
from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.nouns import counted
from rg_core.reading.diff import diff
from rg_core.reading.local import local_answer
from rg_core.reading.query import answer, instant
from rg_core.recall.asking import MOST, question
from rg_core.recall.own import OwnRecall
from rg_core.store import open_store
from rg_core.store.model import Entry, Facets, Item, Repository, Selection, StateFacts
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.telemetry.caller import terminal
from rg_core.telemetry.cite import cite, estimator, noted_text, request
from rg_core.telemetry.explored import Event, Explored, Recalled, exploring
from rg_core.telemetry.panels import NEVER, asking
from rg_core.telemetry.scope import scope_of
from rg_core.telemetry.wrap import Wrap, keep_quiet, wrap
from rg_core.touches.database import TouchLog

SEARCH_SECONDS = 1.0  # for bringing the index up to date
SHOWN_BY = 3  # recalls on a resource's page
STRIP_EVENTS = 400  # of the last sessions together


class Changed(Exception):
    """The identity in config.toml is another one than when the dashboard started."""


class Source:
    """Facts for one user on this machine. Every call looks at the configuration anew."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """The user is the one that config.toml names now.

        Raises:
            UserError: if it names none.
        """
        self.environ = environ
        self.user = load(environ).require_user()
        touches = paths.outbox_file(environ)
        if not os.path.exists(touches):
            TouchLog(touches).record([])

    def config(self) -> Config:
        """The configuration as it is now.

        Raises:
            Changed: if it names somebody else.
        """
        config = load(self.environ)
        if config.user != self.user:
            raise Changed
        return config

    def asked(self, days: int, agent: str, project: str) -> Span:
        """What the Memory page of the last `days` days, today included, is about.

        Raises:
            Changed: see `config`.
            UserError: if a file cannot be read.
        """
        return self._asked(self.config(), days, agent, project, paths.telemetry_file(self.environ))

    def _asked(self, config: Config, days: int, agent: str, project: str, telemetry: str | None) -> Span:
        tomorrow = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        with exploring(telemetry, paths.outbox_file(self.environ), self.user) as mine:
            agents, projects, last = mine.agents(), mine.projects(), mine.latest()
        return Span(
            self.user, days, times.stamp(tomorrow - timedelta(days=days)), times.stamp(tomorrow),
            agent, project, agents, projects, last, config.telemetry.enabled,
        )  # fmt: skip

    def memory(self, days: int, agent: str, project: str) -> MemoryFacts:
        """The facts of the Memory page: the last `days` days, today included.

        Without the file of telemetry, where that is in trouble, there is still what the Touches tell.

        Raises:
            Changed: see `config`.
            UserError: if the Touches cannot be read.
        """
        config = self.config()
        telemetry = paths.telemetry_file(self.environ)
        try:
            return self._memory(config, self._asked(config, days, agent, project, telemetry), telemetry)
        except UserError as error:
            facts = self._memory(config, self._asked(config, days, agent, project, None), None)
            return replace(facts, trouble=[str(error), *facts.trouble])

    def _memory(self, config: Config, asked: Span, telemetry: str | None) -> MemoryFacts:
        scope = scope_of(
            config, self.environ, since=asked.since, until=asked.until, agent=asked.agent, project=asked.project,
            declaring=telemetry is not None,
        )  # fmt: skip
        touches = paths.outbox_file(self.environ)
        with asking(telemetry, touches, scope) as question:
            panels, moves = question.panels(), question.moves()
        sessions = panels["wraps"][-SESSIONS:]
        with exploring(telemetry, touches, self.user) as mine:
            events = mine.events(STRIP_EVENTS, sessions=[row["session"] for row in sessions])
        addresses = [row["address"] for row in (*panels["top_cited"], *panels["never_cited"])]
        titles, trouble = self._titles(config, addresses)
        return MemoryFacts(
            **{field.name: getattr(asked, field.name) for field in fields(asked)}, panels=panels, moves=moves,
            sessions=_sessions(sessions, events), titles=titles, stored=scope.stored, rework_bytes=scope.rework_bytes,
            trouble=[trouble] if trouble else [],
        )  # fmt: skip

    def wrap_up(self) -> None:
        """Keep the counts of sessions that are over; what cannot be kept now is kept another time."""
        with suppress(UserError, Changed):
            keep_quiet(*self._files(), scope_of(self.config(), self.environ, counting=False), times.now())

    def stored(self, asked: shelves.Asked, before: str, next_page: str) -> shelves.StoredView:
        """A page of what is stored; `before` is the address at which the page before ended, "" for the first.

        `next_page` is the address of this question's list; what comes after it is added to it.
        """
        config = self.config()
        if asked.q:
            return self._searched(config, asked)
        wanted = Selection(asked.kind, asked.repo, asked.state, asked.label)  # type: ignore[arg-type]
        own = asked.kind in shelves.OWN
        try:
            with _opened(config, self.environ) as store:
                found = [] if own else store.browse(wanted, shelves.STEP + 1, self._entry(store, before))
                counts, repositories, facets = self._offered(config, store)
            rows = self._own_rows(config, asked, before) if own else [shelves.row_of(entry) for entry in found]
        except StoreUnavailable as error:
            return shelves.StoredView(asked, (), (), (), shelves.NO_FACETS, "", trouble=[str(error)])
        more = len(rows) > shelves.STEP
        rows = rows[: shelves.STEP]
        summary = "Latest change first." if rows else "Nothing stored matches that."
        return shelves.StoredView(
            asked, rows, shelves.counts_by_kind(counts), repositories, facets, summary,
            f"{next_page}{rows[-1].address}" if more else "",
        )  # fmt: skip

    def _offered(self, config: Config, store: Store) -> tuple[Mapping[str, int], Sequence[tuple[str, int]], Facets]:
        """What can be filtered by, with how many there are: kinds, repositories, states and labels."""
        return self._counts(config, store), list(store.repositories().items()), store.facets(shelves.LABELS)

    def _counts(self, config: Config, store: Store) -> Mapping[str, int]:
        with closing(OwnTexts(config, self.environ, paths.here())) as texts:
            own = texts.store.counts(texts.user)
        return {**store.counts(), "documents": own.get("document", 0), "notes": own.get("note", 0)}

    def _own_rows(self, config: Config, asked: shelves.Asked, before: str) -> list[shelves.StoredRow]:
        """The user's documents or notes after one of these, latest change first; one more than a page has."""
        with closing(OwnTexts(config, self.environ, paths.here())) as texts:
            found = [page for page in texts.store.pages(texts.user).values() if page.kind == asked.kind]
        rows = [shelves.row_of_text(page) for page in found if not page.deleted]
        rows.sort(key=lambda row: (row.updated_at, row.address), reverse=True)
        start = next((place for place, row in enumerate(rows, 1) if row.address == before), 0)
        return rows[start : start + shelves.STEP + 1]

    def _searched(self, config: Config, asked: shelves.Asked) -> shelves.StoredView:
        """What recall finds for words; asked from here it leaves no event."""
        kinds = [asked.kind] if asked.kind else None
        wanted = {"query": asked.q, "kinds": kinds, "repository": asked.repo or None, "limit": shelves.STEP}
        try:
            with _opened(config, self.environ) as store, closing(self._recall(config, store)) as own:
                own.catch_up(SEARCH_SECONDS)
                recalled = own.ask(question(wanted))
                counts, repositories, facets = self._offered(config, store)
        except (StoreUnavailable, UserError) as error:
            return shelves.StoredView(asked, (), (), (), shelves.NO_FACETS, "", trouble=[str(error)])
        rows = [
            shelves.StoredRow(
                one.address, one.kind, shelves.MARKS[one.kind], one.title or one.address, "", "", one.snippet
            )
            for one in recalled.results
        ]
        said = f"{counted(len(rows), 'results')}, best first, as recall finds them."
        if recalled.match == "weak":
            said = "Nothing in memory matches well; the nearest:"
        summary = said if rows else "Nothing stored matches that."
        return shelves.StoredView(asked, rows, shelves.counts_by_kind(counts), repositories, facets, summary)

    def _recall(self, config: Config, store: Store) -> OwnRecall:
        return OwnRecall(config, self.environ, paths.here(), store)

    def listing(self, address: str, page: int) -> shelves.ListingView | None:
        """A page of a stored listing, or of one that follows from a wider one; None where memory has no answer.

        Raises:
            StoreUnavailable: if memory is away.
        """
        try:
            asked = Address.parse(address)
        except ValueError:
            return None
        if not asked.is_listing:
            return None
        with _opened(self.config(), self.environ) as store:
            found = answer(store, asked, page=page)
        return shelves.listing_view(found, page) if found.listing else None

    def history(self, address: str) -> shelves.History | None:
        """Every version of a resource, a document or a note; None if it is not stored.

        Raises:
            StoreUnavailable: if memory is away.
        """
        config = self.config()
        chain: Sequence[StateFacts]
        with closing(OwnTexts(config, self.environ, paths.here())) as texts:
            own = texts.concerns(address)
            chain = texts.store.history(texts.user, address) if own else ()
        if not own:
            with _opened(config, self.environ) as store:
                chain = store.history(address)
        return shelves.History(address, chain) if chain else None

    def item(self, address: str, as_of: str, whole: shelves.Whole = shelves.FIRST) -> shelves.ItemFacts | None:
        """One resource, now or as of a time; None if it is not stored, or was not then.

        Raises:
            UserError: if `as_of` is not a time.
            StoreUnavailable: if memory is away.
        """
        config = self.config()
        at = instant(as_of) if as_of else None
        if text := self._own_text(config, address, at):
            return text
        with _opened(config, self.environ) as store:
            reading = store.read(address, at)
            if reading is None:
                return None
            own = reading.resource.address
            edges, chain = store.edges(own), store.history(own)
            others = {end for edge in edges for end in (edge.source, edge.target)} - {own}
            titles = _titles(store, sorted(others)[:60])
            change = _last_change(store, own, [state.valid_from for state in chain])
            listings = [(found.address, found.member_count) for found in store.listings_with(own)]
        node_id = reading.resource.node_id
        with self._exploring() as mine:
            about, recalls = mine.about(own, node_id), mine.showing(node_id, SHOWN_BY)
        return shelves.ItemFacts(
            reading, edges, titles, listings, chain, change, about, recalls, at or "", times.now(),
            whole, reading.resource.fetched_at,
        )  # fmt: skip

    def _own_text(self, config: Config, address: str, at: str | None) -> shelves.ItemFacts | None:
        """A document or a note of the user's own; None for what is on GitHub."""
        with closing(OwnTexts(config, self.environ, paths.here())) as texts:
            if not texts.concerns(address):
                return None
            found = local_answer(texts, address, at)
            if not found.reading:
                return None
            chain = texts.found(found.asked).history()
            reading = found.reading
        node_id = reading.resource.node_id
        with self._exploring() as mine:
            about, recalls = mine.about(found.asked, node_id), mine.showing(node_id, SHOWN_BY)
        return shelves.ItemFacts(
            reading,
            (),
            {},
            (),
            chain,
            "",
            about,
            recalls,
            at or "",
            times.now(),
            shelves.FIRST,
            reading.resource.fetched_at,
        )

    def diff(self, address: str, since: str, until: str) -> shelves.Difference | None:
        """What changed between two versions, the newest change by default; None if there are no two versions.

        Raises:
            UserError: if a time is none.
            StoreUnavailable: if memory is away.
        """
        with _opened(self.config(), self.environ) as store:
            chain = store.history(address)
            times = [state.valid_from for state in chain]
            if len(times) < 2:
                return None
            older, newer = instant(since) if since else times[-2], instant(until) if until else times[-1]
            first, second = store.read(address, older), store.read(address, newer)
            lines = diff(first, second).split("\n") if first and second else []
        return shelves.Difference(
            address, older, newer, lines, [(state.valid_from, state.event_type) for state in chain]
        )

    def events(self, address: str, session: str, before: str) -> list[Event]:
        """What was explored before a time, newest first.

        Raises:
            Changed: see `config`.
            UserError: if a file cannot be read.
        """
        self.config()
        with self._exploring() as mine:
            return mine.events(
                explored.STEP, begins=address, sessions=[session] if session else None, before=before or NEVER
            )

    def session(self, session: str) -> tuple[Wrap, list[Event]] | None:
        """One session's wrap and its events, newest first; None if nothing is known of it."""
        scope = scope_of(self.config(), self.environ, session=session)
        found = wrap(*self._files(), scope, session)
        if found is None:
            return None
        with self._exploring() as mine:
            return found, mine.events(explored.STEP, sessions=[session])

    def recall(self, id: str) -> tuple[Recalled, Mapping[str, str], Mapping[str, Sequence[str]]] | None:
        """One recall, the titles of its results, and their paths; None if this user has none of that id."""
        config = self.config()
        with self._exploring() as mine:
            recalled = mine.recall(id)
        if recalled is None:
            return None
        titles, _ = self._titles(config, [str(row["address"]) for row in recalled.results])
        return recalled, titles, self._paths(config, recalled)

    def _paths(self, config: Config, recalled: Recalled) -> Mapping[str, Sequence[str]]:
        """By memory id, how the graph reached a result; telemetry keeps no words of it, so the graph is asked again.

        It is asked as it was at the time of the recall, and cannot be where the words of the query are not kept.
        """
        query = str(recalled.event["query"])
        if not query or all(row["graph_rank"] is None for row in recalled.results):
            return {}
        then = str(recalled.event["as_of"] or recalled.event["at"])
        asked = question({"query": query, "as_of": then, "limit": MOST})
        with suppress(StoreUnavailable, UserError):
            with _opened(config, self.environ) as store, closing(self._recall(config, store)) as own:
                found = own.ask(asked, legs=("graph",), embed=False)
            return {result.memory_id: result.paths for result in found.results}
        return {}

    def mark(self, recall: str, memory_id: str, kind: str) -> str:
        """Note what the person says of a recall's result; what was noted, in words.

        Raises:
            UserError: if that recall did not show it, or there is no such kind.
        """
        config = self.config()
        asked = request(memory_id, kind, recall)
        whose = terminal(config, self.environ)
        store, texts = open_store(config, self.environ), OwnTexts(config, self.environ, paths.here())
        with closing(store), closing(texts):
            noted = cite(
                *self._files(), asked, whose, times.now(), find=lambda word: word,
                estimated=estimator(lambda: store, texts), given_by="user",
            )  # fmt: skip
        return noted_text(noted)

    def forgetting(self, address: str) -> shelves.ForgetView:
        """What would go with a stored resource.

        Raises:
            StoreUnavailable: if memory is away.
        """
        config = self.config()
        with _opened(config, self.environ) as store:
            reading, versions = store.read(address), len(store.history(address))
            if reading is None:
                return shelves.ForgetView(address, "Forget", refused="It is not stored.")
            if store.can.shared:
                why = f"Your team shares this memory. Only the command takes from it: rg-memory forget {address}"
                return shelves.ForgetView(address, "Forget", refused=why)
        with self._exploring() as mine:
            touches = mine.about(address, reading.resource.node_id)["touches"]
        resource = reading.resource
        comments = len(resource.comments) if isinstance(resource, Item) else 0
        goes = [
            f"{address} with {counted(versions, 'versions')} and {counted(comments, 'comments')}",
            f"{touches:,} of your Touches of it, and what was counted of it",
        ]
        return shelves.ForgetView(address, "Forget this?", goes)

    @contextmanager
    def _exploring(self) -> Iterator[Explored]:
        with exploring(*self._files(), self.user) as found:
            yield found

    def _files(self) -> tuple[str, str]:
        return paths.telemetry_file(self.environ), paths.outbox_file(self.environ)

    def _titles(self, config: Config, addresses: Iterable[str]) -> tuple[Mapping[str, str], str]:
        """Titles of what is stored of these, and why the store could not tell, where it could not."""
        try:
            with _opened(config, self.environ) as store:
                return _titles(store, addresses), ""
        except (StoreUnavailable, UserError) as error:
            return {}, str(error)

    @staticmethod
    def _entry(store: Store, address: str) -> Entry | None:
        reading = store.read(address) if address else None
        if reading is None:
            return None
        resource = reading.resource
        kind = resource.kind if isinstance(resource, Item) else "repository"
        return Entry(address, kind, "", "", (), "", resource.updated_at, "", 0)


@contextmanager
def _opened(config: Config, environ: Mapping[str, str]) -> Iterator[Store]:
    store = open_store(config, environ)
    try:
        store.init()
        yield store
    finally:
        store.close()


def _titles(store: Store, addresses: Iterable[str]) -> Mapping[str, str]:
    found = {}
    for address in dict.fromkeys(addresses):
        reading = store.read(address)
        if reading:
            resource = reading.resource
            found[address] = resource.name if isinstance(resource, Repository) else resource.title
    return found


def _last_change(store: Store, address: str, times: Sequence[str]) -> str:
    if len(times) < 2:
        return ""
    older, newer = store.read(address, times[-2]), store.read(address, times[-1])
    return diff(older, newer) if older and newer else ""


def _sessions(wraps: Sequence[Mapping[str, object]], events: Sequence[Event]) -> Sequence[Session]:
    """The last sessions, newest first, with their events in order."""
    of: dict[str, list[Event]] = {}
    for event in events:
        of.setdefault(event.session, []).append(event)
    return [
        Session(row, mine[0].harness, list(explored.marks(reversed(mine))))
        for row in reversed(wraps) if (mine := of.get(str(row["session"])))
    ]  # fmt: skip
