"""What a State is, as pure functions that every engine shares: its content, its id, its time, what it changed.

Content is everything GitHub says of a resource but its times of fetching. Two contents are the same version when they
differ only in `updated_at` and `pushed_at` (a star, a reaction or a push moves those and changes nothing that memory
holds) or in how the repository's name is spelled. The valid time of a version is source time. GitHub does not tell when
something changed whose `updated_at` stood still (a cross-reference, a deleted comment, a rename): such a version is
valid from the moment it was fetched, because until the fetch before that one the old version was seen to be valid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Any

from rg_core import times
from rg_core.address.model import key_of
from rg_core.store.model import Comment, EventType, Item, Repository

Content = dict[str, Any]
SOURCE_TIMES = ("updated_at", "pushed_at")  # move without anything that is remembered having changed
TUPLES = ("labels", "assignees", "references", "closes", "files")
COMMENT_FIELDS = tuple(field.name for field in fields(Comment))


def content_of(resource: Repository | Item) -> Content:
    """The content of a resource as JSON-able data; `fetched_at` is no part of it."""
    names = [field.name for field in fields(resource) if field.name not in ("fetched_at", "comments")]
    content: Content = {name: getattr(resource, name) for name in names}
    if isinstance(resource, Repository):
        return {"kind": "repository"} | content
    for name in TUPLES:
        content[name] = list(content[name])
    content["comments"] = [comment_content(comment) for comment in resource.comments]
    return content


def comment_content(comment: Comment) -> Content:
    """A comment as JSON-able data."""
    return {name: getattr(comment, name) for name in COMMENT_FIELDS}


def resource_of(content: Mapping[str, Any], fetched_at: str) -> Repository | Item:
    """The resource that a content describes."""
    values = {name: value for name, value in content.items() if name not in ("kind", "comments")}
    if content["kind"] == "repository":
        return Repository(fetched_at=fetched_at, **values)
    values |= {name: tuple(values[name]) for name in TUPLES}
    comments = tuple(Comment(**comment) for comment in content["comments"])
    return Item(kind=content["kind"], fetched_at=fetched_at, comments=comments, **values)


def address_of(content: Mapping[str, Any]) -> str:
    """The canonical key of what a content describes."""
    if content["kind"] == "repository":
        return key_of(content["name"])
    return key_of(content["repository"], content["number"])


def same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two contents are one version."""
    return _compared(old) == _compared(new)


def event(old: Mapping[str, Any], new: Mapping[str, Any]) -> EventType:
    """What happened between two contents; where several things did, the weightiest."""
    if old["kind"] == "repository":
        return "renamed" if old["name"].lower() != new["name"].lower() else "edited"
    if (old["repository_id"], old["number"]) != (new["repository_id"], new["number"]):
        return "transferred"
    if old["repository"].lower() != new["repository"].lower():
        return "renamed"
    if old["state"] != new["state"]:
        return {"open": "reopened", "closed": "closed", "merged": "merged"}[new["state"]]  # type: ignore[return-value]
    if old["title"] != new["title"]:
        return "retitled"
    if old["body"] == new["body"]:
        if old["labels"] != new["labels"]:
            return "relabelled"
        before = {comment["node_id"] for comment in old["comments"]}
        if any(comment["node_id"] not in before for comment in new["comments"]):
            return "commented"
    return "edited"


def valid_from(content: Mapping[str, Any], fetched_at: str, predecessor: tuple[str, str] | None) -> str:
    """When a version began, in source time; always after its predecessor, given as (valid_from, updated_at)."""
    updated_at: str = content["updated_at"] or fetched_at
    if predecessor is None:
        return updated_at
    began, was_updated_at = predecessor
    return later(updated_at if updated_at > was_updated_at else max(updated_at, fetched_at), began)


def later(time: str, than: str) -> str:
    """`time`, or one second after `than` where it would not be later."""
    if time > than:
        return time
    return times.written(times.seconds(than) + 1)


def state_id(node_id: str, began: str, recorded_at: str, content: Mapping[str, Any]) -> str:
    """The id of a State: 32 hexadecimal digits over all that never changes in it."""
    return digest("state", node_id, began, recorded_at, content)


def to_json(value: object) -> str:
    """Compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plain(content: Content) -> Content:
    """The content without lone surrogates, which no file can hold as UTF-8."""
    try:
        to_json(content).encode()
    except UnicodeEncodeError:
        cleaned: Content = json.loads(to_json(content).encode("utf-8", "replace"))
        return cleaned
    return content


def digest(*parts: object) -> str:
    """32 hexadecimal digits over JSON-able parts."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:32]


def name_aside(name: str, node_id: str) -> str:
    """What a repository is found under when another one has taken the only name that memory knew of it.

    Nobody can have this name on GitHub: it ends in a digest of the node_id.
    """
    return f"{name}.formerly-{digest('aside', node_id)[:12]}"


def _compared(content: Mapping[str, Any]) -> Content:
    kept = {name: value for name, value in content.items() if name not in SOURCE_TIMES}
    if content["kind"] == "repository":
        return kept | {"name": content["name"].lower()}
    return kept | {"repository": content["repository"].lower()}
