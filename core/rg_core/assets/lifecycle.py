"""From one version to the next: who may, what the status becomes, and what stays in effect. Pure.

Refusals come in one order, whatever else is wrong: no_identity, read_only, not_found, conflict, human_only, forbidden
(manage, assign, share, ownership), archived, invalid, bad_transition.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rg_core.assets import checks, errors
from rg_core.assets.access import decide
from rg_core.assets.model import STATUSES, TYPES, Asset, Content, Identity, Policy, Version

STEPS = {
    "draft": ("candidate", "approved", "archived"),
    "candidate": ("draft", "approved", "archived"),
    "approved": ("deprecated", "archived"),
    "deprecated": ("approved", "archived"),
    "failed": ("draft", "candidate", "archived"),
}
RIGHT_OF = {"status": "manage", "priority": "manage", "confidence": "manage", "expires_at": "manage",
            "follow": "manage", "bindings": "assign", "visibility": "share", "teams": "share", "acl": "share",
            "owner": "owner"}  # fmt: skip
ORDER = ("manage", "assign", "share", "owner")
PROPOSED = ("draft", "candidate")  # what an agent may ask for in the mode write
WRITING = ("write", "full")  # the modes in which the MCP server may write
FAILING = "the source could not be read"


@dataclass(frozen=True, slots=True)
class Setting:
    """How and when an act comes: by a person's command, through MCP in a mode, or by an importer."""

    via: str  # cli, mcp or import
    now: str
    mcp: str = "off"  # off, read, write or full


@dataclass(frozen=True, slots=True)
class Next:
    """The version that an act makes."""

    act: str  # register, revise, govern or fail
    status: str
    content: Content
    policy: Policy
    note: str | None = None


def effective_after(effective: int | None, n: int, status: str) -> int | None:
    """The effective version once version `n` has come: approved takes over, deprecated and archived end it."""
    if status == "approved":
        return n
    return None if status in ("deprecated", "archived") else effective


def register(type: str, given: Mapping[str, Any], patch: Mapping[str, Any], who: Identity, setting: Setting) -> Next:
    """The first version of an asset that is not there yet.

    Args:
        type: one of TYPES.
        given: content, by its fields.
        patch: `status` and fields of the policy that are asked for; may be empty.
        who: becomes the owner.
        setting: how it comes.

    Raises:
        Refused: in the module's order.
    """
    admit(who, setting)
    by_person = type == "skill" and setting.via == "cli"
    status = patch.get("status") or ("approved" if by_person else "candidate")
    if setting.via == "mcp":
        _propose(patch, setting, f"rg-memory asset register --type {type} ...")
        if status == "approved":
            raise errors.human_only(f"rg-memory asset register --type {type} ...")
    if type not in TYPES:
        raise errors.invalid("type", f"one of {', '.join(TYPES)}")
    content = checks.revised(None, given)
    policy = checks.patched(Policy(who.user), patch, setting.now)
    _known(status)
    allowed = (*PROPOSED, "approved") if by_person else PROPOSED
    if status not in allowed:
        raise errors.bad_transition(f"a new {type}", status, ", ".join(allowed))
    return Next("register", status, content, policy)


def revise(
    asset: Asset | None,
    given: Mapping[str, Any],
    who: Identity,
    setting: Setting,
    *,
    id: str = "",
    if_version: int | None = None,
) -> Next | None:
    """New content for an asset: the given fields replace its newest ones. None where nothing changes.

    Raises:
        Refused: in the module's order.
    """
    asset = _found(asset, id, who, setting, if_version)
    head, effective = asset.head, asset.effective
    _require(asset, who, "manage")
    if head.status == "archived":
        raise errors.archived(asset.id)
    content = checks.revised(head.content, given)
    digest = content.sha256()
    if digest == head.content_id:
        return None
    owners = asset.type == "skill" and head.status == "approved" and who.user == asset.policy.owner
    followed = asset.policy.follow and head.status in ("approved", "failed") and effective is not None
    if (
        (effective is not None and digest == effective.content_id)
        or (setting.via == "cli" and owners)
        or (setting.via == "import" and followed)
    ):
        status = "approved"
    else:
        status = "draft" if head.status == "draft" else "candidate"
    return Next("revise", status, content, asset.policy)


