"""Documents and notes in a file of their own: private, whichever engine holds the public content.

A page has States as a resource has; rg_core.documents decides what a State is, this file keeps the chain: one open
State a page unless it is deleted, each State ending where the next begins.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from rg_core.store.model import Reading, StateFacts
from rg_core.store.sqlite import file
from rg_core.store.sqlite import sql_documents as sql
from rg_core.store.sqlite.write_documents import edge_of, edges_of, end, find, put
from rg_core.store.texts import (
    Document,
    EdgeChange,
    FeedEntry,
    FeedText,
    FeedVersion,
    Page,
    PageWrite,
    Root,
    SharedPage,
    SharedState,
    TextEdge,
)

T = TypeVar("T")
Row = Mapping[str, Any]
BEYOND = "\U0010ffff"


class LocalDocuments(file.Database):
    """Pages of all users of this machine; every method but the index's sees one user's alone."""

    def __init__(self, path: str, busy_seconds: float = file.BUSY_SECONDS) -> None:
        """Nothing is opened yet."""
        super().__init__(path, busy_seconds, sql.MIGRATIONS)

    # -- writing

    def write(self, user: str, pages: Sequence[PageWrite], at: str, unseen: Sequence[EdgeChange] = ()) -> None:
        """Append States to pages, new or stored, in one transaction; `at` is the recorded time."""

        def whole(db: sqlite3.Connection) -> None:
            for page in pages:
                put(db, user, page, at)
            db.executemany(
                sql.ADD_UNSEEN, [(user, one.address, one.sign, one.verb, one.target, one.section) for one in unseen]
            )

        self._write(whole)

    def delete(self, user: str, keys: Iterable[str], at: str) -> None:
        """End the chains of pages whose files are gone; what they said stays readable."""

        def whole(db: sqlite3.Connection) -> None:
            for key in keys:
                if (row := find(db, user, key)) and not row["deleted"]:
                    end(db, row, at)

        self._write(whole)

    def verified(self, user: str, pages: Iterable[tuple[str, int, int]], at: str) -> None:
        """Note that these pages, given as (key, mtime, size), were seen to hold."""

        def whole(db: sqlite3.Connection) -> None:
            for key, mtime, size in pages:
                db.execute(sql.SET_VERIFIED, (at, mtime, size, user, key))

        self._write(whole)

    def seen(self, user: str, keys: Iterable[str], at: str) -> None:
        """Note that these pages were seen to hold; nothing else about them changed."""
        self._write(lambda db: db.executemany(sql.REVERIFY, [(at, user, key) for key in keys]))

    def reverify(self, user: str, key: str, at: str) -> bool:
        """Note that a page still holds: no new State. False if there is none."""

        def whole(db: sqlite3.Connection) -> bool:
            row = find(db, user, key)
            if row is None:
                return False
            db.execute(sql.REVERIFY, (at, user, row["key"]))
            return True

        return self._write(whole)

    def forget(self, user: str, keys: Iterable[str]) -> int:
        """Remove pages with every State. What was removed is overwritten in the file before this returns."""

        def whole(db: sqlite3.Connection) -> int:
            count = 0
            for key in keys:
                if row := find(db, user, key):
                    for statement in sql.FORGET:
                        db.execute(statement, (row["id"],))
                    db.execute(sql.DROP_UNSEEN_OF, (user, row["key"], row["key"]))
                    db.execute(sql.CHANGED, (row["id"],))
                    count += 1
            return count

        count = self._write(whole)
        with file.explained(self.path):
            self._db().execute(sql.CHECKPOINT).fetchall()
        return count

    def put_root(self, user: str, root: Root) -> None:
        """Remember what a user added."""
        values = {"user": user, "path": root.path, "project": root.project,
                  "directory": root.directory, "globs": json.dumps(root.globs),
                  "history": int(root.history), "head": root.head}  # fmt: skip
        self._write(lambda db: db.execute(sql.PUT_ROOT, values))

    def drop_root(self, user: str, path: str) -> bool:
        """Forget what a user added; its pages stay until they are deleted."""
        return self._write(lambda db: db.execute(sql.DROP_ROOT, (user, path)).rowcount) > 0

    def looked(self, user: str) -> None:
        """Note that the user has seen which edges the automatic syncs changed."""
        self._write(lambda db: db.execute(sql.DROP_UNSEEN, (user,)))

    # -- reading

    def roots(self, user: str) -> list[Root]:
        """What a user added."""
        rows = self._read(lambda db: db.execute(sql.ROOTS, (user,)).fetchall())
        return [
            Root(row["project"], row["path"], row["directory"], tuple(json.loads(row["globs"])), bool(row["history"]),
                 row["head"])
            for row in rows
        ]  # fmt: skip

    def unseen(self, user: str) -> list[EdgeChange]:
        """Edges that automatic syncs changed since the user last looked."""
        rows = self._read(lambda db: db.execute(sql.UNSEEN, (user,)).fetchall())
        return [EdgeChange(row["key"], row["sign"], row["verb"], row["target"], row["section"]) for row in rows]

    def pages(self, user: str, project: str | None = None) -> dict[str, Page]:
        """The pages of a user, or of one project, by key."""

        def whole(db: sqlite3.Connection) -> dict[str, Page]:
            names: dict[int, list[str]] = {}
            for row in db.execute(sql.NAMES_BY_PAGE, (user,)):
                names.setdefault(row["page"], []).append(row["name"])
            rows = db.execute(sql.HEADS, {"user": user, "project": project})
            return {row["key"]: _page(row, names.get(row["id"], ())) for row in rows}

        return self._read(whole)

    def read(self, user: str, key: str, as_of: str | None = None) -> Reading | None:
        """The page at a key, or at one it had: current, or as it was then."""

        def whole(db: sqlite3.Connection) -> Reading | None:
            row = find(db, user, key)
            if row is None:
                return None
            state = (
                db.execute(sql.STATE_THEN, (row["id"], as_of)).fetchone()
                if as_of
                else db.execute(sql.STATE, (row["state"],)).fetchone()
            )
            return _reading(db, row, state) if state else None

        return self._read(whole)

    def history(self, user: str, key: str) -> list[StateFacts]:
        """The chain of States at a key, oldest first; empty if there is none."""

        def whole(db: sqlite3.Connection) -> list[StateFacts]:
            row = find(db, user, key)
            rows = db.execute(sql.CHAIN, (row["id"],)).fetchall() if row else []
            return [
                StateFacts(
                    state["uid"],
                    state["event_type"],
                    state["valid_from"],
                    state["valid_until"],
                    state["recorded_at"],
                    state["cause"],
                )
                for state in rows
            ]

        return self._read(whole)

    def state(self, user: str, uid: str) -> Mapping[str, object] | None:
        """The immutable body of a State: id, kind, address, recorded_at and content."""

        def whole(db: sqlite3.Connection) -> Mapping[str, object] | None:
            row = db.execute(sql.STATE_BY_UID, (uid, user)).fetchone()
            if row is None:
                return None
            content = {"node_id": row["node_id"], "title": row["title"], "text": row["text"],
                       **json.loads(row["facts"]),
                       "edges": [[one.verb, one.target, one.section] for one in edges_of(db, row["id"])]}  # fmt: skip
            return {"id": uid, "kind": row["kind"], "address": row["key"], "recorded_at": row["recorded_at"],
                    "content": content}  # fmt: skip

        return self._read(whole)

    def edges(self, user: str) -> list[tuple[str, str, TextEdge, str]]:
        """Every edge of every open State as (key, project, edge, State id)."""
        rows = self._read(lambda db: db.execute(sql.OPEN_EDGES, {"user": user}).fetchall())
        return [(row["key"], row["project"], edge_of(row), row["uid"]) for row in rows]

    def named(self, user: str, name: str) -> list[tuple[str, str]]:
        """The pages that have a name, as (key, project)."""
        rows = self._read(lambda db: db.execute(sql.NAMED, (user, name)).fetchall())
        return [(row["key"], row["project"]) for row in rows]

    def names(self, user: str) -> list[str]:
        """Every name of every page."""
        return [row["name"] for row in self._read(lambda db: db.execute(sql.ALL_NAMES, (user,)).fetchall())]

    def was_superseded(self, user: str, key: str) -> bool:
        """Whether a State of this page says that it was superseded."""

        def whole(db: sqlite3.Connection) -> bool:
            row = find(db, user, key)
            return row is not None and db.execute(sql.WAS_SUPERSEDED, (row["id"],)).fetchone() is not None

        return self._read(whole)

    def complete(self, user: str, prefix: str, limit: int) -> list[str]:
        """Keys that begin with prefix, in order."""
        rows = self._read(lambda db: db.execute(sql.KEYS_FROM, (user, prefix, prefix + BEYOND, limit)).fetchall())
        return [row["key"] for row in rows]

    def counts(self, user: str) -> Mapping[str, int]:
        """How many documents and notes there are."""
        rows = self._read(lambda db: db.execute(sql.COUNTS, (user,)).fetchall())
        return {row["kind"]: row["n"] for row in rows}

    # -- what a server is sent

    def whole(self, user: str, keys: Iterable[str]) -> list[SharedPage]:
        """The pages at these keys with their whole chains."""
        return self._read(lambda db: [_shared(db, row) for key in keys if (row := find(db, user, key))])

    def sent(self, user: str, place: str) -> dict[str, str]:
        """What a server was sent, by key: a digest of it; "" where that was not finished."""
        rows = self._read(lambda db: db.execute(sql.SENT, (user, place)).fetchall())
        return {row["key"]: row["digest"] for row in rows}

    def sent_to(self, user: str) -> list[str]:
        """The servers that have something of the user's."""
        return [row["place"] for row in self._read(lambda db: db.execute(sql.SENT_TO, (user,)).fetchall())]

    def mark_sent(self, user: str, place: str, digests: Mapping[str, str]) -> None:
        """Remember what a server was sent, by key."""
        rows = [(user, place, key, digest) for key, digest in digests.items()]
        self._write(lambda db: db.executemany(sql.MARK_SENT, rows))

    def drop_sent(self, user: str, place: str, keys: Iterable[str]) -> None:
        """A server has nothing at these keys any more. No byte of them stays in the file."""
        rows = [(user, place, key) for key in keys]
        self._write(lambda db: db.executemany(sql.DROP_SENT, rows))
        with file.explained(self.path):
            self._db().execute(sql.CHECKPOINT).fetchall()

    # -- what an index asks

    def changes(self, after: int, limit: int) -> list[FeedEntry]:
        """The pages that changed after a sequence number, in order."""

        def whole(db: sqlite3.Connection) -> list[FeedEntry]:
            return [_entry(db, row["page"], row["seq"]) for row in db.execute(sql.CHANGES, (after, limit)).fetchall()]

        return self._read(whole)

    def last_change(self) -> int:
        """The sequence number of the latest change; every change of a page has a higher one."""
        last: int = self._read(lambda db: db.execute(sql.LAST_CHANGE).fetchone()[0])
        return last

    def changes_left(self, after: int) -> int:
        """How many pages changed after a sequence number."""
        count: int = self._read(lambda db: db.execute(sql.CHANGES_LEFT, (after,)).fetchone()[0])
        return count

    def verified_at(self, user: str, addresses: Sequence[str]) -> dict[str, str]:
        """When these pages were last seen to hold."""

        def whole(db: sqlite3.Connection) -> dict[str, str]:
            rows = {address: find(db, user, address) for address in addresses}
            return {address: row["verified_at"] for address, row in rows.items() if row}

        return self._read(whole)

    def entry_texts(self, versions: Sequence[str]) -> dict[str, FeedText]:
        """The texts of States by their ids; those that are gone meanwhile are missing."""

        def whole(db: sqlite3.Connection) -> dict[str, FeedText]:
            rows = {version: db.execute(sql.TEXT_BY_UID, (version,)).fetchone() for version in versions}
            return {
                version: FeedText(row["title"], row["text"], edges=edges_of(db, row["id"]))
                for version, row in rows.items()
                if row
            }

        return self._read(whole)


