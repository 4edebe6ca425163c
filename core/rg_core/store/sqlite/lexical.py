"""The full-text leg of the index on this machine: FTS5, rare terms first until a budget of postings is used up."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from rg_core.store.search import Hit, LexicalHits, Scope, Term
from rg_core.store.sqlite import sql_recall as sql
from rg_core.store.sqlite.scope import valid, values

BUDGET = 500_000  # postings; a fifth of a second
ROWS_A_MEMORY = 4  # of full text that are looked at for each memory that is wanted


@dataclass(frozen=True, slots=True)
class _Word:
    """A term of a query, quoted, and in how many rows of each table it stands."""

    text: str
    counts: tuple[int, ...]
    is_phrase: bool


@dataclass(frozen=True, slots=True)
class _Match:
    """A row of full text, whose it is, and how good it is; higher is better."""

    piece: int
    memory: str
    score: float


class Terms:
    """What the tokenizer makes of words; kept for one connection."""

    def __init__(self) -> None:
        self._of: sqlite3.Connection | None = None

    def stems(self, db: sqlite3.Connection, terms: Sequence[Term]) -> list[tuple[str, ...]]:
        """The indexed words of each term: one, or those of a phrase; none for what has no letters."""
        if self._of is not db:
            db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(word, tokenize='{sql.TOKENIZE}')")
            db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_word USING fts5vocab(temp, asked, 'instance')")
            self._of = db
        db.execute("DELETE FROM temp.asked")
        db.executemany("INSERT INTO temp.asked (rowid, word) VALUES (?, ?)", enumerate(term.text for term in terms))
        found: list[dict[int, str]] = [{} for _ in terms]
        for row in db.execute("SELECT doc, offset, term FROM temp.asked_word"):
            found[row["doc"]][row["offset"]] = row["term"]
        return [tuple(words[place] for place in sorted(words)) for words in found]


def search(db: sqlite3.Connection, asked: Terms, terms: Sequence[Term], scope: Scope, limit: int) -> LexicalHits:
    """Memories by any of the terms, best first, and the coverage of the best three rows."""
    tables = ("now", "past") if scope.as_of else ("now",)
    words = _counted(db, asked, terms, tables)
    kept = _within_budget(words)
    if not kept:
        return LexicalHits()
    matches = _matches_then(db, kept, scope, limit) if scope.as_of else _matches(db, kept, scope, limit)
    best: dict[str, float] = {}
    for match in matches:
        best.setdefault(match.memory, match.score)
    hits = tuple(Hit(memory, max(score, 0.0)) for memory, score in list(best.items())[:limit])
    return LexicalHits(hits, _coverage(db, matches[:3], words, tables))


def _counted(db: sqlite3.Connection, asked: Terms, terms: Sequence[Term], tables: Sequence[str]) -> list[_Word]:
    """The terms with how many rows have them, by table; of a phrase, how many have its rarest word."""
    stems = asked.stems(db, terms)
    counts: dict[str, tuple[int, ...]] = {}
    for word in {word for words in stems for word in words}:
        found = (db.execute(sql.WORD.format(table=table), (word,)).fetchone() for table in tables)
        counts[word] = tuple(row["doc"] if row else 0 for row in found)
    return [
        _Word(quoted(term.text), min((counts[word] for word in words), key=sum), len(words) > 1)
        for term, words in zip(terms, stems, strict=True)
        if words
    ]


def _within_budget(words: Sequence[_Word]) -> list[_Word]:
    """The terms to ask for: rare ones first, until the budget is used up; at least one."""
    kept: dict[str, _Word] = {}
    left = BUDGET
    for word in sorted(words, key=lambda one: (sum(one.counts), one.text)):
        count = sum(word.counts)
        if kept and count > left:
            break
        left -= count
        if count:
            kept.setdefault(word.text, word)
    return list(kept.values())


def _matches(db: sqlite3.Connection, kept: Sequence[_Word], scope: Scope, limit: int) -> list[_Match]:
    """Rows of open States, best first."""
    match = " OR ".join(word.text for word in kept)
    if scope.is_whole and not db.execute(sql.OTHERS, {"user": scope.user}).fetchone():
        found = db.execute(sql.FOUND_WHOLE, {"match": match, "limit": limit * ROWS_A_MEMORY}).fetchall()
        matches: list[_Match] = []
        memories: set[str] = set()
        for start in range(0, len(found), limit):  # a row a memory, most often: then the first part is all
            part = found[start : start + limit]
            ids = json.dumps([piece for piece, _ in part])
            owner = dict(db.execute(sql.MEMORIES_OF_PIECES, (ids,)).fetchall())
            matches += [_Match(piece, owner[piece], -score) for piece, score in part]
            memories.update(owner.values())
            if len(memories) >= limit:
                break
        return matches
    statement = sql.FOUND.format(scope=sql.SCOPE, valid=valid(scope))
    rows = db.execute(statement, values(scope) | {"match": match, "limit": limit * ROWS_A_MEMORY})
    return [_Match(row["piece"], row["memory_id"], -row["score"]) for row in rows]


def _matches_then(db: sqlite3.Connection, kept: Sequence[_Word], scope: Scope, limit: int) -> list[_Match]:
    """Rows of the States of a time, best first: each term's score by what it is worth in both tables together."""
    sizes = [db.execute(sql.SIZE[table]).fetchone()[0] for table in ("now", "past")]
    parts, asked = [], values(scope) | {"limit": limit * ROWS_A_MEMORY}
    for place, word in enumerate(kept):
        worth = _idf(sum(sizes), sum(word.counts))
        for table, size, count in zip(("now", "past"), sizes, word.counts, strict=True):
            if count:
                parts.append(sql.SCORED[table].format(place=place))
                asked |= {f"match{place}": word.text, f"{table}{place}": worth / _idf(size, count)}
    statement = sql.FOUND_THEN.format(parts=" UNION ALL ".join(parts), scope=sql.SCOPE, valid=valid(scope))
    return [_Match(row["piece"], row["memory_id"], -row["score"]) for row in db.execute(statement, asked)]


def _idf(rows: int, count: int) -> float:
    """The weight that FTS5's BM25 gives a term."""
    return max(math.log((rows - count + 0.5) / (count + 0.5)), 1e-6) if rows >= count else 1e-6


def _coverage(db: sqlite3.Connection, best: Sequence[_Match], words: Sequence[_Word], tables: Sequence[str]) -> float:
    """How much of the single words' idf the best of these rows has; words too frequent to ask for count too."""
    rows = max(1, db.execute(sql.ROWS).fetchone()[0] or 0)  # about as many as there are
    weights = {word.text: math.log((rows + 1) / (sum(word.counts) + 0.5)) for word in words if not word.is_phrase}
    total = sum(weights.values())
    if not best or total <= 0:
        return 0.0
    had = dict.fromkeys((match.piece for match in best), 0.0)
    ids = json.dumps(list(had))
    for table in tables:
        for text, weight in weights.items():
            for row in db.execute(sql.HAS_TERM.format(table=table), (text, ids)):
                had[row["rowid"]] += weight
    return max(had.values()) / total


def quoted(text: str) -> str:
    """A term that is no syntax, whatever is in it."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'
