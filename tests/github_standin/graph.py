"""The GraphQL half of the stand-in: GitHub's schema, trimmed, resolved over a World."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLResolveInfo,
    InlineFragmentNode,
    OperationDefinitionNode,
    build_schema,
    execute_sync,
    parse,
    validate,
    value_from_ast_untyped,
)

from tests.github_standin import lists
from tests.github_standin.trim import SCHEMA
from tests.github_standin.world import Event, Remark, Repo, Thing, Thread, World, legacy_id

schema = build_schema(SCHEMA.read_text(encoding="utf-8"))
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
    lose_over: int = WIDE_TIMELINES
    shrink_comments_over: int = 0  # 0: never
    exceed_over: int = 0  # 0: never; else the nodes after so many are null with RESOURCE_LIMITS_EXCEEDED
    width: int = 0
    deep_width: int = 0
    items: int = 0  # returned, for the latency


@dataclass
class Price:
    """What a query costs: points by GitHub's formula, nodes at most, and how wide it is."""

    requests: int = 0
    nodes: int = 0
    width: int = 0  # items with timelineItems(first:)
    deep_width: int = 0  # items with any nested connection

    @property
    def points(self) -> int:
        """At least one."""
        return max(1, round((self.requests + 1) / 100))


class Refused(Exception):
    """The whole query is refused: no data, one error."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.error = {"type": type, "message": message}


def run(query: str, variables: dict[str, Any], asking: Asking, price: Price) -> dict[str, Any]:
    """Execute a query; the answer as GitHub words it, `type` beside `message`."""
    asking.width, asking.deep_width = price.width, price.deep_width
    document = parse(query)
    if problems := validate(schema, document):
        return {"errors": [{"message": problem.message} for problem in problems]}
    result = execute_sync(
        schema,
        document,
        variable_values=variables,
        context_value=asking,
        field_resolver=_resolve,
        type_resolver=lambda value, *_: _type_name(value),
    )
    answer: dict[str, Any] = {"data": result.data}
    if result.errors:
        answer["errors"] = [_error(error) for error in result.errors]
    return answer


def _error(error: GraphQLError) -> dict[str, Any]:
    shown: dict[str, Any] = dict(error.formatted)
    extensions = shown.pop("extensions", {})
    if kind := extensions.pop("type", None):
        shown["type"] = kind
    return shown | ({"extensions": extensions} if extensions else {})


def price(query: str, variables: dict[str, Any]) -> Price:
    """Price a query and refuse it where GitHub would.

    Raises:
        Refused: over 500,000 nodes, `first` outside 1..100, more than 100 ids.
        GraphQLError: if it is no GraphQL.
    """
    document = parse(query)
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    total = Price()
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            _walk(definition, 1, False, fragments, variables, total)
    if total.nodes > 500_000:
        text = f"This query requests up to {total.nodes:,} possible nodes which exceeds the maximum limit of 500,000."
        raise Refused("MAX_NODE_LIMIT_EXCEEDED", text)
    return total


def _walk(node: Any, times: int, nested: bool, fragments: Any, variables: dict[str, Any], total: Price) -> None:
    for part in node.selection_set.selections if node.selection_set else ():
        if isinstance(part, FragmentSpreadNode):
            _walk(fragments[part.name.value], times, nested, fragments, variables, total)
        elif isinstance(part, InlineFragmentNode):
            _walk(part, times, nested, fragments, variables, total)
        elif isinstance(part, FieldNode):
            arguments = {a.name.value: value_from_ast_untyped(a.value, variables) for a in part.arguments or ()}
            name = part.name.value
            if name == "nodes" and "ids" in arguments:
                if len(arguments["ids"]) > 100:
                    raise Refused("ARGUMENT_LIMIT", "You may not provide more than 100 node ids; you provided more.")
                _walk(part, times * len(arguments["ids"]), True, fragments, variables, total)
                continue
            size = arguments.get("first") or arguments.get("last")
            inner = part.selection_set.selections if part.selection_set else ()
            if size is None and any(isinstance(s, FieldNode) and s.name.value == "pageInfo" for s in inner):
                raise Refused(
                    "MISSING_PAGINATION_BOUNDARIES", f"You must provide a `first` or `last` value on `{name}`."
                )
            if size is not None:
                if not 1 <= size <= 100:
                    raise Refused(
                        "EXCESSIVE_PAGINATION", f"Requesting {size} records on `{name}` exceeds the 100 limit."
                    )
                total.requests += times
                total.nodes += times * size
                if nested:
                    total.deep_width = max(total.deep_width, times)
                if name == "timelineItems":
                    total.width = max(total.width, times)
            _walk(part, times * (size or 1), nested or size is not None, fragments, variables, total)


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


def _type_name(value: Any) -> str:
    if isinstance(value, Thing):
        return "PullRequest" if value.pull else "Issue"
    if isinstance(value, Actor):
        return value.kind
    names = {Repo: "Repository", Event: "CrossReferencedEvent", Remark: "IssueComment", Tree: "Tree", Blob: "Blob"} | {
        Thread: "PullRequestReviewThread"
    }
    return names[type(value)]


def refuse(kind: str, message: str, **extensions: object) -> GraphQLError:
    """An error with GitHub's `type`."""
    return GraphQLError(message, extensions={"type": kind, **extensions})


