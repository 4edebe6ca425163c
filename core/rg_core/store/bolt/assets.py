"""Shared assets on a Bolt server: all that are not private, so that a team has them.

What a transaction writes is sent in one transaction of the server at its end, behind a lock, and only if no asset has
moved on since it was read; so a version that somebody else writes at the same moment is never overwritten.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from rg_core.store import asset_texts
from rg_core.store.asset_rows import (
    AssetRow,
    AuditRow,
    CallRow,
    ContentRow,
    FilePart,
    FileRows,
    Hit,
    LinkRow,
    Listed,
    Loaded,
    MaybeRow,
    Neighbour,
    PageRow,
    Parts,
    SymbolRow,
    TextRow,
    VersionRow,
    file_part,
)
from rg_core.store.bolt import assets_cypher as cypher
from rg_core.store.bolt import schema
from rg_core.store.bolt.connection import READ_SECONDS, Connection, Run
from rg_core.store.protocol import StoreUnavailable

T = TypeVar("T")
TARGETS = ("agent", "task", "framework")


class BoltAssets:
    """The server engine (see rg_core.store.asset_rows)."""

    def __init__(self, connection: Connection, read_seconds: float = READ_SECONDS) -> None:
        self.connection, self.read_seconds = connection, read_seconds
        self._pending: list[Callable[[Run], object]] | None = None
        self._seen: dict[str, int] = {}  # by asset: the head that was read in this transaction; 0 is none
        self._moved: set[str] = set()  # the assets that it writes
        self._defined = False
        self._texts = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._texts.execute(asset_texts.TABLE)
        self._fetched: set[str] = set()  # the contents whose texts are in there

    def close(self) -> None:
        """Release the connections."""
        self._texts.close()
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside goes to the server at the end, whole or not at all."""
        self._pending, self._seen, self._moved = [], {}, set()
        try:
            yield
            if self._pending:
                self._define()
                self.connection.write(partial(self._send, self._pending, dict(self._seen), sorted(self._moved)))
        finally:
            self._pending = None

    def load(self, project: str) -> Iterator[Listed]:
        """The assets of a project, in no order."""
        rows = self._read(lambda run: run(cypher.LOAD, project=project))
        return iter([_row(Listed, row) for row in rows])

    def listed(self, project: str, id: str) -> Listed | None:
        """One asset of a project, as `load` gives it."""
        rows = self._read(lambda run: run(cypher.LISTED, project=project, id=id))
        return _row(Listed, rows[0]) if rows else None

    def get(self, id: str) -> Loaded | None:
        """One asset, whole."""
        rows = self._read(lambda run: run(cypher.VERSIONS, id=id))
        self._seen[id] = rows[0]["a"]["head"] if rows else 0
        return _loaded(rows) if rows else None

    def versions(self, id: str) -> Sequence[tuple[VersionRow, ContentRow]]:
        """The versions of an asset that are on the server, oldest first."""
        rows = self._read(lambda run: run(cypher.VERSIONS, id=id))
        return [(_row(VersionRow, row["v"]), _content(row)) for row in rows]

    def body(self, content: str) -> str | None:
        """The body of a content."""
        rows = self._read(lambda run: run(cypher.BODY, id=content))
        return rows[0]["body"] if rows else None

    def add(self, asset: AssetRow, version: VersionRow, content: ContentRow, parts: Parts | None = None) -> None:
        """Write a version, its content with its parts where they are new, and the asset as it then is."""
        self._moved.add(asset.id)
        self._later(partial(_add, asset=asset, version=version, content=content, parts=parts or Parts()))

    def remove(self, id: str) -> None:
        """Remove an asset with all versions and every content of it alone. The audit stays."""
        self._later(partial(_remove, id=id))

    def note(self, row: AuditRow) -> None:
        """Write a row of the audit."""
        values = {**row._asdict(), "seq": time.time_ns()}
        self._later(lambda run: run(cypher.ADD_AUDIT, row=values))

    def audit(self, project: str, since: str = "") -> Iterator[AuditRow]:
        """The audit of a project, newest first."""
        rows = self._read(lambda run: run(cypher.AUDIT, project=project, since=since))
        return iter([_row(AuditRow, row["x"]) for row in rows])

    def parts(self, content: str) -> Parts:
        """The parts of a content."""

        def work(run: Run) -> Parts:
            links = run(cypher.LINKS, id=content)
            return Parts(
                [_row(PageRow, row["p"]) for row in run(cypher.ALL_PAGES, id=content)],
                [LinkRow(*link) for link in json.loads(links[0]["links"] or "[]")] if links else [],
                _files(
                    [_row(SymbolRow, row["s"]) for row in run(cypher.SYMBOLS, id=content)],
                    [_row(CallRow, row) for row in run(cypher.CALLS, id=content)],
                    [_row(MaybeRow, row) for row in run(cypher.MAYBES, id=content)],
                ),
            )

        return self._read(work)

    def pages(self, content: str) -> Sequence[PageRow]:
        """The pages of a content by path, without their bodies."""
        rows = self._read(lambda run: run(cypher.PAGES, id=content))
        return [_row(PageRow, {**row, "body": ""}) for row in rows]

    def page(self, content: str, path: str) -> PageRow | None:
        """One page, whole."""
        rows = self._read(lambda run: run(cypher.PAGE, id=content, path=path))
        return _row(PageRow, rows[0]["p"]) if rows else None

    def citing(self, contents: Sequence[str], citations: Sequence[str]) -> Sequence[tuple[str, PageRow]]:
        """The pages of these contents that have one of the citations, without bodies, each after its content."""
        rows = self._read(lambda run: run(cypher.CITING, contents=list(contents), citations=list(citations)))
        return [(row["content"], _row(PageRow, {**row, "body": ""})) for row in rows]

    def search(self, terms: Sequence[str], contents: Sequence[str], limit: int) -> Sequence[Hit]:
        """The texts of these contents that have some of the terms, best first, as the embedded engine finds them.

        Contents never change, so each is fetched once into a table of this process's memory.
        """
        if missing := [content for content in contents if content not in self._fetched]:
            rows = self._read(lambda run: run(cypher.TEXTS, ids=missing))
            for row in rows:
                asset_texts.add(self._texts, row["content"], [TextRow(row["path"], row["name"], row["text"])])
            self._fetched.update(missing)
        return asset_texts.search(self._texts, terms, contents, limit)

    def symbols(self, content: str, name: str) -> Sequence[SymbolRow]:
        """The symbols of a qualified name or, where there is none, of a name."""
        rows = self._read(lambda run: run(cypher.NAMED, id=content, name=name))
        found = [_row(SymbolRow, row["s"]) for row in rows]
        return [one for one in found if one.qualname == name] or found

    def neighbours(self, content: str, symbol: int, *, callers: bool) -> Sequence[Neighbour]:
        """The callers, or the callees, of a symbol."""
        statement, key = cypher.CALLERS if callers else cypher.CALLEES, _key(content, symbol)
        rows = self._read(lambda run: run(statement, key=key))
        return [Neighbour(_row(SymbolRow, row["s"]), row["line"], row["how"]) for row in rows]

    def maybes(self, content: str, name: str) -> int:
        """How many calls of a name are known by the name only."""
        return int(self._read(lambda run: run(cypher.COUNT_MAYBES, id=content, name=name))[0]["found"])

    def _read(self, work: Callable[[Run], T]) -> T:
        return self.connection.read(work, self.read_seconds)

    def _later(self, work: Callable[[Run], object]) -> None:
        if self._pending is None:
            raise AssertionError("written outside a transaction")
        self._pending.append(work)

    def _send(
        self, pending: Sequence[Callable[[Run], object]], seen: Mapping[str, int], moved: Sequence[str], run: Run
    ) -> None:
        run(cypher.LOCK)
        heads = {row["id"]: row["head"] for row in run(cypher.HEADS, ids=moved)}
        for id in moved:  # noqa: A001 - the field's word
            if heads.get(id, 0) != seen.get(id, 0):
                raise StoreUnavailable(f"somebody changed asset {id} at the same moment; look at it and try again")
        for work in pending:
            work(run)

    def _define(self) -> None:
        """Make constraints and indexes; without a constraint nothing is written, or it would be written twice."""
        if self._defined:
            return
        words = schema.server(self.connection.agent())
        failed = self.connection.define(schema.statements(words, "unique", cypher.UNIQUE))
        if missing := [error for error in failed if "already exists" not in error.lower()]:
            raise StoreUnavailable(f"assets cannot be kept at {self.connection.name}: {missing[0]}")
        self.connection.define(schema.statements(words, "index", cypher.INDEXED))
        self._defined = True


