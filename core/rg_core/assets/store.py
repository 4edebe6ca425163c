"""What an identity may do with assets: decided, written and audited in one transaction, refusals too."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rg_core.assets import errors, lifecycle, rows
from rg_core.assets.access import decide
from rg_core.assets.errors import Refused
from rg_core.assets.homes import Homes, Placed
from rg_core.assets.lifecycle import Next, Setting
from rg_core.assets.model import Asset, Identity, Version, asset_id, compact
from rg_core.assets.reader import AssetReader, plain
from rg_core.store.asset_rows import AssetRows, LocalRows, Parts

EMPTY: Mapping[str, Any] = {"description": None, "body": None, "summary": None, "labels": (), "payload": {}}


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an act: the asset as it then is."""

    id: str
    version: int
    status: str
    effective: int | None
    changed: bool
    new: bool = False

    def json(self) -> dict[str, Any]:
        """The object that commands print."""
        return {"id": self.id, "version": self.version, "status": self.status, "effective_version": self.effective,
                "changed": self.changed}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Where an asset comes from, and what belongs to its content beside the fields."""

    key: str  # the source_key: hand:USER:NAME, skill:PATH, ...
    provenance: Mapping[str, Any]  # source_type source_ref commit? session? program?
    parts: Parts | None = None


class Assets(AssetReader):
    """The assets of an installation. Used from one thread at a time."""

    def __init__(
        self,
        local: LocalRows,
        server: AssetRows | None = None,
        *,
        may_widen: Callable[[Asset], str] = lambda asset: "",
        changing: Callable[[str], None] = lambda project: None,
    ) -> None:
        """Take open engines.

        Args:
            local: the local file.
            server: the shared one, if there is any.
            may_widen: says why an asset may not go to the server; "" if it may.
            changing: is told a project before a change of it is committed.
        """
        super().__init__(Homes(local, server, may_widen))
        self._changing = changing

    # -- writing

    def register(
        self,
        who: Identity,
        type: str,
        given: Mapping[str, Any],
        setting: Setting,
        source: Source | None = None,
        patch: Mapping[str, Any] | None = None,
    ) -> Done:
        """Make an asset, or revise the one of the same source: importing or registering again finds the same asset.

        Args:
            who: the identity; becomes the owner of a new asset.
            type: one of model.TYPES.
            given: fields of the content; all others are empty, also where the asset is there.
            setting: how it comes.
            source: where it comes from; by hand unless given.
            patch: `status` and policy that are asked for; for new assets only.

        Raises:
            Refused: in the order of rg_core.assets.lifecycle.
            StoreUnavailable: when the store is away.
        """
        asked = dict(patch or {})
        source = source or _by_hand(who, given)
        content = _with_parts(given, source.parts)

        def decided() -> tuple[Placed, Next | None]:
            found = self._place(who, type, source.key)
            if found.asset is None:
                return found, lifecycle.register(type, content, asked, who, setting)
            if asked:
                raise errors.invalid(
                    "name", f"you have it already as {found.id}; change that with rg-memory asset govern"
                )
            return found, lifecycle.revise(found.asset, {**EMPTY, **content}, who, setting)

        return self._act(who, setting, "register", "", decided, source)

    def foresee(
        self, who: Identity, type: str, given: Mapping[str, Any], setting: Setting, source: Source
    ) -> tuple[str, str]:
        """What `register` would come to, without doing it: the asset's id; new, changed or unchanged.

        Raises:
            Refused, StoreUnavailable: as `register`.
        """
        lifecycle.admit(who, setting)
        content = _with_parts(given, source.parts)
        found = self._place(who, type, source.key)
        if found.asset is None:
            lifecycle.register(type, content, {}, who, setting)
            return found.id, "new"
        made = lifecycle.revise(found.asset, {**EMPTY, **content}, who, setting)
        return found.id, "changed" if made else "unchanged"

    def revise(
        self, who: Identity, id: str, given: Mapping[str, Any], setting: Setting, *, if_version: int | None = None
    ) -> Done:
        """Replace fields of an asset's content.

        Raises:
            Refused, StoreUnavailable: as `register`.
        """

        def decided() -> tuple[Placed, Next | None]:
            found = self._find(who, id)
            return found, lifecycle.revise(found.asset, given, who, setting, id=id, if_version=if_version)

        return self._act(who, setting, "revise", id, decided)

    def govern(
        self,
        who: Identity,
        id: str,
        patch: Mapping[str, Any],
        setting: Setting,
        *,
        if_version: int | None = None,
        note: str | None = None,
    ) -> Done:
        """Change an asset's status and policy: all of the patch or nothing.

        Raises:
            Refused, StoreUnavailable: as `register`.
        """

        def decided() -> tuple[Placed, Next | None]:
            found = self._find(who, id, repairing=True)
            made = lifecycle.govern(found.asset, patch, who, setting, id=id, if_version=if_version, note=note)
            return found, made

        fields = ",".join(sorted(name for name in patch if name in lifecycle.RIGHT_OF))
        return self._act(who, setting, "govern", id, decided, detail=fields)

    def fail(self, who: Identity, type: str, name: str, source: Source, setting: Setting, note: str) -> Done:
        """Say that a source could not be imported; what it said before stays.

        Raises:
            Refused, StoreUnavailable: as `register`.
        """

        def decided() -> tuple[Placed, Next | None]:
            found = self._place(who, type, source.key)
            return found, lifecycle.fail(found.asset, {"name": name}, who, setting, note)

        return self._act(who, setting, "fail", "", decided, source)

    def forget(self, who: Identity, id: str, setting: Setting) -> str:
        """Remove an asset with every version, page, symbol and server copy, in one go; its id. The audit row stays.

        Raises:
            Refused, StoreUnavailable: as `register`.
        """
        with self.audited(who, setting, "forget", id) as noted:
            lifecycle.admit(who, setting)
            found = self._find(who, id, repairing=True)
            gone = noted.asset = lifecycle.forget(found.asset, who, setting, id=id).id
            self._changing(who.project)
            self._homes.remove(gone)
        return gone

    # -- what parsing gave, for importers

    def parsed(self, extractor: str, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """What parsing these Git blobs gave this installation; nothing of any asset."""
        return self._homes.local.parsed(extractor, blobs)

    def keep_parsed(self, extractor: str, results: Mapping[str, bytes]) -> None:
        """Keep what parsing Git blobs gave."""
        self._homes.local.keep_parsed(extractor, results)

    # -- inside

    def _act(
        self,
        who: Identity,
        setting: Setting,
        op: str,
        id: str,
        decided: Callable[[], tuple[Placed, Next | None]],
        source: Source | None = None,
        detail: str = "",
    ) -> Done:
        """Decide and write in one transaction, with the row of the audit."""
        refused: Refused | None = None
        done: Done | None = None
        with self._homes.transaction():
            home: AssetRows = self._homes.local
            try:
                lifecycle.admit(who, setting)
                found, made = decided()
                asset = found.asset
                if made:
                    asset, home = self._homes.write(
                        found, made, _version(found, made, who, setting, source), source.parts if source else None
                    )
                assert asset
                effective = asset.effective.n if asset.effective else None
                done = Done(asset.id, asset.head.n, asset.head.status, effective, bool(made), found.asset is None)
            except Refused as error:
                refused = error
            outcome = refused.word if refused else "ok" if done and done.changed else "unchanged"
            key, n = (done.id, done.version) if done else (plain(id), 0)
            row = rows.audit_row(
                who, setting.now, setting.via, op, asset=key, n=n, outcome=outcome, detail=detail
            )  # fmt: skip
            home.note(row)
            if done and done.changed:
                self._changing(who.project)
        if refused:
            raise refused
        assert done
        return done

    def _place(self, who: Identity, type: str, source_key: str) -> Placed:
        """The asset of a source, or the place for a new one.

        Somebody else's asset of the same source, which may not be read, is passed by: it is not there.
        """
        number, named = 1, source_key
        while True:
            key = asset_id(who.project, type, named)
            known = self._homes.listed(who.project, key)
            if known is None or decide(known, who, "read").allowed:
                found = self._homes.locate(key)
                return found if found.asset else replace(found, project=who.project, type=type, source_key=named)
            number += 1
            named = f"{source_key}:{number}"


def _version(found: Placed, made: Next, who: Identity, setting: Setting, source: Source | None) -> Version:
    head = found.asset.head if found.asset else None
    kept = head.provenance if head else {}
    return Version(
        n=head.n + 1 if head else 1,
        status=made.status,
        at=setting.now,
        content_id=made.content.sha256(),
        content=made.content,
        policy=made.policy,
        by=who.user,
        via=setting.via,
        act=made.act,
        provenance=source.provenance if source else kept,
        note=made.note,
    )


def _by_hand(who: Identity, given: Mapping[str, Any]) -> Source:
    name = str(given.get("name", "")).strip()
    return Source(f"hand:{who.user}:{name}", {"source_type": "hand", "source_ref": name})


def _with_parts(given: Mapping[str, Any], parts: Parts | None) -> Mapping[str, Any]:
    """Content fields whose payload names the parts: changed pages or symbols are changed content."""
    if parts is None:
        return given
    pages = [(page.path, page.title, page.sha256, page.citation) for page in parts.pages]
    files = [file.id for file in parts.files]
    digest = hashlib.sha256(compact([pages, list(parts.links), files])).hexdigest()
    return {**given, "payload": {**given.get("payload", {}), "parts": digest}}
