"""The pages of what is stored: the list, and one resource. Pure; what other people wrote is only ever text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import parse_qsl

from markupsafe import Markup

from rg_core.address.model import place, repository_of, without_scheme
from rg_core.dashboard import pictures, words
from rg_core.dashboard.markdown import rendered
from rg_core.nouns import counted
from rg_core.reading.query import PAGE_ROWS, Answer
from rg_core.store.model import Edge, Entry, Facets, Item, Reading, Repository, Row, StateFacts
from rg_core.store.texts import Document, Page

LABELS = 200  # that are offered, the most frequent
STEP = 50  # rows of a list, comments of an item
MARKS = {"repository": "repo", "issue": "issue", "pull_request": "pull", "document": "doc", "note": "note"}
KINDS = (("repository", "repositories"), ("issue", "issues"), ("pull_request", "pull requests"),
         ("document", "documents"), ("note", "notes"))  # fmt: skip
OWN = ("document", "note")  # kinds of the user's own texts
EDGES = ("closes", "closed by", "mentions", "mentioned by", "in a listing")  # the order of the sectors


@dataclass(frozen=True, slots=True)
class Asked:
    """The question in the address bar; an empty field leaves all in."""

    q: str = ""
    kind: str = ""
    repo: str = ""
    state: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One line of the list."""

    address: str
    kind: str
    mark: str
    title: str
    state: str
    updated_at: str
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class StoredView:
    """The list of what is stored; `next` is the address of the page after this one, "" on the last."""

    asked: Asked
    rows: Sequence[StoredRow]
    kinds: Sequence[tuple[str, str, int]]
    repositories: Sequence[tuple[str, int]]
    facets: Facets
    summary: str
    next: str = ""
    step: int = STEP
    trouble: Sequence[str] = ()


NO_FACETS = Facets({}, {})


def row_of(entry: Entry) -> StoredRow:
    """An Entry of the store as a line."""
    title = entry.title or without_scheme(entry.address)
    return StoredRow(entry.address, entry.kind, MARKS[entry.kind], title, entry.state, entry.updated_at)


def row_of_text(page: Page) -> StoredRow:
    """A document or a note as a line."""
    state = page.facts.get("status", "") or page.facts.get("kind", "")
    return StoredRow(page.address, page.kind, MARKS[page.kind], page.title, state, page.valid_from)


def counts_by_kind(counts: Mapping[str, int]) -> Sequence[tuple[str, str, int]]:
    """(kind, what many of them are called, how many are stored), of `Store.counts`."""
    return [(kind, many, counts.get(many.replace(" ", "_"), 0)) for kind, many in KINDS]


@dataclass(frozen=True, slots=True)
class Whole:
    """Of what everything is asked for, and not the first ones."""

    comments: bool
    edges: bool


FIRST = Whole(comments=False, edges=False)


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """One stored resource and what memory and the user have to do with it."""

    reading: Reading
    edges: Sequence[Edge]
    titles: Mapping[str, str]  # address -> title, of the other ends
    listings: Sequence[tuple[str, int]]  # address and number of members, of those that it is in
    chain: Sequence[StateFacts]
    change: str  # the newest change as a diff, "" for a single version
    about: Mapping[str, int]  # sessions, touches, cited
    recalls: Sequence[tuple[str, str]]  # id and time of those that showed it
    as_of: str
    now: str
    whole: Whole
    fetched_at: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The lines of a unified diff between two versions, and every version as (time, what ended the one before)."""

    address: str
    since: str
    until: str
    lines: Sequence[str]
    versions: Sequence[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class History:
    """The chain of versions of a resource, oldest first."""

    address: str
    versions: Sequence[StateFacts]


@dataclass(frozen=True, slots=True)
class ListingView:
    """A page of a stored listing; `next` is the number of the page after it, 0 on the last."""

    address: str
    heading: str
    facts: str
    rows: Sequence[Row]
    next: int
    step: int = PAGE_ROWS


def listing_view(answer: Answer, page: int) -> ListingView:
    """A page of a listing that memory answers."""
    assert answer.listing
    listing = answer.listing
    known = f"{listing.total:,}" if listing.total >= 0 else "an unknown number"
    order = answer.question.order if answer.question else ""
    facts = [order.replace("-desc", ", newest first").replace("-asc", ", oldest first").replace("-", " "),
             f"fetched {words.date(answer.fetched_at)}",
             f"derived from {listing.source.address}" if answer.outcome == "subsumed" else ""]  # fmt: skip
    more = listing.offset + len(listing.rows) < listing.member_count
    return ListingView(
        answer.asked,
        counted(listing.member_count, "rows") + ("" if listing.complete else f" of {known}"),
        " · ".join(fact for fact in facts if fact), listing.rows, page + 1 if more else 0,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ForgetView:
    """Before: what goes. After: that it is done, or why not."""

    address: str
    heading: str
    goes: Sequence[str] = ()
    done: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A body or comment: who wrote it when, and the text."""

    by: str
    html: Markup


