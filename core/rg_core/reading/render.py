"""Answers as text for a model: at most 18,000 bytes each, other people's words framed as quoted data.

The size is what all six harnesses let through whole (Copilot CLI 1.0.102 cuts above 19,012 characters, Grok Build
1.0.41 above 20,000 bytes). It counts the JSON around the text too. Pages are the same for every call on one State.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rg_core.address.model import ANY_REPOSITORY, repository_of
from rg_core.github.content import mentions
from rg_core.harness.tool_names import LISTING_URI, STATE_URI
from rg_core.nouns import counted
from rg_core.reading.framing import GITHUB, clean, framed, one_line, size, split
from rg_core.reading.query import PAGE_ROWS, Answer, Rows
from rg_core.store.model import Comment, Item, Repository, Row, StateFacts
from rg_core.store.texts import Document

LARGEST = 18_000  # bytes of one answer
ENVELOPE = 600  # of it for the JSON around the text
HEAD = 2_600  # for the lines above and around the quoted text
ROOM = LARGEST - ENVELOPE - HEAD
LONGEST_KEY = 600  # of an address in the head; longer ones are shown cut
CLOSERS = 5  # pull requests that close an issue, named in the head
LEAST_REST = 400  # a block is begun on a page only if so much of it fits
OUR_HEADS = re.compile(r"^(?=--- (?:comment |README|text$|\d+ changed file))", re.MULTILINE)
CONTINUED = "[continues on the next page]"


def render(answer: Answer, page: int = 1) -> str:
    """The text of one page of an answer. A page that is not there says how many there are."""
    if answer.outcome == "miss":
        return _miss(answer)
    if answer.listing:
        return _listing(answer, answer.listing, page)
    assert answer.reading
    resource = answer.reading.resource
    pages = paginate(blocks(resource))
    if page > len(pages):
        return _beyond(shown_key(answer.asked), page, len(pages))
    head = [
        f"{kind_name(answer)} {shown_key(resource.address)} from memory ({answer.outcome}). "
        f"Page {page} of {len(pages)}.",
        *in_parts(resource, len(pages)),
        *tied(answer),
        freshness(answer),
        f"This version never changes and can be read again as {STATE_URI}{answer.reading.state_id}",
    ]
    if page < len(pages):
        head.append(_next(page))
    return "\n".join([*head, framed(pages[page - 1], origin(resource))])


def in_parts(resource: Repository | Item | Document, pages: int) -> list[str]:
    """How to read less than all of an answer of several pages."""
    if pages < 2 or not isinstance(resource, Item):
        return []
    return [f'All of it is {counted(pages, "pages")}. Less: page "outline", find "words", or page "1-20" for comments.']


def blocks(resource: Repository | Item | Document) -> Iterator[str]:
    """A resource as blocks of clean text, in the order of their worth."""
    if isinstance(resource, Item):
        return item_blocks(resource)
    return document_blocks(resource) if isinstance(resource, Document) else repository_blocks(resource)


def origin(resource: Repository | Item | Document) -> str:
    """Where a resource's text comes from, for the frame around it."""
    if not isinstance(resource, Document):
        return GITHUB
    return "a note" if resource.kind == "note" else "a project's document"


def render_history(answer: Answer, chain: Sequence[StateFacts], causes: dict[str, str], page: int) -> str:
    """The versions of a resource, oldest first. `causes`: in words, by their id, as far as the user may know them."""
    pages = paginate(history_line(facts, causes) for facts in chain)
    if page > len(pages):
        return _beyond(f"The history of {shown_key(answer.asked)}", page, len(pages))
    head = [
        f"History of {shown_key(answer.asked)} as memory knows it: {counted(len(chain), 'versions')}. "
        f"Page {page} of {len(pages)}."
    ]
    if answer.reading:
        head.append(freshness(answer))
    if page < len(pages):
        head.append(f'Next page: the same call with page "history {page + 1}".')
    head.append(f"Read one as it was: the same call with as_of set to its time, or {STATE_URI}ID.")
    return "\n".join([*head, pages[page - 1]])


