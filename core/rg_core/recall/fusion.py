"""The one fusion: recall orders its answer by it, telemetry asks it what a leg added. Pure.

A candidate is a mapping with memory_id, named (1, 2, ... in the order named, or None), superseded_by (a memory id or
None), age_days, and for each finding leg `<leg>_rank` (from 1; None: the leg did not have it) and `<leg>_z` (how good
the hit is in that leg's own list; the best of vec and lex is 1, graph counts edges).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import combinations
from math import exp
from operator import add, mul, or_
from typing import Any

FINDING = ("vec", "lex", "graph")
LEGS = (*FINDING, "temporal")
COLUMNS = tuple((leg, f"{leg}_rank", f"{leg}_z") for leg in FINDING)
FOUND = {leg: 1 << number for number, leg in enumerate(FINDING)}  # a bit each
NAMED = 1 << len(FINDING)
ROUNDED = 1e-9  # more than rounding to 12 places can move
HEAD = 20  # so deep looks the successor rule

Candidate = Mapping[str, Any]


class Fusion:
    """Candidates of one recall, weighed once; ordered with all legs, or without any one, as often as is asked."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        weights: Mapping[str, float],
        k: float,
        half_life_days: float,
        query_class: str,
    ) -> None:
        self.candidates, self.query_class = candidates, query_class
        self._named = [number for number, candidate in enumerate(candidates) if candidate["named"] is not None]
        self._found_by = [0 if candidate["named"] is None else NAMED for candidate in candidates]
        self._votes = {leg: [0.0] * len(candidates) for leg in FINDING}
        for leg, rank, z in COLUMNS:
            votes, weight = self._votes[leg], weights.get(leg, 0)
            for number, candidate in enumerate(candidates):
                if (place := candidate[rank]) is not None:
                    votes[number] = vote(weight, candidate[z], k, place)
                    self._found_by[number] |= FOUND[leg]
        recency = weights.get("temporal", 0)
        self._bonus = [1 + recency * exp(-candidate["age_days"] / half_life_days) for candidate in candidates]

    def order(self, without: str = "") -> list[str]:
        """Memory ids, best first. A successor lower in the head moves up to directly before what it supersedes."""
        ranked = self._ranked(without) if without else self._whole
        if self.query_class == "historical":
            return [candidate["memory_id"] for candidate in ranked]
        head = {candidate["memory_id"]: candidate for candidate in ranked[:HEAD]}
        placed: dict[str, None] = {}
        for candidate in ranked[:HEAD]:
            chain: list[str] = []
            link: Candidate | None = candidate
            while link is not None and link["memory_id"] not in placed and link["memory_id"] not in chain:
                chain.append(link["memory_id"])
                # what was asked for by name keeps its place
                link = head.get(link["superseded_by"]) if link["named"] is None else None
            placed.update(dict.fromkeys(reversed(chain)))
        return [*placed, *(candidate["memory_id"] for candidate in ranked[HEAD:])]

    def scores(self) -> dict[str, float]:
        """By memory id: scaled reciprocal ranks, summed over the legs that have it, times a bonus for being recent."""
        return dict(zip((candidate["memory_id"] for candidate in self.candidates), self._scores(""), strict=True))

    def had_a_say(self, leg: str) -> bool:
        """Whether leaving a leg out can change the order: a finding leg that found none of these cannot."""
        return leg not in FINDING or bool(self._finders & FOUND[leg])

    def needed(self, n: int) -> set[str]:
        """Ids that must be held to find the first n of this order, and of each without one leg, again exactly."""
        chained = self.query_class != "historical" and any(one["superseded_by"] for one in self.candidates)
        depth = max(n, HEAD) if chained else n
        ids: set[str] = set()
        for without in ("", *(leg for leg in LEGS if self.had_a_say(leg))):
            ranked = self._ranked(without, depth) if without else self._whole
            deep = chained and any(one["superseded_by"] for one in ranked[:HEAD])
            ids.update(candidate["memory_id"] for candidate in ranked[: depth if deep else n])
        return ids

    @cached_property
    def _finders(self) -> int:
        """All that found any of them."""
        return reduce(or_, self._found_by, 0)

    @cached_property
    def _whole(self) -> list[Candidate]:
        """All of them, ranked with all legs."""
        return self._ranked("")

    def _scores(self, without: str) -> list[float]:
        """The scores without a leg; 0 for what no other leg has. Recency orders, it finds nothing."""
        legs: list[Iterable[float]] = [votes for leg, votes in self._votes.items() if leg != without]
        votes = reduce(lambda one, other: map(add, one, other), legs)
        return list(votes if without == "temporal" else map(mul, votes, self._bonus))

    def _ranked(self, without: str, depth: int = 0) -> list[Candidate]:
        """Named ones in the order named, then by score; equal to 12 places is equal, and the memory id decides.

        With a `depth`, the first so many are right and most of the others are left out, which is quicker.
        """
        scores = self._scores(without)
        finders = NAMED | sum(bit for leg, bit in FOUND.items() if leg != without)
        near: Iterable[int] = range(len(scores))
        if 0 < depth < len(scores) and (least := sorted(scores)[-depth] - ROUNDED) > 0:  # so many have votes
            near = dict.fromkeys([*self._named, *(number for number in near if scores[number] >= least)])
        rows = []
        for number in near:
            if self._found_by[number] & finders:
                candidate = self.candidates[number]
                named = candidate["named"]
                rows.append((named is None, named or 0, -round(scores[number], 12), candidate["memory_id"], number))
        return [self.candidates[row[-1]] for row in sorted(rows)]


def order(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    k: float,
    half_life_days: float,
    query_class: str,
    without: str = "",
) -> list[str]:
    """The order of a Fusion of these."""
    return Fusion(candidates, weights, k, half_life_days, query_class).order(without)


def leading(lists: Sequence[Mapping[str, float]], recency: float, n: int) -> set[str]:
    """Ids of those that can be among the first `n`, however old they are: with all legs, or without any one.

    Args:
        lists: the votes of legs, by memory id.
        recency: the weight of being recent.
        n: how many; at least HEAD where the successor rule counts.
    """
    ids: set[str] = set()
    for voting in (lists, *combinations(lists, len(lists) - 1)):
        votes: dict[str, float] = {}
        for one in voting:
            for id_, points in one.items():
                votes[id_] = votes.get(id_, 0.0) + points
        least = sorted(min(points, points * (1 + recency)) for points in votes.values())[-n:][:1]
        for id_, points in votes.items():
            if max(points, points * (1 + recency)) >= least[0] - ROUNDED:
                ids.add(id_)
    return ids


def vote(weight: float, z: float, k: float, rank: int) -> float:
    """What a leg gives a hit: its weight times how good the hit is, the less the further down it stands."""
    return weight * z / (k + rank)
