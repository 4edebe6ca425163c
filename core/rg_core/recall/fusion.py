"""The one fusion: recall orders its answer by it, telemetry asks it what a leg added. Pure.

A candidate is a mapping with memory_id, named (1, 2, ... in the order named, or None), superseded_by (a memory id or
None), age_days, and for each finding leg `<leg>_rank` (from 1; None: the leg did not have it) and `<leg>_z` (how good
the hit is in that leg's own list; the best of vec and lex is 1, graph counts edges).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from math import exp, inf
from typing import Any

FINDING = ("vec", "lex", "graph")
LEGS = (*FINDING, "temporal")
COLUMNS = tuple((leg, f"{leg}_rank", f"{leg}_z") for leg in FINDING)
NAMED, NOT_FOUND = 8, -inf  # a bit beside those of the finding legs; a score below every other
ROUNDED = 1e-9  # more than rounding to 12 places can move
HEAD = 20  # so deep looks the successor rule

Candidate = Mapping[str, Any]
Votes = tuple[float, float, float, float, int]


def had_a_say(leg: str, candidates: Sequence[Candidate]) -> bool:
    """Whether leaving a leg out can change the order of these: a finding leg that found none of them cannot."""
    return leg not in FINDING or any(candidate[f"{leg}_rank"] is not None for candidate in candidates)


def score(candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float) -> float:
    """Scaled reciprocal ranks, summed over the legs that have the candidate, times a bonus for being recent."""
    (points,) = _scores([_votes(candidate, weights, k, half_life_days)], weights, "")
    return 0.0 if points == NOT_FOUND else points


def order(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    k: float,
    half_life_days: float,
    query_class: str,
    without: str = "",
) -> list[str]:
    """Memory ids, best first. A successor lower in the head moves up to directly before what it supersedes."""
    return orders(candidates, weights, k, half_life_days, query_class, (without,))[without]


def orders(
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    k: float,
    half_life_days: float,
    query_class: str,
    without: Iterable[str],
) -> dict[str, list[str]]:
    """The order without each of these legs; "" stands for the one with all."""
    votes = [_votes(candidate, weights, k, half_life_days) for candidate in candidates]
    return {leg: _succeeded(_ranked(candidates, votes, weights, leg), query_class) for leg in without}


def _succeeded(ranked: Sequence[Candidate], query_class: str) -> list[str]:
    """Their ids, with successors moved up where the question is not about how it was."""
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
    votes = [_votes(candidate, weights, k, half_life_days) for candidate in candidates]
    ids: set[str] = set()
    for without in ("", *LEGS):
        if without and not had_a_say(without, candidates):
            continue  # as with all legs
        ranked = _ranked(candidates, votes, weights, without, depth)
        deep = query_class != "historical" and any(candidate["superseded_by"] for candidate in ranked[:HEAD])
        ids.update(candidate["memory_id"] for candidate in ranked[: depth if deep else n])
    return ids


def _votes(candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float) -> Votes:
    """The votes of vec, lex and graph; how recent it is; who found it, a bit each: a leg, or its name (NAMED)."""
    found_by, votes = NAMED if candidate["named"] is not None else 0, [0.0, 0.0, 0.0]
    for number, (leg, rank, z) in enumerate(COLUMNS):
        if (place := candidate[rank]) is not None:
            votes[number] = weights.get(leg, 0) * candidate[z] / (k + place)
            found_by |= 1 << number
    return votes[0], votes[1], votes[2], exp(-candidate["age_days"] / half_life_days), found_by


def _scores(votes: Sequence[Votes], weights: Mapping[str, float], without: str) -> list[float]:
    """The scores of these without a leg; NOT_FOUND for what only that leg has. Recency orders, it finds nothing."""
    vec, lex, graph = (leg != without for leg in FINDING)
    finding = NAMED | vec | lex << 1 | graph << 2
    recency = 0 if without == "temporal" else weights.get("temporal", 0)
    return [
        (v * vec + w * lex + g * graph) * (1 + recency * recent) if found_by & finding else NOT_FOUND
        for v, w, g, recent, found_by in votes
    ]


def _ranked(
    candidates: Sequence[Candidate], votes: Sequence[Votes], weights: Mapping[str, float], without: str, depth: int = 0
) -> list[Candidate]:
    """Named ones in the order named, then by score; equal to 12 places is equal, and the memory id decides.

    With a `depth`, the first so many are right and most of the others are left out, which is quicker.
    """
    scores = _scores(votes, weights, without)
    least = nlargest(depth, scores)[-1] - ROUNDED if 0 < depth < len(scores) else NOT_FOUND
    rows = [
        (candidate["named"] is None, candidate["named"] or 0, -round(points, 12), candidate["memory_id"], number)
        for number, (candidate, points) in enumerate(zip(candidates, scores, strict=True))
        if points != NOT_FOUND and (points >= least or candidate["named"] is not None)
    ]
    return [candidates[row[-1]] for row in sorted(rows)]
