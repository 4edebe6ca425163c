"""Where assets are: in the local file, or on the server that a team shares. It decides nothing.

Private assets are local; all others are on the server, where there is one. Widening an asset sends its newest and its
effective version, no older ones; narrowing it brings its versions back and takes everything off the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rg_core.assets import errors, lifecycle, rows
from rg_core.assets.lifecycle import Next
from rg_core.assets.model import Asset, Policy, Version
from rg_core.recall.folding import folded
from rg_core.store.asset_rows import (
    AssetRows,
    AuditRow,
    ContentRow,
    LocalRows,
    Parts,
    TextRow,
    VersionRow,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """An asset and its home; or, without an asset, the id for a new one."""

    id: str
    home: AssetRows
    asset: Asset | None = None
    project: str = ""
    type: str = ""
    source_key: str = ""


class Homes:
    """The local engine and perhaps a server's."""

    def __init__(self, local: LocalRows, server: AssetRows | None, may_widen: Callable[[Asset], str]) -> None:
        self.local, self.server, self.may_widen = local, server, may_widen
        self._listed: dict[str, list[tuple[AssetRows, Asset]]] | None = None  # by project, while nothing changes

    def close(self) -> None:
        """Release the engines."""
        self.local.close()
        if self.server:
            self.server.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Writes in both engines. What leaves the server leaves it after the local file has committed.

        Killed in between, or with a server that is away, it leaves it at the next transaction.
        """
        with self.local.transaction():
            if self.server is None:
                yield
                return
            self._take_off(self.server)
            with self.server.transaction():
                yield
        if self._leaving():
            with self.local.transaction():
                self._take_off(self.server)

    def _take_off(self, server: AssetRows) -> None:
        for id in self._leaving():  # noqa: A001 - the field's word
            with server.transaction():
                server.remove(id)
            self.local.left(id)

    def _leaving(self) -> Sequence[str]:
        """What is on the server still and counts as gone."""
        return self.local.leaving() if self.server else ()

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """Nobody writes the local file meanwhile; what is listed twice is read once."""
        with self.transaction():
            self._listed = {}
            try:
                yield
            finally:
                self._listed = None

    def all(self, project: str) -> Sequence[tuple[AssetRows, Asset]]:
        """Every asset of a project and its home, without bodies and payloads."""
        if self._listed is None:
            return self._all(project)
        if project not in self._listed:
            self._listed[project] = self._all(project)
        return self._listed[project]

    def _all(self, project: str) -> list[tuple[AssetRows, Asset]]:
        local: list[tuple[AssetRows, Asset]] = [
            (self.local, rows.listed(row, project)) for row in self.local.load(project)
        ]
        if self.server is None:
            return local
        found = {asset.id: (home, asset) for home, asset in local}
        leaving = self._leaving()
        for row in self.server.load(project):
            if row.id not in leaving and (row.id not in found or found[row.id][1].head.n <= row.head):
                found[row.id] = self.server, rows.listed(row, project)
        return list(found.values())

    def listed(self, project: str, id: str) -> Asset | None:
        """One asset of a project, as `all` gives it."""
        local = self.local.listed(project, id)
        shared = self.server.listed(project, id) if self.server and id not in self._leaving() else None
        row = shared if shared and (local is None or local.head <= shared.head) else local
        return rows.listed(row, project) if row else None

    def locate(self, id: str) -> Placed:
        """The asset of a whole id, whole. Of one that is in both, the one with the newer head holds."""
        local = self.local.get(id)
        shared = self.server.get(id) if self.server and id not in self._leaving() else None
        if self.server and shared and (local is None or local.asset.head <= shared.asset.head):
            return Placed(id, self.server, rows.asset_of(shared))
        return Placed(id, self.local, rows.asset_of(local) if local else None)

    def versions(self, found: Placed) -> Sequence[Version]:
        """All versions that are here, oldest first."""
        known = {row.n: (row, content) for row, content in self.local.versions(found.id)}
        known |= {row.n: (row, content) for row, content in found.home.versions(found.id)}
        return [rows.version_of(row, rows.content_of(content)) for _, (row, content) in sorted(known.items())]

    def body(self, asset: Asset) -> str | None:
        """The body of an asset's effective version."""
        assert asset.effective
        found = self.local.body(asset.effective.content_id)
        return self.server.body(asset.effective.content_id) if found is None and self.server else found

    def audit(self, project: str, since: str) -> list[AuditRow]:
        """The audit of both, newest first."""
        found = list(self.local.audit(project, since))
        if self.server:
            found += self.server.audit(project, since)
            found.sort(key=lambda row: row.at, reverse=True)
        return found

    def remove(self, id: str) -> None:
        """Remove an asset everywhere."""
        self.local.remove(id)
        if self.server:
            self.local.leave(id)

    def write(self, found: Placed, made: Next, version: Version, parts: Parts | None) -> tuple[Asset, AssetRows]:
        """Write a version where its visibility wants it; the asset as it then is, and its home.

        Raises:
            Refused: invalid, where it may not go to the server.
        """
        before = found.asset
        effective = before.effective if before else None
        number = lifecycle.effective_after(effective.n if effective else None, version.n, made.status)
        if number == version.n:
            effective = version
        elif number is None:
            effective = None
        if before:
            after = before._replace(head=version, effective=effective)
        else:
            after = Asset(found.id, found.project, found.type, found.source_key, version.at, version, effective)
        target = self._home(made.policy)
        if target is self.server and (why := self.may_widen(after)):
            raise errors.invalid("visibility", why)
        if before and target is not found.home:
            parts = found.home.parts(version.content_id) if parts is None else parts
            if target is self.server:
                self._widen(found.home, target, after)
            else:
                self._narrow(found.home, after)
        put(target, after, rows.version_row(found.id, version), rows.content_row(made.content), parts)
        return after, target

    def _widen(self, home: AssetRows, target: AssetRows, after: Asset) -> None:
        version = after.effective
        if version and version is not after.head:
            content = rows.content_row(version.content)
            put(target, after, rows.version_row(after.id, version), content, home.parts(content.id))

    def _narrow(self, home: AssetRows, after: Asset) -> None:
        there = {row.n for row, _ in self.local.versions(after.id)}
        for row, content in home.versions(after.id):
            if row.n not in there:
                put(self.local, after, row, content, home.parts(content.id))
        self.local.leave(after.id)

    def _home(self, policy: Policy) -> AssetRows:
        return self.server if self.server and policy.visibility != "private" else self.local


def put(home: AssetRows, asset: Asset, version: VersionRow, content: ContentRow, parts: Parts | None) -> None:
    """Write a version with its texts as they are searched."""
    parts = parts or Parts()
    words = "\n".join([content.description, content.summary or "", content.labels, content.body or ""])
    texts = [TextRow("", content.name, folded(words))]
    texts += [TextRow(page.path, page.title, folded(page.body)) for page in parts.pages]
    home.add(rows.asset_row(asset), version, content, parts._replace(texts=texts))