def history_line(facts: StateFacts, causes: dict[str, str]) -> str:
    """One version as one line."""
    until = f" until {facts.valid_until}" if facts.valid_until else ", current"
    cause = f", because {causes[facts.cause]}" if facts.cause in causes else ""
    what = facts.event_type or "first known"
    return f"- {facts.valid_from}{until}: {what} (learned {facts.recorded_at}{cause}) {facts.id}"


def item_blocks(item: Item) -> Iterator[str]:
    """An issue or pull request as blocks of clean text, in the order of their worth."""
    yield item_head(item)
    yield written(item.body) or "(no text)"
    if ties := links(item):
        yield "\n".join(ties)
    for number, comment in enumerate(item.comments, 1):
        yield comment_block(comment, number)
    if item.files:
        yield f"--- {counted(len(item.files), 'changed files')}\n" + written("\n".join(map(_flat, item.files)))


def item_head(item: Item) -> str:
    """What an issue or pull request is: title, state, people, times, labels; clean, a line each."""
    return "\n".join(map(_flat, _item_facts(item)))


def brief_head(item: Item) -> str:
    """The same in short, for a part that says how many comments there are and stands under the latest change."""
    state = item.state + (f" ({item.state_reason})" if item.state_reason else "")
    ended = item.merged_at or item.closed_at
    facts = [f"{state} {ended[:10]}" if ended else state, f"by {item.author}", f"created {item.created_at[:10]}"]
    if item.kind == "pull_request":
        facts += [f"base {item.base_ref}", counted(len(item.files), "changed files")]
    return "\n".join(map(_flat, [f"# {item.title}", " · ".join(facts), *_belonging(item)]))


def links(item: Item, most: int | None = None) -> list[str]:
    """What it is tied to, a clean line a kind; told apart by what its own text names.

    With a `most` it is short: so many of each, those of the same repository as #12.
    """
    here = f"{item.address.rpartition('#')[0]}#"
    named = set(mentions((item.body, *(comment.body for comment in item.comments)), item.repository))
    closes = set(item.closes)
    kinds = (
        ("closes", item.closes),
        ("mentions", [key for key in item.references if key in named and key not in closes]),
        ("mentioned by", [key for key in item.references if key not in named and key not in closes]),
    )
    return [
        clean(
            f"{kind}: {', '.join(key.replace(here, '#', 1) if most else key for key in keys[:most])}"
            + (f" and {len(keys) - most} more" if most and len(keys) > most else "")
        )
        for kind, keys in kinds
        if keys
    ]


def tied(answer: Answer) -> list[str]:
    """What only the whole memory knows of it, a line each: where it was before, what closes it."""
    lines = [f"moved: what was {shown_key(answer.moved_from)} is now this"] if answer.moved_from else []
    if answer.closed_by:
        more = f" and {len(answer.closed_by) - CLOSERS} more" if len(answer.closed_by) > CLOSERS else ""
        lines.append(f"closed by: {', '.join(answer.closed_by[:CLOSERS])}{more}")
    return lines


def repository_blocks(repository: Repository) -> Iterator[str]:
    """A repository as blocks of clean text."""
    yield (
        f"# {_flat(repository.name)}\n{_flat(repository.description) or '(no description)'}\n"
        f"pushed {repository.pushed_at} · updated {repository.updated_at}"
    )
    yield f"--- README\n{written(repository.readme)}" if repository.readme else "(no README)"


