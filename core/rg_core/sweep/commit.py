"""The Sweep's border to memory and to the Touches: everything that is committed goes through here, in small steps.

The order of a step is: store, then the index of known addresses, then the Touch. A kill between two of them makes the
next run find an unchanged source and do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rg_core.address.model import ANY_REPOSITORY, key_of
from rg_core.github import question
from rg_core.github.content import Light, Owner
from rg_core.store.model import Batch, Item, Listing, Member, Move, Repository
from rg_core.store.protocol import Store
from rg_core.sweep.plan import Ask, merge
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known
from rg_core.touches.touch import NOT_PUBLIC, RESOLVED, UNRESOLVED

ROWS = 200  # of one transaction
PAUSE = 0.005  # seconds between two, so that others get their turn
EVERYTHING = 1_000_000
CAUSED = ("repositories", "items", "unchanged", "deleted")  # the parts of a Batch that name resources


@dataclass
class Ledger:
    """Writes and settles. `beat` is called before every commit: it prolongs the lease."""

    store: Store
    log: TouchLog
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    beat: Callable[[], None]
    resolved: int = 0
    unresolved: dict[str, int] = field(default_factory=dict)
    fetched: int = 0
    unchanged: int = 0
    causes: dict[str, str] = field(default_factory=dict)  # node_id -> the Touch that asked for it

    def now(self) -> str:
        """The time as it is stored."""
        return datetime.fromtimestamp(self.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

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
        self._write(items=items)
        self.log.put_known(
            Known(item.address, "", item.fetched_at, item.updated_at, item.title, len(item.comments)) for item in items
        )
        self.fetched += 0 if again else len(items)

    def repository(self, repository: Repository, asked: str) -> None:
        """Store a repository, which is known by the key it was asked by as well."""
        self._write(repositories=[repository])
        self.log.put_known(
            Known(key, "", repository.fetched_at, repository.updated_at, repository.description)
            for key in dict.fromkeys((repository.address, asked))
        )
        self.fetched += 1

    def confirm(self, rows: Sequence[Light]) -> None:
        """Note that these stored items have not changed."""
        for start in range(0, len(rows), ROWS):
            part = rows[start : start + ROWS]
            at = self.now()
            self._write(unchanged=[row.node_id for row in part])
            self.log.put_known(Known(row.key, "", at, row.updated_at, row.title, self._comments(row)) for row in part)
            self.unchanged += len(part)

    def _comments(self, row: Light) -> int:
        """How many are stored: the index does not count a pull request's reviews."""
        reading = self.store.read(row.key) if row.kind == "pull_request" else None
        return len(reading.resource.comments) if reading and isinstance(reading.resource, Item) else row.comments

    def moved(self, old: str, new: str, node_id: str, old_node_id: str | None = None) -> None:
        """Have an old address lead on to a new one."""
        self._write(moves=[Move(old, new, node_id, old_node_id)])

    def deleted(self, ask: Ask) -> None:
        """Note that GitHub has deleted what is stored of an Ask."""
        if (version := self.store.versions([ask.key]).get(ask.key)) is not None:
            self.causes[version.node_id] = ask.cause
            self._write(deleted=[version.node_id])

    def purge(self, owner_key: str) -> None:
        """Forget everything of a repository that is not public (any more)."""
        keys = [
            key
            for key in self.store.complete(owner_key, EVERYTHING)
            if key == owner_key or key.startswith((f"{owner_key}#", f"{owner_key}/"))
        ]
        if keys:
            self.beat()
            self.store.forget(list(reversed(keys)))  # listings and items before the repository that names them
            self.log.drop_known(keys)

    def _write(self, **parts: Sequence[object]) -> None:
        self.beat()
        ids = [str(getattr(each, "node_id", each)) for name in CAUSED for each in parts.get(name, ())]
        causes = {node_id: self.causes[node_id] for node_id in ids if node_id in self.causes}
        self.store.write(Batch(at=self.now(), causes=causes, **parts))  # type: ignore[arg-type]
        self.sleep(PAUSE)

    # -- Touches

    def resolve(self, ask: Ask) -> None:
        """Settle an item's or a listing's Touches whose members are all stored; a listing is stored first."""
        assert ask.rows is not None
        if ask.address.is_listing:
            self._listing(ask)
        elif ask.rows:
            row = next(iter(ask.rows.values()))
            if row.key != ask.key:
                self.log.put_known([Known(ask.key, "", self.now(), row.updated_at, row.title, self._comments(row))])
        self.settle(ask, RESOLVED)

    def _listing(self, ask: Ask) -> None:
        assert ask.rows is not None
        address = ask.address
        key = address_at(ask)
        before = self.store.listing(key, address.order)
        at = self.now()
        merged = merge(
            stored_members(before),
            list(ask.rows),
            total=ask.total,
            ended=ask.ended,
            order=address.order,
            at=at,
            was_complete=before is not None and before[0].complete,
        )
        listing = Listing(key, address.order, merged.members, merged.total, merged.complete, at)
        self._write(listings=[listing])
        count = len(merged.members)
        self.log.put_known(
            Known(name, address.order, at, "", "", 0, count, merged.total, merged.complete)
            for name in dict.fromkeys((key, ask.key))
        )

    def settle(self, ask: Ask, status: str, reason: str = "") -> None:
        """Give all of an Ask's Touches their end."""
        self.beat()
        self.log.settle([touch.id for touch in ask.touches], status, reason)
        ask.settled = True
        if status == RESOLVED:
            self.resolved += len(ask.touches)
        else:
            self.unresolved[reason] = self.unresolved.get(reason, 0) + len(ask.touches)

    def not_public(self, ask: Ask, owner: Owner | None = None) -> None:
        """Settle what may not be stored, and forget whatever of it was public once."""
        for key in {key_of(ask.address.repository), owner.key if owner else ""} - {"", key_of(ANY_REPOSITORY)}:
            self.purge(key)
        self.settle(ask, UNRESOLVED, NOT_PUBLIC)


def address_at(ask: Ask) -> str:
    """The key under which an Ask's listing is stored: the repository's name of today."""
    return str(question.at(ask.address, ask.home)) if ask.home else ask.key


def stored_members(found: tuple[object, Sequence[tuple[str, str]]] | None) -> list[Member]:
    """The members of what Store.listing gave."""
    return [Member(node_id, fetched_at) for node_id, fetched_at in found[1]] if found else []
