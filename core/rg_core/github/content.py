"""GitHub's two wire forms -> what is stored. Pure: no request is made here."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rg_core.address.model import key_of
from rg_core.github.errors import Malformed
from rg_core.store.model import Comment, Item, ItemKind, Repository

GHOST = "ghost"  # what github.com shows for a deleted account
BARE = re.compile(r"(?<![\w/&#;-])(?:#|GH-)([1-9]\d{0,8})\b", re.IGNORECASE)  # "#12": an item of the same repository
CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:https://github\.com/)?([\w.-]+/[\w.-]+)?(?:#|/issues/)([1-9]\d{0,8})\b",
    re.IGNORECASE,
)
LEGACY = {"Issue": "I", "PullRequest": "PR", "IssueComment": "IC", "PullRequestReviewComment": "PRRC"} | {
    "PullRequestReview": "PRR",
    "Repository": "R",
}
Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SourceRepository:
    """The repository that something belongs to, as an answer tells it."""

    node_id: str
    name: str  # owner/repo as GitHub spells it
    public: bool
    database_id: int = 0  # REST only
    description: str = ""
    pushed_at: str = ""
    updated_at: str = ""

    @property
    def key(self) -> str:
        """The canonical key."""
        return key_of(self.name)


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A row of the light index: enough to tell whether an item is new or changed."""

    node_id: str
    kind: ItemKind
    repository: SourceRepository
    number: int
    title: str
    updated_at: str
    comments: int

    @property
    def key(self) -> str:
        """The canonical key."""
        return key_of(self.repository.name, self.number)


def clean(text: str | None) -> str:
    """Text without lone surrogates, which JSON can carry and no file can hold; "" for none."""
    return (text or "").encode("utf-8", "replace").decode()


# -- GraphQL


def source_repository(node: Wire) -> SourceRepository:
    """A Repository node. What GitHub has blocked counts as not public."""
    return SourceRepository(
        node["id"],
        node["nameWithOwner"],
        node.get("visibility") == "PUBLIC" and not node.get("isDisabled"),
        0,
        clean(node.get("description")),
        node.get("pushedAt") or "",
        node.get("updatedAt") or "",
    )


def index_row(node: Wire) -> IndexRow:
    """A row of the index."""
    kind: ItemKind = "pull_request" if node["__typename"] == "PullRequest" else "issue"
    count = (node.get("comments") or {}).get("totalCount", 0)
    return IndexRow(
        node["id"],
        kind,
        source_repository(node["repository"]),
        node["number"],
        clean(node["title"]),
        node["updatedAt"],
        count,
    )


def author(actor: Wire | None) -> str:
    """A login; bots as app/<name>, whatever the wire form; ghost for a deleted account."""
    if not actor or not actor.get("login"):
        return GHOST
    login = str(actor["login"])
    if actor.get("__typename") == "Bot" or actor.get("type") == "Bot" or login.endswith("[bot]"):
        return f"app/{login.removesuffix('[bot]')}"
    return login


def item(node: Wire, fetched_at: str) -> Item:
    """A whole Issue or PullRequest node, its connections filled to their ends.

    Raises:
        Malformed: if a field is missing.
    """
    try:
        return _graph_item(node, fetched_at)
    except (AttributeError, KeyError, TypeError) as error:
        raise Malformed(f"GitHub's answer lacks {error}") from error


def _graph_item(node: Wire, fetched_at: str) -> Item:
    pull = node["__typename"] == "PullRequest"
    home = source_repository(node["repository"])
    remarks = [_comment(remark) for remark in _nodes(node, "comments")]
    remarks += [
        _comment(review)
        for review in _nodes(node, "reviews")
        if review["state"] != "PENDING" and (review["body"] or "").strip()
    ]
    remarks += [
        _comment(remark, thread["path"])
        for thread in _nodes(node, "reviewThreads")
        for remark in _nodes(thread, "comments")
    ]
    closes = [_mention(issue) for issue in _nodes(node, "closingIssuesReferences")]
    if pull and "closingIssuesReferences" not in node:
        closes = closing_words(clean(node["body"]), home.name)
    sources = [_mention(event.get("source")) for event in _nodes(node, "timelineItems")]
    milestone = node.get("milestone") or {}
    return _item(
        kind="pull_request" if pull else "issue",
        node_id=node["id"],
        home=home,
        number=node["number"],
        title=clean(node["title"]),
        body=clean(node["body"]),
        state=node["state"].lower(),
        author=author(node.get("author")),
        labels=tuple(label["name"] for label in _nodes(node, "labels")),
        assignees=tuple(user["login"] for user in _nodes(node, "assignees")),
        milestone=milestone.get("title"),
        milestone_number=milestone.get("number"),
        created_at=node["createdAt"],
        updated_at=node["updatedAt"],
        closed_at=node.get("closedAt"),
        fetched_at=fetched_at,
        remarks=remarks,
        closes=[key for key in closes if key],
        sources=[key for key in sources if key],
        merged_at=node.get("mergedAt"),
        base_ref=node.get("baseRefName"),
        files=tuple(file["path"] for file in _nodes(node, "files")),
        state_reason=(node.get("stateReason") or "").lower() or None,
    )


