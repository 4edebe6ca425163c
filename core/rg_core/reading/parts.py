"""Part of an issue, pull request or document instead of all of it: outline, some comments, what has some words. Pure.

Memory can answer in part, which no fetch can: that is where it saves tokens. A part says what it leaves out and how to
read that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rg_core.nouns import counted
from rg_core.reading.framing import framed, one_line, size, split
from rg_core.reading.query import PAGE_ROWS, Answer
from rg_core.reading.render import (
    ROOM,
    brief_head,
    comment_block,
    comment_head,
    freshness,
    kind_name,
    links,
    origin,
    row_lines,
    shown_key,
    tied,
    written,
)
from rg_core.store.model import Comment, Item, Reading, Row

OUTLINE = (1_000, 5_200)  # bytes of the quoted text at least and at most for 150 comments: a tenth of the whole between
OUTLINED = 150  # comments
FOUND = (500, 4_000)  # likewise of what has some words: a sixteenth
BODY = (240, 600)  # likewise of its own text in an outline: a twenty-fifth
QUOTED = (">", "```")  # how a line begins that somebody else wrote, or that only opens code
PASSAGE = (120, 300)  # bytes of what is shown of one comment: the fewer, the more of them match
COMMENT_HEAD = 60  # bytes of the line above them, about
NAMED = 12  # references of a kind
WHOLE = 2**31  # room without a limit
READ = 200  # members of a listing whose bodies are looked at
WORD = re.compile(r"\w+(?:[-./#:]\w+)*")


@dataclass(frozen=True, slots=True)
class Part:
    """The quoted text of a part, and one line that says what it is of what."""

    says: str
    text: str


def render_part(answer: Answer, part: Part) -> str:
    """A part as the text of an answer."""
    assert answer.reading
    resource = answer.reading.resource
    head = [f"{kind_name(answer)} {shown_key(resource.address)} from memory ({answer.outcome}). {part.says}",
            *tied(answer), freshness(answer)]  # fmt: skip
    return "\n".join([*head, framed(part.text, origin(resource))] if part.text else head)


def matching_rows(rows: Sequence[Row], words: str, read: Callable[[str], Reading | None]) -> tuple[Sequence[Row], str]:
    """The rows of a listing whose title, or of the first READ of them whose body, has all of the words; and what it is.

    `read` gives the resource at an address.
    """
    wanted = terms(words)
    found = []
    for place, row in enumerate(rows):
        body = ""
        if not _has(row.title, wanted, every=True) and place < READ and (reading := read(row.address)):
            body = reading.resource.body if isinstance(reading.resource, Item) else ""
        if _has(f"{row.title}\n{body}", wanted, every=True):
            found.append(row)
    bodies = "" if len(rows) <= READ else f" (of the bodies, the first {READ})"
    says = f"{counted(len(found), 'rows')} of {len(rows)} with all of the words {one_line(words, 100)!r}{bodies}."
    return found, says


def render_rows(answer: Answer, found: Sequence[Row], says: str) -> str:
    """Some rows of a listing as the text of an answer: as many as fit, the rest as their numbers."""
    assert answer.listing
    head = [f"Listing {shown_key(answer.asked)} from memory ({answer.outcome}). {says}", freshness(answer)]
    shown = found[:PAGE_ROWS]
    if rest := found[PAGE_ROWS:]:
        head.append(f"Not shown: {', '.join(f'#{row.number}' for row in rest[:100])}{' …' if len(rest) > 100 else ''}")
    if not shown:
        return "\n".join(head)
    lines = row_lines(replace(answer.listing, rows=tuple(shown)))
    return "\n".join([*head, framed("\n".join(lines))])


def outline(item: Item) -> Part:
    """What it is, how it begins, one line a comment, and what it is tied to; at most 6 KB for 150 comments."""
    body, rest = split(written(item.body) or "(no text)", _room(item, BODY, 25))
    head = [brief_head(item), f"{body}…" if rest else body, *links(item, NAMED)]
    count = len(item.comments)
    room = int(_room(item, OUTLINE, 10) * max(1.0, count / OUTLINED)) - size("\n\n".join(head))
    days = [comment.created_at[:10] for comment in item.comments]
    dates = [day if day != before else "" for before, day in zip(["", *days], days, strict=False)]
    each = max(20, min(120, (room - size("".join(dates))) // count - 3)) if count else 0
    lines = [
        one_line(_line(comment, number, date), each + size(date))
        for number, (comment, date) in enumerate(zip(item.comments, dates, strict=True), 1)
    ]
    says = f"Outline of it: {counted(count, 'comments')}, one line each, the date where it changes."
    if count:
        says += f' Read some whole: page "1-{min(count, 20)}". Only what has some words: find.'
    return Part(says, "\n\n".join([*head, "\n".join(lines)]))


def comments(item: Item, first: int, last: int, room: int = ROOM) -> Part:
    """Comments `first` to `last` whole, as many of them as fit into `room` bytes; numbers from 1."""
    count = len(item.comments)
    last = min(last, count)
    shown: list[str] = []
    for number in range(first, last + 1):
        block = comment_block(item.comments[number - 1], number)
        if size("\n\n".join([*shown, block])) > room:
            if not shown:
                shown.append(split(block, room - 40)[0] + "\n[cut: longer than one answer]")
                number += 1
            last = number - 1
            break
        shown.append(block)
    if not shown:
        return Part(f"There is no comment {first}: it has {counted(count, 'comments')}.", "")
    more = f' Next: page "{last + 1}-{min(count, last + 20)}".' if last < count else ""
    return Part(f"Comments {first} to {last} of {count}, whole.{more}", "\n\n".join(shown))


def matching(item: Item, words: str) -> Part:
    """The head, and only the passages that have the words, by comment, in order; how many there are of them."""
    wanted = terms(words)
    texts = [item.body, *(comment.body for comment in item.comments)]
    found = [number for number, text in enumerate(texts) if _has(text, wanted, every=True)]
    every = bool(found)
    if not every:
        found = [number for number, text in enumerate(texts) if _has(text, wanted, every=False)]
    if not found:
        return Part(_says(item, words, found, 0, every=False), "")
    head = f"# {one_line(item.title, 300)} · {item.state}"
    room = _room(item, FOUND, 16) - size(head)
    each = max(PASSAGE[0], min(PASSAGE[1], room // len(found) - COMMENT_HEAD))
    shown: list[str] = []
    for number in found:
        block = _passages(item, number, wanted, each)
        if shown and size("\n\n".join([*shown, block])) > room:
            break
        shown.append(block)
    return Part(_says(item, words, found, len(shown), every=every), "\n\n".join([head, *shown]))


def terms(words: str) -> list[str]:
    """What to look for, in lower case: each word or identifier once."""
    return list(dict.fromkeys(word.casefold() for word in WORD.findall(words[:1_000])))


def _line(comment: Comment, number: int, date: str) -> str:
    """Number, author, date if one is given, and the first words that are not quoted from somebody."""
    lines = comment.body[:2_000].split("\n")
    own = [line for line in lines if not line.lstrip().startswith(QUOTED)]
    return " ".join([*filter(None, (str(number), comment.author, date)), *" ".join(own if any(own) else lines).split()])


def _has(text: str, wanted: Sequence[str], *, every: bool) -> bool:
    folded = text.casefold()
    hits = (word in folded for word in wanted)
    return bool(wanted) and (all(hits) if every else any(hits))


def _passages(item: Item, number: int, wanted: Sequence[str], room: int) -> str:
    """The head of a comment (0: the body) and the lines of it that have a word, cut around it: about `room` bytes."""
    text = item.body if number == 0 else item.comments[number - 1].body
    head = "--- its own text" if number == 0 else comment_head(item.comments[number - 1], number, brief=True)
    lines = [line for line in written(text).split("\n") if any(word in line.casefold() for word in wanted)]
    passages: list[str] = []
    left = room
    for line in lines:
        if left < 60:
            passages.append(f"[{counted(len(lines) - len(passages), 'more lines')} of it match]")
            break
        passages.append(_around(line, wanted, left))
        left -= size(passages[-1])
    return "\n".join([head, *passages])


def _around(line: str, wanted: Sequence[str], room: int) -> str:
    """A line, or its part with the first word that is wanted, in at most `room` bytes."""
    if size(line) <= room:
        return line
    folded = line.casefold()
    place = min((folded.find(word) for word in wanted if word in folded), default=0)
    start = max(0, place - room // 4)
    cut, _ = split(line[start:], room - 6)
    return f"{'…' if start else ''}{cut}…"


def _says(item: Item, words: str, found: Sequence[int], shown: int, *, every: bool) -> str:
    numbers = [number for number in found if number]
    where = ([f"{counted(len(numbers), 'comments')} of {len(item.comments)}"] if numbers else []) + (
        ["its own text"] if 0 in found else []
    )
    if not found:
        return f"Nothing in its text or its {counted(len(item.comments), 'comments')} has {one_line(words, 100)!r}."
    which = "all of the words" if every else "no part has all of the words; some of them"
    rest = [str(number) for number in found[shown:]]
    more = (
        f" Not shown for their size: comments {', '.join(rest[:30])}{' …' if len(rest) > 30 else ''}." if rest else ""
    )
    return f'Only the parts with {which} {one_line(words, 100)!r}: {" and ".join(where)}.{more} Whole ones: page "N-N".'


def _room(item: Item, bounds: tuple[int, int], part: int) -> int:
    """One part of so many of the whole, between the bounds."""
    whole = size(item.body) + sum(size(comment.body) + 80 for comment in item.comments)
    return max(bounds[0], min(bounds[1], whole // part))


def ranged(page: str) -> tuple[int, int] | None:
    """The comments that `page` names, as "40-60" or "40"; None if it names none."""
    match = re.fullmatch(r"\s*([1-9][0-9]{0,6})\s*[-–]\s*([1-9][0-9]{0,6})\s*", page)
    if not match or int(match[1]) > int(match[2]):
        return None
    return int(match[1]), int(match[2])
