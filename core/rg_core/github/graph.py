"""GitHub over GraphQL, with a token: the light index, and whole items in batches that shrink when they must.

What comes is checked: a connection that is null, shorter than its totalCount or than the index said, makes its item
be asked for again in a smaller query. An item is given out whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any, Literal

from rg_core.address.model import ANY_REPOSITORY, Address
from rg_core.github import content, graphql, question
from rg_core.github.client import Client, GraphAnswer, error_type
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.errors import TooHeavy

Trouble = Literal["not_found", "forbidden", "broken"]
IN_FLIGHT = 2  # wide queries at once: GitHub counts 60 s of GraphQL time a minute
FILES_CAP = 3000  # GitHub lists no more changed files
MAY_HAVE_HOLES = ("timelineItems", "closingIssuesReferences")  # what is denied to the token is null in them
ALONE = 3  # tries of an item by itself


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a lookup found of one repository; `repository` None: see `trouble`."""

    repository: SourceRepository | None
    trouble: Trouble | None
    items: dict[int, IndexRow | Trouble]
    milestones: dict[int, str]  # title by number; those that exist


@dataclass(frozen=True, slots=True)
class IndexPage:
    """A page of a listing's light index. `total` is GitHub's count; `repository` is None for a search anywhere."""

    repository: SourceRepository | None
    trouble: Trouble | None
    rows: tuple[IndexRow, ...]
    total: int
    next: str | None
    whole: bool  # whether no row of the page was missing


@dataclass(slots=True)
class Fetched:
    """What a batch brought: whole nodes, and what could not be had."""

    nodes: list[dict[str, Any]] = field(default_factory=list)
    failed: dict[str, Trouble] = field(default_factory=dict)


