"""The index on this machine: full text, edges and vectors of everything that its sources tell of, in one private file.

It is made from the other files and can be made again: a new version of it is a new file, built beside the old one.
Every batch is one transaction together with how far its source was read, so a kill at any moment costs nothing but the
batch; the same batch again changes nothing.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from rg_core.store.indexed import SUPERSEDES, Mention, card, drawn, number_of, passage, replaced
from rg_core.store.search import (
    Bare,
    Card,
    GraphEdge,
    Hit,
    Indexed,
    LexicalHits,
    Node,
    PieceText,
    Scope,
    Term,
    VersionText,
)
from rg_core.store.sqlite import file, lexical, nearest
from rg_core.store.sqlite import sql_recall as sql
from rg_core.store.sqlite.scope import valid, values
from rg_core.store.texts import FeedEntry, FeedVersion

T = TypeVar("T")
Row = Mapping[str, Any]
MOST_PIECES = 200  # of a text that are looked at for a passage


class RecallIndex(file.Database):
    """A Searchable of this machine, and what fills it."""

    def __init__(self, path: str, busy_seconds: float = file.BUSY_SECONDS) -> None:
        """Nothing is opened yet."""
        super().__init__(path, busy_seconds, sql.MIGRATIONS)
        self._asked = lexical.Terms()
        self._nearest = nearest.Nearest()

    # -- filling it

    def progress(self, source: str) -> int:
        """Up to which change a source was read."""
        row = self._read(lambda db: db.execute(sql.PROGRESS, (source,)).fetchone())
        return int(row["seq"]) if row else 0

    def indexed(self, source: str, entries: Sequence[FeedEntry]) -> dict[int, set[str]]:
        """The ids of the States that are indexed of each of these, by the entry's row."""

        def whole(db: sqlite3.Connection) -> dict[int, set[str]]:
            rows = {entry.row for entry in entries}
            return {row: {one["uid"] for one in db.execute(sql.UIDS_AT, (source, row))} for row in rows}

        return self._read(whole)

    def put(self, source: str, batch: Sequence[Indexed]) -> None:
        """Index a batch of changes, in their order; of what is gone no byte stays."""

        def whole(db: sqlite3.Connection) -> bool:
            if not batch or batch[-1].entry.seq <= _progress(db, source):
                return False  # another process was first
            removed = [_put(db, source, one) for one in batch]
            db.execute(sql.SET_PROGRESS, (source, batch[-1].entry.seq))
            return any(removed)

        if self._write(whole):
            self.scrub()

    def scrub(self) -> None:
        """Have nothing that was removed stay in the file: full text keeps deleted words until it is optimized."""
        for statement in sql.OPTIMIZE:
            self._write(lambda db, statement=statement: db.execute(statement))  # type: ignore[misc]
        with file.explained(self.path):
            self._db().execute(sql.CHECKPOINT).fetchall()

    def bare(self, limit: int) -> list[Bare]:
        """States without vectors, the open ones first."""

        def whole(db: sqlite3.Connection) -> list[Bare]:
            return [
                Bare(row["id"], row["memory"], tuple(
                    _unpacked(piece["text"]) for piece in db.execute(sql.PIECES_OF, (row["id"],))
                ))
                for row in db.execute(sql.BARE, (limit,)).fetchall()
            ]  # fmt: skip

        return self._read(whole)

    def bare_left(self) -> int:
        """How many States have no vectors."""
        return int(self._read(lambda db: db.execute(sql.BARE_LEFT).fetchone()[0]))

    def use_model(self, model: str) -> None:
        """Say whose vectors these are; vectors of another model are dropped, and made anew."""

        def whole(db: sqlite3.Connection) -> None:
            if _setting(db, "model") != model:
                for statement in sql.DROP_VECTORS:
                    db.execute(statement)
                db.execute(sql.SET_SETTING, ("model", model))
                _count(db)

        if self._read(lambda db: _setting(db, "model")) != model:
            self._write(whole)

    def put_vectors(self, made: Iterable[tuple[Bare, Sequence[bytes]]]) -> None:
        """Store the vectors of States."""

        def whole(db: sqlite3.Connection) -> None:
            for bare, chunks in made:
                if db.execute(sql.SET_EMBEDDED, (bare.version,)).rowcount:  # else it is gone meanwhile
                    db.executemany(sql.ADD_VECTOR, [(bare.memory, bare.version, chunk) for chunk in chunks])
            _count(db)

        self._write(whole)

    def counts(self) -> Mapping[str, int]:
        """How many memories, States and vectors there are."""
        row = self._read(lambda db: db.execute(sql.COUNTS).fetchone())
        return {"memories": row[0], "states": row[1], "vectors": row[2]}

    # -- asking it

    def lexical(self, terms: Sequence[Term], scope: Scope, limit: int) -> LexicalHits:
        """Memories by any of the terms, ranked by BM25."""
        return self._read(lambda db: lexical.search(db, self._asked, terms, scope, limit))

    def similar(self, vector: Any, model: str, scope: Scope, limit: int) -> Sequence[Hit] | None:
        """Memories by the cosine of their nearest chunk; None if there are no vectors of this model."""

        def whole(db: sqlite3.Connection) -> Sequence[Hit] | None:
            if _setting(db, "model") != model:
                return None
            return self._nearest.search(db, vector, scope, limit, _setting(db, "vectors"))

        return self._read(whole)

    def named(self, names: Sequence[str], scope: Scope) -> Sequence[Sequence[Node]]:
        """For each name or key, the memories that have it, else what edges speak of by it."""

        def whole(db: sqlite3.Connection) -> list[list[Node]]:
            found: list[dict[str, Node]] = [{} for _ in names]
            asked = values(scope) | {"names": json.dumps(names)}
            for row in db.execute(sql.NAMED.format(scope=sql.SCOPE, valid=valid(scope)), asked):
                found[row["place"]].setdefault(row["memory_id"], _node(row))
            for row in db.execute(sql.SPOKEN_OF.format(valid=valid(scope)), asked).fetchall():
                if not any(node.memory_id for node in found[row["place"]].values()):
                    found[row["place"]][f"?{row['scope']}"] = Node("", row["target"], row["scope"])
            return [list(nodes.values()) for nodes in found]

        return self._read(whole)

    def known_since(self, scope: Scope) -> str | None:
        """When the oldest State of what the user may see began."""
        since: str | None = self._read(lambda db: db.execute(sql.SINCE, (scope.user,)).fetchone()[0])
        return since

    def numbered(self, number: int, scope: Scope) -> Sequence[Node]:
        """The issues and pull requests of this number."""
        statement = sql.NUMBERED.format(scope=sql.SCOPE, valid=valid(scope))
        rows = self._read(lambda db: db.execute(statement, values(scope) | {"number": number}).fetchall())
        return [_node(row) for row in rows]

    def edges(self, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str] = ()) -> Sequence[GraphEdge]:
        """Every edge from or to these nodes."""
        return self._read(lambda db: _edges(db, nodes, scope, verbs))

    def cards(self, memory_ids: Sequence[str], scope: Scope) -> Mapping[str, Card]:
        """What is known of these memories; those outside of the scope are missing."""
        return self._read(lambda db: _cards(db, memory_ids, scope))

    def called(self, memory_ids: Sequence[str], scope: Scope) -> list[tuple[str, str]]:
        """The names and keys by which texts speak of these memories."""
        asked = values(scope) | {"ids": json.dumps(memory_ids)}
        rows = self._read(lambda db: db.execute(sql.CALLED, asked).fetchall())
        return [(row["scope"], row["name"]) for row in rows]

    def passages(self, memory_ids: Sequence[str], terms: Sequence[Term], scope: Scope) -> dict[str, str]:
        """The row of each memory's text that has most of the terms' words."""
        statement = sql.PIECES_IN.format(scope=sql.SCOPE, valid=valid(scope))

        def whole(db: sqlite3.Connection) -> dict[str, str]:
            rows = db.execute(statement, values(scope) | {"ids": json.dumps(memory_ids)})
            return {
                id_: passage([_unpacked(text) for _, text in islice(pieces, MOST_PIECES)], terms)
                for id_, pieces in groupby(rows, itemgetter(0))
            }

        return self._read(whole)