def _shared(db: sqlite3.Connection, row: Row) -> SharedPage:
    states = tuple(
        SharedState(
            state["uid"], state["valid_from"], state["valid_until"], state["recorded_at"], state["event_type"],
            state["cause"], state["key"], state["title"], state["text"], json.loads(state["facts"]),
            edges_of(db, state["id"]),
        )
        for state in db.execute(sql.CHAIN, (row["id"],)).fetchall()
    )  # fmt: skip
    called = tuple((name["project"], name["name"]) for name in db.execute(sql.NAME_ROWS, (row["id"],)))
    return SharedPage(
        row["key"],
        row["kind"],
        row["project"],
        row["node_id"],
        called,
        bool(row["deleted"]),
        row["verified_at"],
        states,
    )


def _names(db: sqlite3.Connection, page: int) -> tuple[str, ...]:
    return tuple(row["name"] for row in db.execute(sql.NAMES_OF, (page,)))


def _page(row: Row, names: Sequence[str]) -> Page:
    return Page(
        row["key"], row["kind"], row["project"], row["path"], row["node_id"], row["title"], tuple(names),
        bool(row["deleted"]), row["verified_at"], row["mtime"], row["size"], row["uid"], row["valid_from"],
        json.loads(row["facts"]),
    )  # fmt: skip