def document_blocks(document: Document) -> Iterator[str]:
    """A document or a note as blocks of clean text: what is known of it, its edges, its text."""
    facts = [f"{name} {value}" for name, value in document.facts.items() if value]
    names = f" ({', '.join(document.names)})" if document.names else ""
    lines = [f"# {_flat(document.title)}{_flat(names)}", _flat(" · ".join([*facts, f"since {document.updated_at}"]))]
    lines += [_flat(f"{edge.verb} {edge.target} ({edge.section})") for edge in document.edges]
    yield "\n".join(lines)
    yield f"--- text\n{written(document.text)}"


def paginate(blocks: Iterable[str]) -> list[str]:
    """Pack blocks of clean text into pages of at most ROOM, whole where possible, in order; at least one page."""
    pages: list[str] = []
    page, left = "", ROOM
    for block in blocks:
        rest = block
        while rest:
            space = left - (4 if page else 0)
            if size(rest) <= space:
                page, rest = f"{page}\n\n{rest}" if page else rest, ""
                left = ROOM - size(page)
                continue
            if space > LEAST_REST and size(rest) > ROOM // 2:  # too large to be worth a page of its own: fill this one
                part, rest = split(rest, space - len(CONTINUED) - 2)
                page = f"{page}\n\n{part}\n{CONTINUED}" if page else f"{part}\n{CONTINUED}"
            pages.append(page)
            page, left = "", ROOM
    return [*pages, page] if page or not pages else pages


def row_lines(rows: Rows, room: int = ROOM) -> list[str]:
    """Index rows as lines that fit into `room` together: long titles and many labels are cut where they must be."""
    several = repository_of(rows.source.address) == ANY_REPOSITORY
    lines = [_row(row, several=several) for row in rows.rows]
    if sum(size(line) + 2 for line in lines) <= room:
        return lines
    each = room // len(lines) - 2
    return [_row(row, several=several, most=each) for row in rows.rows]


