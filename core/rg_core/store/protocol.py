"""What every engine promises. The contract suite (tests/core/store) runs over each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rg_core.address.model import Address
from rg_core.store.documents import SharedDocuments
from rg_core.store.model import (
    Batch,
    Edge,
    Entry,
    Facets,
    ListingBody,
    Page,
    Reading,
    Selection,
    StateBody,
    StateFacts,
    StoredListing,
    Version,
)
from rg_core.store.search import SharedIndex
from rg_core.touches.touch import Touch


class StoreUnavailable(Exception):
    """Memory cannot be reached or read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an engine can do beyond storing and reading; nobody guesses it from an address."""

    shared: bool = False  # a memory of many machines: what is written or forgotten in it is so for a team
    touches: bool = False  # it holds Touches beside what they are about: Store.touches_of
    feed: bool = False  # it tells what changed (rg_core.store.search.Feed): an index on this machine follows it
    text: bool = False  # it searches texts by their words
    vectors: bool = False  # it searches by nearness of vectors
    documents: bool = False  # it holds what people share of their documents and notes: Store.documents_of


class SharedTouches(Protocol):
    """One user's Touches in a shared memory, from all of the user's machines. It cannot tell of another user's.

    Every method raises StoreUnavailable when memory is away.
    """

    def record_some(self, fetch: Callable[[], Iterable[Touch]]) -> list[Touch]:
        """Store the user's Touches that `fetch` gives while nobody else stores or forgets any of this user.

        So what is forgotten before is not given, and what is stored before is forgotten. `fetch` may run twice.
        """
        ...

    def touches(
        self,
        *,
        limit: int | None = None,
        address: str | None = None,
        session: str | None = None,
        since: str | None = None,
    ) -> list[Touch]:
        """The user's Touches from every machine, newest first."""
        ...

    def forget(self, *, address: str | None = None, session: str | None = None, everything: bool = False) -> int:
        """Remove the user's Touches of an address, of a session, or all; how many there were."""
        ...

    def adopt(self, former: Sequence[str]) -> int:
        """Have the Touches that the user made under these names be the user's; how many there were."""
        ...

    def join(self) -> int:
        """Draw the edges to what other programs of the family stored there and Touches come from; how many are new."""
        ...


