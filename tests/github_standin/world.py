"""A small GitHub as Python objects: what tests build, change over time and ask for the truth."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

Visibility = Literal["PUBLIC", "PRIVATE", "INTERNAL"]


def global_id(prefix: str, *numbers: int) -> str:
    """A node_id of the next format: prefix, then msgpack of [0, repository id, item id]."""
    packed = b"".join(b"\xce" + struct.pack(">I", number) for number in numbers)
    return f"{prefix}_{base64.urlsafe_b64encode(bytes([0x91 + len(numbers), 0]) + packed).decode().rstrip('=')}"


def legacy_id(kind: str, number: int) -> str:
    """A node_id of the legacy format: base64 of a length, a type name and a database id."""
    return base64.b64encode(f"{len(kind):03}:{kind}{number}".encode()).decode()


@dataclass(eq=False)
class Remark:
    """An issue comment, a review comment or a review."""

    id: int
    repo: Repo
    author: str | None
    body: str
    created_at: str
    updated_at: str
    path: str | None = None
    minimized: str | None = None
    state: str = "COMMENTED"  # of a review

    def node_id(self, prefix: str) -> str:
        """IC_ for an issue comment, PRRC_ for a review comment, PRR_ for a review."""
        return global_id(prefix, self.repo.id, self.id)


@dataclass(eq=False)
class Thread:
    """A review thread of a pull request, about one file."""

    id: int
    path: str
    comments: list[Remark] = field(default_factory=list)


@dataclass(eq=False)
class Event:
    """A cross-reference: `source` mentions the item that holds this event."""

    id: int
    source: Thing
    at: str


@dataclass(eq=False)
class Thing:
    """An issue or a pull request."""

    world: World
    repo: Repo
    number: int
    id: int
    pull: bool
    title: str
    body: str
    author: str | None  # login; "name[bot]" is a bot; None: a deleted account
    created_at: str
    updated_at: str
    state: Literal["OPEN", "CLOSED", "MERGED"] = "OPEN"
    state_reason: str | None = None
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    milestone: int | None = None
    closed_at: str | None = None
    comments: list[Remark] = field(default_factory=list)
    reviews: list[Remark] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    closes: list[Thing] = field(default_factory=list)
    base: str = "main"
    issue_id: int = 0  # REST's `id` of a pull request read as an issue

    @property
    def node_id(self) -> str:
        """The id GraphQL gives with X-Github-Next-Global-ID."""
        return global_id("PR" if self.pull else "I", self.repo.id, self.id)

    def touch(self) -> None:
        """Move updatedAt, as a change that GitHub counts does."""
        self.updated_at = self.world.tick()

    def edit(self, **changes: object) -> Thing:
        """Change fields (title, body, labels, state, ...) and updatedAt."""
        for name, value in changes.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        self.touch()
        if self.state != "OPEN":
            self.closed_at = self.closed_at or self.updated_at
        else:
            self.closed_at = None
        return self

    def comment(self, body: str, author: str | None = "alice", **more: str) -> Remark:
        """Add an issue comment."""
        at = self.world.tick()
        made = Remark(self.world.next_id(), self.repo, author, body, at, at, **more)
        self.comments.append(made)
        self.updated_at = at
        return made

    def review(self, body: str, author: str | None = "bob", state: str = "COMMENTED") -> Remark:
        """Add a review of a pull request."""
        at = self.world.tick()
        made = Remark(self.world.next_id(), self.repo, author, body, at, at, state=state)
        self.reviews.append(made)
        self.updated_at = at
        return made

    def thread(self, path: str, *bodies: str, author: str | None = "bob") -> Thread:
        """Add a review thread with these comments."""
        made = Thread(self.world.next_id(), path)
        for body in bodies:
            at = self.world.tick()
            made.comments.append(Remark(self.world.next_id(), self.repo, author, body, at, at, path=path))
        self.threads.append(made)
        self.touch()
        return made

    def mentioned_by(self, source: Thing) -> None:
        """Record a cross-reference event; updatedAt does not move."""
        self.events.append(Event(self.world.next_id(), source, self.world.tick()))


@dataclass(eq=False)
class Repo:
    """A repository."""

    world: World
    id: int
    owner: str
    name: str
    description: str | None
    visibility: Visibility
    pushed_at: str
    updated_at: str
    disabled: bool = False
    issues_disabled: bool = False
    files: dict[str, str | bytes] = field(default_factory=dict)  # path -> text
    links: dict[str, str] = field(default_factory=dict)  # path -> target of a symbolic link
    milestones: dict[int, str] = field(default_factory=dict)
    things: dict[int, Thing] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)  # numbers of deleted issues

    @property
    def full_name(self) -> str:
        """owner/name as it is spelt now."""
        return f"{self.owner}/{self.name}"

    @property
    def node_id(self) -> str:
        """The id GraphQL gives."""
        return global_id("R", self.id)

    def readme(self) -> tuple[str, str | bytes] | None:
        """Path and content of the README as REST picks it: .github, the root, docs; links followed."""
        for folder in (".github/", "", "docs/"):
            for path in sorted({*self.files, *self.links}):
                name = path.removeprefix(folder)
                if path.startswith(folder) and "/" not in name and name.lower().split(".")[0] == "readme":
                    target = self.links.get(path, path)
                    if target in self.files:
                        return target, self.files[target]
        return None

    def issue(self, title: str = "An issue", body: str = "", *, pull: bool = False, **more: object) -> Thing:
        """Open an issue (or a pull request) with the next number, unless `number` is given."""
        at = self.world.tick()
        number = more.pop("number", None) or max([0, *self.things, *self.gone]) + 1
        assert isinstance(number, int)
        values: dict[str, object] = {"author": "alice", "created_at": at, "updated_at": at} | more
        made = Thing(self.world, self, number, self.world.next_id(), pull, title, body, **values)  # type: ignore[arg-type]
        made.issue_id = self.world.next_id() if pull else made.id
        if made.state != "OPEN":
            made.closed_at = made.closed_at or made.updated_at
        self.things[number] = made
        return made

    def pull(self, title: str = "A change", body: str = "", **more: object) -> Thing:
        """Open a pull request."""
        return self.issue(title, body, pull=True, **more)

    def delete(self, number: int) -> None:
        """Delete an issue: 410 over REST, NOT_FOUND in GraphQL."""
        self.things.pop(number)
        self.gone.add(number)

    def rename(self, full_name: str) -> None:
        """Rename or move the repository; the old name leads on."""
        self.world.renamed[self.full_name.lower()] = self
        del self.world.repos[self.full_name.lower()]
        self.owner, self.name = full_name.split("/")
        self.world.repos[full_name.lower()] = self
        self.updated_at = self.world.tick()


@dataclass(eq=False)
class World:
    """All repositories, and the clock."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    repos: dict[str, Repo] = field(default_factory=dict)  # lower-case full name -> repository
    renamed: dict[str, Repo] = field(default_factory=dict)
    transferred: dict[tuple[int, int], Thing] = field(default_factory=dict)  # (repository id, old number) -> item
    ids: int = 1_000_000

    def next_id(self) -> int:
        """A new database id."""
        self.ids += 1
        return self.ids

    def tick(self, seconds: int = 1) -> str:
        """Move the clock and tell the time."""
        self.now += timedelta(seconds=seconds)
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def repo(
        self, full_name: str, description: str | None = None, *, visibility: Visibility = "PUBLIC", readme: str = ""
    ) -> Repo:
        """Make a repository, with a README.md if text is given."""
        owner, name = full_name.split("/")
        at = self.tick()
        made = Repo(self, self.next_id(), owner, name, description, visibility, at, at)
        if readme:
            made.files["README.md"] = readme
        self.repos[full_name.lower()] = made
        self.renamed.pop(full_name.lower(), None)
        return made

    def find(self, full_name: str) -> Repo | None:
        """The repository of this name, renames followed."""
        return self.repos.get(full_name.lower()) or self.renamed.get(full_name.lower())

    def transfer(self, thing: Thing, target: Repo) -> Thing:
        """Transfer an issue: new number, database id and node_id; the old number leads on over REST."""
        del thing.repo.things[thing.number]
        thing.repo.gone.discard(thing.number)
        self.transferred[(thing.repo.id, thing.number)] = thing
        thing.repo, thing.milestone = target, None
        thing.number = max([0, *target.things, *target.gone]) + 1
        thing.id = thing.issue_id = self.next_id()
        for remark in thing.comments:
            remark.repo, remark.id = target, self.next_id()
        target.things[thing.number] = thing
        thing.touch()
        return thing
