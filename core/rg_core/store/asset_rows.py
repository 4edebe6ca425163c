"""Governed assets as rows: what every engine keeps of them. It decides nothing; rg_core.assets.store does, above it.

Texts that hold JSON are compact JSON; numbers from 0 to 1 are whole thousandths; a content is named by its SHA-256.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class AssetRow(NamedTuple):
    """An asset: what never changes of it, and which of its versions are the newest and the effective one."""

    id: str
    project: str
    type: str
    source_key: str
    created_at: str
    head: int
    effective: int | None


class ContentRow(NamedTuple):
    """A content."""

    id: str
    name: str
    description: str
    summary: str | None
    labels: str  # JSON
    payload: str  # JSON
    body: str | None  # the last column: what stands behind a long text is slow to reach


class VersionRow(NamedTuple):
    """An immutable version."""

    asset: str
    n: int
    at: str
    by: str
    via: str
    act: str
    status: str
    content: str
    owner: str
    visibility: str
    teams: str  # JSON
    acl: str  # JSON
    bindings: str  # JSON
    priority: int
    confidence: int
    expires_at: str | None
    follow: int
    provenance: str  # JSON
    note: str | None


class Loaded(NamedTuple):
    """An asset with its newest and, where that is another one, its effective version, and their contents."""

    asset: AssetRow
    head: VersionRow
    head_content: ContentRow
    effective: VersionRow | None
    effective_content: ContentRow | None


class Listed(NamedTuple):
    """What lists and loadouts look at of an asset, in few columns: of many assets each column counts.

    Status, time, policy and texts are the newest version's; those of the effective one are None where it is the same
    or there is none.
    """

    id: str
    type: str
    head: int
    effective: int | None
    status: str
    at: str
    content: str
    owner: str
    visibility: str
    teams: str  # JSON
    acl: str  # JSON
    bindings: str  # JSON
    priority: int
    confidence: int
    expires_at: str | None
    follow: int
    name: str
    description: str
    summary: str | None
    labels: str  # JSON
    effective_at: str | None
    effective_content: str | None
    effective_name: str | None
    effective_description: str | None
    effective_summary: str | None
    effective_labels: str | None


class PageRow(NamedTuple):
    """A page of a wiki, or a text resource of a skill."""

    path: str
    title: str
    sha256: str
    body: str
    citation: str


class LinkRow(NamedTuple):
    """A link from one page to another; `found` is 0 for a dead one."""

    source: str
    target: str
    found: int


class SymbolRow(NamedTuple):
    """A definition in code."""

    id: int
    name: str
    qualname: str
    kind: str
    path: str
    line: int
    last: int


class CallRow(NamedTuple):
    """A call whose target is resolved."""

    source: int
    target: int
    line: int
    how: str  # scope, import, self, super or typed


class MaybeRow(NamedTuple):
    """A call that is known by its name only."""

    source: int
    name: str
    line: int


class FileRows(NamedTuple):
    """What one file adds to a code graph."""

    symbols: Sequence[SymbolRow] = ()
    calls: Sequence[CallRow] = ()
    maybes: Sequence[MaybeRow] = ()


class FilePart(NamedTuple):
    """One file's part of a code graph, named by what it says: versions that have the same share it."""

    id: str
    load: Callable[[], FileRows]  # asked only where the part is not there yet


class TextRow(NamedTuple):
    """A text to be searched: of a page, or with the path "" the content's own."""

    path: str
    name: str
    text: str


class Parts(NamedTuple):
    """What belongs to a content beside its own fields."""

    pages: Sequence[PageRow] = ()
    links: Sequence[LinkRow] = ()
    files: Sequence[FilePart] = ()
    texts: Sequence[TextRow] = ()  # for engines with full text; made anew by whoever writes, never read back


