"""Whole issues and pull requests over GraphQL, in batches that shrink when they must and grow again when they may.

What comes is checked: a connection that is null, shorter than its totalCount or than the index said, makes its item
be asked for again in a smaller query. An item is given out whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from rg_core.github import graphql
from rg_core.github.client import GraphAnswer, error_type, is_slow
from rg_core.github.content import IndexRow
from rg_core.github.errors import TooHeavy, Withdrawn
from rg_core.github.faults import Faults
from rg_core.github.graph import ALONE, Graph, Trouble, trouble_at
from rg_core.store.model import ItemKind

IN_FLIGHT = 2  # wide queries at once: GitHub counts 60 s of GraphQL time a minute
FILES_CAP = 3000  # GitHub lists no more changed files
MAY_HAVE_HOLES = ("timelineItems", "closingIssuesReferences")  # what is denied to the token is null in them
OF_ONE_ITEM = ("NOT_FOUND", "FORBIDDEN", "RESOURCE_LIMITS_EXCEEDED")  # errors that say nothing of the field
KINDS: tuple[ItemKind, ...] = ("issue", "pull_request")
Node = dict[str, Any]


@dataclass(slots=True)
class Fetched:
    """What a batch brought: whole nodes, and what could not be had."""

    nodes: list[Node] = field(default_factory=list)
    failed: dict[str, Trouble] = field(default_factory=dict)


@dataclass(slots=True)
class Part:
    """What one query brought. `again`: worth asking for again, in a smaller query or alone."""

    nodes: list[Node] = field(default_factory=list)
    failed: dict[str, Trouble] = field(default_factory=dict)
    again: list[IndexRow] = field(default_factory=list)
    blamed: bool = False  # whether the query was at fault, and is another one now


class WholeItems:
    """Fetches items. Remembers the batch size that worked, and what GitHub fails to answer."""

    def __init__(self, graph: Graph, faults: Faults) -> None:
        self.graph = graph
        self.faults = faults
        self.size = graphql.WHOLE

    def fetch(self, rows: Sequence[IndexRow]) -> Iterator[Fetched]:
        """These items, whole, in batches as they come. Raises after the batches under way have been given out."""
        batches = [
            (kind, of_kind[start : start + self.size])
            for kind in KINDS
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

    def _batch(self, kind: ItemKind, rows: Sequence[IndexRow]) -> Fetched:
        result = Fetched()
        todo, before = list(rows), self.size
        size, tries = self.size, 0
        while todo:
            if self.faults.refused(kind):
                result.failed |= {row.node_id: "broken" for row in todo}
                break
            asked, todo = todo[:size], todo[size:]
            part = self._part(kind, asked)
            result.nodes += part.nodes
            result.failed |= part.failed
            if not part.again:
                continue
            if part.blamed:
                self.size = size = before  # it was no matter of size
                todo = part.again + todo
                continue
            tries = tries + 1 if len(asked) == 1 else 0
            if tries < ALONE:
                self.graph.client.back_off(max(1, tries))
                size = max(1, len(asked) // 2)
                self.size = min(self.size, size)
                todo = part.again + todo
            else:  # this one is at fault, and not the size
                result.failed[asked[0].node_id] = "broken"
                self.size = size = before
                tries = 0
        return result

    def _part(self, kind: ItemKind, rows: list[IndexRow]) -> Part:
        """One wide query."""
        without = self.faults.left_out(kind)
        query = graphql.whole(kind, without)
        try:
            answer = self.graph.client.graphql(query, {"ids": [row.node_id for row in rows]}, tries=1, cost=10)
            part = _sorted_out(answer, rows, without)
            self._fill(part.nodes, without)
        except TooHeavy:
            return Part(again=rows)
        except Withdrawn as error:
            name = next((name for name in error.names if name in graphql.FIELDS), "")
            self.faults.withdrawn(kind, name)
            return Part(again=rows, blamed=True)
        full = [node for node in part.nodes if _full(node, without)]
        whole = {node["id"] for node in full}
        part.again += [row for row in rows if row.node_id in {node["id"] for node in part.nodes} - whole]
        part.nodes = full
        waiting = {row.node_id for row in part.again}
        blamed = self.faults.saw(kind, _lacking(answer, rows, waiting, without), whole)
        part.blamed = blamed or self.faults.left_out(kind) != without  # or another thread has blamed it meanwhile
        return part

    def _fill(self, nodes: list[Node], without: frozenset[str]) -> None:
        """Page every over-long connection to its end, a few in one query; the pages are joined in place."""
        while waiting := [each for node in nodes for each in _unfinished(node, without)]:
            for start in range(0, len(waiting), graphql.MORE):
                part = waiting[start : start + graphql.MORE]
                wanted = [
                    (holder["id"], kind, name, holder[name]["pageInfo"]["endCursor"]) for holder, kind, name in part
                ]
                answer = self.graph.ask(*graphql.more(wanted))
                for index, (holder, _, name) in enumerate(part):
                    _join((answer.data.get(f"m{index}") or {}).get(name), holder, name)


def _sorted_out(answer: GraphAnswer, rows: Sequence[IndexRow], without: frozenset[str]) -> Part:
    part = Part()
    nodes = answer.data.get("nodes") or [None] * len(rows)
    for index, (row, node) in enumerate(zip(rows, nodes, strict=False)):
        if node is None:
            trouble = trouble_at(answer, ["nodes", index])
            if trouble == "broken":
                part.again.append(row)
            else:
                part.failed[row.node_id] = trouble
        elif _sound(node, row, without):
            part.nodes.append(node)
        else:
            part.again.append(row)
    return part


def _lacking(
    answer: GraphAnswer, rows: Sequence[IndexRow], waiting: set[str], without: frozenset[str]
) -> dict[str, set[str]]:
    """The fields that items did not come whole for, each with their node_ids: null, or under an error of its own."""
    found: dict[str, set[str]] = {}
    for error in answer.errors:
        path = error.get("path") or []
        if len(path) > 2 and path[0] == "nodes" and error_type(error) not in OF_ONE_ITEM and not is_slow(error):
            row = rows[path[1]]
            if row.node_id in waiting:
                found.setdefault(str(path[2]), set()).add(row.node_id)
    for row, node in zip(rows, answer.data.get("nodes") or (), strict=False):
        for name in _connections(node, without) if node and row.node_id in waiting else ():
            if not node.get(name):
                found.setdefault(name, set()).add(row.node_id)
    return found


def _connections(node: Mapping[str, Any], without: frozenset[str]) -> list[str]:
    names = graphql.OF_PULL if node["__typename"] == "PullRequest" else graphql.OF_ISSUE
    return [name for name in names if name not in without]


def _unfinished(node: Node, without: frozenset[str]) -> Iterator[tuple[Node, str, str]]:
    for name in _connections(node, without):
        if node[name]["pageInfo"]["hasNextPage"]:
            yield node, node["__typename"], name
    for thread in (node.get("reviewThreads") or {}).get("nodes") or ():
        if thread["comments"]["pageInfo"]["hasNextPage"]:
            yield thread, "PullRequestReviewThread", "comments"


def _join(page: Node | None, holder: Node, name: str) -> None:
    """Add a further page to what is there of a connection."""
    if not page or not page.get("nodes"):
        raise TooHeavy("a page of a connection is missing")
    if name not in MAY_HAVE_HOLES and not all(each and each.get("comments", True) for each in page["nodes"]):
        raise TooHeavy("a page of a connection has holes")
    if page["pageInfo"]["endCursor"] == holder[name]["pageInfo"]["endCursor"]:
        raise TooHeavy("a page of a connection is repeated")
    holder[name]["nodes"] += page["nodes"]
    holder[name]["pageInfo"] = page["pageInfo"]


def _sound(node: Node, row: IndexRow, without: frozenset[str]) -> bool:
    """Whether no connection is null and there are no fewer comments than the index counted."""
    for name in _connections(node, without):
        if not node.get(name) or node[name].get("nodes") is None or node[name].get("pageInfo") is None:
            return False
    threads = (node.get("reviewThreads") or {}).get("nodes") or ()
    if any(thread is None or not thread.get("comments") for thread in threads):
        return False
    return bool(node["comments"]["totalCount"] >= row.comments or node["updatedAt"] != row.updated_at)


def _full(node: Node, without: frozenset[str]) -> bool:
    """Whether every connection holds as many nodes as it counts."""
    for name in _connections(node, without):
        if len(node[name]["nodes"]) < node[name]["totalCount"]:
            return False
        if name not in MAY_HAVE_HOLES and None in node[name]["nodes"]:
            return False
    threads = (node.get("reviewThreads") or {}).get("nodes") or ()
    if any(len(thread["comments"]["nodes"]) < thread["comments"]["totalCount"] for thread in threads):
        return False
    return "changedFiles" not in node or len(node["files"]["nodes"]) >= min(node["changedFiles"], FILES_CAP)
