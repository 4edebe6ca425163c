"""The few words of a text that show why it was found. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rg_core.documents.edges import body
from rg_core.recall.folding import unfolded
from rg_core.store.search import Term

LONGEST = 240  # characters
HEADING = re.compile(r"^ {0,3}(?:# .*|#{2,6}(?= ))", re.MULTILINE)  # the title, and what marks the others


def snippet(text: str, terms: Sequence[Term]) -> str:
    """The part of a text, on one line, that has most of the terms; its beginning where it has none."""
    line = " ".join(HEADING.sub("", body(unfolded(text))).split())
    if len(line) <= LONGEST:
        return line
    wanted = {word for term in terms for word in re.findall(r"\w+", term.text.lower()) if len(word) > 2}
    places = [match.start() for word in wanted for match in re.finditer(re.escape(word[:12]), line.lower())]
    start = max(places, key=lambda place: (_found(line, place, wanted), -place), default=0)
    start = max(0, min(start - LONGEST // 4, len(line) - LONGEST))
    if start:
        start = line.find(" ", start) + 1 or start
    part = line[start : start + LONGEST]
    if start + LONGEST < len(line):
        part = part.rpartition(" ")[0] or part
    return f"{'…' if start else ''}{part}{'…' if start + LONGEST < len(line) else ''}"


def _found(line: str, place: int, wanted: set[str]) -> int:
    part = line[max(0, place - LONGEST // 4) : place + 3 * LONGEST // 4].lower()
    return sum(word[:12] in part for word in wanted)
