"""Keeping an index in step with what it is made from: small batches, each one transaction.

A new INDEX_VERSION is a new file on this machine, and new nodes and indexes on a server, built beside the old ones,
which older programs go on using.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rg_core.documents.edges import body
from rg_core.documents.parse import body_edges
from rg_core.documents.tokens import PREFIXES
from rg_core.nouns import counted
from rg_core.recall import vectors
from rg_core.recall.folding import chunks, pieces
from rg_core.store.indexed import ANY_PROJECT
from rg_core.store.search import Feed, Index, Indexed, VersionText
from rg_core.store.texts import FeedEntry, FeedText

INDEX_VERSION = 1
BATCH = 25  # memories of one transaction
EMBEDDED = 64  # States of one transaction


@dataclass(frozen=True, slots=True)
class Backlog:
    """What an index has not got yet."""

    changes: int = 0  # memories that changed
    bare: int = 0  # States without vectors

    @property
    def is_empty(self) -> bool:
        """Whether it has everything."""
        return not (self.changes or self.bare)

    def __add__(self, other: Backlog) -> Backlog:
        """That of two indexes."""
        return Backlog(self.changes + other.changes, self.bare + other.bare)


def catch_up(
    index: Index,
    feeds: Mapping[str, Feed],
    *,
    seconds: float | None = None,
    embed: bool = False,
    prefixes: Sequence[str] = PREFIXES,
) -> Backlog:
    """Index what changed, for so long at most; what is left then.

    Raises:
        StoreUnavailable: when a file is away.
    """
    end = None if seconds is None else time.monotonic() + seconds
    left = 0
    for source, feed in feeds.items():
        while True:
            after = index.progress(source)
            entries = feed.changes(after, BATCH)
            if not entries:
                break
            if end is not None and time.monotonic() > end:
                left += feed.changes_left(after)
                break
            index.put(source, _indexed(index, source, feed, entries, prefixes))
    if embed and vectors.is_installed():
        _embed(index, end)
        return Backlog(left, index.bare_left())
    return Backlog(left)


def building(left: Backlog) -> list[str]:
    """What an answer must say of what is not indexed yet."""
    return [f"The index is being built; not in it yet: {counted(left.changes, 'memories')}."] if left.changes else []


def backlog(index: Index, feeds: Mapping[str, Feed]) -> Backlog:
    """What an index has not got yet."""
    changes = sum(feed.changes_left(index.progress(source)) for source, feed in feeds.items())
    return Backlog(changes, index.bare_left() if vectors.is_installed() else 0)


def _embed(index: Index, end: float | None) -> None:
    """Give States their vectors."""
    if not index.bare_left() or vectors.model() is None:
        return
    index.use_model(vectors.MODEL)
    while (end is None or time.monotonic() < end) and (bare := index.bare(EMBEDDED)):
        texts = [chunks(one.pieces) for one in bare]
        flat = [text for some in texts for text in some]
        packed = iter(vectors.packed(vectors.embed(flat)) if flat else ())
        index.put_vectors([(one, [next(packed) for _ in some]) for one, some in zip(bare, texts, strict=True)])


def _indexed(
    index: Index, source: str, feed: Feed, entries: Sequence[FeedEntry], prefixes: Sequence[str]
) -> list[Indexed]:
    """Changes with the texts that the index has not got."""
    had = index.indexed(source, entries)
    wanted = {
        version.id: entry
        for entry in entries
        for version in entry.versions
        if version.id not in had.get(entry.row, ())
        and version.valid_from != version.valid_until  # else it only says that it is gone
    }
    texts = {id_: _text(wanted[id_], id_, text, prefixes) for id_, text in feed.entry_texts(list(wanted)).items()}
    return [
        Indexed(entry, {version.id: texts[version.id] for version in entry.versions if version.id in texts})
        for entry in entries
    ]


def _text(entry: FeedEntry, version: str, text: FeedText, prefixes: Sequence[str]) -> VersionText:
    edges = [(edge.verb, _scope(entry, edge.target), edge.target, edge.section) for edge in text.edges]
    if entry.kind in ("issue", "pull_request"):
        said = body_edges(text.body, entry.scope, prefixes)
        edges += [(edge.verb, _scope(entry, edge.target), edge.target, edge.section) for edge in said]
    words = body(text.body) if entry.kind == "document" else text.body
    return VersionText(version, pieces(entry.kind, text.title or entry.title, words, text.comments), tuple(edges))


def _scope(entry: FeedEntry, target: str) -> str:
    """Where a target's name counts: keys everywhere, a document's names in its project, an issue's in any."""
    if ":" in target:
        return ""
    return (entry.scope or ANY_PROJECT) if entry.kind in ("document", "note") else ANY_PROJECT