@dataclass(frozen=True, slots=True)
class ItemView:
    """What the page of one resource shows."""

    address: str
    name: str
    place: str
    short: str
    title: str
    state: str
    labels: Sequence[str]
    facts: str
    notice: str
    as_of: str
    said: Sequence[Said]
    more: str
    change: Sequence[str]
    around: pictures.Neighbourhood
    around_words: str
    edges: Sequence[pictures.Neighbour]
    left_out: int
    versions: Sequence[Mapping[str, str]]
    you: Markup


def item_view(facts: ItemFacts, link: Callable[[str], str], recall_link: Callable[[str], str]) -> ItemView:
    """The page of one repository, issue or pull request."""
    resource = facts.reading.resource
    address = resource.address
    groups = _groups(facts, address, link)
    around = pictures.neighbourhood(groups)
    is_item = isinstance(resource, Item)
    comments = resource.comments if isinstance(resource, Item) else ()
    return ItemView(
        address=address,
        name=without_scheme(address),
        place=without_scheme(address).replace("#", " / #"),
        short=f"#{resource.number}" if isinstance(resource, Item) else MARKS[_kind(resource)],
        title=resource.name if isinstance(resource, Repository) else resource.title,
        state=resource.state if isinstance(resource, Item) else "",
        labels=resource.labels if isinstance(resource, Item) else (),
        facts=_facts(facts),
        notice=_notice(facts),
        as_of=facts.as_of,
        said=_said(facts),
        more=_more(len(comments)) if is_item and not facts.whole.comments and len(comments) > STEP else "",
        change=facts.change.split("\n") if facts.change else (),
        around=around,
        around_words=_in_words(groups),
        edges=[*chain(*groups)] if facts.whole.edges else [placed.neighbour for placed in around.placed],
        left_out=0 if facts.whole.edges else around.left_out,
        versions=[{"at": state.valid_from, "event": words.event(state.event_type)} for state in reversed(facts.chain)],
        you=_you(facts, recall_link),
    )


def _kind(resource: Repository | Item | Document) -> str:
    return "repository" if isinstance(resource, Repository) else resource.kind


def _facts(facts: ItemFacts) -> str:
    resource = facts.reading.resource
    fetched = f"fetched {words.ago(facts.fetched_at, facts.now)}"
    if isinstance(resource, Repository):
        return f"pushed {words.date(resource.pushed_at)} · {fetched}" if resource.pushed_at else fetched
    if not isinstance(resource, Item):
        return " · ".join([*(f"{name} {text}" for name, text in resource.facts.items() if text), fetched])
    said = [f"by {resource.author}", f"created {words.date(resource.created_at)}"]
    if resource.merged_at:
        said.append(f"merged {words.date(resource.merged_at)} into {resource.base_ref}")
    elif resource.closed_at:
        said.append(f"closed {words.date(resource.closed_at)}")
    said.append(counted(len(resource.comments), "comments"))
    if resource.files:
        said.append(counted(len(resource.files), "changed files"))
    return " · ".join([*said, fetched])