def _add(run: Run, asset: AssetRow, version: VersionRow, content: ContentRow, parts: Parts) -> None:
    if not run(cypher.HAS_CONTENT, id=content.id):
        links = json.dumps([list(link) for link in parts.links])
        run(cypher.ADD_CONTENT, content={**content._asdict(), "links": links})
        _add_parts(run, content.id, parts)
    run(cypher.PUT_ASSET, asset=asset._asdict())
    key = _key(asset.id, version.n)
    run(cypher.ADD_VERSION, version={**version._asdict(), "key": key})
    run(cypher.SUPERSEDE, id=asset.id, n=version.n, key=key)
    if version.n == asset.head:
        _bind(run, asset, version)
    provenance = json.loads(version.provenance)
    for field, statement in (("commit", cypher.FROM_COMMIT), ("session", cypher.FROM_SESSION)):
        if isinstance(value := provenance.get(field), str) and value:
            run(statement, **{"key": key, field: value})
    if states := [page.citation.rpartition("/")[2] for page in parts.pages if "://" in page.citation]:
        run(cypher.FROM_STATES, key=key, states=states)


def _add_parts(run: Run, content: str, parts: Parts) -> None:
    run(cypher.ADD_PAGES, rows=[{**page._asdict(), "content": content} for page in parts.pages])
    run(cypher.ADD_TEXTS, rows=[{**text._asdict(), "content": content} for text in parts.texts])
    run(cypher.ADD_LINKS, rows=[{**link._asdict(), "content": content} for link in parts.links if link.found])
    files = [file.load() for file in parts.files]
    symbols = [one for rows in files for one in rows.symbols]
    run(
        cypher.ADD_SYMBOLS,
        rows=[{**one._asdict(), "content": content, "key": _key(content, one.id)} for one in symbols],
    )
    calls = [
        {"source": _key(content, one.source), "target": _key(content, one.target), "line": one.line, "how": one.how}
        for rows in files
        for one in rows.calls
    ]
    run(cypher.ADD_CALLS, rows=calls)
    run(cypher.ADD_MAYBES, rows=[{**one._asdict(), "content": content} for rows in files for one in rows.maybes])


