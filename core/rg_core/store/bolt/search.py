"""The index of a server: its own full-text and vector indexes, edges and vectors over what it holds.

It stands beside what it is made from and can be made again: a new version of it has labels, keys and indexes with its
number in them, and is filled from the start while the old one goes on being kept (rg_core.store.bolt.changes). What
anybody may see is in it, and what members of a team share of their projects, for those who have the project too.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from rg_core.store.bolt import cypher_documents as shared
from rg_core.store.bolt import cypher_search as cypher
from rg_core.store.bolt import feed, filling, schema
from rg_core.store.bolt.connection import WRITE_SECONDS, Connection, Run
from rg_core.store.bolt.lexical import Words, search
from rg_core.store.indexed import ANY_PROJECT, SUPERSEDES, Mention, card, drawn, passage, replaced
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.search import Bare, Card, GraphEdge, Hit, Indexed, LexicalHits, Node, PieceText, Scope, Term
from rg_core.store.texts import FeedEntry, FeedText

T = TypeVar("T")
NEAR = 500  # chunks that the vector index is asked for; five times as many where it has to be filtered
SIZE = 256  # numbers of a vector
SCALE = 127.0  # of one number in a byte
FILLED = 2_000  # resources that one transaction looks at


class Transactions(Protocol):
    """The open store: runs a function in one transaction."""

    connection: Connection

    def change(self, work: Callable[[Run], T]) -> T:
        """Run it in a write transaction, with the schema in place."""
        ...

    def ask(self, work: Callable[[Run], T]) -> T:
        """Run it in a read transaction that a command waits for."""
        ...

    def quick(self, work: Callable[[Run], T]) -> T:
        """Run it in a read transaction that somebody in a conversation waits for."""
        ...


class BoltIndex:
    """One version of the index on a server, and what fills it."""

    def __init__(self, store: Transactions, version: int) -> None:
        """Nothing is asked yet; `store` is closed by whoever opened it."""
        self._store = store
        self.name = str(version)
        self.labels = filling.Labels(version)
        self._seen: Mapping[str, Any] | None = None

    @property
    def prefix(self) -> str:
        """With what the keys of this version begin."""
        return f"{self.name} "

    def close(self) -> None:
        """There is nothing of its own to be closed."""

    # -- filling it

    def exists(self) -> bool:
        """Whether it was begun."""
        if self._seen is None:
            rows = self._store.quick(lambda run: run(cypher.SEE_INDEX, name=self.name))
            self._seen = rows[0] if rows else None
        return self._seen is not None

    def begin(self) -> None:
        """Create what is missing of it, and have everything that is stored be indexed; harmless when it is there."""
        if not self.exists():
            vectors = self._define()
            born = time.time()
            self._store.change(lambda run: run(cypher.ADD_INDEX, name=self.name, born=born, vectors=vectors))
            if not self.exists():
                raise StoreUnavailable(f"the index on {self._store.connection.name} was removed meanwhile; try again")
        assert self._seen
        while not self._seen["settled"]:
            if not self._store.change(self._fill):
                break
        self._seen = None

    def progress(self, source: str) -> int:
        """Nothing is remembered: what was indexed leaves the queue."""
        return 0

    def changes(self, after: int, limit: int) -> Sequence[FeedEntry]:
        """What is to be looked at again; what is gone has no kind."""
        return self._store.ask(lambda run: feed.changes(run, self.name, limit))

    def changes_left(self, after: int) -> int:
        """How much is to be looked at again."""
        return int(self._store.quick(lambda run: run(cypher.CHANGES_LEFT, name=self.name))[0]["n"])

    def entry_texts(self, versions: Sequence[str]) -> Mapping[str, FeedText]:
        """The texts of States by their ids; those that are gone meanwhile are missing."""
        return self._store.ask(lambda run: feed.texts(run, versions))

    def verified_at(self, user: str, addresses: Sequence[str]) -> Mapping[str, str]:
        """When what is at these addresses was last fetched, or seen to hold."""
        return self._store.quick(lambda run: feed.verified_at(run, addresses))

    def indexed(self, source: str, entries: Sequence[FeedEntry]) -> Mapping[int, set[str]]:
        """The ids of the States that are indexed of each of these, by the entry's row."""
        rows = {entry.node_id: entry.row for entry in entries}
        found: dict[int, set[str]] = {}
        asked = {"ids": sorted(rows), "prefix": self.prefix}
        for one in self._store.ask(lambda run: run(cypher.INDEXED, **asked)):
            found.setdefault(rows[one["id"]], set()).add(one["uid"])
        return found

    def put(self, source: str, batch: Sequence[Indexed]) -> None:
        """Index a batch of changes in one transaction; what changed again meanwhile waits for its next turn."""
        self._store.change(lambda run: filling.put(run, self.labels, batch))

    def bare(self, limit: int) -> Sequence[Bare]:
        """States without vectors, the open ones first."""
        for bare in (self.labels.bare, self.labels.bare_past):
            rows = self._store.ask(partial(_run, cypher.BARE, bare=bare, most=limit))
            pieces: dict[tuple[str, str], list[PieceText]] = {}
            for row in rows:
                one = pieces.setdefault((row["version"], row["memory"]), [])
                if row["place"] is not None:
                    one.append(PieceText(row["title"], row["body"], row["comments"]))
            if pieces:
                return [Bare(version, memory, tuple(some)) for (version, memory), some in pieces.items()]
        return []

    def bare_left(self) -> int:
        """How many States have no vectors; none where the server holds no vectors."""
        if not (self.exists() and self._seen and self._seen["vectors"]):
            return 0
        names = [self.labels.bare, self.labels.bare_past]
        return sum(row["n"] for row in self._store.quick(lambda run: run(cypher.BARE_LEFT, names=names)))

    def use_model(self, model: str) -> None:
        """Say whose vectors these are; vectors of another model are dropped, and made anew."""
        if self.exists() and self._seen and self._seen["model"] != model:
            if self._seen["model"]:
                asked = {"name": self.name, "now": self.labels.bare, "past": self.labels.bare_past, "most": FILLED}
                while self._store.change(lambda run: run(cypher.DROP_VECTORS, **asked))[0]["n"]:
                    pass
            self._store.change(lambda run: run(cypher.SET_MODEL, name=self.name, model=model))
            self._seen = None

    def put_vectors(self, made: Iterable[tuple[Bare, Sequence[bytes]]]) -> None:
        """Store the vectors of States, one a chunk, one signed number in each byte."""
        vectors = {str(bare.version): [_numbers(chunk) for chunk in chunks] for bare, chunks in made}
        self._store.change(lambda run: filling.put_vectors(run, self.labels, vectors))

    def counts(self) -> Mapping[str, int]:
        """How many memories, States and vectors there are."""
        row: Mapping[str, int] = self._store.ask(lambda run: run(cypher.COUNTS, name=self.name))[0]
        return row

    # -- asking it

    def lexical(self, terms: Sequence[Term], scope: Scope, limit: int) -> LexicalHits:
        """Memories by any of the terms, ranked by the server's BM25."""
        words = Words(self._words(), filling.tags(scope), self.labels)
        return self._store.quick(lambda run: search(run, words, terms, _values(scope), limit, then=bool(scope.as_of)))

    def similar(self, vector: Any, model: str, scope: Scope, limit: int) -> Sequence[Hit] | None:
        """Memories by the cosine of their nearest chunk; None if there are no vectors of this model."""
        narrow = bool(scope.kinds or scope.repository or scope.project or scope.as_of)
        asked = _values(scope) | {"vector": [float(one) for one in vector], "most": NEAR * (5 if narrow else 1)}
        statement = self._words()["vector"] + cypher.found("HAS_VECTOR")
        labels = [self.labels.near, *([self.labels.far] if scope.as_of else [])]

        def whole(run: Run) -> list[dict[str, Any]] | None:
            index = run(cypher.SEE_INDEX, name=self.name)
            if not index or not index[0]["vectors"] or index[0]["model"] != model:
                return None
            return [row for label in labels for row in run(statement, name=self.labels.index(label), **asked)]

        rows = self._store.quick(whole)
        if rows is None:
            return None
        best: dict[str, float] = {}
        for row in sorted(rows, key=lambda row: -row["score"]):
            best.setdefault(row["memory_id"], row["score"])
        return [Hit(memory, score) for memory, score in list(best.items())[:limit]]

    def named(self, names: Sequence[str], scope: Scope) -> Sequence[Sequence[Node]]:
        """For each name or key, the memories that have it, else what edges speak of by it."""
        rows = [{"place": place, "name": self.prefix + name} for place, name in enumerate(names)]
        found: list[dict[str, Node]] = [{} for _ in names]

        def whole(run: Run) -> None:
            for row in run(cypher.NAMED, rows=rows, **_values(scope)):
                found[row["place"]].setdefault(row["memory_id"], Node(row["memory_id"], row["label"]))
            if unknown := [row for place, row in enumerate(rows) if not found[place]]:
                for row in run(cypher.SPOKEN_OF, rows=unknown, **_values(scope)):
                    spoken = Node("", names[row["place"]], row["scope"])
                    found[row["place"]][spoken.key] = spoken

        self._store.quick(whole)
        return [list(nodes.values()) for nodes in found]

    def numbered(self, number: int, scope: Scope) -> Sequence[Node]:
        """The issues and pull requests of this number."""
        asked = _values(scope) | {"numbered": f"{self.prefix}{number}"}
        rows = self._store.quick(lambda run: run(cypher.NUMBERED, **asked))
        return [Node(row["memory_id"], row["label"]) for row in rows]

    def called(self, memory_ids: Sequence[str], scope: Scope) -> Sequence[tuple[str, str]]:
        """The names and keys by which texts speak of these memories."""
        asked = {"ids": self._keys(memory_ids), "projects": scope.projects}
        rows = self._store.quick(lambda run: run(cypher.CALLED, **asked))
        return [(row["scope"], row["name"].removeprefix(self.prefix)) for row in rows]

    def edges(self, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str] = ()) -> Sequence[GraphEdge]:
        """Every edge from or to these nodes."""
        return self._store.quick(lambda run: self._edges(run, nodes, scope, verbs))

    def cards(self, memory_ids: Sequence[str], scope: Scope) -> Mapping[str, Card]:
        """What is known of these memories; those outside of the scope are missing."""

        def whole(run: Run) -> dict[str, Card]:
            rows = {row["memory_id"]: row for row in run(cypher.CARDS, ids=self._keys(memory_ids), **_values(scope))}
            successors = replaced(self._edges(run, [Node(id_, "") for id_ in rows], scope, SUPERSEDES), rows)
            newer = sorted({one for some in successors.values() for one in some if one})
            everything = _values(Scope(scope.user, scope.as_of, projects=scope.projects))
            began = run(cypher.CARDS, ids=self._keys(newer), **everything) if newer else []
            times = {row["memory_id"]: row["updated_at"] for row in began}
            return {id_: card(row, row["title"], successors.get(id_), times) for id_, row in rows.items()}

        return self._store.quick(whole) if memory_ids else {}

    def passages(self, memory_ids: Sequence[str], terms: Sequence[Term], scope: Scope) -> Mapping[str, str]:
        """The row of each memory's text that has most of the terms' words."""
        pieces: dict[str, list[PieceText]] = {}
        asked = _values(scope) | {"ids": self._keys(memory_ids)}
        for row in self._store.quick(lambda run: run(cypher.PIECES, **asked)) if memory_ids else ():
            pieces.setdefault(row["memory_id"], []).append(PieceText(row["title"], row["body"], row["comments"]))
        return {id_: passage(some, terms) for id_, some in pieces.items()}

    def known_since(self, scope: Scope) -> str | None:
        """When the oldest State of what the user may see began."""
        asked = {"name": self.name, "projects": scope.projects}
        since: str | None = self._store.quick(lambda run: run(cypher.SINCE, **asked))[0]["since"]
        return since

    # -- inside

    def _words(self) -> Mapping[str, str]:
        """What this kind of server calls its searches."""
        return cypher.FIND[self._server]

    @property
    def _server(self) -> str:
        return schema.server(self._store.connection.agent())

    def _keys(self, memory_ids: Iterable[str]) -> list[str]:
        return [self.prefix + id_ for id_ in memory_ids if id_]

    def _define(self) -> bool:
        """Create the server's own indexes; whether there are such of vectors."""
        words, labels, connection = self._words(), self.labels, self._store.connection
        texts = [words["make text"].format(name=labels.index(one), label=one) for one in (labels.now, labels.text)]
        vectors = [
            words["make vector"].format(name=labels.index(one), label=one, size=SIZE)
            for one in (labels.near, labels.far)
        ]
        self._store.change(lambda run: None)  # the schema that it stands on
        if failed := [said for said in connection.define(texts) if "already exists" not in said.lower()]:
            raise StoreUnavailable(
                f"memory at {connection.name} cannot be searched: {failed[0]}; it takes Neo4j 5.11 or later, or "
                "Memgraph 3.6 or later, and once a user who may change its schema: rg-memory store init"
            )
        there = connection.told(schema.SERVERS[self._server]["indexes"])
        found = {row["name"]: row["labelsOrTypes"] for row in there if row.get("type") == "FULLTEXT"}  # Memgraph: none
        for name, of in found.items():
            if of in ([labels.now], [labels.text]) and name != labels.index(of[0]):
                raise StoreUnavailable(
                    f"memory at {connection.name} cannot be searched: the index {name} stands where one of ours must "
                    f"be; remove it in the database: DROP INDEX {name}"
                )
        without = [said for said in connection.define(vectors) if "already exists" not in said.lower()]
        connection.told(words["wait"])
        return not without

    def _fill(self, run: Run) -> bool:
        """Queue the next resources that are not indexed as they are now; whether there may be more."""
        index = run(cypher.TAKE_INDEX, name=self.name)[0]
        if index["settled"]:
            return False
        rows = run(cypher.FILL, at=index["at"], most=FILLED, prefix=self.prefix)
        if wanted := [row["id"] for row in rows if row["wanted"]]:
            run(cypher.ENQUEUE, ids=wanted, name=self.name, prefix=self.prefix, token=random.getrandbits(53))
        if not rows and (pages := [row["id"] for row in run(shared.MISSING, prefix=self.prefix)]):
            run(cypher.ENQUEUE, ids=pages, name=self.name, prefix=self.prefix, token=random.getrandbits(53))
        # A writer that began before the index did tells it of nothing: one more look after the last of those ended.
        assert self._seen
        over = not rows and time.time() - self._seen["born"] > WRITE_SECONDS
        run(cypher.SET_AT, name=self.name, at=rows[-1]["id"] if rows else "", settled=over)
        return bool(rows)

    def _edges(self, run: Run, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str]) -> list[GraphEdge]:
        asked = {"projects": scope.projects, "as_of": scope.as_of or "", "verbs": list(verbs)}
        stored = self._keys(node.memory_id for node in nodes)
        spoken = [{"name": self.prefix + node.label, "scope": node.scope} for node in nodes if not node.memory_id]
        found = run(cypher.EDGES_FROM, ids=stored, **asked) if stored else []
        found += run(cypher.EDGES_TO, ids=stored, any=ANY_PROJECT, **asked) if stored else []
        found += run(cypher.EDGES_TO_NAMES, rows=spoken, **asked) if spoken else []
        if not found:
            return []
        mentions: set[Mention] = {
            (row["source"], row["verb"], row["scope"], row["target"].removeprefix(self.prefix)) for row in found
        }
        sources = {row["source"]: Node(row["source"], row["label"]) for row in found}
        targets: dict[str, list[tuple[str, Node]]] = {}
        names = sorted({row["target"] for row in found})
        for row in run(cypher.TARGETS, names=names, projects=scope.projects):
            name = row["target"].removeprefix(self.prefix)
            targets.setdefault(name, []).append((row["scope"], Node(row["memory_id"], row["label"])))
        return drawn(mentions, sources, targets)


def _values(scope: Scope) -> dict[str, Any]:
    """The parameters of a scope's conditions."""
    return {"kinds": list(scope.kinds), "repository": scope.repository, "project": scope.project,
            "projects": list(scope.projects), "as_of": scope.as_of or ""}  # fmt: skip


def _run(statement: str, run: Run, **values: Any) -> list[dict[str, Any]]:
    return run(statement, **values)


def _numbers(chunk: bytes) -> list[float]:
    return [number / SCALE for number in memoryview(chunk).cast("b")]