def _nodes(node: Wire, name: str) -> Iterator[Wire]:
    return (each for each in (node.get(name) or {}).get("nodes") or () if each)


def _comment(node: Wire, path: str | None = None) -> Comment:
    minimized = (node.get("minimizedReason") or "minimized").lower() if node.get("isMinimized") else None
    created = node.get("submittedAt") or node["createdAt"]
    updated = node.get("updatedAt") or created
    return Comment(
        node["id"],
        author(node.get("author")),
        created,
        updated,
        clean(node["body"]),
        node.get("path") or path,
        minimized,
    )


def _mention(node: Wire | None) -> str:
    """The key of a mentioned or mentioning item; "" if its repository is not public."""
    if not node or not node.get("repository") or node["repository"].get("visibility") != "PUBLIC":
        return ""
    return key_of(node["repository"]["nameWithOwner"], node["number"])


# -- REST


def rest_repository(body: Wire) -> SourceRepository:
    """A repository's body."""
    public = body.get("private") is False and (body.get("visibility") or "public") == "public"
    return SourceRepository(
        next_id(body["node_id"], "Repository", body["id"]),
        body["full_name"],
        public and not body.get("disabled"),
        body["id"],
        clean(body.get("description")),
        body.get("pushed_at") or "",
        body.get("updated_at") or "",
    )


def rest_index_row(body: Wire, home: SourceRepository) -> IndexRow:
    """A row of an issue, pull request or search list."""
    pull = is_pull(body)
    kind: ItemKind = "pull_request" if pull else "issue"
    node_id = next_id(body["node_id"], "PullRequest" if pull else "Issue", home.database_id, _database_id(body))
    return IndexRow(
        node_id, kind, home, body["number"], clean(body["title"]), body["updated_at"], body.get("comments") or 0
    )


def is_pull(body: Wire) -> bool:
    """Whether a body is a pull request: GitHub's lists of issues hold them too."""
    return "pull_request" in body or "base" in body


def rest_item(
    issue: Wire,
    home: SourceRepository,
    fetched_at: str,
    *,
    pull: Wire | None = None,
    comments: Iterable[Wire] = (),
    reviews: Iterable[Wire] = (),
    review_comments: Iterable[Wire] = (),
    files: Iterable[Wire] = (),
    timeline: Iterable[Wire] = (),
) -> Item:
    """A whole item from its REST bodies; `issue` is the issue's or, for a pull request, its issue's."""
    remarks = [_rest_comment(body, "IssueComment", home) for body in comments]
    remarks += [
        _rest_comment(body, "PullRequestReview", home)
        for body in reviews
        if body.get("state") != "PENDING" and (body.get("body") or "").strip()
    ]
    remarks += [_rest_comment(body, "PullRequestReviewComment", home) for body in review_comments]
    merged_at = ((pull or {}).get("merged_at") or (issue.get("pull_request") or {}).get("merged_at")) or None
    milestone = issue.get("milestone") or {}
    row = rest_index_row(issue | pull if pull else issue, home)  # type: ignore[operator]
    text = clean(issue.get("body"))
    return _item(
        kind=row.kind,
        node_id=row.node_id,
        home=home,
        number=row.number,
        title=row.title,
        body=text,
        state="merged" if merged_at else issue["state"],
        author=author(issue.get("user")),
        labels=tuple(label if isinstance(label, str) else label["name"] for label in issue.get("labels") or ()),
        assignees=tuple(user["login"] for user in issue.get("assignees") or ()),
        milestone=milestone.get("title"),
        milestone_number=milestone.get("number"),
        created_at=issue["created_at"],
        updated_at=issue["updated_at"],
        closed_at=issue.get("closed_at"),
        fetched_at=fetched_at,
        remarks=remarks,
        closes=closing_words(text, home.name) if pull else [],
        sources=[key for event in timeline if (key := _rest_mention(event))],
        merged_at=merged_at,
        base_ref=pull["base"]["ref"] if pull else None,
        files=tuple(file["filename"] for file in files),
        state_reason=issue.get("state_reason"),
    )