def _files(symbols: Sequence[SymbolRow], calls: Sequence[CallRow], maybes: Sequence[MaybeRow]) -> list[FilePart]:
    """The rows of a graph by the files that they are of."""
    paths = {symbol.id: symbol.path for symbol in symbols}
    found: dict[str, tuple[list[SymbolRow], list[CallRow], list[MaybeRow]]] = {}
    for symbol in symbols:
        found.setdefault(symbol.path, ([], [], []))[0].append(symbol)
    for call in calls:
        found[paths[call.source]][1].append(call)
    for maybe in maybes:
        found[paths[maybe.source]][2].append(maybe)
    return [file_part(FileRows(*rows)) for _, rows in sorted(found.items())]


def _bind(run: Run, asset: AssetRow, version: VersionRow) -> None:
    """Draw the edges to the owner and to what the newest version is bound to."""
    run(cypher.UNBIND, id=asset.id)
    run(cypher.DISOWN, id=asset.id)
    run(cypher.OWN, id=asset.id, owner=version.owner)
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in TARGETS}
    for target, mode, priority, required, enabled in json.loads(version.bindings):
        kind, _, name = target.partition(":")
        rows[kind].append(
            {"asset": asset.id, "key": f"{asset.project}/{target}", "name": name, "mode": mode, "priority": priority,
             "required": required, "enabled": enabled}
        )  # fmt: skip
    for kind, bound in rows.items():
        if bound:
            run(cypher.BIND[kind], rows=bound)


def _remove(run: Run, id: str) -> None:
    orphans = [row["id"] for row in run(cypher.ORPHANS, id=id)]
    for statement in cypher.REMOVE_PARTS:
        run(statement, ids=orphans)
    run(cypher.REMOVE_ASSET, id=id)
    run(cypher.REMOVE_CONTENT, ids=orphans)


def _key(of: str, number: int) -> str:
    return f"{of}/{number}"


def _row(kind: type[T], properties: Mapping[str, Any]) -> T:
    """A row from a node's properties; a property that is not there is null."""
    return kind(*(properties.get(name) for name in kind._fields))  # type: ignore[attr-defined]


def _content(row: Mapping[str, Any]) -> ContentRow:
    return ContentRow(*(row[f"c_{name}"] for name in ContentRow._fields))


def _loaded(rows: Sequence[Mapping[str, Any]]) -> Loaded:
    asset = _row(AssetRow, rows[0]["a"])
    by_n = {row["v"]["n"]: (_row(VersionRow, row["v"]), _content(row)) for row in rows}
    head, content = by_n[asset.head]
    other = by_n.get(asset.effective) if asset.effective not in (None, asset.head) else None
    return Loaded(asset, head, content, *(other or (None, None)))