def _progress(db: sqlite3.Connection, source: str) -> int:
    row = db.execute(sql.PROGRESS, (source,)).fetchone()
    return row["seq"] if row else 0


def _setting(db: sqlite3.Connection, name: str) -> str:
    row = db.execute(sql.SETTING, (name,)).fetchone()
    return row["value"] if row else ""


def _count(db: sqlite3.Connection) -> None:
    """Have whoever keeps vectors in memory read them again."""
    db.execute(sql.SET_SETTING, ("vectors", str(int(_setting(db, "vectors") or 0) + 1)))


def _put(db: sqlite3.Connection, source: str, one: Indexed) -> bool:
    """Index one change; whether something was removed."""
    entry = one.entry
    if not entry.kind:
        known = db.execute(sql.MEMORY_AT, (source, entry.row)).fetchone()
        if known is None:
            return False
        for version in db.execute(sql.VERSIONS_OF, (known["id"],)).fetchall():
            _drop(db, version)
        db.execute(sql.DROP_NAMES, (known["id"],))
        db.execute(sql.DROP_MEMORY, (known["id"],))
        return True
    memory = db.execute(sql.PUT_MEMORY, {
        "source": source, "row": entry.row, "user": entry.user, "memory_id": entry.node_id, "address": entry.address,
        "kind": entry.kind, "scope": entry.scope, "title": entry.title,
        "number": number_of(entry),
    }).fetchone()["id"]  # fmt: skip
    had = {row["uid"]: row for row in db.execute(sql.VERSIONS_OF, (memory,)).fetchall()}
    for version in entry.versions:
        if version.id not in had:
            _add(db, memory, version, one.texts.get(version.id))
        else:
            _move(db, had[version.id], version)
    gone = had.keys() - {version.id for version in entry.versions}
    for uid in gone:
        _drop(db, had[uid])
    db.execute(sql.DROP_NAMES, (memory,))
    db.executemany(sql.ADD_NAME, [(memory, scope, name) for scope, name in entry.names])
    return bool(gone)


