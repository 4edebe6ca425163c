"""Trim GitHub's published GraphQL schema to what rg-memory and its tests use.

`python -m tests.github_standin.trim path/to/@octokit/graphql-schema/schema.graphql` rewrites schema.graphql beside
this file. Types, nullability and arguments are GitHub's own; descriptions and everything not named in KEEP are cut.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import parse, print_ast

SCHEMA = Path(__file__).with_name("schema.graphql")
SCALARS = ("Boolean", "Float", "ID", "Int", "String")
PAGES = "nodes pageInfo totalCount"
TEXT = "author body createdAt databaseId id isMinimized lastEditedAt minimizedReason updatedAt url"
ITEM = (
    "assignees author body closed closedAt comments createdAt databaseId id labels lastEditedAt locked milestone "
    "number repository state timelineItems title updatedAt url"
)

KEEP: dict[str, str | None] = {  # type -> its fields; None: all there is
    "Actor": "login url",
    "Blob": "byteSize id isBinary isTruncated oid text",
    "Bot": "databaseId id login url",
    "ConnectedEvent": "actor createdAt id source subject",
    "CrossReferencedEvent": "actor createdAt id isCrossRepository source target willCloseTarget",
    "DateTime": None,
    "EnterpriseUserAccount": "id login url",
    "GitObject": "id oid",
    "GitObjectID": None,
    "Issue": f"{ITEM} stateReason",
    "IssueComment": f"{TEXT} issue",
    "IssueCommentConnection": PAGES,
    "IssueConnection": PAGES,
    "IssueFilters": None,
    "IssueOrPullRequest": None,
    "IssueOrder": None,
    "IssueOrderField": None,
    "IssueState": None,
    "IssueStateReason": None,
    "IssueTimelineItems": None,
    "IssueTimelineItemsConnection": PAGES,
    "IssueTimelineItemsItemType": None,
    "Label": "color description id name",
    "LabelConnection": PAGES,
    "Mannequin": "databaseId id login url",
    "Milestone": "id number title",
    "Node": "id",
    "OrderDirection": None,
    "Organization": "databaseId id login url",
    "PageInfo": None,
    "PullRequest": (
        f"{ITEM} additions baseRefName changedFiles closingIssuesReferences deletions files headRefName isDraft merged "
        "mergedAt reviewThreads reviews totalCommentsCount"
    ),
    "PullRequestChangedFile": "additions deletions path",
    "PullRequestChangedFileConnection": PAGES,
    "PullRequestConnection": PAGES,
    "PullRequestReview": f"{TEXT} comments state submittedAt",
    "PullRequestReviewComment": f"{TEXT} path",
    "PullRequestReviewCommentConnection": PAGES,
    "PullRequestReviewConnection": PAGES,
    "PullRequestReviewState": None,
    "PullRequestReviewThread": "comments id isResolved path",
    "PullRequestReviewThreadConnection": PAGES,
    "PullRequestState": None,
    "PullRequestTimelineItems": None,
    "PullRequestTimelineItemsConnection": PAGES,
    "PullRequestTimelineItemsItemType": None,
    "Query": "id node nodes rateLimit repository search viewer",
    "RateLimit": None,
    "ReferencedSubject": None,
    "Repository": (
        "createdAt databaseId description id isDisabled isPrivate issue issueOrPullRequest issues milestone name "
        "nameWithOwner object owner pullRequest pullRequests pushedAt updatedAt url visibility"
    ),
    "RepositoryOwner": "id login url",
    "RepositoryVisibility": None,
    "SearchResultItem": None,
    "SearchResultItemConnection": "issueCount nodes pageInfo",
    "SearchType": None,
    "TransferredEvent": "actor createdAt fromRepository id issue",
    "Tree": "entries id oid",
    "TreeEntry": "mode name object path type",
    "URI": None,
    "User": "databaseId id login name url",
    "UserConnection": PAGES,
}


def trim(published: str) -> str:
    """The SDL of what KEEP names, sorted by name."""
    definitions = {name: node for node in parse(published, no_location=True).definitions if (name := _name(node))}
    return "\n\n".join(print_ast(_cut(definitions[name], fields)) for name, fields in sorted(KEEP.items())) + "\n"


def _cut(node: Any, fields: str | None) -> Any:
    changes: dict[str, Any] = {}
    if getattr(node, "interfaces", None):
        changes["interfaces"] = tuple(part for part in node.interfaces if _name(part) in KEEP)
    if getattr(node, "types", None):
        changes["types"] = tuple(part for part in node.types if _name(part) in KEEP)
    if getattr(node, "values", None):
        changes["values"] = tuple(_plain(value) for value in node.values)
    if getattr(node, "fields", None):
        kept = [part for part in node.fields if fields is None or _name(part) in fields.split()]
        changes["fields"] = tuple(_plain(part, **_arguments(part)) for part in kept)
    return _plain(node, **changes)


def _arguments(field: Any) -> dict[str, Any]:
    if not getattr(field, "arguments", None):
        return {}
    kept = (argument for argument in field.arguments if _named(argument.type) in {*KEEP, *SCALARS})
    return {"arguments": tuple(_plain(argument) for argument in kept)}


def _plain(node: Any, **changes: Any) -> Any:
    return replace(node, description=None, directives=(), **changes) if hasattr(node, "directives") else node


def _name(node: Any) -> str:
    return str(getattr(getattr(node, "name", None), "value", ""))


def _named(node: Any) -> str:
    while not getattr(node, "name", None):
        node = node.type
    return _name(node)


if __name__ == "__main__":
    SCHEMA.write_text(trim(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