def _saml() -> GraphQLError:
    text = "Resource protected by organization SAML enforcement. You must grant your token access."
    return refuse("FORBIDDEN", text, saml_failure=True)


def _resolve(source: Any, info: GraphQLResolveInfo[Asking], **arguments: Any) -> Any:
    asking: Asking = info.context
    if info.field_name in asking.null_fields:
        return None
    known = RESOLVERS.get((info.parent_type.name, info.field_name))
    if known is not None:
        return known(source, asking, **arguments)
    value = source.get(info.field_name) if isinstance(source, dict) else getattr(source, _snake(info.field_name), None)
    return value() if callable(value) else value


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


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


def _pager(items: Callable[[Any], Sequence[Any]]) -> Callable[..., dict[str, Any]]:
    def resolve(source: Any, asking: Asking, first: int | None = None, after: str | None = None, **_: Any) -> Any:
        return page(asking, items(source), first, after)

    return resolve


def _comments(
    thing: Thing, asking: Asking, first: int | None = None, after: str | None = None, **_: Any
) -> dict[str, Any]:
    lossy = asking.shrink_comments_over and asking.width > asking.shrink_comments_over
    return page(asking, thing.comments[::2] if lossy else thing.comments, first, after)


def _timeline(
    thing: Thing, asking: Asking, first: int | None = None, after: str | None = None, **_: Any
) -> dict[str, Any]:
    events = [event for event in thing.events if asking.readable(event.source.repo)]
    if asking.width >= asking.lose_over:
        events = [event for index, event in enumerate(events) if (index + 1) % STEP and index]
    return page(asking, events, first, after)


