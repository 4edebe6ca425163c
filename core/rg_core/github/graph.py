"""GitHub over GraphQL, with a token: what is at a name, and the light index of a listing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rg_core.address.model import ANY_REPOSITORY, Address
from rg_core.github import content, graphql, question
from rg_core.github.client import Client, GraphAnswer, error_type
from rg_core.github.content import IndexRow, SourceRepository
from rg_core.github.errors import TooHeavy

Trouble = Literal["not_found", "forbidden", "broken"]
ALONE = 3  # tries of what cannot be made smaller


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


class Graph:
    """Asks GraphQL."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def lookup(self, wanted: Sequence[tuple[str, Sequence[int], Sequence[int]]]) -> list[Lookup]:
        """Repositories by name with items and milestones by number; at most LOOKUPS of all together."""
        query, variables = graphql.lookup(wanted)
        try:
            answer = self.ask(query, variables)
        except TooHeavy:
            if len(wanted) == 1 and len(wanted[0][1]) <= 1:
                raise
            first, second = _halves(wanted)
            return _joined(self.lookup(first), self.lookup(second), wanted)
        return [
            self._found_in(answer, f"r{index}", numbers, milestones)
            for index, (_, numbers, milestones) in enumerate(wanted)
        ]

    def ask(self, query: str, variables: dict[str, object]) -> GraphAnswer:
        """Run a query until nothing of its answer is in doubt.

        Raises:
            TooHeavy: if GitHub goes on leaving parts out.
        """
        for attempt in range(1, ALONE + 1):
            answer = self.client.graphql(query, variables)
            if not answer.doubtful or (attempt == ALONE and not answer.exceeded):
                return answer
            self.client.back_off(attempt)
        raise TooHeavy("GitHub leaves parts of its answer out")

    def _found_in(self, answer: GraphAnswer, alias: str, numbers: Sequence[int], milestones: Sequence[int]) -> Lookup:
        node = answer.data.get(alias)
        if node is None:
            return Lookup(None, trouble_at(answer, [alias]), {}, {})
        found: dict[int, IndexRow | Trouble] = {}
        for number in numbers:
            row = node.get(f"i{number}")
            found[number] = content.index_row(row) if row else trouble_at(answer, [alias, f"i{number}"])
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
        answer = self.ask(graphql.listing(address.kind, arguments), variables)
        home = answer.data.get("repository")
        if home is None:
            return IndexPage(None, trouble_at(answer, ["repository"]), (), 0, None, whole=False)
        found = home.get("issues" if address.kind == "issues" else "pullRequests")
        if found is None:
            return IndexPage(content.source_repository(home), "broken", (), 0, None, whole=False)
        return self._page(content.source_repository(home), found, found["totalCount"])

    def _search(self, address: Address, first: int, after: str | None, milestone: str | None) -> IndexPage:
        inside = address.repository != ANY_REPOSITORY
        variables: dict[str, object] = {"query": question.search(address, milestone), "first": first, "after": after}
        if inside:
            variables["owner"], _, variables["name"] = address.repository.partition("/")
        answer = self.ask(graphql.search(inside=inside), variables)
        home = answer.data.get("repository")
        if inside and home is None:
            return IndexPage(None, trouble_at(answer, ["repository"]), (), 0, None, whole=False)
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


def trouble_at(answer: GraphAnswer, path: Sequence[str | int]) -> Trouble:
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
