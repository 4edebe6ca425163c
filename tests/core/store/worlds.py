"""A small GitHub that lives at random, what a Sweep would fetch of it, and the truth of what was recorded when.

`World(seed)` changes step by step; `fetch` gives the Batch of a Sweep at that moment. `Truth` keeps, independently of
any engine, what each address must read as at any instant.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from rg_core.store.model import Batch, Comment, Item, Listing, Member, Move, Repository

START = 1_750_000_000
WORDS = (
    "leak",
    "crash",
    "slow",
    "docs",
    "typo",
    "Ünïcode",
    "日本",
    "'quote'",
    '"double"',
    "<tag>",
    "🎉",
    "deadlock",
    "%",
)
LABELS = ("Bug", "perf", "Good First Issue", "docs", "ÄRGER")
PEOPLE = ("Ann", "bob", "app/dependabot", "ghost")


def time_of(second: int) -> str:
    """A time as memory writes it."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def an_item(number: int = 1, **changes: object) -> Item:
    """An issue with ordinary content."""
    item = Item(
        kind="issue", node_id=f"I_{number}", repository_id="R_1", repository="Owner/Repo", number=number,
        title=f"Title {number}", body=f"Body {number}", state="open", author="Ann", labels=("Bug",), assignees=("bob",),
        milestone=None, milestone_number=None, created_at=time_of(START + number), updated_at=time_of(START + 1000),
        closed_at=None, fetched_at=time_of(START + 2000),
    )  # fmt: skip
    return replace(item, **changes)  # type: ignore[arg-type]


def a_repository(**changes: object) -> Repository:
    """A repository with ordinary content."""
    repository = Repository(
        "R_1", "Owner/Repo", "what it is", "# Readme", time_of(START), time_of(START), time_of(START + 2000)
    )
    return replace(repository, **changes)  # type: ignore[arg-type]


def a_comment(number: int = 1, second: int = START + 500, **changes: object) -> Comment:
    """A comment with ordinary content."""
    comment = Comment(f"C_{number}", "bob", time_of(second), time_of(second), f"comment {number}")
    return replace(comment, **changes)  # type: ignore[arg-type]


def a_listing(items: list[Item], query: str = "state=all", **changes: object) -> Listing:
    """A complete listing of these items, fetched when the first of them was."""
    at = items[0].fetched_at if items else time_of(START + 2000)
    members = tuple(Member(item.node_id, at) for item in items)
    listing = Listing(f"github:owner/repo/issues?{query}", "created-desc", members, len(items), True, at)
    return replace(listing, **changes)  # type: ignore[arg-type]


@dataclass
class Place:
    """A repository of the world."""

    node_id: str
    name: str
    names: list[str] = field(default_factory=list)  # former ones
    next_number: int = 1


