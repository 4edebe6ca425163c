"""The embedded engine: one SQLite file beside the user's data; no server, no set-up, many processes at once.

Every write is one transaction in WAL mode with synchronous NORMAL: what was acknowledged survives a kill -9 of any
process at any moment (only a power failure may take the last commits), and no reader sees half of it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Literal, TypeVar

from rg_core.address.model import Address
from rg_core.errors import UserError
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
from rg_core.store.protocol import Abilities, SharedTouches
from rg_core.store.search import SharedIndex
from rg_core.store.sqlite import (
    browse,
    complete,
    dump,
    feed,
    file,
    forget,
    listings,
    read,
    sql_read,
    sql_write,
    write,
    write_listings,
)
from rg_core.store.texts import FeedEntry, FeedText

T = TypeVar("T")
LOAD_RECORDS = 200  # of a load in one transaction, so that other writers get their turn
BETWEEN_BATCHES = 0.005  # seconds; as ENGINES' measurements want it


class EmbeddedStore(file.Database):
    """A Store in one file, opened (and made, or migrated) at first use."""

    can = Abilities(feed=True)

    def __init__(self, path: str, busy_seconds: float = file.BUSY_SECONDS) -> None:
        """Nothing is opened yet; `busy_seconds` is how long to wait for another process's write."""
        super().__init__(path, busy_seconds)
        self.where = path

    def init(self) -> None:
        """Create or migrate the file."""
        self._db()

    def write(self, batch: Batch) -> None:
        """Store a batch: whole or not at all; acknowledged writes survive a kill."""

        def whole(db: sqlite3.Connection) -> None:
            write.write(db, batch)
            for listing in batch.listings:
                write_listings.put_listing(db, listing)

        self._write(whole)

    def forget(self, addresses: Sequence[str]) -> int:
        """Remove resources or listings.

        What was removed is overwritten in the file, and the write-ahead log is emptied, before this returns; only
        while another process is in the middle of reading does the log keep it until the next checkpoint.
        """
        count = self._write(lambda db: forget.forget(db, addresses))
        self._read(lambda db: db.execute(sql_write.CHECKPOINT).fetchall(), alone=False)
        return count

    def lease(self, name: str, holder: str, seconds: float) -> bool:
        """Take or prolong a lease."""
        now = time.time()
        values = {"name": name, "holder": holder, "now": now, "until": now + seconds}
        return self._write(lambda db: db.execute(sql_write.TAKE_LEASE, values).rowcount) > 0

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        self._write(lambda db: db.execute(sql_write.RELEASE, (name, holder)))

    def versions(self, keys: Sequence[str]) -> Mapping[str, Version]:
        """The stored version by canonical key or node_id."""
        return self._read(lambda db: read.versions(db, keys))

    def listing(self, address: str, order: str) -> tuple[StoredListing, tuple[tuple[str, str], ...]] | None:
        """The stored Listing and its members."""
        return self._read(lambda db: listings.listing(db, address, order))

    def repository_named(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The repository of a name, and all its names."""
        return self._read(lambda db: read.repository_names(db, name))

    def read(self, key: str, as_of: str | None = None) -> Reading | None:
        """The repository or item at a canonical key."""
        return self._read(lambda db: read.read(db, key, as_of))

    def candidates(
        self, repository: str, kind: Literal["issues", "pulls"], as_of: str | None = None
    ) -> Sequence[StoredListing]:
        """Every stored Listing of a repository and kind, freshest first."""
        return self._read(lambda db: listings.candidates(db, repository, kind, as_of))

    def listings_with(self, key: str) -> Sequence[StoredListing]:
        """Every stored Listing that has an item."""
        return self._read(lambda db: listings.listings_with(db, key))

    def listed_since(self, address: str) -> str | None:
        """When the first stored answer of a listing was fetched."""
        return self._read(lambda db: listings.listed_since(db, address))

    def page(
        self, listing: StoredListing, question: Address, offset: int, limit: int, as_of: str | None = None
    ) -> Page:
        """Rows of the question's answer from a Listing."""
        return self._read(lambda db: listings.page(db, listing, question, offset, limit, as_of))

    def history(self, key: str) -> Sequence[StateFacts]:
        """The chain of States at a canonical key."""
        return self._read(lambda db: read.history(db, key))

    def edges(self, key: str) -> Sequence[Edge]:
        """The edges from and to what is at a canonical key."""
        return self._read(lambda db: read.edges(db, key))

    def state(self, id: str) -> StateBody | None:
        """The immutable body of a State."""
        return self._read(lambda db: read.state(db, id))

    def snapshot(self, id: str) -> ListingBody | None:
        """The immutable snapshot of a listing answer."""
        return self._read(lambda db: read.snapshot(db, id))

    def browse(self, selection: Selection, limit: int, after: Entry | None = None) -> Sequence[Entry]:
        """What is stored, latest change first."""
        return self._read(lambda db: browse.browse(db, selection, limit, after))

    def repositories(self) -> Mapping[str, int]:
        """How many items of each repository are stored."""
        return self._read(browse.repositories)

    def facets(self, most: int) -> Facets:
        """How many items are in each state and have each label."""
        return self._read(lambda db: browse.facets(db, most))

    def complete(self, prefix: str, limit: int) -> Sequence[str]:
        """Stored addresses that begin with prefix: by repository, then number, listings last."""
        return self._read(lambda db: complete.addresses(db, prefix, limit))

    def state_ids(self, prefix: str, limit: int) -> Sequence[str]:
        """Ids of States and snapshots that begin with prefix."""
        return self._read(lambda db: complete.ids(db, prefix, limit))

    def changes(self, after: int, limit: int) -> Sequence[FeedEntry]:
        """What changed after a sequence number, for an index."""
        return self._read(lambda db: feed.changes(db, after, limit))

    def changes_left(self, after: int) -> int:
        """How much changed after a sequence number."""
        count: int = self._read(lambda db: db.execute(sql_read.CHANGES_LEFT, (after,)).fetchone()[0])
        return count

    def entry_texts(self, versions: Sequence[str]) -> Mapping[str, FeedText]:
        """The texts of States, for an index."""
        return self._read(lambda db: feed.entry_texts(db, versions))

    def verified_at(self, user: str, addresses: Sequence[str]) -> Mapping[str, str]:
        """When what is at these addresses was last fetched."""
        return self._read(lambda db: feed.verified_at(db, addresses))

    def counts(self) -> Mapping[str, int]:
        """How many of each kind are stored."""
        return self._read(read.counts)

    def index(self, version: int) -> SharedIndex:
        """None: the index on this machine follows what changes here."""
        raise UserError("this machine's memory has no index of its own; recall's follows it")

    def documents_of(self, projects: Sequence[str]) -> SharedDocuments:
        """None: documents and notes of this machine are in a file of their own."""
        raise UserError("this machine's memory holds no documents of others; set [store] url to a server that does")

    def touches_of(self, user: str) -> SharedTouches:
        """None: this machine keeps Touches in a file of their own."""
        raise UserError("touches of this machine are not in its memory; set [store] url to a server that holds them")

    def foreign(self) -> Mapping[str, int]:
        """Nothing: the file is ours alone."""
        return {}

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file; empty for a sound one."""
        rows = self._read(lambda db: db.execute(sql_read.INTEGRITY).fetchall())
        return [] if [row[0] for row in rows] == ["ok"] else [f"the file is damaged: {row[0]}" for row in rows]

    def dump(self) -> Iterator[Mapping[str, object]]:
        """Everything as records, as it was at the first of them."""
        with file.explained(self.path):
            db = file.connect(self.path, self._busy_seconds)
            try:
                with file.snapshot(db):
                    yield from dump.dump(db)
            finally:
                db.close()

    def load(self, records: Iterable[Mapping[str, object]]) -> int:
        """Store dumped records, batch by batch."""
        waiting, count = iter(records), 0
        while batch := list(islice(waiting, LOAD_RECORDS)):
            self._write(partial(dump.load, records=batch))
            count += len(batch)
            time.sleep(BETWEEN_BATCHES)
        return count
