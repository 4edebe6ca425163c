"""Full text of assets in an SQLite table, the same for every engine: which texts have the terms, best first.

Without bm25, whose figures come from every row that there is, also from what the asking person may not read.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence

from rg_core.store.asset_rows import Hit, TextRow

TABLE = """CREATE VIRTUAL TABLE asset_text USING fts5 (content UNINDEXED, path UNINDEXED, name, body,
  tokenize = 'porter unicode61 remove_diacritics 2')"""
ADD = "INSERT INTO asset_text (content, path, name, body) VALUES (?, ?, ?, ?)"
REMOVE = "DELETE FROM asset_text WHERE content = ?"
FOUND = """SELECT rowid, content, path FROM asset_text
WHERE asset_text MATCH ? AND content IN (SELECT value FROM json_each(?))"""
SNIPPET = "SELECT snippet(asset_text, 3, '', '', '…', 24) FROM asset_text WHERE asset_text MATCH ? AND rowid = ?"


def add(db: sqlite3.Connection, content: str, texts: Sequence[TextRow]) -> None:
    """Add the texts of a content."""
    db.executemany(ADD, ((content, *text) for text in texts))


def remove(db: sqlite3.Connection, contents: Sequence[str]) -> None:
    """Remove the texts of contents; no word of them stays."""
    db.executemany(REMOVE, ((content,) for content in contents))
    db.execute("INSERT INTO asset_text (asset_text) VALUES ('optimize')")  # or the words stay in old segments


def search(db: sqlite3.Connection, terms: Sequence[str], contents: Sequence[str], limit: int) -> Sequence[Hit]:
    """The texts of these contents that have some of the terms, best first: rare terms count more, names most."""
    phrases = ['"' + term.replace('"', '""') + '"' for term in terms]
    named, among = [f"name : {phrase}" for phrase in phrases], json.dumps(list(contents))
    scores: dict[tuple[str, str, int], float] = {}
    for matches, times in ((phrases, 1.0), (named, 3.0)):
        for match in matches:
            rows = db.execute(FOUND, (match, among)).fetchall()
            weight = times * math.log1p(len(contents) / (1 + len({content for _, content, _ in rows})))
            for rowid, content, path in rows:
                place = (content, path, rowid)
                scores[place] = scores.get(place, 0.0) + weight
    best = sorted(scores, key=lambda place: (-scores[place], place))[:limit]
    any_of = " OR ".join(phrases)
    return [
        Hit(content, path, db.execute(SNIPPET, (any_of, rowid)).fetchone()[0], scores[content, path, rowid])
        for content, path, rowid in best
    ]
