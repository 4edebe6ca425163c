"""How contents, States and comments are nodes of the Bolt engine, and nodes are contents again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from rg_core.address.model import key_of
from rg_core.store import states
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.filters import fold

Head = dict[str, Any]
Content = states.Content
OWN_KEYS = {"node_id": "rg_id"}  # what a field of a content is called on nodes (rg_core.store.bolt.cypher says why)


def head_of(content: Content, state_id: str, fetched_at: str, name: str) -> Head:
    """What a Resource node shows of its latest content, for people, lists and filters."""
    head = {OWN_KEYS.get(name, name): value for name, value in content.items() if name != "comments"}
    head |= {"state_id": state_id, "fetched_at": fetched_at, "deleted": None, "moved_to": None}
    head["place"] = place_of(content)
    if content["kind"] == "repository":
        return head | {"name": name, "rg_key": key_of(name)}
    head["comment_count"] = len(content["comments"])
    head["words"] = words_of(content)
    return head | {"repository": name, "rg_key": key_of(name, content["number"])}


def written(properties: Head) -> Head:
    """The properties that a new node gets: a missing one reads as null, or an empty list, and costs nothing."""
    return {name: value for name, value in properties.items() if value not in (None, [])}


def wordings_of(uids: Sequence[str], content: Mapping[str, Any]) -> list[Head]:
    """The properties of the nodes of an item's comments, by `comment_ids`."""
    return [
        {"id": uid, **{OWN_KEYS.get(name, name): value for name, value in written(comment).items()}}
        for uid, comment in zip(uids, content.get("comments", ()), strict=True)
    ]


def words_of(content: Mapping[str, Any]) -> list[str]:
    """What the filters of a listing look for in an item, folded: each word says which filter it is for."""
    found = [f"label:{fold(label)}" for label in content["labels"]]
    found += [f"assignee:{fold(assignee)}" for assignee in content["assignees"]]
    found.append(f"author:{fold(content['author'])}")
    if content["milestone"]:
        found += [f"milestone:{fold(content['milestone'])}", f"milestone#{content['milestone_number']}"]
    return found


def state_of(content: Content, began: str, at: str, event: str | None, cause: str | None) -> Head:
    """The properties of a new State node."""
    body = {name: value for name, value in content.items() if name != "comments"}
    return {
        "id": states.state_id(content["node_id"], began, at, content), "valid_from": began, "valid_until": None,
        "kind": content["kind"], "recorded_at": at, "event_type": event, "cause": cause,
        "content": states.to_json(body), "comments": comment_ids(content["node_id"], content),
    }  # fmt: skip


def comment_ids(item: str, content: Mapping[str, Any]) -> list[str]:
    """The ids of the wordings of an item's comments."""
    return [
        blake2b(repr((item, *map(comment.get, states.COMMENT_FIELDS))).encode(), digest_size=16).hexdigest()
        for comment in content.get("comments", ())
    ]


def load_states(run: Run, ids: Sequence[str]) -> dict[str, Head]:
    """States by id, with their whole content."""
    found = {row["id"]: row for row in run(cypher.STATES_OF, ids=list(ids))}
    wanted = sorted({uid for row in found.values() for uid in row["comments"] or ()})
    comments = load_comments(run, wanted)
    for row in found.values():
        row["content"] = content_of(row, comments)
    return found


def load_comments(run: Run, ids: Sequence[str]) -> dict[str, Content]:
    """Wordings of comments by id."""
    if not ids:
        return {}
    return {
        row["id"]: {name: row["comment"].get(OWN_KEYS.get(name, name)) for name in states.COMMENT_FIELDS}
        for row in run(cypher.COMMENTS, ids=list(ids))
    }


def content_of(row: Mapping[str, Any], comments: Mapping[str, Content]) -> Content:
    """The content of a State node.

    Raises:
        KeyError: if a comment is missing: the reader came while a writer was committing.
    """
    content: Content = json.loads(row["content"])
    if content["kind"] != "repository":
        content["comments"] = [comments[uid] for uid in row["comments"] or ()]
    return content


def repository_id(content: Mapping[str, Any]) -> str:
    """The node_id of a content's repository."""
    return str(content["node_id"] if content["kind"] == "repository" else content["repository_id"])


def repository_name(content: Mapping[str, Any]) -> str:
    """The name of a content's repository, as GitHub spells it."""
    return str(content["name"] if content["kind"] == "repository" else content["repository"])


def place_of(content: Mapping[str, Any]) -> str:
    """Where a resource is, whatever its repository is called."""
    if content["kind"] == "repository":
        return str(content["node_id"])
    return f"{content['repository_id']}#{content['number']}"


def ending(old: str, new: str, until: str, event: str | None, cause: str | None) -> Head:
    """The row that ends a State by another one."""
    return {"old": old, "new": new, "until": until, "event_type": event, "cause": cause}
