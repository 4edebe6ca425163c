"""What a store of documents and notes holds: pages, their States, and the edges that each State draws.

A page belongs to one user; every method of such a store takes that user first and sees nobody else's rows.
Times are as in rg_core.store.model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PageKind = Literal["document", "note"]


@dataclass(frozen=True, slots=True)
class TextEdge:
    """That a State speaks of something: `target` is a name (SPEC-034) or a key; stored or not."""

    verb: str
    target: str
    section: str  # where it was found: a heading, "text", "front matter: KEY", "about"
    created_at: str = ""  # when a State first drew it; kept by the following ones


@dataclass(frozen=True, slots=True)
class Document:
    """A document or a note as one State of it says: what a Reading of a store of texts holds."""

    kind: PageKind
    node_id: str  # the memory id
    address: str
    project: str
    title: str
    text: str
    facts: Mapping[str, str]  # version, status and date of a document; kind, author and session of a note
    names: tuple[str, ...]
    edges: tuple[TextEdge, ...]
    updated_at: str  # when this State began
    fetched_at: str  # when it was last seen to hold


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A State to be appended. A first one has no event; `valid_from` is moved behind its predecessor's if need be."""

    valid_from: str
    event_type: str | None
    cause: str | None  # a commit, or the id of the State that superseded it
    address: str
    title: str
    text: str
    facts: Mapping[str, str]
    edges: tuple[TextEdge, ...]


@dataclass(frozen=True, slots=True)
class PageWrite:
    """What one page is now, with the States that it gets. `former` is its key until now, where it has moved."""

    address: str
    kind: PageKind
    project: str
    path: str  # "" for a note
    node_id: str  # of a new page; a stored one keeps its own
    names: tuple[str, ...]
    versions: tuple[TextVersion, ...]
    former: str = ""
    mtime: int = 0  # nanoseconds
    size: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A stored page with what its open State says, but for the text."""

    address: str
    kind: PageKind
    project: str
    path: str
    node_id: str
    title: str
    names: tuple[str, ...]
    deleted: bool
    verified_at: str
    mtime: int
    size: int
    state_id: str
    valid_from: str
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SharedState:
    """A State of a page as it goes to a server."""

    id: str
    valid_from: str
    valid_until: str | None
    recorded_at: str
    event_type: str | None
    cause: str | None
    address: str
    title: str
    text: str
    facts: Mapping[str, str]
    edges: tuple[TextEdge, ...]


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A page with its whole chain, as it goes to a server; `called`: its names, and keys it had (of no project)."""

    address: str
    kind: PageKind
    project: str
    node_id: str
    called: tuple[tuple[str, str], ...]
    deleted: bool
    verified_at: str
    states: tuple[SharedState, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which texts of its project speak of it."""
        return tuple(name for project, name in self.called if project)


@dataclass(frozen=True, slots=True)
class Root:
    """What a user added: a directory or a file of a project, and the commit up to which its history was read."""

    project: str
    path: str  # absolute
    directory: str = ""  # the project's directory that holds it: the paths in keys are relative to that
    globs: tuple[str, ...] = ()
    history: bool = True
    head: str = ""


@dataclass(frozen=True, slots=True)
class EdgeChange:
    """An edge that a sync drew or took away."""

    address: str
    sign: Literal["+", "-"]
    verb: str
    target: str
    section: str


@dataclass(frozen=True, slots=True)
class FeedVersion:
    """One State as an index needs it before it reads the text."""

    id: str
    valid_from: str
    valid_until: str | None  # None: open
    updated_at: str  # its age counts from here


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Something that changed since an index last looked: all its States, without their texts."""

    row: int  # of its store; with the store it names the memory for the index
    seq: int  # of the change; the index remembers the last one
    user: str  # "" for public content
    node_id: str
    address: str
    kind: str  # repository, issue, pull_request, document, note; "" for what is gone
    scope: str  # owner/repo, or the project
    title: str
    verified_at: str
    names: tuple[tuple[str, str], ...] = ()  # (project or "", name or key) by which texts speak of it
    versions: tuple[FeedVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedText:
    """The text of one State, and the edges it draws."""

    title: str
    body: str
    comments: str = ""
    edges: tuple[TextEdge, ...] = field(default=())