def govern(
    asset: Asset | None,
    patch: Mapping[str, Any],
    who: Identity,
    setting: Setting,
    *,
    id: str = "",
    if_version: int | None = None,
    note: str | None = None,
) -> Next | None:
    """Another status or policy, all of the patch or nothing. None where nothing changes.

    Raises:
        Refused: in the module's order.
    """
    asset = _found(asset, id, who, setting, if_version, repairing=True)
    if setting.via == "mcp":
        _propose(patch, setting, _command(asset.id, patch))
    needed = {RIGHT_OF.get(name, "manage") for name in patch}
    for right in ORDER:
        if right in needed:
            _require(asset, who, right)
    head = asset.head
    if head.status == "archived":
        raise errors.archived(asset.id)
    policy = checks.patched(asset.policy, patch, setting.now)
    status = patch.get("status", head.status)
    _known(status)
    if status not in (head.status, *STEPS[head.status]):
        raise errors.bad_transition(f"what is {head.status}", status, ", ".join(STEPS[head.status]))
    if status == head.status and policy == asset.policy:
        return None
    return Next("govern", status, head.content, policy, note)


def fail(
    asset: Asset | None, given: Mapping[str, Any], who: Identity, setting: Setting, note: str = FAILING
) -> Next | None:
    """An import that failed: the content stays, `note` says why. None where nothing changes (a deprecated asset).

    `given` is the content of a first version, where there is no asset yet; a name at least.

    Raises:
        Refused: in the module's order.
    """
    admit(who, setting)
    if asset is None:
        return Next("fail", "failed", checks.revised(None, given), Policy(who.user), note)
    _found(asset, asset.id, who, setting, None)
    _require(asset, who, "manage")
    if asset.head.status == "archived":
        raise errors.archived(asset.id)
    if asset.head.status == "deprecated":
        return None
    return Next("fail", "failed", asset.head.content, asset.policy, note)


def forget(asset: Asset | None, who: Identity, setting: Setting, *, id: str = "") -> Asset:
    """The asset, if this identity may remove it with all its versions.

    Raises:
        Refused: in the module's order.
    """
    asset = _found(asset, id, who, setting, None, repairing=True)
    if setting.via == "mcp":
        raise errors.human_only(f"rg-memory asset forget {asset.id}")
    _require(asset, who, "owner")
    return asset


def changed(before: Version | None, after: Version) -> tuple[str, ...]:
    """The names of the fields in which a version differs from the one before it."""
    old = {"status": before.status, **before.content.json(), **before.policy.json()} if before else {}
    new = {"status": after.status, **after.content.json(), **after.policy.json()}
    return tuple(name for name, value in new.items() if name not in old or old[name] != value)


def admit(who: Identity, setting: Setting) -> None:
    """See that there is somebody, and that this way of writing is open.

    Raises:
        Refused: no_identity, no_project, read_only.
    """
    if not who.user:
        raise errors.no_identity()
    if not who.project:
        raise errors.no_project()
    if setting.via == "mcp" and setting.mcp not in WRITING:
        raise errors.read_only()


def _found(
    asset: Asset | None, id: str, who: Identity, setting: Setting, if_version: int | None, *, repairing: bool = False
) -> Asset:
    """The asset as this identity finds it. An owner who may not even read it can still repair its policy."""
    admit(who, setting)
    rights = ("read", "manage") if repairing else ("read",)
    if asset is None or not any(decide(asset, who, right).allowed for right in rights):
        raise errors.not_found(id)
    if if_version is not None and if_version != asset.head.n:
        raise errors.conflict(if_version, asset.head.n)
    return asset


def _require(asset: Asset, who: Identity, right: str) -> None:
    allowed = who.user == asset.policy.owner if right == "owner" else decide(asset, who, right).allowed
    if not allowed:
        raise errors.forbidden(right)


def _propose(patch: Mapping[str, Any], setting: Setting, command: str) -> None:
    """Agents propose; only the mode full lets them do what a person may, and never give an asset away."""
    proposal = set(patch) <= {"status"} and patch.get("status", "draft") in PROPOSED
    if "owner" in patch or (setting.mcp != "full" and not proposal):
        raise errors.human_only(command)


def _known(status: object) -> None:
    if status not in STATUSES:
        raise errors.invalid("status", f"one of {', '.join(STATUSES)}")


def _command(id: str, patch: Mapping[str, Any]) -> str:
    """The command by which a person would do what a patch says."""
    words = [f"--{name} {value}" for name, value in patch.items() if isinstance(value, str)]
    if len(words) < len(patch):
        return f"rg-memory asset govern {id} --patch-json - <<< '{json.dumps(dict(patch))}'"
    return " ".join(["rg-memory asset govern", id, *words])
