"""The GraphQL half of the stand-in: GitHub's schema, trimmed, resolved over a World."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo, build_schema, execute_sync, parse, validate

from tests.github_standin import lists
from tests.github_standin.price import Price
from tests.github_standin.trim import SCHEMA
from tests.github_standin.wire import (
    STEP,
    WIDE_PULLS,
    Actor,
    Asking,
    Blob,
    Entry,
    Review,
    ReviewComment,
    Tree,
    actor,
    page,
    refuse,
    saml,
)
from tests.github_standin.world import Event, Remark, Repo, Thing, Thread, legacy_id

schema = build_schema(SCHEMA.read_text(encoding="utf-8"))


def run(query: str, variables: dict[str, Any], asking: Asking, price: Price) -> dict[str, Any]:
    """Execute a query; the answer as GitHub words it, `type` beside `message`."""
    asking.width, asking.deep_width = price.width, price.deep_width
    document = parse(query)
    if problems := validate(schema, document):
        return {"errors": [{"message": problem.message} for problem in problems]}
    for name in sorted(asking.withdrawn):
        if re.search(rf"\b{name}\b", query):
            return {"errors": [_undefined(name)]}
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


def _undefined(name: str) -> dict[str, Any]:
    """GitHub's words for a field that its schema does not have."""
    return {
        "path": ["query", "nodes", "... on Issue", name],
        "extensions": {"code": "undefinedField", "typeName": "Issue", "fieldName": name},
        "message": f"Field '{name}' doesn't exist on type 'Issue'",
    }


def _error(error: GraphQLError) -> dict[str, Any]:
    shown: dict[str, Any] = dict(error.formatted)
    extensions = shown.pop("extensions", {})
    if kind := extensions.pop("type", None):
        shown["type"] = kind
    return shown | ({"extensions": extensions} if extensions else {})


def _type_name(value: Any) -> str:
    if isinstance(value, Thing):
        return "PullRequest" if value.pull else "Issue"
    if isinstance(value, Actor):
        return value.kind
    names = {Repo: "Repository", Event: "CrossReferencedEvent", Remark: "IssueComment", Tree: "Tree", Blob: "Blob"} | {
        Thread: "PullRequestReviewThread"
    }
    return names[type(value)]


def _resolve(source: Any, info: GraphQLResolveInfo[Asking], **arguments: Any) -> Any:
    asking: Asking = info.context
    if info.field_name in asking.null_fields:
        return None
    if info.field_name in asking.internal_fields:
        raise refuse("INTERNAL", "Something broke.")
    known = RESOLVERS.get((info.parent_type.name, info.field_name))
    if known is not None:
        return known(source, asking, **arguments)
    value = source.get(info.field_name) if isinstance(source, dict) else getattr(source, _snake(info.field_name), None)
    return value() if callable(value) else value


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


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
    found = page(asking, events, first, after)
    found["nodes"] = [saml() if event.source.repo.full_name in asking.forbidden else event for event in found["nodes"]]
    return found


def _repository(_: Any, asking: Asking, owner: str, name: str, **__: Any) -> Repo:
    repo = asking.world.find(f"{owner}/{name}")
    if repo is None or not asking.readable(repo):
        raise refuse("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    if repo.full_name in asking.forbidden:
        raise saml()
    return repo


def _thing(kind: str) -> Callable[..., Thing]:
    def resolve(repo: Repo, asking: Asking, number: int) -> Thing:
        thing = repo.things.get(number)
        if thing is None or (kind and kind != _type_name(thing)):
            raise refuse("NOT_FOUND", f"Could not resolve to an issue or pull request with the number of {number}.")
        if thing.node_id in asking.forbidden:
            raise saml()
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
        return saml()
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
