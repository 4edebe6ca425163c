"""Questions put to memory: what is stored at an address, or that it is not and why. Records nothing, schedules nothing.

The one place that both `rg-memory show` and the MCP server ask. Everything about an answer is a fact here; how it is
shown is rg_core.reading.render's and the commands' business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rg_core import paths, times
from rg_core.address import Found, of_argument
from rg_core.address.github.search import recall_call
from rg_core.address.matching import choose, derivable, searchable
from rg_core.address.model import CREATED_DESC, Address, scheme_of
from rg_core.errors import UserError
from rg_core.git import remotes
from rg_core.reading.framing import one_line
from rg_core.store.model import Item, Reading, Row, StoredListing
from rg_core.store.protocol import Store

PAGE_ROWS = 50  # of a listing
ALL_ROWS = 2**31
LONGEST_ARGUMENT = 10_000  # characters

AnswerKind = Literal["repository", "issue", "pull_request", "listing", "document", "note", ""]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a listing answer. `total` is how many GitHub had; `complete`: the answer (not the rows) has all."""

    rows: tuple[Row, ...]
    offset: int
    member_count: int  # of the whole answer
    total: int
    complete: bool
    source: StoredListing


@dataclass(frozen=True, slots=True)
class Answer:
    """What memory says to one question."""

    outcome: Literal["hit", "subsumed", "miss"]
    asked: str  # canonical key; the argument as it came where it names no address
    kind: AnswerKind
    question: Address | None = None
    as_of: str | None = None
    reading: Reading | None = None
    listing: Rows | None = None
    superseded: bool = False  # something newer of it is stored
    closed_by: tuple[str, ...] = ()  # keys of stored pull requests that close this issue
    why: str = ""  # of a miss, where there is more to say than that it is not stored

    @property
    def is_local(self) -> bool:
        """Whether it is about a document or a note of the user, not about GitHub."""
        return self.kind in ("document", "note")

    @property
    def moved_from(self) -> str:
        """The address that was asked for, where what was there has another one now; "" where it has not."""
        known = self.reading.resource.address if self.reading and not self.as_of else self.asked
        return self.asked if known != self.asked else ""

    @property
    def fetched_at(self) -> str:
        """When it was fetched from GitHub; "" for a miss."""
        if self.reading:
            return self.reading.resource.fetched_at
        return self.listing.source.fetched_at if self.listing else ""

    @property
    def updated_at(self) -> str:
        """When it last changed on GitHub as far as is known; of a listing, the latest of its rows here; "" for none."""
        if self.reading:
            return self.reading.resource.updated_at
        return max((row.updated_at for row in self.listing.rows), default="") if self.listing else ""

    @property
    def deleted_at(self) -> str:
        """When it was seen to be gone from GitHub, if this is its last version; "" if it was not."""
        return (self.reading.valid_until or "") if self.reading and not self.superseded else ""

    def age_days(self, now: float | None = None) -> float:
        """Days since it was fetched, to a tenth; `now` in seconds since 1970."""
        if not self.fetched_at:
            return 0.0
        return max(0.0, round(((now or time.time()) - times.seconds(self.fetched_at)) / 86_400, 1))


def finder(environ: Mapping[str, str]) -> Callable[[str], Found]:
    """What an argument names for somebody in this process's directory and environment: gh's own rules."""

    def find(argument: str) -> Found:
        return of_argument(argument, paths.here(), lambda directory: remotes(directory, environ), environ)

    return find


def answer(
    store: Store,
    asked: str | Address,
    *,
    page: int = 1,
    rows: int = PAGE_ROWS,
    as_of: str | None = None,
    find: Callable[[str], Found] = of_argument,
) -> Answer:
    """What memory has at an address, or at what an argument names; of a listing the page-th `rows` rows.

    `as_of`: as it was at that source time (normalised by `instant`). `find` reads an argument; see `finder`.

    Raises:
        UserError: for an argument that is too long or names several addresses.
        StoreUnavailable: when memory is away.
    """
    if isinstance(asked, Address):
        address, bare = asked, False
    else:
        found = find(_checked(asked))
        if not found.addresses:
            return Answer("miss", asked.strip(), "", as_of=as_of, why=found.why)
        if len(found.addresses) > 1:
            some = ", ".join(one_line(str(address), 200) for address in found.addresses[:5])
            raise UserError(f"that names {len(found.addresses)} addresses ({some}); ask for one at a time")
        address, bare = found.addresses[0], bool(scheme_of(asked.strip()))
    if not address.is_listing:
        return _resource(store, address, as_of)
    return _listing(store, address, bare=bare, page=page, rows=rows, as_of=as_of)


def instant(text: str) -> str:
    """A time as memory writes it, from ISO 8601: a date is its midnight, no zone is UTC.

    Raises:
        UserError: if it is not one.
    """
    try:
        return times.instant(text)
    except ValueError:
        raise UserError(f"{text[:60]!r} is not a time; write it like 2026-04-15T00:00:00Z") from None


def _checked(argument: str) -> str:
    if len(argument) > LONGEST_ARGUMENT:
        raise UserError(f"an address of {len(argument)} characters is too long; name one issue, repository or listing")
    return argument


