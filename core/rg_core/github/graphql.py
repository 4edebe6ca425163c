"""Every GraphQL text that is sent to GitHub. Values are variables, but for aliases' own numbers.

Sizes follow what was measured: 100 rows of a light index a page; 25 whole items a query, because wide queries of 60
lose nested nodes silently and 100 pull requests come back null. `labels:` of a connection is OR for several labels:
only one is ever passed (rg_core.github.question).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from rg_core.store.model import ItemKind

PAGE = 100
WHOLE = 25
LOOKUPS = 100  # aliased items of one query
MORE = 10  # continued connections of one query
THREADS = 20  # review threads, and comments of each, that come with a whole pull request

RATE = "rateLimit { cost remaining resetAt }"
REPOSITORY = "fragment R on Repository { id nameWithOwner visibility isDisabled description pushedAt updatedAt }"
OWNER = "repository { id nameWithOwner visibility isDisabled }"
LIGHT = f"""
fragment LI on Issue {{ __typename id number title updatedAt comments {{ totalCount }} {OWNER} }}
fragment LP on PullRequest {{ __typename id number title updatedAt comments {{ totalCount }} {OWNER} }}
"""
ACTOR = "{ __typename login }"
PAGES = "totalCount pageInfo { hasNextPage endCursor }"
REMARK = f"id author {ACTOR} body createdAt updatedAt isMinimized minimizedReason"
MENTION = "number repository { nameWithOwner visibility }"
CONNECTIONS = {  # what of each connection is read; the same on the first page and on the following ones
    "labels": "name",
    "assignees": "login",
    "comments": REMARK,
    "timelineItems": (
        "__typename ... on CrossReferencedEvent { source { __typename "
        f"... on Issue {{ {MENTION} }} ... on PullRequest {{ {MENTION} }} }} }}"
    ),
    "files": "path",
    "reviews": f"{REMARK} state submittedAt",
    "closingIssuesReferences": MENTION,
    "reviewThreads": f"id path comments(first: {THREADS}) {{ {PAGES} nodes {{ {REMARK} path }} }}",
}
ARGUMENTS = {"timelineItems": ", itemTypes: [CROSS_REFERENCED_EVENT]"}
FIRST = {"reviewThreads": THREADS}
OF_ISSUE = ("labels", "assignees", "comments", "timelineItems")
OF_PULL = (*OF_ISSUE, "files", "reviews", "closingIssuesReferences", "reviewThreads")
SCALARS = (
    f"__typename id number title body state createdAt updatedAt closedAt author {ACTOR} milestone {{ number title }} "
    f"{OWNER}"
)


def connection(name: str, after: str = "") -> str:
    """One page of a connection; `after` names the variable of its cursor."""
    cursor = f", after: ${after}" if after else ""
    size = f"first: {FIRST.get(name, PAGE)}{ARGUMENTS.get(name, '')}{cursor}"
    return f"{name}({size}) {{ {PAGES} nodes {{ {CONNECTIONS[name]} }} }}"


SPECIAL: Mapping[ItemKind, tuple[str, ...]] = {
    "issue": ("stateReason(enableDuplicate: true)",),
    "pull_request": ("mergedAt", "baseRefName", "changedFiles"),
}
FIELDS = frozenset({*OF_PULL, *re.findall(r"[a-zA-Z]+", SCALARS), "stateReason", *SPECIAL["pull_request"]})


def whole(kind: ItemKind, without: Container[str] = ()) -> str:
    """Items of one kind by their node_ids, whole; `without` these fields."""
    issue = kind == "issue"
    parts = [connection(name) for name in (OF_ISSUE if issue else OF_PULL) if name not in without]
    parts += [field for field in SPECIAL[kind] if field.partition("(")[0] not in without]
    return (
        f"query Whole($ids: [ID!]!) {{ {RATE} nodes(ids: $ids) {{ ... on {'Issue' if issue else 'PullRequest'} "
        f"{{ {SCALARS}\n" + "\n".join(parts) + " } } }"
    )


def lookup(repositories: Sequence[tuple[str, Sequence[int], Sequence[int]]]) -> tuple[str, dict[str, object]]:
    """Repositories, items of them (by number) and milestones of them (by number), as aliases: each fails alone."""
    variables: dict[str, object] = {}
    parts = []
    for index, (name, numbers, milestones) in enumerate(repositories):
        variables[f"o{index}"], _, variables[f"n{index}"] = name.partition("/")
        items = " ".join(f"i{number}: issueOrPullRequest(number: {number}) {{ ...LI ...LP }}" for number in numbers)
        titles = " ".join(f"m{number}: milestone(number: {number}) {{ title }}" for number in milestones)
        parts.append(f"r{index}: repository(owner: $o{index}, name: $n{index}) {{ ...R {items} {titles} }}")
    declared = ", ".join(f"${name}: String!" for name in variables)
    used = LIGHT if any(numbers for _, numbers, _ in repositories) else ""
    return f"query Lookup({declared}) {{ {RATE} {' '.join(parts)} }} {REPOSITORY} {used}", variables


def listing(kind: str, filters: Mapping[str, object]) -> str:
    """A page of the light index of a repository's issues or pull requests, with the repository beside it."""
    field, states, part = (
        ("issues", "IssueState", "LI") if kind == "issues" else ("pullRequests", "PullRequestState", "LP")
    )
    types = {
        "states": f"[{states}!]",
        "labels": "[String!]",
        "filterBy": "IssueFilters",
        "orderBy": "IssueOrder",
    }
    declared = "".join(f", ${name}: {types[name]}" for name in filters)
    passed = "".join(f", {name}: ${name}" for name in filters)
    return (
        f"query Listing($owner: String!, $name: String!, $first: Int!, $after: String{declared}) {{ {RATE} "
        f"repository(owner: $owner, name: $name) {{ ...R {field}(first: $first, after: $after{passed}) "
        f"{{ {PAGES} nodes {{ ...{part} }} }} }} }} {REPOSITORY} {_fragment(part)}"
    )


