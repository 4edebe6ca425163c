"""Who may do what with an asset: one function decides, for every read and every act. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rg_core.assets.model import KINDS, Entry, Identity, Policy

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
    acl = sorted(policy.acl, key=_place) if len(policy.acl) > 1 else policy.acl
    if not (owner and right in REPAIRING):
        for entry in acl:
            if entry.effect == "deny" and (right in entry.rights or "read" in entry.rights) and _matches(entry, who):
                return Decision(False, f"denied:{entry.subject}")
    if owner:
        return Decision(True, "owner")
    for entry in acl:
        if entry.effect == "allow" and (right in entry.rights or right == "read") and _matches(entry, who):
            return Decision(True, f"allowed:{entry.subject}")
    if right not in ("read", "use"):
        return Decision(False, "needs_grant")
    if _visible(policy, who):
        return Decision(True, f"visible:{policy.visibility}")
    return Decision(False, f"not_visible:{policy.visibility}")


def _place(entry: Entry) -> tuple[bool, int, str]:
    kind, _, name = entry.subject.partition(":")
    return entry.effect != "deny", KIND_ORDER.get(kind, len(KINDS)), name


def _matches(entry: Entry, who: Identity) -> bool:
    kind, _, name = entry.subject.partition(":")
    if kind not in KIND_ORDER:
        return False
    names = who.names(kind)
    return name in names or (name == "*" and bool(names))


def _visible(policy: Policy, who: Identity) -> bool:
    if policy.visibility == "project":
        return True
    if policy.visibility == "team":
        return not set(policy.teams).isdisjoint(who.teams)
    if policy.visibility in ("agent", "task"):
        name = getattr(who, policy.visibility)
        target = f"{policy.visibility}:{name}"
        return bool(name) and any(bound.enabled and bound.target == target for bound in policy.bindings)
    return False