def _add(db: sqlite3.Connection, memory: int, version: FeedVersion, text: VersionText | None) -> None:
    id_ = db.execute(
        sql.ADD_VERSION, (memory, version.id, version.valid_from, version.valid_until, version.updated_at)
    ).fetchone()["id"]
    if text is None:
        return
    for piece in text.pieces:
        words = (piece.title, piece.body, piece.comments)
        packed = zlib.compress(json.dumps(words, ensure_ascii=False).encode("utf-8", "replace"), 6)
        row = db.execute(sql.ADD_PIECE, (memory, id_, packed)).fetchone()["id"]
        db.execute(sql.ADD_TEXT[_table(version.valid_until)], (row, *_text(packed)))
    db.executemany(sql.ADD_EDGE, [(id_, memory, *edge) for edge in text.edges])


def _move(db: sqlite3.Connection, had: Row, version: FeedVersion) -> None:
    """Bring a State's times up to date; one that ended leaves what is searched for the present."""
    before, after = _table(had["valid_until"]), _table(version.valid_until)
    if before != after:
        for piece in db.execute(sql.PIECES_OF, (had["id"],)).fetchall():
            words = _text(piece["text"])
            db.execute(sql.DROP_TEXT[before], (piece["id"], *words))
            db.execute(sql.ADD_TEXT[after], (piece["id"], *words))
        _count(db)
    db.execute(sql.SET_VERSION, (version.valid_from, version.valid_until, version.updated_at, had["id"]))