def _repository(_: Any, asking: Asking, owner: str, name: str, **__: Any) -> Repo:
    repo = asking.world.find(f"{owner}/{name}")
    if repo is None or not asking.readable(repo):
        raise refuse("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    if repo.full_name in asking.forbidden:
        raise _saml()
    return repo


def _thing(kind: str) -> Callable[..., Thing]:
    def resolve(repo: Repo, asking: Asking, number: int) -> Thing:
        thing = repo.things.get(number)
        if thing is None or (kind and kind != _type_name(thing)):
            raise refuse("NOT_FOUND", f"Could not resolve to an issue or pull request with the number of {number}.")
        if thing.node_id in asking.forbidden:
            raise _saml()
        return thing

    return resolve


def _nodes(_: Any, asking: Asking, ids: list[str]) -> list[Any]:
    found = [_node(None, asking, each) for each in ids]
    if asking.exceed_over and len(ids) > asking.exceed_over:
        late = refuse("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")
        found = [node if index < asking.exceed_over // 2 else late for index, node in enumerate(found)]
    if asking.deep_width >= WIDE_PULLS:
        found = [None if isinstance(node, Thing) and node.pull else node for node in found]
    return found


def _node(_: Any, asking: Asking, id: str) -> Any:
    if id in asking.forbidden:
        return _saml()
    for repo in asking.world.repos.values():
        if not asking.readable(repo):
            continue
        if id in (repo.node_id, legacy_id("Repository", repo.id)):
            return repo
        for thing in repo.things.values():
            if id == thing.node_id:
                asking.items += 1
                return thing
            for thread in thing.threads:
                if id == f"PRRT_{thread.id}":
                    return thread
    return refuse("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")


def _issues(pull: bool) -> Callable[..., dict[str, Any]]:
    def resolve(
        repo: Repo,
        asking: Asking,
        first: int | None = None,
        after: str | None = None,
        states: list[str] | None = None,
        labels: list[str] | None = None,
        filterBy: dict[str, Any] | None = None,  # noqa: N803
        orderBy: dict[str, str] | None = None,  # noqa: N803
        **_: Any,
    ) -> dict[str, Any]:
        by = filterBy or {}
        found = lists.select(
            repo,
            pull=pull,
            states=states or by.get("states") or (),
            any_label=labels or by.get("labels") or (),
            author=by.get("createdBy") or "",
            assignee=by.get("assignee", ""),
            milestone=by.get("milestoneNumber") or "",
            since=by.get("since") or "",
        )
        order = orderBy or {"field": "CREATED_AT", "direction": "ASC"}
        sort = order["field"].lower().removesuffix("_at")
        return page(asking, lists.ordered(found, sort, order["direction"] == "DESC"), first, after)

    return resolve


def _search(
    _: Any, asking: Asking, query: str, type: str, first: int | None = None, after: str | None = None, **__: Any
) -> dict[str, Any]:
    try:
        found = lists.search(asking.world, query, asking.readable)
    except lists.Unreadable:
        found = []
    answer = page(asking, found[:1000], first, after)
    return {"issueCount": len(found), "nodes": answer["nodes"], "pageInfo": answer["pageInfo"]}


def _object(repo: Repo, _: Asking, expression: str = "", **__: Any) -> Tree | Blob | None:
    path = expression.partition(":")[2].rstrip("/")
    if path in repo.files:
        return Blob(repo, repo.files[path])
    if path in repo.links:
        return Blob(repo, repo.links[path])
    inside = any(name.startswith(f"{path}/" if path else "") for name in {*repo.files, *repo.links})
    return Tree(repo, path) if inside else None


def _entries(tree: Tree, _: Asking) -> list[Entry]:
    prefix = f"{tree.folder}/" if tree.folder else ""
    found: dict[str, Entry] = {}
    for path in sorted({*tree.repo.files, *tree.repo.links}):
        name, slash, _rest = path.removeprefix(prefix).partition("/")
        if not path.startswith(prefix) or name in found:
            continue
        if slash:
            found[name] = Entry(name, prefix + name, 0o040000, "tree", Tree(tree.repo, prefix + name))
        elif path in tree.repo.links:
            found[name] = Entry(name, path, 0o120000, "blob", Blob(tree.repo, tree.repo.links[path]))
        else:
            found[name] = Entry(name, path, 0o100644, "blob", Blob(tree.repo, tree.repo.files[path]))
    return list(found.values())


def _remark(source: Remark | Review | ReviewComment) -> Remark:
    return source if isinstance(source, Remark) else source.remark


def _remark_id(prefix: str) -> Callable[..., str]:
    return lambda source, _: _remark(source).node_id(prefix)


def _repo_id(repo: Repo, asking: Asking) -> str:
    return repo.node_id if asking.next_ids else legacy_id("Repository", repo.id)


def _thing_id(thing: Thing, asking: Asking) -> str:
    kind = "PullRequest" if thing.pull else "Issue"
    return thing.node_id if asking.next_ids else legacy_id(kind, thing.id)


RESOLVERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("Query", "repository"): _repository,
    ("Query", "nodes"): _nodes,
    ("Query", "node"): _node,
    ("Query", "search"): _search,
    ("Query", "rateLimit"): lambda _, asking, **__: asking.rate,
    ("Query", "viewer"): lambda *_: Actor("viewer", "User"),
    ("Repository", "id"): _repo_id,
    ("Repository", "databaseId"): lambda repo, _: repo.id,
    ("Repository", "nameWithOwner"): lambda repo, _: repo.full_name,
    ("Repository", "owner"): lambda repo, _: Actor(repo.owner, "User"),
    ("Repository", "isPrivate"): lambda repo, _: repo.visibility != "PUBLIC",
    ("Repository", "isDisabled"): lambda repo, _: repo.disabled,
    ("Repository", "url"): lambda repo, _: f"https://github.com/{repo.full_name}",
    ("Repository", "createdAt"): lambda repo, _: repo.pushed_at,
    ("Repository", "issue"): _thing("Issue"),
    ("Repository", "pullRequest"): _thing("PullRequest"),
    ("Repository", "issueOrPullRequest"): _thing(""),
    ("Repository", "issues"): _issues(False),
    ("Repository", "pullRequests"): _issues(True),
    ("Repository", "object"): _object,
    ("Repository", "milestone"): lambda repo, _, number: (
        {"id": f"MI_{number}", "number": number, "title": repo.milestones[number]}
        if number in repo.milestones
        else None
    ),
    ("Tree", "entries"): _entries,
    ("Blob", "text"): lambda blob, _: blob.content if isinstance(blob.content, str) else None,
    ("Blob", "isBinary"): lambda blob, _: isinstance(blob.content, bytes),
    ("Blob", "isTruncated"): lambda blob, _: len(blob.content) > 512_000,
    ("Blob", "byteSize"): lambda blob, _: len(blob.content),
    ("IssueComment", "id"): _remark_id("IC"),
    ("PullRequestReview", "id"): _remark_id("PRR"),
    ("PullRequestReviewComment", "id"): _remark_id("PRRC"),
    ("PullRequestReviewThread", "id"): lambda thread, _: f"PRRT_{thread.id}",
    ("PullRequestReviewThread", "comments"): _pager(lambda thread: [ReviewComment(r) for r in thread.comments]),
    ("CrossReferencedEvent", "id"): lambda event, _: f"CRE_{event.id}",
    ("CrossReferencedEvent", "willCloseTarget"): lambda *_: False,
    ("CrossReferencedEvent", "createdAt"): lambda event, _: event.at,
    ("User", "url"): lambda who, _: f"https://github.com/{who.login}",
}
for _kind in ("Issue", "PullRequest"):
    RESOLVERS |= {
        (_kind, "id"): _thing_id,
        (_kind, "databaseId"): lambda thing, _: thing.id,
        (_kind, "author"): lambda thing, _: actor(thing.author),
        (_kind, "repository"): lambda thing, _: thing.repo,
        (_kind, "closed"): lambda thing, _: thing.state != "OPEN",
        (_kind, "locked"): lambda *_: False,
        (_kind, "url"): lambda thing, _: f"https://github.com/{thing.repo.full_name}/issues/{thing.number}",
        (_kind, "comments"): _comments,
        (_kind, "labels"): _pager(lambda thing: [{"id": name, "name": name, "color": ""} for name in thing.labels]),
        (_kind, "assignees"): _pager(lambda thing: [Actor(login, "User") for login in thing.assignees]),
        (_kind, "timelineItems"): _timeline,
        (_kind, "milestone"): lambda thing, _: (
            {"id": f"MI_{thing.milestone}", "number": thing.milestone, "title": thing.repo.milestones[thing.milestone]}
            if thing.milestone is not None
            else None
        ),
    }
RESOLVERS |= {
    ("Issue", "stateReason"): lambda thing, _, **__: thing.state_reason,
    ("PullRequest", "merged"): lambda thing, _: thing.state == "MERGED",
    ("PullRequest", "mergedAt"): lambda thing, _: thing.closed_at if thing.state == "MERGED" else None,
    ("PullRequest", "baseRefName"): lambda thing, _: thing.base,
    ("PullRequest", "headRefName"): lambda *_: "topic",
    ("PullRequest", "isDraft"): lambda *_: False,
    ("PullRequest", "changedFiles"): lambda thing, _: len(thing.files),
    ("PullRequest", "files"): _pager(lambda thing: [{"path": path} for path in thing.files[:3000]]),
    ("PullRequest", "reviews"): _pager(lambda thing: [Review(remark) for remark in thing.reviews]),
    ("PullRequest", "reviewThreads"): _pager(lambda thing: thing.threads),
    ("PullRequest", "closingIssuesReferences"): _pager(lambda thing: thing.closes),
    ("PullRequest", "totalCommentsCount"): lambda thing, _: (
        len(thing.comments) + len(thing.reviews) + sum(len(thread.comments) for thread in thing.threads)
    ),
}


def _remark_field(kind: str, name: str, read: Callable[[Remark], Any]) -> None:
    RESOLVERS[(kind, name)] = lambda source, _: read(_remark(source))


for _kind in ("IssueComment", "PullRequestReview", "PullRequestReviewComment"):
    _remark_field(_kind, "author", lambda remark: actor(remark.author))
    _remark_field(_kind, "body", lambda remark: remark.body)
    _remark_field(_kind, "createdAt", lambda remark: remark.created_at)
    _remark_field(_kind, "updatedAt", lambda remark: remark.updated_at)
    _remark_field(_kind, "submittedAt", lambda remark: remark.created_at)
    _remark_field(_kind, "path", lambda remark: remark.path)
    _remark_field(_kind, "state", lambda remark: remark.state)
    _remark_field(_kind, "databaseId", lambda remark: remark.id)
    _remark_field(_kind, "isMinimized", lambda remark: remark.minimized is not None)
    _remark_field(_kind, "minimizedReason", lambda remark: remark.minimized)