def _resource(store: Store, address: Address, as_of: str | None) -> Answer:
    key = str(address)
    reading = store.read(key, as_of)
    if reading:
        kind = reading.resource.kind if isinstance(reading.resource, Item) else "repository"
        closed_by = _closed_by(store, reading.resource.address) if kind == "issue" and not as_of else ()
        return Answer("hit", key, kind, address, as_of, reading, superseded=reading.superseded, closed_by=closed_by)
    why = ""
    if as_of and (chain := store.history(key)):
        why = f"not known before {chain[0].valid_from}"
    if not why and address.kind == "repository":
        why = _of_it(store, address.repository)
    return Answer("miss", key, "repository" if address.kind == "repository" else "", address, as_of, why=why)


def _closed_by(store: Store, issue: str) -> tuple[str, ...]:
    return tuple(edge.source for edge in store.edges(issue) if edge.type == "CLOSES" and edge.target == issue)


def _of_it(store: Store, repository: str) -> str:
    """What is stored of a repository that is not stored itself; "" if that is nothing."""
    items = store.repositories().get(repository.lower(), 0)
    listings = [*store.candidates(repository, "issues"), *store.candidates(repository, "pulls")]
    told = [f"{items} of its issues and pull requests"] if items else []
    told += [f"{one.address} ({'all' if one.complete else 'the first'} {one.member_count})" for one in listings[:5]]
    return f"its description and README are not stored, but of it memory has {', '.join(told)}" if told else ""


def _listing(store: Store, question: Address, *, bare: bool, page: int, rows: int, as_of: str | None) -> Answer:
    stored = _candidates(store, question, as_of)
    chosen = choose(stored, question)
    if chosen is None and bare:
        chosen, question = _as_stored(stored, question)
    if chosen is None:
        why = _not_yet(store, question, as_of) or _why_not(stored, question)
        return Answer("miss", str(question), "listing", question, as_of, why=why)
    listing, outcome = chosen
    return Answer(
        outcome,
        str(question),
        "listing",
        question,
        as_of,
        listing=_rows(store, listing, question, outcome, (page - 1) * rows, rows, as_of),
        superseded=as_of is not None and _is_superseded(store, listing),
    )


def _candidates(store: Store, question: Address, as_of: str | None) -> Sequence[StoredListing]:
    return store.candidates(question.repository, "issues" if question.kind == "issues" else "pulls", as_of)


def _as_stored(
    stored: Sequence[StoredListing], question: Address
) -> tuple[tuple[StoredListing, Literal["hit"]] | None, Address]:
    """A bare key names neither limit nor order: it asks for its listing as far, and in the order, it is stored."""
    own = [one for one in stored if one.address == str(question) and (one.member_count or one.complete)]
    if not own:
        return None, question
    freshest = max(own, key=lambda listing: (listing.fetched_at, listing.member_count))
    return (freshest, "hit"), question.asking(max(1, freshest.member_count), freshest.order)


def _rows(
    store: Store, listing: StoredListing, question: Address, outcome: str, offset: int, rows: int, as_of: str | None
) -> Rows:
    """The rows, read without the question's limit, so that one query tells both the rows and how many there are."""
    limit = question.limit or ALL_ROWS
    whole = store.page(listing, question.asking(None, question.order), offset, max(0, min(rows, limit - offset)), as_of)
    count = min(whole.count, limit)
    total = whole.count
    if outcome == "hit" and not listing.complete:
        total = listing.total_count
    return Rows(whole.rows, offset, count, total, listing.complete and count == whole.count, listing)


def _is_superseded(store: Store, listing: StoredListing) -> bool:
    now = store.listing(listing.address, listing.order)
    return now is not None and now[0].id != listing.id


def _not_yet(store: Store, question: Address, as_of: str | None) -> str:
    """That what would answer by now was fetched later than `as_of` for the first time; "" if it is not so."""
    if not as_of:
        return ""
    chosen = choose(_candidates(store, question, None), question)
    since = store.listed_since(chosen[0].address if chosen else str(question))
    return f"not known before {since}" if since and since > as_of else ""


def _why_not(stored: Sequence[StoredListing], question: Address) -> str:
    for listing in stored:
        if listing.address == str(question) and not listing.complete:
            of = f" of {listing.total_count}" if listing.total_count >= 0 else ""
            in_order = "" if listing.order == CREATED_DESC else f" in order {listing.order}"
            then = f"; it can answer for at most that many (--limit {listing.member_count})"
            return (
                f"memory has the first {listing.member_count}{of} of this listing{in_order}, "
                f"fetched {listing.fetched_at}{then if listing.member_count else ''}"
            )
    whole, call = searchable(stored, question), recall_call(question)
    if whole and call:
        return (
            f"only GitHub knows what it finds for that search, but memory holds all {whole.member_count} items of "
            f"{whole.address}, fetched {whole.fetched_at}, and searches them by {call}"
        )
    if stored and not derivable(question):
        return (
            "memory has other listings of this repository, but these filters or this order cannot be derived from them"
        )
    if stored:
        return "memory has other listings of this repository, but none is complete and wide enough to answer this one"
    return ""