class Graph:
    """Asks GraphQL. Remembers the batch size that worked."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.size = graphql.WHOLE

    def lookup(self, wanted: Sequence[tuple[str, Sequence[int], Sequence[int]]]) -> list[Lookup]:
        """Repositories by name with items and milestones by number; at most LOOKUPS of all together."""
        query, variables = graphql.lookup(wanted)
        try:
            answer = self._asked(query, variables)
        except TooHeavy:
            if len(wanted) == 1 and len(wanted[0][1]) <= 1:
                raise
            first, second = _halves(wanted)
            return _joined(self.lookup(first), self.lookup(second), wanted)
        return [
            self._found_in(answer, f"r{index}", numbers, milestones)
            for index, (_, numbers, milestones) in enumerate(wanted)
        ]

    def _asked(self, query: str, variables: dict[str, object]) -> GraphAnswer:
        for attempt in range(1, ALONE + 1):
            answer = self.client.graphql(query, variables)
            if not answer.doubtful or (attempt == ALONE and not answer.exceeded):
                return answer
            self.client.back_off(attempt)
        raise TooHeavy("GitHub leaves parts of its answer out")

    def _found_in(self, answer: GraphAnswer, alias: str, numbers: Sequence[int], milestones: Sequence[int]) -> Lookup:
        node = answer.data.get(alias)
        if node is None:
            return Lookup(None, _trouble(answer, [alias]), {}, {})
        found: dict[int, IndexRow | Trouble] = {}
        for number in numbers:
            row = node.get(f"i{number}")
            found[number] = content.index_row(row) if row else _trouble(answer, [alias, f"i{number}"])
        titles = {number: node[f"m{number}"]["title"] for number in milestones if node.get(f"m{number}")}
        return Lookup(content.source_repository(node), None, found, titles)

    def index(
        self, address: Address, first: int, after: str | None, milestone: str | None = None, *, by_search: bool = False
    ) -> IndexPage:
        """A page of the light index of a listing; by a connection where one answers, else by a search."""
        arguments = None if by_search else question.connection(address)
        if arguments is None:
            return self._search(address, first, after, milestone)
        owner, _, name = address.repository.partition("/")
        variables = {"owner": owner, "name": name, "first": first, "after": after, **arguments}
        answer = self._asked(graphql.listing(address.kind, arguments), variables)
        home = answer.data.get("repository")
        if home is None:
            return IndexPage(None, _trouble(answer, ["repository"]), (), 0, None, whole=False)
        found = home.get("issues" if address.kind == "issues" else "pullRequests")
        if found is None:
            return IndexPage(content.source_repository(home), "broken", (), 0, None, whole=False)
        return self._page(content.source_repository(home), found, found["totalCount"])

    def _search(self, address: Address, first: int, after: str | None, milestone: str | None) -> IndexPage:
        inside = address.repository != ANY_REPOSITORY
        variables: dict[str, object] = {"query": question.search(address, milestone), "first": first, "after": after}
        if inside:
            variables["owner"], _, variables["name"] = address.repository.partition("/")
        answer = self._asked(graphql.search(inside=inside), variables)
        home = answer.data.get("repository")
        if inside and home is None:
            return IndexPage(None, _trouble(answer, ["repository"]), (), 0, None, whole=False)
        found = answer.data.get("search")
        repository = content.source_repository(home) if home else None
        if found is None:
            return IndexPage(repository, "broken", (), 0, None, whole=False)
        return self._page(repository, found, found["issueCount"])

    def _page(self, repository: SourceRepository | None, found: dict[str, Any], total: int) -> IndexPage:
        rows = found.get("nodes")
        info = found.get("pageInfo") or {}
        good = [content.index_row(row) for row in rows or () if row]
        whole = rows is not None and len(good) == len(rows)
        if repository is not None:  # a search text may name other repositories
            good = [row for row in good if row.repository.node_id == repository.node_id]
        cursor = info.get("endCursor") if info.get("hasNextPage") else None
        return IndexPage(repository, None, tuple(good), total, cursor, whole and bool(info))

    # -- whole items

    def whole(self, rows: Sequence[IndexRow]) -> Iterator[Fetched]:
        """These items, whole, in batches as they come. Raises after the batches under way have been given out."""
        batches = [
            (kind, of_kind[start : start + self.size])
            for kind in ("issue", "pull_request")
            if (of_kind := [row for row in rows if row.kind == kind])
            for start in range(0, len(of_kind), self.size)
        ]
        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            for start in range(0, len(batches), IN_FLIGHT):
                futures = [pool.submit(self._batch, *batch) for batch in batches[start : start + IN_FLIGHT]]
                error: BaseException | None = None
                for future in as_completed(futures):
                    if (problem := future.exception()) is not None:
                        error = problem
                    else:
                        yield future.result()
                if error is not None:
                    raise error

    def _batch(self, kind: str, rows: Sequence[IndexRow]) -> Fetched:
        result = Fetched()
        todo, size = list(rows), min(self.size, len(rows))
        tries = 0
        while todo:
            part, todo = todo[:size], todo[size:]
            good, failed, short = self._part(kind, part)
            result.nodes += good
            result.failed |= failed
            if not short:
                continue
            tries = tries + 1 if len(part) == 1 else 0
            if tries >= ALONE:
                result.failed |= {row.node_id: "broken" for row in short}
                tries = 0
                continue
            self.client.back_off(max(1, tries))
            size = max(1, len(part) // 2)
            self.size = max(1, min(self.size, size))
            todo = short + todo
        return result

    def _part(self, kind: str, rows: list[IndexRow]) -> tuple[list[dict[str, Any]], dict[str, Trouble], list[IndexRow]]:
        """One wide query: what came whole, what failed for good, what must be asked for again, smaller."""
        text = graphql.WHOLE_ISSUES if kind == "issue" else graphql.WHOLE_PULLS
        try:
            answer = self.client.graphql(text, {"ids": [row.node_id for row in rows]}, tries=1, cost=10)
            good: list[dict[str, Any]] = []
            failed: dict[str, Trouble] = {}
            short: list[IndexRow] = []
            nodes = answer.data.get("nodes") or [None] * len(rows)
            for index, (row, node) in enumerate(zip(rows, nodes, strict=False)):
                if node is None:
                    trouble = _trouble(answer, ["nodes", index])
                    if trouble == "broken":
                        short.append(row)
                    else:
                        failed[row.node_id] = trouble
                elif _sound(node, row):
                    good.append(node)
                else:
                    short.append(row)
            self._fill(good)
        except TooHeavy:
            return [], {}, rows
        whole = [node for node in good if _full(node)]
        ids = {node["id"] for node in whole}
        short += [row for row in rows if row.node_id in {node["id"] for node in good} - ids]
        return whole, failed, short

    def _fill(self, nodes: list[dict[str, Any]]) -> None:
        """Page every over-long connection to its end, a few in one query; the pages are joined in place."""
        while waiting := [each for node in nodes for each in _unfinished(node)]:
            for start in range(0, len(waiting), graphql.MORE):
                part = waiting[start : start + graphql.MORE]
                wanted = [
                    (holder["id"], kind, name, holder[name]["pageInfo"]["endCursor"]) for holder, kind, name in part
                ]
                answer = self._asked(*graphql.more(wanted))
                for index, (holder, _, name) in enumerate(part):
                    page = (answer.data.get(f"m{index}") or {}).get(name)
                    if not page or not page.get("nodes"):
                        raise TooHeavy("a page of a connection is missing")
                    if name not in MAY_HAVE_HOLES and not all(
                        each and each.get("comments", True) for each in page["nodes"]
                    ):
                        raise TooHeavy("a page of a connection has holes")
                    if page["pageInfo"]["endCursor"] == holder[name]["pageInfo"]["endCursor"]:
                        raise TooHeavy("a page of a connection is repeated")
                    holder[name]["nodes"] += page["nodes"]
                    holder[name]["pageInfo"] = page["pageInfo"]


def _unfinished(node: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, str]]:
    for name in graphql.OF_PULL if node["__typename"] == "PullRequest" else graphql.OF_ISSUE:
        if node[name]["pageInfo"]["hasNextPage"]:
            yield node, node["__typename"], name
    for thread in (node.get("reviewThreads") or {}).get("nodes") or ():
        if thread["comments"]["pageInfo"]["hasNextPage"]:
            yield thread, "PullRequestReviewThread", "comments"


def _sound(node: dict[str, Any], row: IndexRow) -> bool:
    """Whether no connection is null and there are no fewer comments than the index counted."""
    names = graphql.OF_PULL if node["__typename"] == "PullRequest" else graphql.OF_ISSUE
    for name in names:
        if not node.get(name) or node[name].get("nodes") is None or node[name].get("pageInfo") is None:
            return False
    threads = (node.get("reviewThreads") or {}).get("nodes") or ()
    if any(thread is None or not thread.get("comments") for thread in threads):
        return False
    return bool(node["comments"]["totalCount"] >= row.comments or node["updatedAt"] != row.updated_at)


def _full(node: dict[str, Any]) -> bool:
    """Whether every connection holds as many nodes as it counts."""
    for name in graphql.OF_PULL if node["__typename"] == "PullRequest" else graphql.OF_ISSUE:
        if len(node[name]["nodes"]) < node[name]["totalCount"]:
            return False
        if name not in MAY_HAVE_HOLES and None in node[name]["nodes"]:
            return False
    threads = (node.get("reviewThreads") or {}).get("nodes") or ()
    if any(len(thread["comments"]["nodes"]) < thread["comments"]["totalCount"] for thread in threads):
        return False
    return "changedFiles" not in node or len(node["files"]["nodes"]) >= min(node["changedFiles"], FILES_CAP)


def _trouble(answer: GraphAnswer, path: Sequence[str | int]) -> Trouble:
    """Why the value at this path is null."""
    for error in answer.errors:
        if (error.get("path") or [])[: len(path)] == list(path):
            kind = error_type(error)
            return "not_found" if kind == "NOT_FOUND" else "forbidden" if kind == "FORBIDDEN" else "broken"
    return "broken"


Wanted = Sequence[tuple[str, Sequence[int], Sequence[int]]]


def _halves(wanted: Wanted) -> tuple[Wanted, Wanted]:
    if len(wanted) > 1:
        return wanted[: len(wanted) // 2], wanted[len(wanted) // 2 :]
    name, numbers, milestones = wanted[0]
    half = len(numbers) // 2
    return [(name, numbers[:half], milestones)], [(name, numbers[half:], ())]


def _joined(first: list[Lookup], second: list[Lookup], wanted: Wanted) -> list[Lookup]:
    if len(wanted) > 1:
        return first + second
    one, two = first[0], second[0]
    return [Lookup(one.repository, one.trouble, one.items | two.items, one.milestones)]