def _row(row: Row, *, several: bool, most: int = 4_000) -> str:
    name = row.address if several else f"#{row.number}"
    facts = f"{row.state} · updated {row.updated_at} · {counted(row.comments, 'comments')}"
    left = max(40, most - size(name) - size(facts) - 16)
    labels = one_line(", ".join(row.labels), left * 2 // 5) if row.labels else ""
    return f"- {name} [{facts}] {one_line(row.title, left - size(labels))}" + (f" · labels: {labels}" if labels else "")


def _listing(answer: Answer, rows: Rows, page: int) -> str:
    pages = max(1, -(-rows.member_count // PAGE_ROWS))
    if page > pages:
        return _beyond(shown_key(answer.asked), page, pages)
    first = rows.offset + 1 if rows.rows else 0
    of = f"{rows.member_count}" + ("" if rows.complete else f" (of {_total(rows)} on GitHub)")
    order = answer.question.order if answer.question else ""
    head = [
        f"Listing {shown_key(answer.asked)} from memory ({answer.outcome}). "
        f"Rows {first} to {rows.offset + len(rows.rows)} of {of}, order {order}. Page {page} of {pages}.",
        freshness(answer),
    ]
    if answer.outcome == "subsumed":
        head.append(
            f"Derived from the listing {shown_key(rows.source.address)}, by each member's version as last fetched."
        )
    head.append(f"The listing as it was fetched never changes and can be read again as {LISTING_URI}{rows.source.id}")
    if not rows.complete and answer.outcome == "hit" and not rows.source.complete:
        head.append(
            "It was fetched with a limit. All of it: fetch it with a higher one (gh: --limit 1000), then a sweep."
        )
    head.append("Read one whole: the same call with its number, e.g. owner/repo#123.")
    if page < pages:
        head.append(_next(page))
    if not rows.rows:
        return "\n".join([*head, "Nothing matched when it was fetched."])
    return "\n".join([*head, framed("\n".join(row_lines(rows)))])


def _miss(answer: Answer) -> str:
    why = f": {one_line(answer.why, 1_200)}" if answer.why else ""
    then = f" as of {answer.as_of}" if answer.as_of else ""
    if answer.is_local:
        return f"Not in memory{then} (miss): {shown_key(answer.asked)}{why}."
    return (
        f"Not in memory{then} (miss): {shown_key(answer.asked)}{why}.\n"
        "Fetch it from GitHub as you would without memory (gh, web, GitHub's MCP server); what was fetched is "
        "remembered by the next sweep. This answer schedules nothing."
    )


def freshness(answer: Answer) -> str:
    """The facts to judge freshness by, on one line."""
    seen = "last_verified_at" if answer.is_local else "fetched_at"
    parts = [f"{seen} {answer.fetched_at} (age_days {answer.age_days()})"]
    if answer.updated_at:
        parts.append(f"updated_at {answer.updated_at}" + (" (the latest of these rows)" if answer.listing else ""))
    parts.append(f"superseded {'yes: memory has a newer version' if answer.superseded else 'no'}")
    if answer.deleted_at:
        parts.append(f"{'deleted' if answer.is_local else 'deleted on GitHub'}, as seen {answer.deleted_at}")
    if answer.as_of:
        parts.insert(0, f"as of {answer.as_of}")
    return " · ".join(parts)


def _next(page: int) -> str:
    return f"Next page: the same call with page {page + 1}."


def _item_facts(item: Item) -> Iterator[str]:
    reason = f" ({item.state_reason})" if item.state_reason else ""
    yield f"# {item.title}"
    yield f"#{item.number} · {item.state}{reason} · by {item.author} · {counted(len(item.comments), 'comments')}"
    yield f"created {item.created_at} · updated {item.updated_at}" + (
        f" · closed {item.closed_at}" if item.closed_at else ""
    )
    yield from _belonging(item)
    if item.kind == "pull_request":
        merged = f"merged {item.merged_at}" if item.merged_at else "not merged"
        yield f"{merged} · base {item.base_ref} · {counted(len(item.files), 'changed files')}"


def _belonging(item: Item) -> Iterator[str]:
    if item.labels:
        yield f"labels: {', '.join(item.labels)}"
    if item.assignees:
        yield f"assignees: {', '.join(item.assignees)}"
    if item.milestone:
        yield f"milestone: {item.milestone}"


def comment_block(comment: Comment, number: int) -> str:
    """A comment with its head, clean."""
    return f"{comment_head(comment, number)}\n{written(comment.body)}"


def comment_head(comment: Comment, number: int, *, brief: bool = False) -> str:
    """The line above a comment; `brief`: its day alone, where the text under it is not whole."""
    edited = f" · edited {comment.updated_at}" if comment.updated_at != comment.created_at else ""
    when = comment.created_at[:10] if brief else f"{comment.created_at}{edited}"
    path = f" · on {comment.path}" if comment.path else ""
    hidden = f" · hidden on GitHub as {comment.minimized}" if comment.minimized else ""
    return one_line(f"--- comment {number} · by {comment.author} · {when}{path}{hidden}", 1_000)


def _flat(text: str) -> str:
    """What somebody named, clean and on one line: nothing that looks like a line of ours."""
    return clean(text).replace("\n", " ")


def written(text: str) -> str:
    """What somebody wrote, unable to pass for the beginning of somebody else's part."""
    return OUR_HEADS.sub(" ", clean(text).strip())


def kind_name(answer: Answer) -> str:
    """What it is, at the beginning of a sentence."""
    return {
        "issue": "Issue",
        "pull_request": "Pull request",
        "repository": "Repository",
        "document": "Document",
        "note": "Note",
    }.get(answer.kind, answer.kind)


def shown_key(key: str) -> str:
    """A key for a line of ours."""
    return one_line(key, LONGEST_KEY)


def _beyond(what: str, page: int, pages: int) -> str:
    return f"{what} has {counted(pages, 'pages')}; there is no page {page}. Ask for a page from 1 to {pages}."


def _total(rows: Rows) -> str:
    return str(rows.total) if rows.total >= 0 else "an unknown number"