def _reading(db: sqlite3.Connection, row: Row, state: Row) -> Reading:
    latest = state["id"] == row["state"]
    document = Document(
        row["kind"], row["node_id"], row["key"], row["project"], state["title"], state["text"],
        json.loads(state["facts"]), _names(db, row["id"]), edges_of(db, state["id"]), state["valid_from"],
        row["verified_at"] if latest else state["recorded_at"],
    )  # fmt: skip
    return Reading(document, state["uid"], state["valid_from"], state["valid_until"], state["recorded_at"], not latest)


def _entry(db: sqlite3.Connection, page: int, seq: int) -> FeedEntry:
    row = db.execute(sql.PAGE_BY_ID, (page,)).fetchone()
    if row is None:
        return FeedEntry(page, seq, "", "", "", "", "", "", "")
    chain = db.execute(sql.CHAIN, (page,)).fetchall()
    names = [(name["project"], name["name"]) for name in db.execute(sql.NAME_ROWS, (page,))]
    return FeedEntry(
        page, seq, row["user"], row["node_id"], row["key"], row["kind"], row["project"], chain[-1]["title"],
        row["verified_at"], (*names, ("", row["key"])),
        tuple(FeedVersion(one["uid"], one["valid_from"], one["valid_until"], one["valid_from"]) for one in chain),
    )  # fmt: skip
