"""What a store of documents and notes can do.

They are private, so such a store is of this machine. What is in a project that its user chose to share is on a server
too, as SharedDocuments: a copy, which is taken back when the choice is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from rg_core.store.model import Reading, StateFacts
from rg_core.store.texts import EdgeChange, FeedEntry, FeedText, Page, PageWrite, Root, SharedPage, TextEdge


class DocumentStore(Protocol):
    """Pages of all users of this machine; every method but the index's sees one user's alone.

    Every method raises StoreUnavailable (rg_core.store.protocol) when the file cannot be used.
    """

    def close(self) -> None:
        """Close the file."""
        ...

    def write(self, user: str, pages: Sequence[PageWrite], at: str, unseen: Sequence[EdgeChange] = ()) -> None:
        """Append States to pages, new or stored, in one transaction; `at` is the recorded time."""
        ...

    def delete(self, user: str, keys: Iterable[str], at: str) -> None:
        """End the chains of pages whose files are gone; what they said stays readable."""
        ...

    def verified(self, user: str, pages: Iterable[tuple[str, int, int]], at: str) -> None:
        """Note that these pages, given as (key, mtime, size), were seen to hold."""
        ...

    def seen(self, user: str, keys: Iterable[str], at: str) -> None:
        """Note that these pages were seen to hold; nothing else about them changed."""
        ...

    def reverify(self, user: str, key: str, at: str) -> bool:
        """Note that a page still holds: no new State. False if there is none."""
        ...

    def forget(self, user: str, keys: Iterable[str]) -> int:
        """Remove pages with every State. What was removed is overwritten in the file before this returns."""
        ...

    def put_root(self, user: str, root: Root) -> None:
        """Remember what a user added."""
        ...

    def drop_root(self, user: str, path: str) -> bool:
        """Forget what a user added; its pages stay until they are deleted."""
        ...

    def looked(self, user: str) -> None:
        """Note that the user has seen which edges the automatic syncs changed."""
        ...

    def roots(self, user: str) -> list[Root]:
        """What a user added."""
        ...

    def unseen(self, user: str) -> list[EdgeChange]:
        """Edges that automatic syncs changed since the user last looked."""
        ...

    def pages(self, user: str, project: str | None = None) -> dict[str, Page]:
        """The pages of a user, or of one project, by key."""
        ...

    def read(self, user: str, key: str, as_of: str | None = None) -> Reading | None:
        """The page at a key, or at one it had: current, or as it was then."""
        ...

    def history(self, user: str, key: str) -> list[StateFacts]:
        """The chain of States at a key, oldest first; empty if there is none."""
        ...

    def state(self, user: str, uid: str) -> Mapping[str, object] | None:
        """The immutable body of a State: id, kind, address, recorded_at and content."""
        ...

    def edges(self, user: str) -> list[tuple[str, str, TextEdge, str]]:
        """Every edge of every open State as (key, project, edge, State id)."""
        ...

    def named(self, user: str, name: str) -> list[tuple[str, str]]:
        """The pages that have a name, as (key, project)."""
        ...

    def names(self, user: str) -> list[str]:
        """Every name of every page."""
        ...

    def was_superseded(self, user: str, key: str) -> bool:
        """Whether a State of this page says that it was superseded."""
        ...

    def complete(self, user: str, prefix: str, limit: int) -> list[str]:
        """Keys that begin with prefix, in order."""
        ...

    def counts(self, user: str) -> Mapping[str, int]:
        """How many documents and notes there are."""
        ...

    def whole(self, user: str, keys: Iterable[str]) -> Sequence[SharedPage]:
        """The pages at these keys with their whole chains."""
        ...

    def sent(self, user: str, place: str) -> Mapping[str, str]:
        """What a server was sent, by key: a digest of it; "" where that was not finished."""
        ...

    def sent_to(self, user: str) -> Sequence[str]:
        """The servers that have something of the user's."""
        ...

    def mark_sent(self, user: str, place: str, digests: Mapping[str, str]) -> None:
        """Remember what a server was sent, by key; before it is, too: what may be there can be taken back."""
        ...

    def drop_sent(self, user: str, place: str, keys: Iterable[str]) -> None:
        """A server has nothing at these keys any more. No byte of them stays in the file."""
        ...

    def changes(self, after: int, limit: int) -> list[FeedEntry]:
        """The pages that changed after a sequence number, in order."""
        ...

    def last_change(self) -> int:
        """The sequence number of the latest change; every change of a page has a higher one."""
        ...

    def changes_left(self, after: int) -> int:
        """How many pages changed after a sequence number."""
        ...

    def verified_at(self, user: str, addresses: Sequence[str]) -> Mapping[str, str]:
        """When these pages were last seen to hold."""
        ...

    def entry_texts(self, versions: Sequence[str]) -> Mapping[str, FeedText]:
        """The texts of States by their ids; those that are gone meanwhile are missing."""
        ...


class SharedDocuments(Protocol):
    """The documents and notes of some projects that people share on a server.

    Of one address that several people have, the one that was seen to hold latest is meant. Every method raises
    StoreUnavailable when the server is away.
    """

    def put(self, owner: str, pages: Sequence[SharedPage]) -> None:
        """Have pages of somebody be there as they are, in one transaction; what is there already is not sent again."""
        ...

    def drop(self, owner: str, keys: Iterable[str]) -> int:
        """Take somebody's pages away, with every State and from every index; how many there were."""
        ...

    def named(self, name: str) -> Sequence[tuple[str, str]]:
        """The pages that have a name, as (key, project)."""
        ...

    def read(self, key: str, as_of: str | None = None) -> Reading | None:
        """The page at a key: current, or as it was then."""
        ...

    def history(self, key: str) -> Sequence[StateFacts]:
        """The chain of States at a key, oldest first; empty if there is none."""
        ...

    def state(self, uid: str) -> Mapping[str, object] | None:
        """The immutable body of a State: id, kind, address, recorded_at and content."""
        ...
