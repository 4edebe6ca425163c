"""The Bolt engine: one memory for a team, on Neo4j (5 or later) or Memgraph.

Every write is one transaction, retried where it lost a race: what is acknowledged is as durable as the server makes it,
and a process that is killed leaves nothing half done. Readers see whole resources and whole listings (rg_core.
store.bolt.read). Nothing is sent before the first call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, TypeVar

from rg_core.address.model import Address
from rg_core.store.bolt import browse, complete, cypher, dump, forget, listings, moves, prepare, read, schema
from rg_core.store.bolt import write as writing
from rg_core.store.bolt.connection import READ_SECONDS, Connection, Run
from rg_core.store.bolt.documents import BoltDocuments
from rg_core.store.bolt.search import BoltIndex
from rg_core.store.bolt.touches import TouchGraph
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
from rg_core.store.protocol import Abilities, StoreUnavailable
from rg_core.store.states import plain

T = TypeVar("T")
BULK_SECONDS = 30.0  # a read that a Sweep or a command waits for; nobody in a conversation does
LOAD_RECORDS = 200  # of a load in one transaction
TORN_TRIES = 20
TORN_PAUSE = 0.005  # seconds; a commit becomes visible within less


class BoltStore:
    """A Store on a Bolt server."""

    can = Abilities(shared=True, touches=True, text=True, vectors=True, documents=True)

    def __init__(
        self, url: str, user: str = "", password: str = "", database: str = "", read_seconds: float = READ_SECONDS
    ) -> None:
        """Nothing is sent yet.

        Args:
            url: bolt://host:7687, or neo4j:// for a cluster; +s for TLS.
            user: "" for a server without accounts.
            password: never shown.
            database: "" for the server's default.
            read_seconds: how long a reader may be left waiting.

        Raises:
            UserError: if the url is not a Bolt address, or the `neo4j` package is not installed.
        """
        self.where = url
        self.connection = Connection(url, user, password, database, read_seconds)
        self.read_seconds = read_seconds
        self._prepared = self._looked = False

    def exists(self) -> bool:
        """Whether a server is there is found out by asking it."""
        return True

    def init(self) -> None:
        """Create the constraints and indexes that are missing, and take over what release 0.1 stored."""
        prepare.prepare(self.connection)
        self._prepared = True

    def close(self) -> None:
        """Close the connections."""
        self.connection.close()

    def write(self, batch: Batch) -> None:
        """Store a batch: whole or not at all."""
        try:
            self._write(batch, writing.entries_of(batch))
        except UnicodeEncodeError:  # a lone surrogate; looking for one beforehand would cost every write
            self._write(batch, writing.entries_of(batch, plain))

    def _write(self, batch: Batch, entries: Sequence[writing.Incoming]) -> None:
        def work(run: Run) -> None:
            writing.put_entries(run, entries)
            if batch.unchanged:
                writing.confirm(run, batch)
            for move in batch.moves:
                moves.put(run, move, batch.at)
            if batch.deleted:
                writing.delete(run, batch)
            for listing in batch.listings:
                listings.put(run, listing)

        self.change(work)

    def forget(self, addresses: Sequence[str]) -> int:
        """Remove resources or listings."""
        return self.change(lambda run: forget.forget(run, addresses))

    def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Take or prolong a lease. Times are this machine's: clocks may differ by less than the lease is long."""
        now = time.time()

        def work(run: Run) -> bool:
            run(cypher.TAKE_LEASE, name=name)
            return bool(run(cypher.SET_LEASE, name=name, holder=holder, now=now, until=now + seconds))

        return self.change(work)

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        self.change(lambda run: run(cypher.RELEASE, name=name, holder=holder))

    def versions(self, keys: Sequence[str]) -> Mapping[str, Version]:
        """The stored version by canonical key or node_id."""
        return self._read(lambda run: read.versions(run, keys), BULK_SECONDS)

    def listing(self, address: str, order: str) -> tuple[StoredListing, tuple[tuple[str, str], ...]] | None:
        """The stored Listing and its members."""
        return self._read(lambda run: listings.listing(run, address, order), BULK_SECONDS)

    def repository_named(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The repository of a name, and all its names."""
        return self._read(lambda run: read.repository_names(run, name), BULK_SECONDS)

    def read(self, key: str, as_of: str | None = None) -> Reading | None:
        """The repository or item at a canonical key."""
        return self._read(lambda run: read.read(run, key, as_of))

    def candidates(
        self, repository: str, kind: Literal["issues", "pulls"], as_of: str | None = None
    ) -> Sequence[StoredListing]:
        """Every stored Listing of a repository and kind, freshest first."""
        return self._read(lambda run: listings.candidates(run, repository, kind, as_of))

    def listings_with(self, key: str) -> Sequence[StoredListing]:
        """Every stored Listing that has an item."""
        return self._read(lambda run: listings.listings_with(run, key))

    def listed_since(self, address: str) -> str | None:
        """When the first stored answer of a listing was fetched."""
        return self._read(lambda run: listings.listed_since(run, address))

    def page(
        self, listing: StoredListing, question: Address, offset: int, limit: int, as_of: str | None = None
    ) -> Page:
        """Rows of the question's answer from a Listing."""
        return self._read(lambda run: listings.page(run, listing, question, offset, limit, as_of))

    def history(self, key: str) -> Sequence[StateFacts]:
        """The chain of States at a canonical key."""
        return self._read(lambda run: read.history(run, key))

    def edges(self, key: str) -> Sequence[Edge]:
        """The edges from and to what is at a canonical key."""
        return self._read(lambda run: read.edges(run, key))

    def state(self, id: str) -> StateBody | None:
        """The immutable body of a State."""
        return self._read(lambda run: read.state(run, id))

    def snapshot(self, id: str) -> ListingBody | None:
        """The immutable snapshot of a listing answer."""
        return self._read(lambda run: read.snapshot(run, id))

    def browse(self, selection: Selection, limit: int, after: Entry | None = None) -> Sequence[Entry]:
        """What is stored, latest change first."""
        return self._read(lambda run: browse.browse(run, selection, limit, after))

    def repositories(self) -> Mapping[str, int]:
        """How many items of each repository are stored."""
        return self._read(browse.repositories)

    def facets(self, most: int) -> Facets:
        """How many items are in each state and have each label."""
        return self._read(lambda run: browse.facets(run, most))

    def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """Stored addresses that begin with prefix: by repository, then number, listings last."""
        return self._read(lambda run: complete.addresses(run, prefix, limit))

    def state_ids(self, prefix: str, limit: int) -> Sequence[str]:
        """Ids of States and snapshots that begin with prefix."""
        return self._read(lambda run: complete.ids(run, prefix, limit))

    def touches_of(self, user: str) -> TouchGraph:
        """The Touches of one user."""
        return TouchGraph(self.change, self.ask, user)

    def index(self, version: int) -> BoltIndex:
        """A version of the index over what the server holds."""
        return BoltIndex(self, version)

    def documents_of(self, projects: Sequence[str]) -> BoltDocuments:
        """The documents and notes that people share of these projects."""
        return BoltDocuments(self, projects)

    def damage(self) -> list[str]:
        """The constraints that are missing, and what is there twice without them."""
        there = prepare.look(self.connection, schema.server(self.connection.agent()))
        missing = [
            f"the constraint on :{label}({name}) is missing; run rg-memory store init" for label, name in there.missing
        ]
        return [*missing, *prepare.doubles(self.connection, there.missing)]

    def foreign(self) -> Mapping[str, int]:
        """How many nodes others keep under our public labels."""
        return self.ask(prepare.foreign)

    def counts(self) -> Mapping[str, int]:
        """How many of each kind are stored."""
        return self._read(read.counts, BULK_SECONDS)

    def dump(self) -> Iterator[Mapping[str, object]]:
        """Everything as records; each is whole, later ones may be younger."""
        return dump.dump(self.ask)

    def load(self, records: Iterable[Mapping[str, object]]) -> int:
        """Store dumped records, batch by batch."""
        waiting, count = iter(records), 0
        while batch := list(islice(waiting, LOAD_RECORDS)):
            self.change(lambda run, batch=batch: dump.load(run, batch))  # type: ignore[misc]
            count += len(batch)
        return count

    # -- for the engine's other parts (rg_core.store.bolt.touches, .search)

    def change(self, work: Callable[[Run], T]) -> T:
        """Run `work` in one write transaction, with the schema in place."""
        if not self._prepared:
            if not prepare.is_ready(self.connection):
                prepare.prepare(self.connection)
            self._prepared = True
        return self.connection.write(work)

    def ask(self, work: Callable[[Run], T]) -> T:
        """Run `work` in one read transaction that a command waits for."""
        return self._read(work, BULK_SECONDS)

    def quick(self, work: Callable[[Run], T]) -> T:
        """Run `work` in one read transaction that somebody in a conversation waits for."""
        return self._read(work)

    def _read(self, work: Callable[[Run], T], seconds: float | None = None) -> T:
        if not self._looked:  # before the first read: what release 0.1 stored is found under our own labels only
            if self.connection.layout() is None and self.connection.read(prepare.is_old, BULK_SECONDS):
                prepare.prepare(self.connection)
            self._looked = True
        end = time.monotonic() + (seconds or self.read_seconds)
        for _ in range(TORN_TRIES):
            try:
                return self.connection.read(work, max(0.1, end - time.monotonic()))
            except read.Torn:
                time.sleep(TORN_PAUSE)
        raise StoreUnavailable(f"memory at {self.connection.name} is not whole; load an export into an empty database")
