"""What an identity may see of the assets: the border at which access.decide is asked for every read.

No method gives anything of an asset without an identity; what may not be read is not there: same answer, same work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rg_core.assets import code, errors, rows
from rg_core.assets.access import decide
from rg_core.assets.errors import Refused
from rg_core.assets.homes import Homes, Placed
from rg_core.assets.lifecycle import Setting
from rg_core.assets.loadout import Loadout, LoadoutRequest, choose
from rg_core.assets.manifest import About, manifest
from rg_core.assets.model import OTHER_AGENT, RIGHTS, Asset, Identity, Policy, Version
from rg_core.recall.folding import unfolded
from rg_core.recall.terms import terms
from rg_core.store.asset_rows import AssetRows, AuditRow, Hit, PageRow

PREFIX = 5  # characters of a shortened id, at least
HITS = 20  # of a search


@dataclass(slots=True)
class Noted:
    """What the audit will say of what is done meanwhile."""

    asset: str
    detail: str = ""


class AssetReader:
    """The assets as identities may read them."""

    def __init__(self, homes: Homes) -> None:
        self._homes = homes

    def close(self) -> None:
        """Release the engines."""
        self._homes.close()

    @contextmanager
    def audited(self, who: Identity, setting: Setting, op: str, id: str = "", detail: str = "") -> Iterator[Noted]:
        """What is done inside leaves one row of the audit in the same transaction, a refusal too."""
        refused: Refused | None = None
        noted = Noted(id, detail)
        with self._homes.transaction():
            try:
                yield noted
            except Refused as error:
                refused = error
            outcome = refused.word if refused else "ok"
            row = rows.audit_row(
                who, setting.now, setting.via, op, asset=plain(noted.asset), outcome=outcome, detail=noted.detail
            )
            self._homes.local.note(row)
        if refused:
            raise refused

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """While this lasts, nobody else writes the local file.

        Raises:
            StoreUnavailable: when somebody else keeps it locked, or the store is away.
        """
        with self._homes.unchanging():
            yield

    def readable(self, who: Identity) -> Sequence[Asset]:
        """What this identity may read of its project, without bodies and payloads; newest first.

        Raises:
            Refused: no_identity, no_project.
            StoreUnavailable: when the store is away.
        """
        found = [asset for _, asset in self._all(who) if decide(asset, who, "read").allowed]
        found.sort(key=lambda asset: asset.id)
        found.sort(key=lambda asset: asset.head.at, reverse=True)
        return found

    def get(self, who: Identity, id: str) -> Asset:
        """One asset, whole. An id may be shortened to what is unique among the readable.

        Raises:
            Refused: no_identity, no_project, not_found, invalid (several begin so).
            StoreUnavailable: when the store is away.
        """
        return self._read(who, id)[1]

    def rights(self, who: Identity, id: str) -> Sequence[str]:
        """What this identity may do with an asset that it may read.

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        asset = self.get(who, id)
        return [right for right in RIGHTS if decide(asset, who, right).allowed]

    def editable(self, who: Identity, id: str) -> tuple[int, Policy]:
        """The newest version's number and policy, to be changed; also for an owner who may not read the asset.

        The access list is empty for those who may not share it: they may not change it either.

        Raises:
            Refused: no_identity, no_project, not_found.
            StoreUnavailable: when the store is away.
        """
        _require(who)
        asset = self._find(who, id, repairing=True).asset
        if asset is None:
            raise errors.not_found(id)
        shares = decide(asset, who, "share").allowed
        return asset.head.n, asset.policy if shares else replace(asset.policy, acl=())

    def history(self, who: Identity, id: str) -> Sequence[Version]:
        """The versions of an asset that are here, oldest first.

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        home, asset = self._read(who, id)
        return self._homes.versions(Placed(asset.id, home, asset))

    def loadout(self, who: Identity, ask: LoadoutRequest) -> Loadout:
        """The loadout of an identity.

        Raises:
            Refused: no_identity, no_project, invalid.
            StoreUnavailable: when the store is away.
        """
        return choose([asset for _, asset in self._all(who)], who, ask, self._homes.body)

    def manifest(self, who: Identity, ask: LoadoutRequest, about: About) -> Mapping[str, Any]:
        """The manifest of an agent.

        Raises:
            Refused, StoreUnavailable: as `loadout`.
        """
        loadout = self.loadout(who, ask)
        whole = tuple(replace(row, asset=self.get(who, row.asset.id)) for row in loadout.selected)
        return manifest(replace(loadout, selected=whole), who, about, ask.now)

    def agents(self, who: Identity) -> Sequence[str]:
        """The names of agents in entries and bindings of what this person may read: as no agent, that one or any other.

        Raises:
            Refused, StoreUnavailable: as `loadout`.
        """
        others = [replace(who, agent=""), replace(who, agent=OTHER_AGENT)]
        found: set[str] = set()
        for _, asset in self._all(who):
            policy = asset.policy
            targets = (*(entry.subject for entry in policy.acl), *(bound.target for bound in policy.bindings))
            for name in {one.partition(":")[2] for one in targets if one.startswith("agent:") and one != "agent:*"}:
                if any(decide(asset, one, "read").allowed for one in (*others, replace(who, agent=name))):
                    found.add(name)
        return sorted(found)

    def search(self, who: Identity, query: str, types: Sequence[str] | None = None) -> Sequence[tuple[Asset, Hit]]:
        """The readable assets whose effective text answers a query, best first.

        Raises:
            Refused, StoreUnavailable: as `loadout`.
        """
        homes = self._effective(who, types)
        words = [term.text for term in terms(query)]
        found = [
            (by_content[hit.content], hit._replace(snippet=unfolded(hit.snippet)))
            for home, by_content in homes.items()
            for hit in (home.search(words, list(by_content), HITS) if words else ())
        ]
        found.sort(key=lambda pair: (-pair[1].score, pair[1].content, pair[1].path))
        return found[:HITS]

    def citing(
        self, who: Identity, uris: Sequence[str], types: Sequence[str] | None = None
    ) -> Sequence[tuple[Asset, PageRow]]:
        """The pages, without bodies, of what is readable and in effect whose text memory keeps at one of these URIs.

        Raises:
            Refused, StoreUnavailable: as `loadout`.
        """
        found = []
        for home, by_content in self._effective(who, types).items():
            found += [(by_content[content], page) for content, page in home.citing(list(by_content), uris)]
        return sorted(found, key=lambda pair: (uris.index(pair[1].citation), pair[0].id))

    def pages(self, who: Identity, id: str) -> Sequence[PageRow]:
        """The pages of the effective version, without their bodies.

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        home, asset = self._read(who, id)
        return home.pages(asset.effective.content_id) if asset.effective else []

    def page(self, who: Identity, id: str, path: str) -> PageRow | None:
        """One page of the effective version.

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        home, asset = self._read(who, id)
        return home.page(asset.effective.content_id, path) if asset.effective else None

    def ask_code(self, who: Identity, id: str, question: str, name: str) -> Sequence[code.Answered]:
        """A question to the effective version of a code graph (code.QUESTIONS).

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        home, asset = self._read(who, id)
        if asset.type != "code_graph":
            raise errors.invalid("id", "a code_graph; this asset is none")
        return code.ask(home, asset.effective.content_id, question, name) if asset.effective else []

    def audit(self, who: Identity, id: str = "", since: str = "") -> Sequence[AuditRow]:
        """Own acts, and everybody's on what this identity may read; newest first.

        Raises:
            Refused, StoreUnavailable: as `get`.
        """
        readable = {asset.id for asset in self.readable(who)}
        visible = [
            row
            for row in self._homes.audit(who.project, since)
            if (row.user == who.user or row.asset in readable) and row.asset.startswith(id)
        ]
        if id and not visible:
            raise errors.not_found(id)
        return visible

    def _all(self, who: Identity) -> Sequence[tuple[AssetRows, Asset]]:
        _require(who)
        return self._homes.all(who.project)

    def _effective(self, who: Identity, types: Sequence[str] | None) -> Mapping[AssetRows, Mapping[str, Asset]]:
        """By home, what is readable and in effect, by its content."""
        homes: dict[AssetRows, dict[str, Asset]] = {}
        for home, asset in self._all(who):
            if asset.effective and (types is None or asset.type in types) and decide(asset, who, "read").allowed:
                homes.setdefault(home, {})[asset.effective.content_id] = asset
        return homes

    def _find(self, who: Identity, id: str, *, repairing: bool = False) -> Placed:
        """What an id, whole or shortened, means to this identity; without an asset where it may not know of it.

        Only what it may know of is read whole: what is missing and what may not be read take the same work.
        """
        known = self._homes.listed(who.project, id)
        if known is None or not _knows(known, who, repairing=repairing):
            near = [one for _, one in self._all(who) if one.id.startswith(id) and _knows(one, who, repairing=repairing)]
            if len(id) < PREFIX or not near:
                return Placed(id, self._homes.local)
            if len(near) > 1:
                raise errors.invalid("id", f"more of it; {', '.join(sorted(one.id for one in near)[:5])} begin so")
            known = near[0]
        found = self._homes.locate(known.id)
        if found.asset and not _knows(found.asset, who, repairing=repairing):  # it has changed meanwhile
            return Placed(id, self._homes.local)
        return found

    def _read(self, who: Identity, id: str) -> tuple[AssetRows, Asset]:
        _require(who)
        found = self._find(who, id)
        if found.asset is None:
            raise errors.not_found(id)
        return found.home, found.asset


def _require(who: Identity) -> None:
    if not who.user:
        raise errors.no_identity()
    if not who.project:
        raise errors.no_project()


def _knows(asset: Asset, who: Identity, *, repairing: bool) -> bool:
    return decide(asset, who, "read").allowed or (repairing and decide(asset, who, "manage").allowed)


def plain(id: str) -> str:
    """An id as the audit keeps it: of our own making, or nothing."""
    return id if id.startswith("as_") and id[3:].isalnum() and len(id) <= 23 else ""
