"""What recall asks of whatever can be searched, and of whatever an index on this machine is made from.

`Searchable` is one place that finds memories by their words, their vectors and their edges: the index on this machine,
or a server that indexes its own content. Recall asks every one there is and merges leg by leg. A memory is named by its
memory id: a Resource's node_id, a document's or note's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rg_core.store.texts import FeedEntry, FeedText


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories are asked for, of which time and which part. Everything public, and the user's own."""

    user: str
    as_of: str | None = None
    kinds: tuple[str, ...] = ()  # none: all
    repository: str = ""  # lower-case owner/repo: only its issues, pull requests and itself
    project: str = ""  # only its documents and notes
    projects: tuple[str, ...] = ()  # the user's own: what a team's members share of them on a server may be seen

    @property
    def is_whole(self) -> bool:
        """Whether nothing of what the user may see now is left out."""
        return not (self.as_of or self.kinds or self.repository or self.project)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a query asks for: a word, or a phrase of several. `text` is quoted by whoever searches."""

    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory in one leg's list, and how good it is there; higher is better."""

    memory_id: str
    score: float


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """The lexical list, best first, and how much of the query's weight in idf the best of its first three has."""

    hits: tuple[Hit, ...] = ()
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class Node:
    """One end of an edge: a memory, or what is only spoken of (then `memory_id` is "")."""

    memory_id: str
    label: str  # how a path shows it: a name such as SPEC-054, else the address
    scope: str = ""  # of what is only spoken of by a name: the project in which that name counts

    @property
    def key(self) -> str:
        """What tells it from other nodes."""
        return self.memory_id or f"?{self.scope}/{self.label}"


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge as stored: `source` says `verb` of `target`."""

    source: Node
    verb: str
    target: Node


@dataclass(frozen=True, slots=True)
class Card:
    """What recall needs to know of a candidate, as of the scope's time."""

    memory_id: str
    address: str
    kind: str
    scope: str  # owner/repo or project
    title: str  # with what folding added behind it, where it is of a State that ended
    state_id: str
    updated_at: str  # its age counts from here
    superseded: bool = False  # an edge says that something replaced it
    superseded_by: str | None = None  # the newest memory that did, if it is stored


class Searchable(Protocol):
    """Finds memories. Every method raises StoreUnavailable when it cannot."""

    def lexical(self, terms: Sequence[Term], scope: Scope, limit: int) -> LexicalHits:
        """Memories by any of the terms, ranked by BM25 with title 5, body 1, comments 1; rare terms first."""
        ...

    def similar(self, vector: Any, model: str, scope: Scope, limit: int) -> Sequence[Hit] | None:
        """Memories by the cosine of their nearest chunk; None if there are no vectors of this model."""
        ...

    def named(self, names: Sequence[str], scope: Scope) -> Sequence[Sequence[Node]]:
        """For each name or key, the memories that have it, else what edges speak of by it."""
        ...

    def edges(self, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str] = ()) -> Sequence[GraphEdge]:
        """Every edge from or to these nodes; of these verbs where any are given."""
        ...

    def cards(self, memory_ids: Sequence[str], scope: Scope) -> Mapping[str, Card]:
        """What is known of these memories; those outside of the scope are missing."""
        ...

    def called(self, memory_ids: Sequence[str], scope: Scope) -> Sequence[tuple[str, str]]:
        """The names and keys by which texts speak of these memories, each with the project where it counts, or ""."""
        ...

    def passages(self, memory_ids: Sequence[str], terms: Sequence[Term], scope: Scope) -> Mapping[str, str]:
        """The part of each memory's text that fits the terms best, for a snippet."""
        ...

    def known_since(self, scope: Scope) -> str | None:
        """When the oldest State of what the user may see began."""
        ...

    def numbered(self, number: int, scope: Scope) -> Sequence[Node]:
        """The issues and pull requests of this number, of the scope's repository or of every one."""
        ...


class Feed(Protocol):
    """A store that tells what changed, so that an index can follow."""

    def changes(self, after: int, limit: int) -> Sequence[FeedEntry]:
        """What changed after a sequence number, in order; what is gone has no kind."""
        ...

    def changes_left(self, after: int) -> int:
        """How much changed after a sequence number."""
        ...

    def entry_texts(self, versions: Sequence[str]) -> Mapping[str, FeedText]:
        """The texts of States by their ids; those that are gone meanwhile are missing."""
        ...

    def verified_at(self, user: str, addresses: Sequence[str]) -> Mapping[str, str]:
        """When what this user may see at these addresses was last seen to hold."""
        ...


@dataclass(frozen=True, slots=True)
class PieceText:
    """One row of full text, as it was written and with what folding adds."""

    title: str
    body: str
    comments: str = ""


@dataclass(frozen=True, slots=True)
class VersionText:
    """A State for an index: its rows of full text and the edges it draws, as (verb, scope, target, section)."""

    id: str
    pieces: tuple[PieceText, ...]
    edges: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """A memory for an index, with the texts of those States that it has not got yet."""

    entry: FeedEntry
    texts: Mapping[str, VersionText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bare:
    """A State without vectors: its id and its memory's in the index, and its rows of text."""

    version: int | str
    memory: int | str
    pieces: tuple[PieceText, ...]


class Index(Searchable, Protocol):
    """An index: a Searchable, and what fills it from its sources."""

    def close(self) -> None:
        """Close what it holds open."""
        ...

    def exists(self) -> bool:
        """Whether it was begun."""
        ...

    def progress(self, source: str) -> int:
        """Up to which change a source was read."""
        ...

    def indexed(self, source: str, entries: Sequence[FeedEntry]) -> Mapping[int, set[str]]:
        """The ids of the States that are indexed of each of these, by the entry's row."""
        ...

    def put(self, source: str, batch: Sequence[Indexed]) -> None:
        """Index a batch of changes, in their order, in one transaction; of what is gone no byte stays."""
        ...

    def bare(self, limit: int) -> Sequence[Bare]:
        """States without vectors, the open ones first."""
        ...

    def bare_left(self) -> int:
        """How many States have no vectors."""
        ...

    def use_model(self, model: str) -> None:
        """Say whose vectors these are; vectors of another model are dropped, and made anew."""
        ...

    def put_vectors(self, made: Iterable[tuple[Bare, Sequence[bytes]]]) -> None:
        """Store the vectors of States, one a chunk, one signed number in each byte."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many memories, States and vectors there are."""
        ...


class SharedIndex(Index, Feed, Protocol):
    """The index of a server over what that server holds, which also tells what is not in it yet."""

    def begin(self) -> None:
        """Create what is missing of it, and have everything that is stored be indexed; harmless when it is there.

        Raises:
            StoreUnavailable: if this server, or this user of it, cannot; says why.
        """
        ...
