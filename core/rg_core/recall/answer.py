"""What recall answers: values, and the JSON object that they are. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rg_core.recall.fusion import Fusion

Match = Literal["strong", "weak"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, checked and normalised. `page` has `limit` results, from 1 on."""

    query: str
    as_of: str | None = None
    kinds: tuple[str, ...] = ()
    repository: str = ""
    project: str = ""
    limit: int = 10
    page: int = 1


@dataclass(frozen=True, slots=True)
class Leg:
    """How a leg took part: the weight as used (0: off), whether it voted, and why not, as a sentence."""

    weight: float
    voted: bool
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Staleness:
    """How far a result can be trusted to hold."""

    last_verified_at: str | None
    age_days: float
    superseded: bool
    superseded_by: str | None  # a memory id
    successor: str = ""  # its address


@dataclass(frozen=True, slots=True)
class Result:
    """One memory in an answer. `candidate` is what the fusion took, unrounded (rg_core.recall.fusion)."""

    position: int
    address: str
    memory_id: str
    state_id: str
    kind: str
    title: str
    snippet: str
    score: float
    candidate: Mapping[str, Any]
    raw: Mapping[str, float]  # by leg: cosine, BM25, graph score
    temporal_score: float
    paths: tuple[str, ...]
    staleness: Staleness


@dataclass(frozen=True, slots=True)
class Findings:
    """The whole answer. `candidates` are those that `fusion` ranked, best first, for whoever fuses them again.

    They are all that can be among the first, with all legs or without any one; `candidate_count` were found.
    """

    question: Question
    query_class: str
    match: Match
    more: bool
    k: float
    half_life_days: float
    legs: Mapping[str, Leg]
    results: tuple[Result, ...]
    candidates: tuple[Mapping[str, Any], ...]
    candidate_count: int
    fusion: Fusion
    notes: tuple[str, ...] = field(default=())  # what a reader must know: an index that is being built, ...
    known_since: str | None = None  # of an as_of before anything: since when something is known


def as_json(answer: Findings, recall_id: str | None = None) -> dict[str, Any]:
    """The answer as one JSON object; numbers are rounded for reading."""
    question = answer.question
    return {
        "recall": recall_id,
        "query": question.query,
        "class": answer.query_class,
        "as_of": question.as_of,
        "match": answer.match,
        "page": question.page,
        "more": answer.more,
        "k": answer.k,
        "half_life_days": answer.half_life_days,
        "legs": {name: {"weight": leg.weight, "voted": leg.voted} for name, leg in answer.legs.items()},
        "results": [_result(result) for result in answer.results],
    }


def rounded(number: float) -> float:
    """A number to three significant places."""
    return float(f"{number:.3g}")


def _result(result: Result) -> dict[str, Any]:
    return {
        "position": result.position,
        "address": result.address,
        "memory_id": result.memory_id,
        "kind": result.kind,
        "title": result.title,
        "snippet": result.snippet,
        "score": rounded(result.score),
        "named": result.candidate["named"],
        "legs": {leg: _leg(result, leg) for leg in ("vec", "lex", "graph")},
        "temporal_score": rounded(result.temporal_score),
        "paths": list(result.paths),
        "staleness": {
            "last_verified_at": result.staleness.last_verified_at,
            "age_days": round(result.staleness.age_days),
            "superseded": result.staleness.superseded,
            "superseded_by": result.staleness.superseded_by,
        },
    }


def _leg(result: Result, leg: str) -> dict[str, Any] | None:
    rank = result.candidate[f"{leg}_rank"]
    if rank is None:
        return None
    return {"rank": rank, "z": rounded(result.candidate[f"{leg}_z"]), "raw": rounded(result.raw[leg])}
