"""Random worlds of assets and people, and a second opinion on who may read what."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rg_core.assets import rows
from rg_core.assets.homes import put
from rg_core.assets.lifecycle import effective_after
from rg_core.assets.model import (
    KINDS,
    MODES,
    RIGHTS,
    STATUSES,
    TYPES,
    VISIBILITIES,
    AccessEntry,
    Asset,
    Binding,
    Content,
    Identity,
    Policy,
    Version,
    asset_id,
)
from rg_core.store.asset_rows import AssetRows, CallRow, FileRows, PageRow, Parts, SymbolRow, file_part

NAMES = ("ann", "ben", "cat", "core")
AT = "2026-11-01T00:00:00Z"


def effective_of(versions: Iterable[tuple[int, str]]) -> int | None:
    """The effective version among numbers and statuses, oldest first; None where there is none."""
    effective = None
    for n, status in versions:
        effective = effective_after(effective, n, status)
    return effective


def people(chance: random.Random, project: str) -> Identity:
    """Somebody of a few names, as anything."""

    def some() -> tuple[str, ...]:
        return tuple(name for name in NAMES if chance.random() < 0.3)

    def one() -> str:
        return chance.choice(("", *NAMES))

    return Identity(chance.choice(NAMES), project, some(), some(), one(), one(), one())


def policy(chance: random.Random) -> Policy:
    """Any policy of these names."""
    entries = tuple(
        AccessEntry(
            chance.choice(("allow", "deny")),
            f"{chance.choice(KINDS)}:{chance.choice((*NAMES, '*'))}",
            tuple(chance.sample(RIGHTS, chance.randint(1, 3))),
        )
        for _ in range(chance.choice((0, 0, 1, 2, 4)))
    )
    targets = {f"{kind}:{name}" for kind in ("agent", "task", "framework") for name in NAMES if chance.random() < 0.15}
    bindings = tuple(
        Binding(
            target,
            chance.choice((None, *MODES)),
            chance.choice((None, 0, 900)),
            chance.random() < 0.3,
            chance.random() < 0.8,
        )
        for target in sorted(targets)
    )
    return Policy(
        chance.choice(NAMES),
        chance.choice(VISIBILITIES),
        tuple(name for name in NAMES if chance.random() < 0.3),
        entries,
        bindings,
        chance.randint(0, 1000),
        chance.randint(0, 1000),
        chance.choice((None, None, "2026-10-01T00:00:00Z", "2027-01-01T00:00:00Z")),
    )


@dataclass(frozen=True)
class Made:
    """An asset of a world with all its versions."""

    asset: Asset
    versions: Sequence[Version]

    @property
    def policy(self) -> Policy:
        """The policy that holds."""
        return self.asset.policy


def world(chance: random.Random, project: str) -> dict[str, Made]:
    """Some assets of a project by id; every text of one holds its mark (see `mark`)."""
    return {one.asset.id: one for one in (_made(chance, project, n) for n in range(chance.randint(1, 7)))}


def _made(chance: random.Random, project: str, number: int) -> Made:
    kind = chance.choice(TYPES)
    key = asset_id(project, kind, str(number))
    statuses = [chance.choice((*STATUSES, "approved", "approved")) for _ in range(chance.randint(1, 3))]
    versions = []
    for n, status in enumerate(statuses, 1):
        content = _content(key, n)
        provenance = {"source_type": "hand", "source_ref": mark(key)}
        versions.append(
            Version(n, status, AT, content.sha256(), content, policy(chance), "zoe", "cli", "govern", provenance,
                    mark(key))
        )  # fmt: skip
    effective = effective_of((one.n, one.status) for one in versions)
    by_n = {one.n: one for one in versions}
    return Made(Asset(key, project, kind, str(number), AT, versions[-1], by_n.get(effective or 0)), versions)


def write(engine: AssetRows, assets: Iterable[Made]) -> None:
    """Put assets into an engine, with a page and a symbol each and a row of the audit for each version, by zoe."""
    with engine.transaction():
        for made in assets:
            key = made.asset.id
            word = mark(key)
            symbol = SymbolRow(int(word[1:9], 16), "main", f"{word}.main", "function", f"{word}.py", 1, 2)
            parts = Parts(
                pages=[PageRow(f"{word}.md", word, "", f"page {word}", word)],
                files=[file_part(FileRows([symbol], [CallRow(symbol.id, symbol.id, 2, "scope")]))],
            )
            for one in made.versions:
                put(engine, made.asset, rows.version_row(key, one), rows.content_row(one.content), parts)
                row = rows.audit_row(Identity("zoe", made.asset.project), AT, "cli", "govern", asset=key, n=one.n)
                engine.note(row)


def mark(key: str) -> str:
    """A word that stands in every text of an asset and nowhere else."""
    return f"m{key[3:]}"


def _content(key: str, n: int) -> Content:
    word = mark(key)
    return Content(f"n {word}", f"d {word} release", f"b {word} {n}", f"s {word}", (word,), {"examples": [word]})


def may_read(policy: Policy, who: Identity) -> bool:
    """A second opinion: whether this identity may read an asset of its own project."""
    has = {
        "user": {who.user}, "team": set(who.teams), "role": set(who.roles), "agent": {who.agent} - {""},
        "task": {who.task} - {""}, "framework": {who.framework} - {""},
    }  # fmt: skip

    def concerns(entry: AccessEntry) -> bool:
        kind, name = entry.subject.split(":", 1)
        return bool(has[kind]) if name == "*" else name in has[kind]

    if any(entry.effect == "deny" and "read" in entry.rights and concerns(entry) for entry in policy.acl):
        return False
    if who.user == policy.owner or any(entry.effect == "allow" and concerns(entry) for entry in policy.acl):
        return True
    bound = {one.target for one in policy.bindings if one.enabled}
    return (
        policy.visibility == "project"
        or (policy.visibility == "team" and bool(set(policy.teams) & set(who.teams)))
        or (policy.visibility == "agent" and who.agent != "" and f"agent:{who.agent}" in bound)
        or (policy.visibility == "task" and who.task != "" and f"task:{who.task}" in bound)
    )
