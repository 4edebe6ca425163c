"""Assets in their own SQLite file (assets.db, 0600) beside memory: versions, contents, their parts, the audit."""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain

from rg_core import files
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
    VersionRow,
)
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sqlite import assets_sql as sql
from rg_core.store.sqlite.file import explained
from rg_core.transaction import transaction

SCHEMA_VERSION = len(sql.SCHEMAS)  # PRAGMA user_version
BUSY_SECONDS = 10.0
ASSET, VERSION, CONTENT = len(AssetRow._fields), len(VersionRow._fields), len(ContentRow._fields)
CUTS = (ASSET, ASSET + VERSION, ASSET + VERSION + CONTENT, ASSET + 2 * VERSION + CONTENT)


class SqliteAssets:
    """The embedded engine (see rg_core.store.asset_rows)."""

    def __init__(self, path: str) -> None:
        """Open the file, created where there is none.

        Raises:
            StoreUnavailable: if that cannot be done; says what to do.
        """
        self.path = path
        with explained(path):
            _private(path)
            self.db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                    self.db.execute(f"PRAGMA {pragma}")
                self._migrate()
            except BaseException:
                self.db.close()
                raise

    def close(self) -> None:
        """Release the file."""
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One write transaction."""
        with explained(self.path), transaction(self.db):
            yield

    def load(self, project: str) -> Iterator[Listed]:
        """The assets of a project, in no order."""
        with explained(self.path):
            yield from map(Listed._make, self.db.execute(sql.LOAD, (project,)))

    def listed(self, project: str, id: str) -> Listed | None:
        """One asset of a project, as `load` gives it."""
        with explained(self.path):
            row = self.db.execute(sql.LISTED, (project, id)).fetchone()
        return Listed._make(row) if row else None

    def get(self, id: str) -> Loaded | None:
        """One asset, whole."""
        with explained(self.path):
            row = self.db.execute(sql.GET, (id,)).fetchone()
        return _loaded(row) if row else None

    def versions(self, id: str) -> Sequence[tuple[VersionRow, ContentRow]]:
        """The versions of an asset, whole, oldest first."""
        with explained(self.path):
            rows = self.db.execute(sql.VERSIONS, (id,)).fetchall()
        return [(VersionRow._make(row[:VERSION]), ContentRow._make(row[VERSION:])) for row in rows]

    def body(self, content: str) -> str | None:
        """The body of a content."""
        with explained(self.path):
            row = self.db.execute("SELECT body FROM content WHERE id = ?", (content,)).fetchone()
        return row[0] if row else None

    def add(self, asset: AssetRow, version: VersionRow, content: ContentRow, parts: Parts | None = None) -> None:
        """Write a version, its content with its parts where they are new, and the asset as it then is."""
        with explained(self.path):
            if self.db.execute(sql.ADD_CONTENT, content).rowcount:
                self._add_parts(content, parts or Parts())
            self.db.execute(sql.ADD_VERSION, version)
            self.db.execute(sql.PUT_ASSET, asset)

    def remove(self, id: str) -> None:
        """Remove an asset with all versions and all content of it alone; no word stays in the file."""
        with explained(self.path):
            self.db.execute("INSERT INTO forgetting VALUES (?)", (id,))
            orphans = self.db.execute(sql.ORPHANS, (id,)).fetchall()
            self.db.execute("DELETE FROM version WHERE asset = ?", (id,))
            for table in sql.PARTS:
                self.db.executemany(f"DELETE FROM {table} WHERE content = ?", orphans)
            lone = self.db.execute(sql.LONE_PARTS).fetchall()
            for table in sql.ROWS:
                self.db.executemany(f"DELETE FROM {table} WHERE part = ?", lone)
            self.db.executemany("DELETE FROM part WHERE number = ?", lone)
            self.db.executemany("DELETE FROM content WHERE id = ?", orphans)
            self.db.execute("DELETE FROM asset WHERE id = ?", (id,))
            self.db.execute("DELETE FROM forgetting")
            asset_texts.remove(self.db, [content for (content,) in orphans])

    def leave(self, id: str) -> None:
        """Remember that an asset's copy on the server is to be removed."""
        with explained(self.path):
            self.db.execute("INSERT OR IGNORE INTO leaving VALUES (?)", (id,))

    def leaving(self) -> Sequence[str]:
        """The assets whose copies are to be removed."""
        with explained(self.path):
            return [row[0] for row in self.db.execute("SELECT asset FROM leaving")]

    def left(self, id: str) -> None:
        """The copy is gone."""
        with explained(self.path):
            self.db.execute("DELETE FROM leaving WHERE asset = ?", (id,))

    def note(self, row: AuditRow) -> None:
        """Write a row of the audit."""
        with explained(self.path):
            self.db.execute(sql.ADD_AUDIT, row)

    def audit(self, project: str, since: str = "") -> Iterator[AuditRow]:
        """The audit of a project, newest first."""
        with explained(self.path):
            yield from map(AuditRow._make, self.db.execute(sql.AUDIT, (project, since)))

    def parts(self, content: str) -> Parts:
        """The parts of a content."""
        with explained(self.path):
            return Parts(
                [PageRow._make(row[1:]) for row in self._of("page", content)],
                [LinkRow._make(row[1:]) for row in self._of("page_link", content)],
                [
                    FilePart(id_, partial(self._file, number))
                    for number, id_ in self.db.execute(sql.PARTS_OF, (content,))
                ],
            )

    def pages(self, content: str) -> Sequence[PageRow]:
        """The pages of a content by path, without their bodies."""
        statement = "SELECT path, title, sha256, '', citation FROM page WHERE content = ? ORDER BY path"
        with explained(self.path):
            return [PageRow._make(row) for row in self.db.execute(statement, (content,))]

    def page(self, content: str, path: str) -> PageRow | None:
        """One page, whole."""
        statement = "SELECT path, title, sha256, body, citation FROM page WHERE content = ? AND path = ?"
        with explained(self.path):
            row = self.db.execute(statement, (content, path)).fetchone()
        return PageRow._make(row) if row else None

    def citing(self, contents: Sequence[str], citations: Sequence[str]) -> Sequence[tuple[str, PageRow]]:
        """The pages of these contents that have one of the citations, without bodies, each after its content."""
        with explained(self.path):
            rows = self.db.execute(sql.CITING, (json.dumps(list(citations)), json.dumps(list(contents))))
            return [(row[0], PageRow._make(row[1:])) for row in rows]

    def search(self, terms: Sequence[str], contents: Sequence[str], limit: int) -> Sequence[Hit]:
        """The texts of these contents that have some of the terms, best first: rare terms count more, names most."""
        with explained(self.path):
            return asset_texts.search(self.db, terms, contents, limit)

    def symbols(self, content: str, name: str) -> Sequence[SymbolRow]:
        """The symbols of a name or a qualified name."""
        with explained(self.path):
            for field in ("qualname", "name"):
                if rows := self.db.execute(sql.SYMBOLS.format(field=field), (content, name)).fetchall():
                    return [SymbolRow._make(row) for row in rows]
        return []

    def neighbours(self, content: str, symbol: int, *, callers: bool) -> Sequence[Neighbour]:
        """The callers, or the callees, of a symbol."""
        with explained(self.path):
            rows = self.db.execute(sql.CALLERS if callers else sql.CALLEES, (content, symbol))
            return [Neighbour(SymbolRow._make(row[:7]), row[7], row[8]) for row in rows]

    def maybes(self, content: str, name: str) -> int:
        """How many calls of a name are known by the name only."""
        with explained(self.path):
            return int(self.db.execute(sql.MAYBES, (content, name)).fetchone()[0])

    def parsed(self, extractor: str, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """What parsing these Git blobs gave, where it is there."""
        statement = "SELECT blob, result FROM parsed WHERE extractor = ? AND blob IN (SELECT value FROM json_each(?))"
        with explained(self.path):
            return dict(self.db.execute(statement, (extractor, json.dumps(list(blobs)))))

    def keep_parsed(self, extractor: str, results: Mapping[str, bytes]) -> None:
        """Store what parsing Git blobs gave."""
        rows = [(blob, extractor, result) for blob, result in results.items()]
        with explained(self.path), transaction(self.db):
            self.db.executemany("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?)", rows)

    def _migrate(self) -> None:
        if self._user_version() == SCHEMA_VERSION:
            return
        with transaction(self.db):
            found = self._user_version()  # another process may have been first
            if found > SCHEMA_VERSION:
                raise StoreUnavailable(f"{self.path} was written by a newer rg-memory; upgrade rg-memory")
            if found < SCHEMA_VERSION:
                for statement in chain.from_iterable(sql.SCHEMAS[found:]):
                    self.db.execute(statement)
                self.db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _user_version(self) -> int:
        return int(self.db.execute("PRAGMA user_version").fetchone()[0])

    def _of(self, table: str, content: str) -> sqlite3.Cursor:
        return self.db.execute(f"SELECT * FROM {table} WHERE content = ?", (content,))

    def _file(self, number: int) -> FileRows:
        with explained(self.path):
            symbols, calls, maybes = (
                [row[1:] for row in self.db.execute(f"SELECT * FROM {table} WHERE part = ?", (number,))]
                for table in sql.ROWS
            )
        return FileRows([*map(SymbolRow._make, symbols)], [*map(CallRow._make, calls)], [*map(MaybeRow._make, maybes)])

    def _add_file(self, content: str, file: FilePart) -> None:
        added = self.db.execute(sql.ADD_PART, (file.id,))
        if added.rowcount:
            number, rows = added.lastrowid, file.load()
            self.db.executemany(sql.ADD_SYMBOL, ((number, *symbol) for symbol in rows.symbols))
            self.db.executemany(sql.ADD_CALL, ((number, *call) for call in rows.calls))
            self.db.executemany(sql.ADD_MAYBE, ((number, *maybe) for maybe in rows.maybes))
        self.db.execute(sql.ADD_CONTENT_PART, (content, file.id))

    def _add_parts(self, content: ContentRow, parts: Parts) -> None:
        key = content.id
        self.db.executemany(sql.ADD_PAGE, ((key, *page) for page in parts.pages))
        self.db.executemany(sql.ADD_LINK, ((key, *link) for link in parts.links))
        for file in parts.files:
            self._add_file(key, file)
        asset_texts.add(self.db, key, parts.texts)


def _private(path: str) -> None:
    """Create the file where there is none, for its owner alone; SQLite gives its log and index the same mode."""
    files.make_folder(os.path.dirname(path))
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    files.hand_over(path)


def _loaded(row: Sequence[object]) -> Loaded:
    first, second, third, fourth = CUTS
    effective = row[fourth] is not None
    return Loaded(
        AssetRow._make(row[:first]),
        VersionRow._make(row[first:second]),
        ContentRow._make(row[second:third]),
        VersionRow._make(row[third:fourth]) if effective else None,
        ContentRow._make(row[fourth:]) if effective else None,
    )