def file_part(rows: FileRows) -> FilePart:
    """A part of these rows, whose order does not matter."""
    said = json.dumps([sorted(rows.symbols), sorted(rows.calls), sorted(rows.maybes)])
    return FilePart(hashlib.sha256(said.encode()).hexdigest()[:32], lambda: rows)


class AuditRow(NamedTuple):
    """One act or refusal: names of fields, no content."""

    at: str
    user: str
    agent: str
    task: str
    framework: str
    project: str
    via: str
    op: str
    asset: str
    n: int
    outcome: str  # ok, unchanged, or why it was refused
    detail: str


class Hit(NamedTuple):
    """A text that answers a search."""

    content: str
    path: str  # of a page; "" is the body
    snippet: str
    score: float


class Neighbour(NamedTuple):
    """A symbol beside another one along a call."""

    symbol: SymbolRow
    line: int
    how: str


class AssetRows(Protocol):
    """An engine for assets. Every method raises StoreUnavailable when it is away. Used from one thread at a time."""

    def close(self) -> None:
        """Release files and connections."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside is written whole or not at all; another writer waits."""
        ...

    def load(self, project: str) -> Iterator[Listed]:
        """The assets of a project, in no order."""
        ...

    def listed(self, project: str, id: str) -> Listed | None:
        """One asset of a project, as `load` gives it."""
        ...

    def get(self, id: str) -> Loaded | None:
        """One asset, whole."""
        ...

    def versions(self, id: str) -> Sequence[tuple[VersionRow, ContentRow]]:
        """The versions of an asset, whole, oldest first."""
        ...

    def body(self, content: str) -> str | None:
        """The body of a content."""
        ...

    def add(self, asset: AssetRow, version: VersionRow, content: ContentRow, parts: Parts | None = None) -> None:
        """Write a version, its content with its parts where they are new, and the asset as it then is."""
        ...

    def remove(self, id: str) -> None:
        """Remove an asset with all versions and every content that is nobody else's. The audit stays."""
        ...

    def parts(self, content: str) -> Parts:
        """The parts of a content."""
        ...

    def note(self, row: AuditRow) -> None:
        """Write a row of the audit."""
        ...

    def audit(self, project: str, since: str = "") -> Iterator[AuditRow]:
        """The audit of a project, newest first."""
        ...

    def pages(self, content: str) -> Sequence[PageRow]:
        """The pages of a content by path, without their bodies."""
        ...

    def page(self, content: str, path: str) -> PageRow | None:
        """One page, whole."""
        ...

    def citing(self, contents: Sequence[str], citations: Sequence[str]) -> Sequence[tuple[str, PageRow]]:
        """The pages of these contents that have one of the citations, without bodies, each after its content."""
        ...

    def search(self, terms: Sequence[str], contents: Sequence[str], limit: int) -> Sequence[Hit]:
        """The texts of these contents that have some of the terms, best first."""
        ...

    def symbols(self, content: str, name: str) -> Sequence[SymbolRow]:
        """The symbols of a name or a qualified name."""
        ...

    def neighbours(self, content: str, symbol: int, *, callers: bool) -> Sequence[Neighbour]:
        """The callers, or the callees, of a symbol."""
        ...

    def maybes(self, content: str, name: str) -> int:
        """How many calls of a name are known by the name only."""
        ...


class ParsedCache(Protocol):
    """What parsing a Git blob gave, by blob and extractor; always local."""

    def parsed(self, extractor: str, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """The results that are there."""
        ...

    def keep_parsed(self, extractor: str, results: Mapping[str, bytes]) -> None:
        """Store results."""
        ...


class LocalRows(AssetRows, ParsedCache, Protocol):
    """The engine that every installation has. It remembers which assets are to leave the server."""

    def leave(self, id: str) -> None:
        """Remember that an asset's copy on the server is to be removed; in the transaction that decides it."""
        ...

    def leaving(self) -> Sequence[str]:
        """The assets whose copies are to be removed."""
        ...

    def left(self, id: str) -> None:
        """The copy is gone."""
        ...