def _notice(facts: ItemFacts) -> str:
    if facts.reading.superseded:
        return f"This is how it was on {words.date(facts.as_of)}. A newer version is stored."
    return ""


def _said(facts: ItemFacts) -> Sequence[Said]:
    resource = facts.reading.resource
    if isinstance(resource, Document):
        return [Said(f"as of {words.date(facts.reading.valid_from)}", rendered(resource.text))]
    if isinstance(resource, Repository):
        said = [Said("what it says of itself", rendered(resource.description))] if resource.description else []
        return [*said, Said("its README", rendered(resource.readme))] if resource.readme else said
    first = Said(f"{resource.author} wrote, {words.date(resource.created_at)}", rendered(resource.body or "*nothing*"))
    shown = resource.comments if facts.whole.comments else resource.comments[:STEP]
    return [first] + [
        Said(
            f"{comment.author} wrote, {words.date(comment.created_at)}"
            + (f" · edited {words.date(comment.updated_at)}" if comment.updated_at != comment.created_at else "")
            + (f" · on {comment.path}" if comment.path else "")
            + (f" · hidden on GitHub: {comment.minimized}" if comment.minimized else ""),
            rendered(comment.body),
        )
        for comment in shown
    ]


def _more(count: int) -> str:
    return f"The other {counted(count - STEP, 'comments')}"


def _groups(facts: ItemFacts, address: str, link: Callable[[str], str]) -> Sequence[Sequence[pictures.Neighbour]]:
    """The neighbours by kind of edge, in the order of EDGES, each sorted by address."""
    found: dict[str, dict[str, pictures.Neighbour]] = {edge: {} for edge in EDGES}
    for edge in facts.edges:
        out = edge.source == address
        other = edge.target if out else edge.source
        word = ("closes" if out else "closed by") if edge.type == "CLOSES" else "mentions" if out else "mentioned by"
        found[word][other] = pictures.Neighbour(
            word,
            "item" if place(other)[1] else "repo",
            _label(other, address),
            facts.titles.get(other, ""),
            link(other),
        )
    for listing, members in facts.listings:
        filters = parse_qsl(without_scheme(listing).partition("?")[2])
        label = ", ".join(text for _, text in filters) or without_scheme(listing)
        found["in a listing"][listing] = pictures.Neighbour(
            "in a listing", "list", label[:18], counted(members, "members"), link(listing)
        )
    closed = {*found["closes"], *found["closed by"]}  # what closes also mentions: once is enough
    return [
        [found[edge][other] for other in sorted(found[edge], key=_sorting)
         if edge not in ("mentions", "mentioned by") or other not in closed]
        for edge in EDGES
    ]  # fmt: skip


def _sorting(address: str) -> tuple[str, int]:
    name, number = place(address)
    return name or address, number


def _label(other: str, address: str) -> str:
    """#12 in the same repository, else owner/repo#12."""
    text = without_scheme(other)
    own = without_scheme(repository_of(address))
    return text.removeprefix(own) if text.startswith(f"{own}#") else text


def _in_words(groups: Sequence[Sequence[pictures.Neighbour]]) -> str:
    said = [f"{group[0].edge} {', '.join(neighbour.label for neighbour in group)}" for group in groups if group]
    return f"Neighbours: {'; '.join(said)}" if said else ""


def _you(facts: ItemFacts, recall_link: Callable[[str], str]) -> Markup:
    about = facts.about
    if not about.get("touches") and not facts.recalls:
        return Markup("You have not explored it in any session that is remembered.")
    said = Markup("Explored in {}, cited {}.").format(
        counted(about["sessions"], "sessions"), counted(about["cited"], "times")
    )
    for recall, at in facts.recalls:
        said += Markup(' <a href="{}">Shown by a recall on {}</a>.').format(recall_link(recall), words.day(at))
    return said
