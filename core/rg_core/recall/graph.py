"""The graph leg: how near memories stand to what a query names, over one edge or two. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rg_core.recall.query_class import Direction
from rg_core.store.search import GraphEdge, Node

CHAIN = ("DEPENDS_ON", "IMPLEMENTS", "EXTENDS")  # what leads on, from what a text is built on to what that is built on
OTHER_WAY = 0.5  # what an edge counts against the direction that was asked for
MOST_PATHS = 3


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory near what is named: its score, and the shortest paths, as edges."""

    memory_id: str
    score: float
    paths: tuple[tuple[GraphEdge, ...], ...]


def neighbours(
    named: Sequence[Node], first: Iterable[GraphEdge], second: Iterable[GraphEdge], direction: Direction
) -> list[Neighbour]:
    """Memories one or two edges away, best first: 2(1 - 2^-n1) + (1 - 2^-n2), n1 edges and n2 paths of two.

    Args:
        named: what the query names.
        first: the edges from and to that.
        second: the edges from and to what those lead to.
        direction: "in" counts edges that point to what is named fully, "out" those that lead on from it, "" both.
    """
    starts = {node.key for node in named}
    around = _by_node([*first, *second])
    ones: dict[str, float] = {}
    twos: dict[str, float] = {}
    paths: dict[str, list[tuple[GraphEdge, ...]]] = {}
    for start in starts:
        for edge, middle in around.get(start, ()):
            ones[middle.key] = ones.get(middle.key, 0.0) + _weight((edge,), start, direction)
            paths.setdefault(middle.key, []).append((edge,))
            for onward, end in around.get(middle.key, ()):
                if end.key == start or onward == edge:
                    continue
                twos[end.key] = twos.get(end.key, 0.0) + _weight((edge, onward), start, direction)
                paths.setdefault(end.key, []).append((edge, onward))
    found = []
    for key in ones.keys() | twos.keys():
        if key in starts or key.startswith("?"):
            continue
        score = 2 * (1 - 2 ** -ones.get(key, 0.0)) + (1 - 2 ** -twos.get(key, 0.0))
        shortest = sorted(paths[key], key=lambda path: (len(path), shown(path)))[:MOST_PATHS]
        found.append(Neighbour(key, score, tuple(shortest)))
    return sorted(found, key=lambda one: (-round(one.score, 12), one.memory_id))


def shown(path: Iterable[GraphEdge]) -> str:
    """A path as it is shown: its edges as stored."""
    return ", ".join(f"{edge.source.label} {edge.verb} {edge.target.label}" for edge in path)


def reached(named: Sequence[Node], first: Iterable[GraphEdge]) -> list[Node]:
    """Where the edges lead, without what is named."""
    starts = {node.key for node in named}
    ends = {node.key: node for edge in first for node in (edge.source, edge.target) if node.key not in starts}
    return list(ends.values())


def _by_node(edges: Iterable[GraphEdge]) -> Mapping[str, list[tuple[GraphEdge, Node]]]:
    """Each node's edges with their other ends; an edge that was found twice counts once.

    That two GitHub resources mention each other is one thing that GitHub tells of both.
    """
    around: dict[str, list[tuple[GraphEdge, Node]]] = {}
    seen: set[tuple[str, str, str]] = set()
    for edge in edges:
        ends = (edge.source.key, edge.target.key)
        identity = (edge.verb, *(sorted(ends) if edge.verb == "REFERENCES" else ends))
        if identity not in seen:
            seen.add(identity)
            around.setdefault(edge.source.key, []).append((edge, edge.target))
            around.setdefault(edge.target.key, []).append((edge, edge.source))
    return around


def _weight(path: Sequence[GraphEdge], start: str, direction: Direction) -> float:
    """What a path from `start` counts: fully in the direction that was asked for, and only on through chains."""
    if not direction:
        return 1.0
    here = start
    for edge in path:
        leads_out = edge.source.key == here
        if leads_out != (direction == "out") or (len(path) > 1 and edge.verb not in CHAIN):
            return OTHER_WAY
        here = edge.target.key if leads_out else edge.source.key
    return 1.0
