"""One import: what importers found is registered, what they could not read is said; importing again changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from rg_core.assets.errors import Refused
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Identity, asset_id
from rg_core.assets.store import Assets, Source
from rg_core.documents.projects import Project, within
from rg_core.errors import UserError


class Unreadable(ValueError):
    """Why a source is not imported, in words for the person who imports it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One source as an importer read it: a content, or in `error` why there is none."""

    type: str
    name: str  # what a person calls it; of a failed one the only content
    source: Source
    content: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    error: str = ""


@dataclass(slots=True)
class Imported:
    """What an import came to."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: list[dict[str, str]] = field(default_factory=list)
    assets: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)  # what nobody approved yet

    def json(self) -> dict[str, Any]:
        """The object that the command prints."""
        return {"new": self.new, "changed": self.changed, "unchanged": self.unchanged, "failed": self.failed,
                "skipped": self.skipped, "assets": self.assets}  # fmt: skip


def run(
    assets: Assets,
    who: Identity,
    setting: Setting,
    found: Iterable[Taken],
    result: Imported,
    *,
    name: str = "",
    dry_run: bool = False,
) -> None:
    """Register what was found, one asset at a time; a source that fails does not keep the others out.

    Args:
        assets: where to.
        who: who imports.
        setting: an importer's.
        found: the sources.
        result: gets what comes of each.
        name: instead of the sources' own.
        dry_run: write nothing, and say what would be done.

    Raises:
        StoreUnavailable: when the store is away.
    """
    for one in found:
        if name:
            one = replace(one, name=name, content={**one.content, "name": name} if one.content else {})
        try:
            if one.error:
                raise Unreadable(one.error)
            _take(assets, who, setting, one, result, dry_run)
        except (Unreadable, Refused) as error:
            result.failed.append({"source": one.source.key, "error": str(error)})
            if not dry_run:
                _fail(assets, who, setting, one, str(error))


def key_path(project: Project, path: str) -> str:
    """How a path is called in a source's key: relative to the project's directory that holds it, else to its first.

    Raises:
        UserError: for a project without directories, or a path on another drive.
    """
    real = os.path.realpath(path)
    holding = [directory for directory in project.directories if within(real, directory)]
    base = max(holding, key=len) if holding else next(iter(project.directories), "")
    try:
        return os.path.relpath(real, base).replace(os.sep, "/")
    except ValueError as error:
        raise UserError(
            f"{path} has no path relative to project {project.name}; import from one of its drives"
        ) from error


def _take(assets: Assets, who: Identity, setting: Setting, one: Taken, result: Imported, dry_run: bool) -> None:
    if dry_run:
        key, change = assets.foresee(who, one.type, one.content, setting, one.source)
    else:
        done = assets.register(who, one.type, one.content, setting, one.source)
        if done.changed and done.effective != done.version:
            result.waiting.append(done.id)
        key, change = done.id, "new" if done.new else "changed" if done.changed else "unchanged"
    setattr(result, change, getattr(result, change) + 1)
    row = {"id": key, "name": str(one.content["name"]), "source": one.source.key, "change": change}
    result.assets.append(row | ({"warnings": list(one.warnings)} if one.warnings else {}))


def _fail(assets: Assets, who: Identity, setting: Setting, one: Taken, note: str) -> None:
    """Note that a source cannot be read; once, however often it is tried."""
    with suppress(Refused):  # what may not be changed is not told either
        with suppress(Refused):  # none yet
            head = assets.get(who, asset_id(who.project, one.type, one.source.key)).head
            if head.status == "failed" and head.note == note:
                return
        assets.fail(who, one.type, one.name, one.source, setting, note)
