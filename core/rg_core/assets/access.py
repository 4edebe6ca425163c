"""Who may do what with an asset: one function decides, for every read and every act. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rg_core.assets.model import KINDS, AccessEntry, Identity, Policy

KIND_ORDER = {kind: place for place, kind in enumerate(KINDS)}
REPAIRING = ("manage", "share")  # what no entry can take from the owner


class Governed(Protocol):
    """What a decision looks at."""

    @property
    def project(self) -> str:
        """The asset's project."""
        ...

    @property
    def policy(self) -> Policy:
        """The newest version's policy."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """Yes or no, and the one reason for it."""

    allowed: bool
    reason: str


OWNER = Decision(True, "owner")


def decide(asset: Governed, who: Identity, right: str) -> Decision:
    """Whether this identity has a right (read, use, manage, assign, share) to an asset.

    A deny beats an allow, ownership and visibility; every right needs read; an allow of anything includes read and
    nothing else; visibility gives read and use only; the owner can always repair.
    """
    policy = asset.policy
    if not who.user:
        return Decision(False, "no_identity")
    if who.project != asset.project:
        return Decision(False, "other_project")
    owner = who.user == policy.owner
    if policy.acl:
        if not (owner and right in REPAIRING) and (entry := _first("deny", right, policy.acl, who)):
            return Decision(False, f"denied:{entry.subject}")
        if not owner and (entry := _first("allow", right, policy.acl, who)):
            return Decision(True, f"allowed:{entry.subject}")
    if owner:
        return OWNER
    if right not in ("read", "use"):
        return Decision(False, "needs_grant")
    if _visible(policy, who):
        return Decision(True, f"visible:{policy.visibility}")
    return Decision(False, f"not_visible:{policy.visibility}")


def _first(effect: str, right: str, acl: Sequence[AccessEntry], who: Identity) -> AccessEntry | None:
    """The first entry that matches: by kind in the order of KINDS, then by name.

    A deny of read is one of every right, and an allow of anything is one of read.
    """
    found = [
        entry
        for entry in acl
        if entry.effect == effect
        and entry.subject in who.matched
        and (right in entry.rights or (right == "read" if effect == "allow" else "read" in entry.rights))
    ]
    return min(found, key=_place) if found else None


def _place(entry: AccessEntry) -> tuple[int, str]:
    kind, _, name = entry.subject.partition(":")
    return KIND_ORDER[kind], name


def _visible(policy: Policy, who: Identity) -> bool:
    if policy.visibility == "project":
        return True
    if policy.visibility == "team":
        return not set(policy.teams).isdisjoint(who.teams)
    if policy.visibility in ("agent", "task"):
        mine = {f"{policy.visibility}:{name}" for name in who.names(policy.visibility)}
        return any(bound.enabled and bound.target in mine for bound in policy.bindings)
    return False