def _drop(db: sqlite3.Connection, version: Row) -> None:
    for piece in db.execute(sql.PIECES_OF, (version["id"],)).fetchall():
        db.execute(sql.DROP_TEXT[_table(version["valid_until"])], (piece["id"], *_text(piece["text"])))
    for statement in sql.DROP_VERSION:
        db.execute(statement, (version["id"],))
    _count(db)


def _table(valid_until: str | None) -> str:
    return "now" if valid_until is None else "past"


def _text(packed: bytes) -> list[str]:
    words: list[str] = json.loads(zlib.decompress(packed))
    return words


def _unpacked(packed: bytes) -> PieceText:
    return PieceText(*_text(packed))


def _node(row: Row) -> Node:
    return Node(row["memory_id"], row["label"] or row["address"])


def _edges(db: sqlite3.Connection, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str]) -> list[GraphEdge]:
    stored = json.dumps([node.memory_id for node in nodes if node.memory_id])
    stations = {(node.scope, node.label) for node in nodes if not node.memory_id}
    spoken = json.dumps([label for _, label in stations])
    rows: set[Mention] = set()
    for statement, asked in ((sql.EDGES_FROM, stored), (sql.EDGES_TO, stored), (sql.EDGES_TO_NAME, spoken)):
        if asked != "[]":
            found = db.execute(statement.format(valid=valid(scope)), values(scope) | {"nodes": asked})
            rows.update(
                (str(row["source"]), row["verb"], row["scope"], row["target"])
                for row in found
                if asked is not spoken or (row["scope"], row["target"]) in stations
            )
    wanted = [row for row in rows if not verbs or row[1] in verbs]
    sources = {
        str(row["id"]): _node(row) for row in db.execute(sql.NODES, (json.dumps([int(row[0]) for row in wanted]),))
    }
    targets: dict[str, list[tuple[str, Node]]] = {}
    for row in db.execute(sql.TARGETS, {"targets": json.dumps(sorted({row[3] for row in wanted})), "user": scope.user}):
        targets.setdefault(row["target"], []).append((row["scope"], _node(row)))
    return drawn(wanted, sources, targets)


def _cards(db: sqlite3.Connection, memory_ids: Sequence[str], scope: Scope) -> dict[str, Card]:
    if not memory_ids:
        return {}
    statement = sql.CARDS.format(scope=sql.SCOPE, valid=valid(scope))
    rows = {row["memory_id"]: row for row in db.execute(statement, values(scope) | {"ids": json.dumps(memory_ids)})}
    successors = replaced(_edges(db, [Node(id_, "") for id_ in rows], scope, SUPERSEDES), rows)
    began = _began(db, [one for some in successors.values() for one in some if one], scope)
    return {id_: card(row, _title(db, row, scope), successors.get(id_), began) for id_, row in rows.items()}


def _title(db: sqlite3.Connection, row: Row, scope: Scope) -> str:
    """The title that counts: as of a time, that of the State of then, as it stands in its row of text."""
    piece = db.execute(sql.FIRST_PIECE, (row["version"],)).fetchone() if scope.as_of else None
    title: str = _unpacked(piece["text"]).title if piece else row["title"]
    return title


def _began(db: sqlite3.Connection, memory_ids: Sequence[str], scope: Scope) -> dict[str, str]:
    """When the States of these memories began to say what they say."""
    if not memory_ids:
        return {}
    everything = Scope(scope.user, scope.as_of)
    statement = sql.CARDS.format(scope=sql.SCOPE, valid=valid(scope))
    asked = values(everything) | {"ids": json.dumps(sorted(set(memory_ids)))}
    return {row["memory_id"]: row["updated_at"] for row in db.execute(statement, asked)}
