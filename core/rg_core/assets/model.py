"""What an asset is: values, their JSON forms, and the checks of what people and agents hand in. Pure.

Numbers from 0 to 1 are whole thousandths here (500 is 0.5); times are ISO 8601 in UTC to the second. Names are trimmed
and NFC, so that comparing them to the letter is comparing what people see.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TYPES = ("chat_memory", "skill", "llm_wiki", "code_graph")
STATUSES = ("draft", "candidate", "approved", "deprecated", "archived", "failed")
VISIBILITIES = ("private", "project", "team", "agent", "task", "restricted")
RIGHTS = ("read", "use", "manage", "assign", "share")
KINDS = ("user", "team", "role", "agent", "task", "framework")  # of subjects, in the order in which entries are read
TARGETS = ("agent", "task", "framework")  # what an asset can be bound to
MODES = ("direct", "summary", "tool", "reference")
SEPARATOR = "\x1f"
OTHER_AGENT = "\x1f"  # one that no entry and no binding can name
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: from configuration, hook payload and handshake, never from a tool's arguments. "" is none."""

    user: str
    project: str
    teams: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    agent: str = ""
    task: str = ""
    framework: str = ""
    subjects: frozenset[str] = field(init=False, repr=False, compare=False)  # KIND:NAME of every name that it has
    matched: frozenset[str] = field(init=False, repr=False, compare=False)  # those, and KIND:* of each such kind

    def __post_init__(self) -> None:
        subjects = frozenset(f"{kind}:{name}" for kind in KINDS for name in self.names(kind))
        object.__setattr__(self, "subjects", subjects)
        object.__setattr__(self, "matched", subjects | {f"{kind}:*" for kind in KINDS if self.names(kind)})

    def names(self, kind: str) -> tuple[str, ...]:
        """The names that this identity has of a kind of subject."""
        if kind == "team":
            return self.teams
        if kind == "role":
            return self.roles
        name: str = getattr(self, kind)
        return (name,) if name else ()


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """One line of an access list."""

    effect: str  # allow or deny
    subject: str  # KIND:NAME; NAME * is any that the identity has
    rights: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The entry as people write it."""
        return {"effect": self.effect, "subject": self.subject, "rights": list(self.rights)}


@dataclass(frozen=True, slots=True)
class Binding:
    """That an asset is meant for an agent, a task or a framework."""

    target: str  # KIND:NAME
    mode: str | None = None
    priority: int | None = None  # thousandths; 0 counts
    required: bool = False
    enabled: bool = True

    def json(self) -> dict[str, Any]:
        """The binding as people write it."""
        priority = None if self.priority is None else self.priority / 1000
        return {"target": self.target, "mode": self.mode, "priority": priority, "required": self.required,
                "enabled": self.enabled}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may do what with an asset, and for whom it is meant. The newest version's holds, at once."""

    owner: str
    visibility: str = "private"
    teams: tuple[str, ...] = ()
    acl: tuple[AccessEntry, ...] = ()
    bindings: tuple[Binding, ...] = ()
    priority: int = 500
    confidence: int = 500
    expires_at: str | None = None
    follow: bool = False

    def json(self) -> dict[str, Any]:
        """The policy as people write it."""
        return {"owner": self.owner, "visibility": self.visibility, "teams": list(self.teams),
                "acl": [entry.json() for entry in self.acl], "bindings": [bound.json() for bound in self.bindings],
                "priority": self.priority / 1000, "confidence": self.confidence / 1000,
                "expires_at": self.expires_at, "follow": self.follow}  # fmt: skip


class Content(NamedTuple):
    """What an asset says. Whatever can reach a model is content. In lists `body` and `payload` are not read."""

    name: str
    description: str
    body: str | None = None
    summary: str | None = None
    labels: tuple[str, ...] = ()
    payload: Mapping[str, Any] = NOTHING

    def json(self) -> dict[str, Any]:
        """The content as it is hashed and shown."""
        return {"name": self.name, "description": self.description, "body": self.body, "summary": self.summary,
                "labels": list(self.labels), "payload": dict(self.payload)}  # fmt: skip

    def sha256(self) -> str:
        """What names this content: SHA-256 of its compact JSON, keys sorted, UTF-8."""
        return hashlib.sha256(compact(self.json())).hexdigest()


class Version(NamedTuple):
    """One immutable version. In lists what stands behind the policy is not read."""

    n: int
    status: str
    at: str
    content_id: str
    content: Content
    policy: Policy
    by: str = ""
    via: str = ""  # cli, mcp or import
    act: str = ""  # register, revise, govern or fail
    provenance: Mapping[str, Any] = NOTHING
    note: str | None = None


class Asset(NamedTuple):
    """A stable id with its newest and its effective version: all that rights, lifecycle and loadout look at.

    In lists `source_key` and `created_at` are not read.
    """

    id: str
    project: str
    type: str
    source_key: str
    created_at: str
    head: Version
    effective: Version | None

    @property
    def policy(self) -> Policy:
        """The policy that holds."""
        return self.head.policy


def compact(value: object) -> bytes:
    """Compact JSON with sorted keys; a lone surrogate, which no UTF-8 has, becomes `?`."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def asset_id(project: str, type: str, source_key: str) -> str:
    """The id of what is imported from a source: importing again finds the same asset."""
    named = SEPARATOR.join((project, type, source_key)).encode("utf-8", "replace")
    return "as_" + hashlib.sha256(named).hexdigest()[:20]


def name_of(text: str) -> str:
    """A name as it is compared: trimmed, NFC."""
    return unicodedata.normalize("NFC", text.strip())


def subject_of(text: str) -> str:
    """KIND:NAME with the name as it is compared."""
    kind, _, name = text.partition(":")
    return f"{kind.strip()}:{name_of(name)}"


def names_of(given: Sequence[str]) -> tuple[str, ...]:
    """Names as they are compared, each once, without empty ones."""
    return tuple(dict.fromkeys(name for name in map(name_of, given) if name))


def policy_of(given: Mapping[str, Any]) -> Policy:
    """A policy from its JSON form, which somebody has checked (see `checks`)."""
    return Policy(
        owner=name_of(given["owner"]),
        visibility=given.get("visibility", "private"),
        teams=names_of(given.get("teams") or ()),
        acl=tuple(entry_of(entry) for entry in given.get("acl") or ()),
        bindings=tuple(binding_of(bound) for bound in given.get("bindings") or ()),
        priority=thousandths(given.get("priority", 0.5)),
        confidence=thousandths(given.get("confidence", 0.5)),
        expires_at=given.get("expires_at"),
        follow=bool(given.get("follow", False)),
    )


def entry_of(given: Mapping[str, Any]) -> AccessEntry:
    """An entry from its JSON form."""
    return AccessEntry(given["effect"], subject_of(given["subject"]), tuple(given["rights"]))


def binding_of(given: Mapping[str, Any]) -> Binding:
    """A binding from its JSON form."""
    priority = given.get("priority")
    return Binding(
        target=subject_of(given["target"]),
        mode=given.get("mode"),
        priority=None if priority is None else thousandths(priority),
        required=bool(given.get("required", False)),
        enabled=bool(given.get("enabled", True)),
    )


def content_of(given: Mapping[str, Any]) -> Content:
    """Content from its JSON form."""
    return Content(
        name=given["name"],
        description=given["description"],
        body=given.get("body"),
        summary=given.get("summary"),
        labels=tuple(given.get("labels") or ()),
        payload=given.get("payload") or {},
    )


def thousandths(number: float) -> int:
    """A number from 0 to 1 as whole thousandths."""
    return round(number * 1000)
