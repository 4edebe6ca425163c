"""The one fusion: recall orders its answer by it, telemetry asks it what a leg added. Pure.

A candidate is a mapping with memory_id, named (1, 2, ... in the order named, or None), superseded_by (a memory id or
None), age_days, and for each finding leg `<leg>_rank` (from 1; None: the leg did not have it) and `<leg>_z` (how good
the hit is in that leg's own list; the best of vec and lex is 1, graph counts edges).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import exp, inf
from typing import Any

FINDING = ("vec", "lex", "graph")
LEGS = (*FINDING, "temporal")
VOTES = tuple((leg, f"{leg}_rank", f"{leg}_z") for leg in FINDING)
NAMED = 8  # a bit beside those of the finding legs
ROUNDED = 1e-9  # more than rounding to 12 places can move
HEAD = 20  # so deep looks the successor rule

Candidate = Mapping[str, Any]


def found(candidate: Candidate, without: str = "") -> bool:
    """Whether the legs but one have it. Recency orders, it finds nothing; what is named is found by its address."""
    if candidate["named"] is not None:
        return True
    return any(candidate[rank] is not None and leg != without for leg, rank, _ in VOTES)


def had_a_say(leg: str, candidates: Sequence[Candidate]) -> bool:
    """Whether leaving a leg out can change the order of these: a finding leg that found none of them cannot."""
    return leg not in FINDING or any(candidate[f"{leg}_rank"] is not None for candidate in candidates)


def score(
    candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float, without: str = ""
) -> float:
    """Scaled reciprocal ranks, summed over the legs that have the candidate, times a bonus for being recent."""
    votes = 0.0
    for leg, rank, z in VOTES:
        if leg != without and (place := candidate[rank]) is not None:
            votes += weights.get(leg, 0) * candidate[z] / (k + place)
    recency = 0 if without == "temporal" else weights.get("temporal", 0)
    return votes * (1 + recency * exp(-candidate["age_days"] / half_life_days))


def by_score(
    candidates: Sequence[Candidate], weights: Mapping[str, float], k: float, half_life_days: float, without: str = ""
) -> list[Candidate]:
    """Named ones in the order named, then by score; equal to 12 places is equal, and the memory id decides."""

    def place(candidate: Candidate) -> tuple[bool, int, float, str]:
        points = round(score(candidate, weights, k, half_life_days, without), 12)
        return candidate["named"] is None, candidate["named"] or 0, -points, candidate["memory_id"]

    return sorted((candidate for candidate in candidates if found(candidate, without)), key=place)


def order(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    k: float,
    half_life_days: float,
    query_class: str,
    without: str = "",
) -> list[str]:
    """Memory ids, best first. A successor lower in the head moves up to directly before what it supersedes."""
    ranked = by_score(candidates, weights, k, half_life_days, without)
    if query_class == "historical":
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


def needed(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    k: float,
    half_life_days: float,
    query_class: str,
    n: int,
) -> set[str]:
    """Ids that must be held to find the first n of this fusion, and of each without one leg, again exactly."""
    depth = max(n, HEAD)
    ballots = [_ballot(candidate, weights, k, half_life_days) for candidate in candidates]
    ids: set[str] = set()
    for without in ("", *LEGS):
        if without and not had_a_say(without, candidates):
            continue  # as with all legs
        near = _near(candidates, ballots, 0 if without == "temporal" else weights.get("temporal", 0), without, depth)
        ranked = by_score(near, weights, k, half_life_days, without)
        deep = query_class != "historical" and any(candidate["superseded_by"] for candidate in ranked[:HEAD])
        ids.update(candidate["memory_id"] for candidate in ranked[: depth if deep else n])
    return ids


def _ballot(
    candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float
) -> tuple[float, float, float, float, int]:
    """The votes of vec, lex and graph, how recent it is, and who found it: a bit a leg, and NAMED."""
    found_by, votes = NAMED if candidate["named"] is not None else 0, [0.0, 0.0, 0.0]
    for number, (leg, rank, z) in enumerate(VOTES):
        if (place := candidate[rank]) is not None:
            votes[number] = weights.get(leg, 0) * candidate[z] / (k + place)
            found_by |= 1 << number
    return votes[0], votes[1], votes[2], exp(-candidate["age_days"] / half_life_days), found_by


def _near(
    candidates: Sequence[Candidate],
    ballots: Sequence[tuple[float, float, float, float, int]],
    recency: float,
    without: str,
    depth: int,
) -> list[Candidate]:
    """Those that can be among the first `depth` without a leg, for by_score to rank: most never come near."""
    vec, lex, graph = (leg != without for leg in FINDING)
    having = NAMED | vec | lex << 1 | graph << 2
    points = [
        (v * vec + x * lex + g * graph) * (1 + recency * e) if by & having else -inf for v, x, g, e, by in ballots
    ]
    least = nlargest(depth, points)[-1] - ROUNDED if len(points) > depth else -inf
    return [
        candidate
        for candidate, ballot, reached in zip(candidates, ballots, points, strict=True)
        if reached >= least or ballot[4] & NAMED
    ]
