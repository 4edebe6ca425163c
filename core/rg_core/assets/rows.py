"""Between assets as values and assets as rows of an engine. Pure."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from rg_core.assets.model import (
    AccessEntry,
    Asset,
    Binding,
    Content,
    Identity,
    Policy,
    Version,
    compact,
)
from rg_core.store.asset_rows import AssetRow, AuditRow, ContentRow, Listed, Loaded, VersionRow

SAME = 1024  # policies and parts of them that are kept parsed: many assets have the same


def asset_of(loaded: Loaded) -> Asset:
    """The asset, whole."""
    row = loaded.asset
    head = version_of(loaded.head, content_of(loaded.head_content))
    effective = head if row.effective == row.head else None
    if loaded.effective and loaded.effective_content:
        effective = version_of(loaded.effective, content_of(loaded.effective_content))
    return Asset(row.id, row.project, row.type, row.source_key, row.created_at, head, effective)


def listed(row: Listed, project: str) -> Asset:
    """The asset of a list: without bodies and payloads, and what else a list does not show."""
    (key, kind, head, effective, status, at, digest, owner, visibility, teams, acl, bindings, priority, confidence,
     expires_at, follow, name, description, summary, labels, *_) = row  # fmt: skip
    policy = _policy(owner, visibility, teams, acl, bindings, priority, confidence, expires_at, follow)
    newest = Version(head, status, at, digest, Content(name, description, None, summary, _names(labels)), policy)
    if effective is None or effective == head:
        return Asset(key, project, kind, "", "", newest, newest if effective else None)
    content = Content(
        row.effective_name or "", row.effective_description or "", None, row.effective_summary,
        _names(row.effective_labels or "[]"),
    )  # fmt: skip
    older = Version(effective, "approved", row.effective_at or "", row.effective_content or "", content, policy)
    return Asset(key, project, kind, "", "", newest, older)


def version_of(row: VersionRow, content: Content) -> Version:
    """The version with this content."""
    return Version(
        n=row.n,
        status=row.status,
        at=row.at,
        content_id=row.content,
        content=content,
        policy=policy_of(row),
        by=row.by,
        via=row.via,
        act=row.act,
        provenance=_parsed(row.provenance),
        note=row.note,
    )


def policy_of(row: VersionRow) -> Policy:
    """The policy of a version."""
    return _policy(
        row.owner, row.visibility, row.teams, row.acl, row.bindings, row.priority, row.confidence, row.expires_at,
        row.follow,
    )  # fmt: skip


def content_of(row: ContentRow) -> Content:
    """The content of a row."""
    return Content(row.name, row.description, row.body, row.summary, _names(row.labels), _parsed(row.payload))


def content_row(content: Content) -> ContentRow:
    """The row of a content."""
    return ContentRow(
        content.sha256(), content.name, content.description, content.summary, _text(content.labels),
        _text(content.payload), content.body,
    )  # fmt: skip


def version_row(asset: str, version: Version) -> VersionRow:
    """The row of a version."""
    policy = version.policy
    return VersionRow(
        asset=asset,
        n=version.n,
        at=version.at,
        by=version.by,
        via=version.via,
        act=version.act,
        status=version.status,
        content=version.content_id,
        owner=policy.owner,
        visibility=policy.visibility,
        teams=_text(policy.teams),
        acl=_text([(entry.effect, entry.subject, entry.rights) for entry in policy.acl]),
        bindings=_text([_bound(bound) for bound in policy.bindings]),
        priority=policy.priority,
        confidence=policy.confidence,
        expires_at=policy.expires_at,
        follow=int(policy.follow),
        provenance=_text(version.provenance),
        note=version.note,
    )


def asset_row(asset: Asset) -> AssetRow:
    """The row of an asset."""
    effective = asset.effective.n if asset.effective else None
    return AssetRow(
        asset.id, asset.project, asset.type, asset.source_key, asset.created_at, asset.head.n, effective
    )  # fmt: skip


def audit_row(
    who: Identity, at: str, via: str, op: str, *, asset: str = "", n: int = 0, outcome: str = "ok", detail: str = ""
) -> AuditRow:
    """A row of the audit: who did what, by which way, and what came of it."""
    return AuditRow(
        at, who.user, who.agent, who.task, who.framework, who.project, via, op, asset, n, outcome, detail
    )  # fmt: skip


@lru_cache(SAME)
def _policy(
    owner: str, visibility: str, teams: str, acl: str, bindings: str, priority: int, confidence: int,
    expires_at: str | None, follow: int,
) -> Policy:  # fmt: skip
    return Policy(
        owner, visibility, _names(teams), _entries(acl), _bound_to(bindings), priority, confidence, expires_at,
        bool(follow),
    )  # fmt: skip


@lru_cache(SAME)
def _entries(text: str) -> tuple[AccessEntry, ...]:
    return tuple(AccessEntry(effect, subject, tuple(rights)) for effect, subject, rights in _parsed(text))


@lru_cache(SAME)
def _bound_to(text: str) -> tuple[Binding, ...]:
    return tuple(Binding(*one) for one in _parsed(text))


@lru_cache(SAME)
def _names(text: str) -> tuple[str, ...]:
    return tuple(_parsed(text))


def _bound(bound: Binding) -> tuple[Any, ...]:
    return bound.target, bound.mode, bound.priority, bound.required, bound.enabled


def _text(value: Any) -> str:
    return compact(value).decode()


def _parsed(text: str) -> Any:
    if text == "[]":
        return ()
    return {} if text == "{}" else json.loads(text)