class World:
    """Repositories, items and comments that change at random; its own clock never stands still."""

    def __init__(self, seed: int, repositories: int = 2, items: int = 4) -> None:
        """A world of a few items, already old."""
        self.random = random.Random(seed)
        self.now = START
        self.places = [Place(f"R_{n}", f"Owner/Repo{n}") for n in range(repositories)]
        self.items: dict[str, Item] = {}
        self.gone: list[str] = []
        self.moves: list[Move] = []
        self.made = 0
        for _ in range(items):
            self.open_item()

    def tick(self) -> str:
        """Let some time pass; what time it is then."""
        self.now += self.random.randint(1, 5000)
        return time_of(self.now)

    def words(self, most: int = 6) -> str:
        """Some text."""
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, most)))

    def open_item(self) -> None:
        """Somebody opens an issue or a pull request."""
        place, at = self.random.choice(self.places), self.tick()
        self.made += 1
        pull = self.random.random() < 0.4
        item = Item(
            kind="pull_request" if pull else "issue", node_id=f"N_{self.made}", repository_id=place.node_id,
            repository=place.name, number=place.next_number, title=self.words(), body=self.words(12), state="open",
            author=self.random.choice(PEOPLE), labels=tuple(self.random.sample(LABELS, self.random.randint(0, 2))),
            assignees=tuple(self.random.sample(PEOPLE[:2], self.random.randint(0, 2))),
            milestone=(milestone := self.random.choice([None, "v1", "Next"])),
            milestone_number=len(milestone) if milestone else None,
            created_at=at, updated_at=at, closed_at=None, fetched_at="", base_ref="main" if pull else None,
            files=("a.py", "b/ü.py") if pull else (),
        )  # fmt: skip
        place.next_number += 1
        self.items[item.node_id] = item

    def change(self) -> None:
        """One thing happens to one item."""
        if not self.items or self.random.random() < 0.1:
            return self.open_item()
        item = self.random.choice(list(self.items.values()))
        happens = self.random.choice([
            self._comment, self._comment, self._comment, self._close, self._edit, self._retitle, self._label,
            self._edit_comment, self._lose_comment, self._mention, self._react, self._rename, self._transfer,
            self._delete,
        ])  # fmt: skip
        return happens(item, self.tick())

    def fetch(self, share: float = 0.6) -> Batch:
        """What a Sweep fetches now: some items whole, the moves and deletions it finds on its way."""
        at = self.tick()
        chosen = [replace(item, fetched_at=at) for item in self.items.values() if self.random.random() < share]
        moves, self.moves = tuple(self._leading_on(move) for move in self.moves), []
        gone, self.gone = tuple(self.gone), []
        needed = {move.node_id for move in moves} - {item.node_id for item in chosen}
        chosen += [replace(self.items[node_id], fetched_at=at) for node_id in needed if node_id in self.items]
        return Batch(
            at, items=chosen, moves=moves, deleted=gone, causes={item.node_id: f"touch {at}" for item in chosen}
        )

    def _leading_on(self, move: Move) -> Move:
        """A renamed repository's former names all lead to its name of now."""
        names = {place.node_id: place.name.lower() for place in self.places}
        return replace(move, new=f"github:{names[move.node_id]}") if move.node_id in names else move

    def _set(self, item: Item, **changes: object) -> None:
        self.items[item.node_id] = replace(item, **changes)  # type: ignore[arg-type]

    def _comment(self, item: Item, at: str) -> None:
        self.made += 1
        path = "a.py" if item.files and self.random.random() < 0.3 else None
        comment = Comment(f"C_{self.made}", self.random.choice(PEOPLE), at, at, self.words(), path)
        self._set(item, comments=(*item.comments, comment), updated_at=at)

    def _close(self, item: Item, at: str) -> None:
        if item.state == "open" and item.kind == "pull_request" and self.random.random() < 0.5:
            return self._set(item, state="merged", merged_at=at, closed_at=at, updated_at=at)
        if item.state == "open":
            return self._set(item, state="closed", closed_at=at, state_reason="completed", updated_at=at)
        return self._set(item, state="open", closed_at=None, merged_at=None, state_reason="reopened", updated_at=at)

    def _edit(self, item: Item, at: str) -> None:
        self._set(item, body=self.words(12) + at, updated_at=at)

    def _retitle(self, item: Item, at: str) -> None:
        self._set(item, title=self.words() + at, updated_at=at)

    def _label(self, item: Item, at: str) -> None:
        self._set(item, labels=tuple(self.random.sample(LABELS, self.random.randint(0, 3))), updated_at=at)

    def _edit_comment(self, item: Item, at: str) -> None:
        if item.comments:
            place = self.random.randrange(len(item.comments))
            comment = replace(item.comments[place], body=self.words() + at, updated_at=at)
            self._set(item, comments=(*item.comments[:place], comment, *item.comments[place + 1 :]), updated_at=at)

    def _lose_comment(self, item: Item, at: str) -> None:
        """A deleted comment does not move updatedAt."""
        if item.comments:
            place = self.random.randrange(len(item.comments))
            self._set(item, comments=item.comments[:place] + item.comments[place + 1 :])

    def _mention(self, item: Item, at: str) -> None:
        """A cross-reference does not move updatedAt."""
        other = self.random.choice(list(self.items.values()))
        if other.address not in item.references:
            self._set(item, references=tuple(sorted((*item.references, other.address))))

    def _react(self, item: Item, at: str) -> None:
        """A reaction moves updatedAt and nothing else."""
        self._set(item, updated_at=at)

    def _rename(self, item: Item, at: str) -> None:
        """A renamed repository; its items' updatedAt stands still."""
        if self.random.random() < 0.7:
            return
        place = next(place for place in self.places if place.node_id == item.repository_id)
        self.made += 1
        old, place.name = place.name, f"Owner/Renamed{self.made}"
        place.names.append(old)
        self.moves.append(Move(f"github:{old.lower()}", f"github:{place.name.lower()}", place.node_id))
        for each in list(self.items.values()):
            if each.repository_id == place.node_id:
                self._set(each, repository=place.name)

    def _transfer(self, item: Item, at: str) -> None:
        """A transferred issue gets a new node_id and number."""
        place = self.random.choice(self.places)
        if item.kind != "issue" or place.node_id == item.repository_id or self.random.random() < 0.5:
            return
        self.made += 1
        del self.items[item.node_id]
        moved = replace(
            item, node_id=f"N_{self.made}", repository_id=place.node_id, repository=place.name,
            number=place.next_number, updated_at=at,
        )  # fmt: skip
        place.next_number += 1
        self.items[moved.node_id] = moved
        self.moves.append(Move(item.address, moved.address, moved.node_id, item.node_id))

    def _delete(self, item: Item, at: str) -> None:
        if self.random.random() < 0.3 and not any(move.node_id == item.node_id for move in self.moves):
            del self.items[item.node_id]
            self.gone.append(item.node_id)


