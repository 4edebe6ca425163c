"""The one fusion: recall orders its answer by it, telemetry asks it what a leg added. Pure.

A candidate is a mapping with memory_id, named (1, 2, ... in the order named, or None), superseded_by (a memory id or
None), age_days, and for each finding leg `<leg>_rank` (from 1; None: the leg did not have it) and `<leg>_z` (how good
the hit is in that leg's own list; the best of vec and lex is 1, graph counts edges).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from itertools import combinations
from math import exp, inf
from operator import or_
from typing import Any

FINDING = ("vec", "lex", "graph")
LEGS = (*FINDING, "temporal")
COLUMNS = tuple((leg, f"{leg}_rank", f"{leg}_z") for leg in FINDING)
NAMED, NOT_FOUND = 8, -inf  # a bit beside those of the finding legs; a score below every other
ROUNDED = 1e-9  # more than rounding to 12 places can move
HEAD = 20  # so deep looks the successor rule

Candidate = Mapping[str, Any]
Votes = tuple[float, float, float, float, int]


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
        self._recency = weights.get("temporal", 0)
        self._votes = [_votes(candidate, weights, k, half_life_days) for candidate in candidates]
        self._found_by = reduce(or_, (votes[-1] for votes in self._votes), 0)
        self._named = [number for number, candidate in enumerate(candidates) if candidate["named"] is not None]

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
        scores = self._scores("")
        return {
            candidate["memory_id"]: 0.0 if points == NOT_FOUND else points
            for candidate, points in zip(self.candidates, scores, strict=True)
        }

    def had_a_say(self, leg: str) -> bool:
        """Whether leaving a leg out can change the order: a finding leg that found none of these cannot."""
        return leg not in FINDING or bool(self._found_by & 1 << FINDING.index(leg))

    def needed(self, n: int) -> set[str]:
        """Ids that must be held to find the first n of this order, and of each without one leg, again exactly."""
        depth = max(n, HEAD)
        ids: set[str] = set()
        for without in ("", *(leg for leg in LEGS if self.had_a_say(leg))):
            ranked = self._ranked(without, depth) if without else self._whole
            deep = self.query_class != "historical" and any(one["superseded_by"] for one in ranked[:HEAD])
            ids.update(candidate["memory_id"] for candidate in ranked[: depth if deep else n])
        return ids

    @cached_property
    def _whole(self) -> list[Candidate]:
        """All of them, ranked with all legs."""
        return self._ranked("")

    def _scores(self, without: str) -> list[float]:
        """The scores without a leg; NOT_FOUND for what only that leg has. Recency orders, it finds nothing."""
        vec, lex, graph = (leg != without for leg in FINDING)
        finding = NAMED | vec | lex << 1 | graph << 2
        recency = 0 if without == "temporal" else self._recency
        return [
            (v * vec + w * lex + g * graph) * (1 + recency * recent) if found_by & finding else NOT_FOUND
            for v, w, g, recent, found_by in self._votes
        ]

    def _ranked(self, without: str, depth: int = 0) -> list[Candidate]:
        """Named ones in the order named, then by score; equal to 12 places is equal, and the memory id decides.

        With a `depth`, the first so many are right and most of the others are left out, which is quicker.
        """
        scores = self._scores(without)
        least = sorted(scores)[-depth] - ROUNDED if 0 < depth < len(scores) else NOT_FOUND
        near = [number for number, points in enumerate(scores) if points >= least] + self._named
        rows = []
        for number in dict.fromkeys(near):
            if (points := scores[number]) != NOT_FOUND:
                candidate = self.candidates[number]
                named = candidate["named"]
                rows.append((named is None, named or 0, -round(points, 12), candidate["memory_id"], number))
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


def _votes(candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float) -> Votes:
    """The votes of vec, lex and graph; how recent it is; who found it, a bit each: a leg, or its name (NAMED)."""
    found_by, votes = NAMED if candidate["named"] is not None else 0, [0.0, 0.0, 0.0]
    for number, (leg, rank, z) in enumerate(COLUMNS):
        if (place := candidate[rank]) is not None:
            votes[number] = vote(weights.get(leg, 0), candidate[z], k, place)
            found_by |= 1 << number
    return votes[0], votes[1], votes[2], exp(-candidate["age_days"] / half_life_days), found_by
