"""The one fusion: recall orders its answer by it, telemetry asks it what a leg added. Pure.

A candidate is a mapping with memory_id, named (1, 2, ... in the order named, or None), superseded_by (a memory id or
None), age_days, and for each finding leg `<leg>_rank` (from 1; None: the leg did not have it) and `<leg>_z` (how good
the hit is in that leg's own list; the best of vec and lex is 1, graph counts edges).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

FINDING = ("vec", "lex", "graph")
LEGS = (*FINDING, "temporal")
HEAD = 20  # so deep looks the successor rule

Candidate = Mapping[str, Any]


def found(candidate: Candidate, without: str = "") -> bool:
    """Whether the legs but one have it. Recency orders, it finds nothing; what is named is found by its address."""
    if candidate["named"] is not None:
        return True
    return any(leg != without and candidate[f"{leg}_rank"] is not None for leg in FINDING)


def score(
    candidate: Candidate, weights: Mapping[str, float], k: float, half_life_days: float, without: str = ""
) -> float:
    """Scaled reciprocal ranks, summed over the legs that have the candidate, times a bonus for being recent."""
    votes = 0.0
    for leg in FINDING:
        if leg != without and candidate[f"{leg}_rank"] is not None:
            votes += weights.get(leg, 0) * candidate[f"{leg}_z"] / (k + candidate[f"{leg}_rank"])
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
    ids: set[str] = set()
    for without in ("", *LEGS):
        ranked = by_score(candidates, weights, k, half_life_days, without)
        deep = query_class != "historical" and any(candidate["superseded_by"] for candidate in ranked[:HEAD])
        ids.update(candidate["memory_id"] for candidate in ranked[: max(n, HEAD) if deep else n])
    return ids
