"""What the GraphQL resolvers hand to each other, and how a connection is cut into pages."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError

from tests.github_standin.world import Remark, Repo, Thing, World

WIDE_TIMELINES = 60  # so many items with timelineItems(first:) lose nested nodes, without an error
WIDE_PULLS = 100  # so many whole pull requests come back null
STEP = 7  # what the silent loss leaves out: every so-maniest node


@dataclass
class Asking:
    """What a request may see and which faults it meets; the resolvers' context."""

    world: World
    readable: Callable[[Repo], bool]
    next_ids: bool = True
    rate: dict[str, object] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)  # node ids or full names
    null_fields: set[str] = field(default_factory=set)
    internal_fields: set[str] = field(default_factory=set)  # null, with an error of type INTERNAL
    withdrawn: set[str] = field(default_factory=set)  # not in the schema any more
    lose_over: int = WIDE_TIMELINES
    shrink_comments_over: int = 0  # 0: never
    exceed_over: int = 0  # 0: never; else the nodes after so many are null with RESOURCE_LIMITS_EXCEEDED
    width: int = 0
    deep_width: int = 0
    items: int = 0  # returned, for the latency


@dataclass
class Actor:
    """Somebody, as GraphQL tells them: a bot's login without [bot]."""

    login: str
    kind: str


def actor(login: str | None) -> Actor | None:
    """An author; None for a deleted account."""
    if login is None:
        return None
    if login.endswith("[bot]"):
        return Actor(login.removesuffix("[bot]"), "Bot")
    return Actor(login, "User")


@dataclass
class Tree:
    repo: Repo
    folder: str


@dataclass
class Blob:
    repo: Repo
    content: str | bytes


@dataclass
class Entry:
    name: str
    path: str
    mode: int
    type: str
    object: Tree | Blob


@dataclass
class Review:
    remark: Remark


@dataclass
class ReviewComment:
    remark: Remark


def refuse(kind: str, message: str, **extensions: object) -> GraphQLError:
    """An error with GitHub's `type`."""
    return GraphQLError(message, extensions={"type": kind, **extensions})


def saml() -> GraphQLError:
    text = "Resource protected by organization SAML enforcement. You must grant your token access."
    return refuse("FORBIDDEN", text, saml_failure=True)


def page(asking: Asking, things: Sequence[Any], first: int | None, after: str | None) -> dict[str, Any]:
    """A connection: cursors stay with their element when others come and go before it."""
    start = 0
    if after is not None:
        index, _, key = base64.b64decode(after).decode().partition(":")
        keys = [_key(thing) for thing in things]
        start = keys.index(key) + 1 if key in keys else int(index)
    nodes = list(things[start : start + (first or 0)])
    asking.items += sum(isinstance(node, Thing | Remark | ReviewComment | Review) for node in nodes)
    end = start + len(nodes)
    cursor = base64.b64encode(f"{end}:{_key(nodes[-1])}".encode()).decode() if nodes else None
    info = {"hasNextPage": end < len(things), "hasPreviousPage": start > 0, "endCursor": cursor, "startCursor": None}
    return {"nodes": nodes, "pageInfo": info, "totalCount": len(things)}


def _key(thing: Any) -> str:
    return str(getattr(thing, "id", None) or getattr(getattr(thing, "remark", None), "id", None) or thing)
