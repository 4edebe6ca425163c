"""The full-text leg of a server: its own BM25, asked in its own syntax, in which nothing of a question is syntax."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rg_core.store.bolt import cypher_search as cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.filling import Labels
from rg_core.store.search import Hit, LexicalHits, Term

ROWS_A_MEMORY = 4  # of full text that are looked at for each memory that is wanted
ROWS_THEN = 40  # ... as of a time, which is no matter of the server's index
COVERED = 40  # words whose weight is looked up
FREQUENT = 2_000  # rows of a word that are counted; one of more is taken for so frequent
FIELDS = (("title", "^5"), ("body", ""), ("comments", ""))
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Words:
    """How a server is asked: its own words for that, what a row must be marked with, and which rows."""

    find: Mapping[str, str]
    tags: Sequence[Sequence[str]]  # of each list one
    labels: Labels

    def any_of(self, terms: Sequence[Term]) -> str:
        """A query for rows that have any of the terms."""
        return " ".join(self.having(term.text) for term in terms)

    def having(self, text: str) -> str:
        """A query for rows that have a word or a phrase."""
        return " ".join(f"{self.find['field']}{field}:{quoted(text)}{boost}" for field, boost in FIELDS)

    def marked(self, query: str, tags: Sequence[Sequence[str]] = ()) -> str:
        """A query that only rows answer to that are marked so, which counts nothing."""
        field = f"{self.find['field']}tags"
        marks = (" ".join(f"{field}:{quoted(tag)}^0" for tag in some) for some in (*self.tags, *tags))
        return " ".join([f"+({query})", *(f"+({some})" for some in marks)])


def search(
    run: Run, words: Words, terms: Sequence[Term], values: Mapping[str, Any], limit: int, *, then: bool
) -> LexicalHits:
    """Memories by any of the terms, best first, and the coverage of the best three rows.

    Args:
        run: of one read transaction.
        words: how this server is asked.
        terms: what the question asks for.
        values: the parameters of the scope's conditions.
        limit: of memories.
        then: whether a time is asked for, and not the present.
    """
    if not terms:
        return LexicalHits()
    label = words.labels.text if then else words.labels.now
    name = words.labels.index(label)
    most = limit * (ROWS_THEN if then else ROWS_A_MEMORY)
    asked = [{"words": words.marked(words.any_of(terms))}]
    rows = run(words.find["text"] + cypher.found("HAS_TEXT"), rows=asked, name=name, most=most, **values)
    best: dict[str, float] = {}
    for row in rows:
        best.setdefault(row["memory_id"], max(row["score"], 0.0))
    hits = tuple(Hit(memory, score) for memory, score in list(best.items())[:limit])
    return LexicalHits(hits, _coverage(run, words, label, terms, [row["ref"] for row in rows[:3]]))


def quoted(text: str) -> str:
    """A term that is no syntax, whatever is in it: between double quotes only these and backslashes mean something."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", " ") + '"'


def _coverage(run: Run, words: Words, label: str, terms: Sequence[Term], best: Sequence[str]) -> float:
    """How much of the single words' idf the best of these rows has."""
    single = list(dict.fromkeys(term.text for term in terms if WORD.fullmatch(term.text)))[:COVERED]
    if not best or not single:
        return 0.0
    total, name = run(cypher.rows(label))[0]["n"], words.labels.index(label)
    asked = [{"word": word, "words": words.marked(words.having(word))} for word in single]
    found = run(words.find["text"] + cypher.COUNTED, rows=asked, name=name, most=FREQUENT)
    counts = {row["word"]: row["n"] for row in found}
    weights = {word: max(math.log((total + 1) / (counts.get(word, 0) + 0.5)), 0.0) for word in single}
    asked = [
        {"word": word, "ref": ref, "words": words.marked(words.having(word), [[ref]])}
        for word in counts
        for ref in best
    ]
    had = dict.fromkeys(best, 0.0)
    for row in run(words.find["text"] + cypher.HAS_WORD, rows=asked, name=name, most=1):
        had[row["ref"]] += weights[row["word"]]
    return max(had.values()) / sum(weights.values()) if sum(weights.values()) else 0.0
