"""What a Store holds: public GitHub content and the States it went through. Belongs to no user.

Times are ISO 8601 in UTC with a Z and whole seconds ("2026-11-29T21:00:00Z"), so that they compare as text.
*Source time* is when GitHub changed (updatedAt, a comment's createdAt);
*recorded time* is when a Sweep learned it (fetched_at).
Addresses are canonical keys (rg_core.address.model).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rg_core.address.model import key_of
from rg_core.store.texts import Document

ItemKind = Literal["issue", "pull_request"]
EventType = Literal[
    "edited", "retitled", "closed", "reopened", "merged", "relabelled", "commented", "renamed", "transferred", "deleted"
]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with its README. `name` is owner/repo as GitHub spells it now."""

    node_id: str
    name: str
    description: str
    readme: str
    pushed_at: str
    updated_at: str
    fetched_at: str

    @property
    def address(self) -> str:
        """The canonical key."""
        return key_of(self.name)


@dataclass(frozen=True, slots=True)
class Comment:
    """An issue comment, a review comment (with the path of its file) or a review body."""

    node_id: str
    author: str  # "ghost" where GitHub has no account any more; bots as app/<name>
    created_at: str
    updated_at: str
    body: str
    path: str | None = None
    minimized: str | None = None  # GitHub's reason, e.g. "spam"


@dataclass(frozen=True, slots=True)
class Item:
    """An issue or pull request, whole: with every comment, and (pull requests) the path of every changed file."""

    kind: ItemKind
    node_id: str
    repository_id: str  # node_id of its Repository, which may be stored without README (only its name is then known)
    repository: str  # owner/repo as GitHub spells it
    number: int
    title: str
    body: str
    state: Literal["open", "closed", "merged"]
    author: str
    labels: tuple[str, ...]  # as GitHub spells them, in its order
    assignees: tuple[str, ...]
    milestone: str | None  # its title
    milestone_number: int | None
    created_at: str
    updated_at: str
    closed_at: str | None
    fetched_at: str
    comments: tuple[Comment, ...] = ()  # by created_at, then node_id
    references: tuple[str, ...] = ()  # canonical keys of what it mentions or is mentioned by, stored or not
    closes: tuple[str, ...] = ()  # canonical keys of the issues a pull request closes
    merged_at: str | None = None
    base_ref: str | None = None
    files: tuple[str, ...] = ()
    state_reason: str | None = None  # completed, not_planned, duplicate, reopened

    @property
    def address(self) -> str:
        """The canonical key."""
        return key_of(self.repository, self.number)


@dataclass(frozen=True, slots=True)
class Member:
    """One place in a Listing: which item, and when the answer that put it there was fetched."""

    node_id: str
    fetched_at: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A stored answer to a listing question. One per address and order; storing it again replaces it."""

    address: str
    order: str
    members: tuple[Member, ...]  # in order; every node_id is stored by the same write or an earlier one
    total_count: int  # as GitHub counted; -1 where it does not say
    complete: bool  # whether the members are all there are
    fetched_at: str


@dataclass(frozen=True, slots=True)
class Move:
    """An old address that leads on: a renamed repository, a transferred item (then `old_node_id` differs)."""

    old: str  # canonical key of a repository or an item
    new: str
    node_id: str
    old_node_id: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one write stores, all or nothing."""

    at: str  # recorded time
    repositories: Sequence[Repository] = ()
    items: Sequence[Item] = ()
    listings: Sequence[Listing] = ()
    moves: Sequence[Move] = ()
    unchanged: Sequence[str] = ()  # node_ids whose source did not change: only fetched_at moves
    deleted: Sequence[str] = ()  # node_ids that GitHub says are gone; their last State ends, its content stays readable
    causes: Mapping[str, str] = field(default_factory=dict)  # node_id -> id of the Touch that asked for it


@dataclass(frozen=True, slots=True)
class Version:
    """How current a stored Resource is; what the Sweep compares with GitHub's light index."""

    node_id: str
    updated_at: str
    fetched_at: str


@dataclass(frozen=True, slots=True)
class StoredListing:
    """A Listing without its members: enough for rg_core.address.matching. `id` names its immutable snapshot."""

    id: str
    address: str
    order: str
    member_count: int
    total_count: int
    complete: bool
    fetched_at: str


@dataclass(frozen=True, slots=True)
class Row:
    """A member of a listing as an index row, from the item's current State."""

    node_id: str
    address: str
    number: int
    title: str
    state: str
    labels: tuple[str, ...]
    updated_at: str
    comments: int
    kind: ItemKind
    author: str


@dataclass(frozen=True, slots=True)
class Facets:
    """How many stored items there are by state and by label, most first; spellings of a label count as one."""

    states: Mapping[str, int]
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stored resources are wanted; an empty field leaves all in."""

    kind: Literal["repository", "issue", "pull_request", ""] = ""
    repository: str = ""  # owner/repo, by any name it had
    state: Literal["open", "closed", "merged", ""] = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored resource as one line, from its current State; a repository has neither state nor title."""

    address: str
    kind: Literal["repository", "issue", "pull_request"]
    title: str
    state: str
    labels: tuple[str, ...]
    author: str
    updated_at: str
    fetched_at: str
    comments: int


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a listing, and how many rows the whole question has."""

    rows: tuple[Row, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A Resource as one State of it says. `superseded`: a newer State is stored."""

    resource: Repository | Item | Document
    state_id: str
    valid_from: str
    valid_until: str | None
    recorded_at: str
    superseded: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A reference between two stored resources, by their current addresses."""

    source: str
    type: Literal["REFERENCES", "CLOSES"]
    target: str


@dataclass(frozen=True, slots=True)
class StateFacts:
    """One link of a Resource's chain, without its body. `event_type` is what ended its predecessor; None: the first."""

    id: str
    event_type: str | None  # an EventType, or one of a text (rg_core.documents.versions)
    valid_from: str  # source time
    valid_until: str | None  # source time; None: the open State
    recorded_at: str  # recorded time
    cause: str | None  # id of the Touch whose fetch made it


@dataclass(frozen=True, slots=True)
class StateBody:
    """The immutable body of a State: content, kind, address as recorded, recorded time. No lifecycle field, ever."""

    id: str
    kind: Literal["repository", "issue", "pull_request"]
    address: str
    recorded_at: str
    content: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ListingBody:
    """The immutable snapshot of a listing answer."""

    id: str
    address: str
    order: str
    fetched_at: str
    total_count: int
    complete: bool
    members: tuple[Mapping[str, object], ...]  # node_id, address, number, title, state as known when it was recorded