class Store(Protocol):
    """Public content by canonical key and node_id. Every method raises StoreUnavailable when memory is away.

    Used from one thread at a time. No user is known here but by `touches_of`: Touches are in rg_core.touches.
    """

    @property
    def where(self) -> str:
        """Its place, for a person: a path, or an address without secrets."""
        ...

    @property
    def can(self) -> Abilities:
        """What its engine can do; nothing is connected for that."""
        ...

    def exists(self) -> bool:
        """Whether there is something to open; False where a first write or `init` would create it."""
        ...

    def init(self) -> None:
        """Create or migrate what is missing; harmless when nothing is. Safe beside others doing the same."""
        ...

    def close(self) -> None:
        """Release files and connections; the Store cannot be used afterwards."""
        ...

    # -- writing

    def write(self, batch: Batch) -> None:
        """Store a batch in one transaction: visible whole or not at all, on disk when this returns, also after kill -9.

        An item whose content differs from its open State gets a new State (valid_from: its updated_at, kept after the
        predecessor's), which closes the old one with an event type derived from the difference; one that does not
        only moves fetched_at. A listing replaces the one of the same address and order, and leaves an immutable
        snapshot. An item older (updated_at) than what is stored changes nothing. References to what is not stored are
        kept and become edges when the other end arrives. Writing the same batch again changes nothing but fetched_at.

        The finer points (rg_core.store.states has the pure half):
        - Content that changed while updated_at stood still (a cross-reference, a deleted comment, late closing
          references, a rename) is a State valid from fetched_at: until the fetch before, the old one was seen to hold.
          updated_at and pushed_at alone make no State; they move with the latest one.
        - A deleted resource ends with a State of no duration (valid_until == valid_from, event "deleted", the same
          content). Being written or unchanged again, it goes on from there.
        - A transferred item's chain goes on in the item it became: its last State ends where the first State of the new
          one begins, whose event is then "transferred". Old and new address read the same, as_of and history included.
        - A renamed repository has its items and listings at every name it had, until another repository takes one. One
          that loses its only name is found under a made-up one (states.name_aside) until a later answer names it.
        - The same answer of a listing again moves its times and keeps its snapshot. A member that is not stored (it was
          forgotten meanwhile) is left out, and the listing is then not complete. An older listing changes nothing.
        """
        ...

    def forget(self, addresses: Sequence[str]) -> int:
        """Remove these resources or listings with all their States, comments and snapshots; how many there were.

        Nothing of them stays readable by any method. An item that a listing still has as member leaves that listing,
        whose total_count stays and which is then no longer complete.
        """
        ...

    def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Take or prolong the named lease; False while somebody else's has not run out."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give the lease back if `holder` has it."""
        ...

    # -- what the Sweep asks

    def versions(self, keys: Sequence[str]) -> Mapping[str, Version]:
        """The stored version by canonical key or node_id; keys that are not stored are missing. Follows moves."""
        ...

    def listing(self, address: str, order: str) -> tuple[StoredListing, tuple[tuple[str, str], ...]] | None:
        """The stored Listing and its members as (node_id, fetched_at) in order."""
        ...

    def repository_named(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The repository that has or last had this lower-case name, as far as memory knows.

        Its node_id, and every name it is found under.
        """
        ...

    # -- what a reader asks

    def read(self, key: str, as_of: str | None = None) -> Reading | None:
        """The repository or item at a canonical key, following moves: current, or as it was at a source time.

        `as_of` gives the State valid then, with only the comments that existed then, worded as then known, under the
        name that its repository had when it was recorded; None if nothing is known of that time. A deleted resource
        still reads as its last State. The fetched_at of a superseded State is its recorded time.
        """
        ...

    def candidates(
        self, repository: str, kind: Literal["issues", "pulls"], as_of: str | None = None
    ) -> Sequence[StoredListing]:
        """Every stored Listing of a repository (owner/repo or *) and kind, freshest first; as_of: as recorded then."""
        ...

    def listings_with(self, key: str) -> Sequence[StoredListing]:
        """Every stored Listing whose current answer has the item at a canonical key, by address and order."""
        ...

    def listed_since(self, address: str) -> str | None:
        """When the first stored answer of a listing was fetched, in whatever order; None if there is none."""
        ...

    def page(
        self, listing: StoredListing, question: Address, offset: int, limit: int, as_of: str | None = None
    ) -> Page:
        """Rows `offset` to `offset + limit` of the question's answer from this Listing.

        For the listing's own question and order: its members by position. Otherwise the question's filters over the
        members' current States, in the question's order. `question.limit` bounds `count`. Not a check:
        rg_core.address.matching decides before whether the Listing may answer at all.
        """
        ...

    def history(self, key: str) -> Sequence[StateFacts]:
        """The chain of States at a canonical key, oldest first; empty if not stored."""
        ...

    def edges(self, key: str) -> Sequence[Edge]:
        """The REFERENCES and CLOSES edges from and to what is at a canonical key, both ends stored, sorted."""
        ...

    def state(self, id: str) -> StateBody | None:
        """The immutable body of a State."""
        ...

    def snapshot(self, id: str) -> ListingBody | None:
        """The immutable snapshot of a listing answer."""
        ...

    def browse(self, selection: Selection, limit: int, after: Entry | None = None) -> Sequence[Entry]:
        """What is stored, latest change first, then by address from the end; `after`: where a page before ended."""
        ...

    def repositories(self) -> Mapping[str, int]:
        """How many issues and pull requests of each repository are stored, by owner/repo in lower case; most first."""
        ...

    def facets(self, most: int) -> Facets:
        """How many issues and pull requests are in each state, and have each of the `most` frequent labels."""
        ...

    def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """Stored addresses that begin with prefix, in order."""
        ...

    def state_ids(self, prefix: str, limit: int) -> Sequence[str]:
        """Ids of States and listing snapshots that begin with prefix, in order."""
        ...

    # -- what recall searches, where `can.text`

    def index(self, version: int) -> SharedIndex:
        """A version of the index over what is stored here.

        Raises:
            UserError: if this engine has none: an index on this machine follows it, or nothing does.
        """
        ...

    # -- documents and notes that people share, where `can.documents`

    def documents_of(self, projects: Sequence[str]) -> SharedDocuments:
        """The documents and notes that people share of these projects.

        Raises:
            UserError: if this engine holds none: they are private.
        """
        ...

    # -- Touches, where `can.touches`

    def touches_of(self, user: str) -> SharedTouches:
        """The Touches of one user.

        Raises:
            UserError: if there is no identity, or this engine holds none.
        """
        ...

    # -- the whole

    def damage(self) -> Sequence[str]:
        """What is wrong that no dump could show, one line each; nothing for a sound store."""
        ...

    def foreign(self) -> Mapping[str, int]:
        """What others keep in the same place under names that are ours too, and how much of it: it is left alone."""
        ...

    def counts(self) -> Mapping[str, int]:
        """How many repositories, issues, pull_requests, comments, states, listings are stored."""
        ...

    def dump(self) -> Iterator[Mapping[str, object]]:
        """Everything, as JSON-able records that `load` of any engine takes, in an order that load can store.

        Histories, recorded times and moves included; Touches not.
        """
        ...

    def load(self, records: Iterable[Mapping[str, object]]) -> int:
        """Store dumped records, batch by batch; loading them again changes nothing. How many were read."""
        ...