def search(*, inside: bool) -> str:
    """A page of a search, with the repository beside it, whose absence tells an unreadable one from an empty answer."""
    declared = "$owner: String!, $name: String!, " if inside else ""
    beside = "repository(owner: $owner, name: $name) { ...R }" if inside else ""
    return (
        f"query Search({declared}$query: String!, $first: Int!, $after: String) {{ {RATE} {beside} "
        "search(type: ISSUE, query: $query, first: $first, after: $after) { issueCount "
        f"pageInfo {{ hasNextPage endCursor }} nodes {{ ...LI ...LP }} }} }} {REPOSITORY if inside else ''} {LIGHT}"
    )


def more(wanted: Sequence[tuple[str, str, str, str]]) -> tuple[str, dict[str, object]]:
    """The following pages of over-long connections: (node id, its type, connection, cursor) each."""
    variables: dict[str, object] = {}
    parts = []
    for index, (node_id, kind, name, cursor) in enumerate(wanted):
        variables[f"i{index}"], variables[f"c{index}"] = node_id, cursor
        page = _thread_page(f"c{index}") if kind == "PullRequestReviewThread" else connection(name, f"c{index}")
        parts.append(f"m{index}: node(id: $i{index}) {{ ... on {kind} {{ {page} }} }}")
    declared = ", ".join(f"$i{index}: ID!, $c{index}: String" for index in range(len(wanted)))
    return f"query More({declared}) {{ {RATE} {' '.join(parts)} }}", variables


def _thread_page(after: str) -> str:
    return f"comments(first: {PAGE}, after: ${after}) {{ {PAGES} nodes {{ {REMARK} path }} }}"


def _fragment(name: str) -> str:
    return next(line for line in LIGHT.splitlines() if line.startswith(f"fragment {name} "))