@dataclass
class Known:
    """One recorded version: the item as fetched first, and from when it held."""

    valid_from: str
    recorded_at: str
    item: Item


class Truth:
    """What was recorded, told from the batches alone."""

    def __init__(self) -> None:
        """Nothing was recorded."""
        self.chains: dict[str, list[Known]] = {}
        self.latest: dict[str, Item] = {}  # as fetched last
        self.names: dict[str, str] = {}  # repository's node_id -> name as learned last
        self.known_as: dict[str, str] = {}  # every address -> node_id
        self.instants: set[str] = set()

    def record(self, batch: Batch) -> None:
        """Take in what a Sweep stored."""
        self.instants.add(batch.at)
        for item in batch.items:
            self.names[item.repository_id] = item.repository
            self._version(item, batch.at)
        for move in batch.moves:
            if "#" in move.old:
                self._follow(move)
            elif self.names.get(move.node_id, "").lower() != (name := move.new.removeprefix("github:")):
                self.names[move.node_id] = name  # as GitHub spells it is not known yet
        for node_id in batch.deleted:
            if chain := self.chains.get(node_id):
                chain.append(Known(batch.at, batch.at, replace(chain[-1].item)))

    def _version(self, item: Item, at: str) -> None:
        self.known_as[item.address] = item.node_id
        chain, last = self.chains.setdefault(item.node_id, []), self.latest.get(item.node_id)
        self.latest[item.node_id] = item
        if chain and _without_times(chain[-1].item) == _without_times(item):
            return
        moved = last is None or item.updated_at > last.updated_at
        chain.append(Known(item.updated_at if moved else item.fetched_at, at, item))
        self.instants |= {chain[-1].valid_from, item.updated_at, *(comment.created_at for comment in item.comments)}

    def _follow(self, move: Move) -> None:
        former = self.chains.pop(move.old_node_id or "", [])
        self.latest.pop(move.old_node_id or "", None)
        self.chains[move.node_id] = former + self.chains.get(move.node_id, [])
        for address, node_id in self.known_as.items():
            if node_id == move.old_node_id:
                self.known_as[address] = move.node_id

    def now(self, address: str) -> Item | None:
        """What the address must read as."""
        latest = self.latest.get(self.known_as[address])
        return latest and replace(latest, repository=self.names[latest.repository_id])

    def then(self, address: str, as_of: str) -> Item | None:
        """What the address must read as of an instant."""
        node_id = self.known_as[address]
        chain = [known for known in self.chains.get(node_id, []) if known.valid_from <= as_of]
        if not chain:
            return None
        known = chain[-1]
        item = replace(known.item, fetched_at=known.recorded_at)
        if known is self.chains[node_id][-1]:
            latest = self.latest[node_id]
            item = replace(item, fetched_at=latest.fetched_at)
            if latest.updated_at <= as_of:
                item = replace(item, updated_at=latest.updated_at)
        return replace(item, comments=tuple(c for c in item.comments if c.created_at <= as_of))


def _without_times(item: Item) -> Item:
    return replace(item, updated_at="", fetched_at="")
