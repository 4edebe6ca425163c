"""The few words of a text that show why it was found. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from rg_core.documents.edges import body
from rg_core.recall.folding import unfolded
from rg_core.store.search import Term

LONGEST = 240  # characters
BEGINNING = 12  # characters of a word, behind which it may be inflected
HEADING = re.compile(r"^ {0,3}(?:# .*|#{2,6}(?= ))", re.MULTILINE)  # the title, and what marks the others


def sought(terms: Sequence[Term]) -> frozenset[str]:
    """What to look for in a text: the beginnings of the terms' words."""
    words = (word for term in terms for word in re.findall(r"\w+", term.text.lower()) if len(word) > 2)
    return frozenset(word[:BEGINNING] for word in words)


def snippet(text: str, wanted: Collection[str]) -> str:
    """The part of a text, on one line, that has most of what is `sought`; its beginning where it has nothing of it."""
    line = " ".join(HEADING.sub("", body(unfolded(text))).split())
    if len(line) <= LONGEST:
        return line
    folded = line.lower()
    places = [place for word in wanted for place in _places(folded, word)]
    start = max(places, key=lambda place: (_found(folded, place, wanted), -place), default=0)
    start = max(0, min(start - LONGEST // 4, len(line) - LONGEST))
    if start:
        start = line.find(" ", start) + 1 or start
    part = line[start : start + LONGEST]
    if start + LONGEST < len(line):
        part = part.rpartition(" ")[0] or part
    return f"{'…' if start else ''}{part}{'…' if start + LONGEST < len(line) else ''}"


def _places(folded: str, word: str) -> Iterator[int]:
    place = folded.find(word)
    while place >= 0:
        yield place
        place = folded.find(word, place + len(word))


def _found(folded: str, place: int, wanted: Collection[str]) -> int:
    part = folded[max(0, place - LONGEST // 4) : place + 3 * LONGEST // 4]
    return sum(word in part for word in wanted)