def closing_words(text: str, repository: str) -> list[str]:
    """The issues that a pull request's text closes by "Closes #1": REST tells no closing references."""
    return [key_of(name or repository, int(number)) for name, number in CLOSING.findall(text)]


def next_id(id: str, kind: str, *numbers: int) -> str:
    """A node_id in GitHub's next format, so that one object has one id whichever API told it.

    REST may still give older objects the legacy format (base64 of "05:Issue123"); the next format is a prefix and
    msgpack of [0, repository id, item id] (decoded from GitHub's own pairs of ids).
    """
    if "_" in id or not all(numbers):
        return id
    packed = b"".join(_msgpack(number) for number in numbers)
    text = base64.urlsafe_b64encode(bytes([0x91 + len(numbers), 0]) + packed).decode().rstrip("=")
    return f"{LEGACY[kind]}_{text}"


def _msgpack(number: int) -> bytes:
    return b"\xce" + struct.pack(">I", number) if number < 2**32 else b"\xcf" + struct.pack(">Q", number)


def _database_id(body: Wire) -> int:
    """An item's own database id: a pull request read as an issue has the issue's `id`, so only its legacy id tells."""
    try:
        decoded = base64.b64decode(body["node_id"], validate=True).decode()
    except ValueError:
        return int(body["id"])
    digits = re.search(r"\d+$", decoded)
    return int(digits[0]) if digits else int(body["id"])


def _rest_comment(body: Wire, kind: str, home: SourceRepository) -> Comment:
    created = body.get("created_at") or body.get("submitted_at") or ""
    minimized = body.get("minimized")
    return Comment(
        next_id(body["node_id"], kind, home.database_id, body["id"]),
        author(body.get("user")),
        created,
        body.get("updated_at") or created,
        clean(body.get("body")),
        body.get("path"),
        (minimized.get("reason") or "minimized").lower() if isinstance(minimized, dict) else None,
    )


def _rest_mention(event: Wire) -> str:
    source = ((event.get("source") or {}).get("issue") if event.get("event") == "cross-referenced" else None) or {}
    home = source.get("repository")
    if not home or home.get("private") is not False or home.get("visibility", "public") != "public":
        return ""
    return key_of(home["full_name"], source["number"])


# -- both


def repository(home: SourceRepository, readme: str, fetched_at: str) -> Repository:
    """A repository with its README."""
    return Repository(home.node_id, home.name, home.description, readme, home.pushed_at, home.updated_at, fetched_at)


def mentions(texts: Iterable[str], name: str) -> list[str]:
    """The keys of the repositories and items that texts of a repository name, in order, each once."""
    from rg_core.address import of_prompt

    found: dict[str, None] = {}
    for text in texts:
        for address in of_prompt(text).addresses:
            if not address.is_listing:
                found[str(address)] = None
        for number in BARE.findall(text):
            found[key_of(name, int(number))] = None
    return list(found)


def _item(
    *,
    home: SourceRepository,
    remarks: list[Comment],
    closes: list[str],
    sources: list[str],
    kind: ItemKind,
    body: str,
    state: Literal["open", "closed", "merged"],
    number: int,
    **rest: Any,
) -> Item:
    comments = tuple(sorted(remarks, key=lambda comment: (comment.created_at, comment.node_id)))
    own = key_of(home.name, number)
    named = mentions((body, *(comment.body for comment in comments)), home.name)
    references = dict.fromkeys(key for key in (*sources, *closes, *named) if key != own)
    return Item(
        kind=kind,
        repository_id=home.node_id,
        repository=home.name,
        number=number,
        body=body,
        state=state,
        comments=comments,
        references=tuple(references),
        closes=tuple(dict.fromkeys(closes)),
        **rest,
    )
