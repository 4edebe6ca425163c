"""The Sweep's border to memory: everything that is stored goes through here, in small steps.

The order of a step is: store, then the index of known addresses, then (rg_core.sweep.answers) the Touch. A kill
between two of them makes the next run find an unchanged source and do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rg_core import times
from rg_core.address.model import ANY_REPOSITORY, key_of, place
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.store.agreement import LISTED, names_of, sift, sift_forgotten
from rg_core.store.model import Batch, Item, Listing, Member, Move, Repository
from rg_core.store.protocol import Store
from rg_core.sweep.outcome import Members
from rg_core.sweep.plan import Request, merge
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known

ROWS = 200  # of one transaction
PAUSE = 0.005  # seconds between two, so that others get their turn
EVERYTHING = 1_000_000
CAUSED = ("repositories", "items", "unchanged", "deleted")  # the parts of a Batch that name resources


@dataclass
class Ledger:
    """Writes to memory, then to the index of what is known. `beat`, called before every commit, prolongs the lease.

    `erase` is told the key of each repository that is not public, before its Touches lose their addresses.
    """

    store: Store
    log: TouchLog
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    beat: Callable[[], None]
    erase: Callable[[str], None] = lambda key: None
    fetched: int = 0
    unchanged: int = 0
    causes: dict[str, str] = field(default_factory=dict)  # node_id -> the Touch that asked for it
    named: dict[str, str] = field(default_factory=dict)  # repository's name -> its node_id, as told in this run

    def now(self) -> str:
        """The time as it is stored."""
        return times.written(self.clock())

    # -- memory

    def items(self, items: Iterable[Item], *, again: bool = False) -> None:
        """Store items, some 200 rows (items and comments) at a time. `again`: they were counted before."""
        part: list[Item] = []
        rows = 0
        for item in items:
            size = 1 + len(item.comments)
            if part and rows + size > ROWS:
                self._items(part, again)
                part, rows = [], 0
            part.append(item)
            rows += size
        if part:
            self._items(part, again)

    def _items(self, items: Sequence[Item], again: bool) -> None:
        for item in items:
            self.found(item.repository.lower(), SourceRepository(item.repository_id, item.repository, public=True))
        self._write(items=items)
        self.log.put_known(
            Known(item.address, "", item.fetched_at, item.updated_at, item.title, len(item.comments)) for item in items
        )
        self.fetched += 0 if again else len(items)

    def repository(self, repository: Repository, asked: str) -> None:
        """Store a repository, which is known by the key it was asked by as well."""
        self.found(place(asked)[0], SourceRepository(repository.node_id, repository.name, public=True))
        self._write(repositories=[repository])
        self.log.put_known(
            Known(key, "", repository.fetched_at, repository.updated_at, repository.description)
            for key in dict.fromkeys((repository.address, asked))
        )
        self.fetched += 1

    def confirm(self, rows: Sequence[IndexRow]) -> None:
        """Note that these stored items have not changed."""
        for start in range(0, len(rows), ROWS):
            part = rows[start : start + ROWS]
            for row in part:
                self.found(row.repository.name.lower(), row.repository)
            at = self.now()
            self._write(unchanged=[row.node_id for row in part])
            self.log.put_known(Known(row.key, "", at, row.updated_at, row.title, self._comments(row)) for row in part)
            self.unchanged += len(part)

    def _comments(self, row: IndexRow) -> int:
        """How many are stored: the index does not count a pull request's reviews."""
        reading = self.store.read(row.key) if row.kind == "pull_request" else None
        return len(reading.resource.comments) if reading and isinstance(reading.resource, Item) else row.comments

    def found(self, asked: str, home: SourceRepository) -> None:
        """Store the names that an answer came under: the repository's own, and the one that it was asked by.

        Said once in a run. Whoever had one of the names before loses it, and the index what it promised of them.
        """
        names = [name for name in dict.fromkeys((home.name.lower(), asked)) if name != ANY_REPOSITORY]
        news = [name for name in names if self.named.get(name) != home.node_id]
        if not news:
            return
        taken = [name for name in news if (self.store.repository_named(name) or (home.node_id,))[0] != home.node_id]
        self._write(moves=[Move(key_of(name), home.key, home.node_id) for name in news])
        self.named |= dict.fromkeys(news, home.node_id)
        if taken:
            sift(self.store, self.log, taken)

    def transferred(self, asked: str, row: IndexRow) -> None:
        """Have the key that an item was asked by lead on to where it is now."""
        old = self.store.versions([asked]).get(asked)
        former = old.node_id if old and old.node_id != row.node_id else None
        self._write(moves=[Move(asked, row.key, row.node_id, former)])

    def deleted(self, request: Request) -> None:
        """Note that GitHub has deleted what is stored of a request."""
        if (version := self.store.versions([request.key]).get(request.key)) is not None:
            self.causes[version.node_id] = request.cause
            self._write(deleted=[version.node_id])

    def withdraw(self, request: Request, home: SourceRepository | None) -> None:
        """Forget what is not public (any more): a repository; or an item alone, which left a public one for `home`."""
        name = request.address.repository
        if request.address.kind != "item" or name not in self.named:
            self.purge(name, home)
            return
        self.erase(request.key)
        self.beat()
        self.store.forget([request.key])
        sift_forgotten(self.store, self.log, names_of(self.store, [name]))
        if home:
            self.purge(home.name.lower(), home)

    def purge(self, name: str, home: SourceRepository | None) -> None:
        """Forget whatever was public once of a repository that is not (any more), under all its names."""
        names = names_of(self.store, {name, home.name.lower() if home else name} - {ANY_REPOSITORY})
        for each_name in names:
            key = key_of(each_name)
            self.erase(key)
            below = (f"{key}#", f"{key}/")
            keys = [each for each in self.store.complete(key, EVERYTHING) if each == key or each.startswith(below)]
            keys += [one.address for kind in LISTED for one in self.store.candidates(each_name, kind)]
            if keys:
                self.beat()
                self.store.forget(list(reversed(keys)))  # listings and items before the repository that names them
        sift_forgotten(self.store, self.log, names)

    def caused(self, node_ids: Iterable[str], touch: str) -> None:
        """Remember which Touch asked for these first."""
        for node_id in node_ids:
            self.causes.setdefault(node_id, touch)

    def _write(self, **parts: Sequence[object]) -> None:
        self.beat()
        ids = [str(getattr(each, "node_id", each)) for name in CAUSED for each in parts.get(name, ())]
        causes = {node_id: self.causes[node_id] for node_id in ids if node_id in self.causes}
        self.store.write(Batch(at=self.now(), causes=causes, **parts))  # type: ignore[arg-type]
        self.sleep(PAUSE)

    # -- answers

    def answered(self, request: Request, members: Members) -> None:
        """Store the listing whose members are all stored; an item is known by the key it was asked by as well."""
        if request.address.is_listing:
            self._listing(request, members)
        for row in () if request.address.is_listing else members.rows.values():
            if row.key != request.key:
                known = Known(request.key, "", self.now(), row.updated_at, row.title, self._comments(row))
                self.log.put_known([known])

    def _listing(self, request: Request, members: Members) -> None:
        address, key = request.address, members.key(request)
        before = self.store.listing(key, address.order)
        at = self.now()
        merged = merge(
            stored_members(before),
            list(members.rows),
            total=members.total,
            ended=members.ended,
            order=address.order,
            at=at,
            was_complete=before is not None and before[0].complete,
        )
        listing = Listing(key, address.order, merged.members, merged.total, merged.complete, at)
        self._write(listings=[listing])
        count = len(merged.members)
        self.log.put_known(
            Known(name, address.order, at, "", "", 0, count, merged.total, merged.complete)
            for name in dict.fromkeys((key, request.key))
        )


def stored_members(found: tuple[object, Sequence[tuple[str, str]]] | None) -> list[Member]:
    """The members of what Store.listing gave."""
    return [Member(node_id, fetched_at) for node_id, fetched_at in found[1]] if found else []
