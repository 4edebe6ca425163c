"""One recall: the legs asked of everything that can be searched, fused, and made into an answer.

Knows neither files nor configuration nor telemetry: what it searches and how it weighs comes in, the Findings goes out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from math import exp
from typing import Any

from rg_core.documents.tokens import PREFIXES
from rg_core.recall import fusion, graph
from rg_core.recall.answer import Findings, Leg, Question, Result, Staleness
from rg_core.recall.folding import unfolded
from rg_core.recall.naming import named
from rg_core.recall.places import Places
from rg_core.recall.query_class import asks_relations, direction, query_class
from rg_core.recall.snippet import snippet, sought
from rg_core.recall.terms import terms
from rg_core.recall.vectors import BROKEN, MISSING, MODEL, NONE_STORED
from rg_core.recall.weights import HALF_LIFE_DAYS, MEASURED, K, Weights
from rg_core.store.search import Card, Hit, Node, Scope, Searchable, Term

DEPTH = 100  # of a leg's list
WEAK_COSINE, WEAK_COVERAGE, WEAK_COVERAGE_ALONE = 0.45, 0.6, 0.5
NO_WORDS = "The question has no words to search for."
NO_HIT = "No text has the question's words."
NO_NEAR = "Nothing that was asked for has vectors."
NO_GRAPH = "The question names nothing that has relations."


@dataclass(frozen=True, slots=True)
class Setting:
    """What a recall runs with."""

    user: str
    searched: Sequence[Searchable]
    now: datetime
    embed: Callable[[Sequence[str]], Any] | None = None  # unit vectors of texts; None: no vector leg
    weights: Weights = field(default_factory=lambda: Weights(MEASURED, {}, boost=True))
    prefixes: Sequence[str] = PREFIXES
    projects: Sequence[str] = ()
    legs: Sequence[str] = fusion.FINDING  # the others are off
    why_no_vectors: str = MISSING
    verified: Callable[[Sequence[Card]], Mapping[str, str]] = lambda _: {}  # by memory id, when last seen to hold
    notes: Sequence[str] = ()


@dataclass(slots=True)
class _Leg:
    """A leg's list, merged over all that was searched, and its ranks."""

    raw: dict[str, float] = field(default_factory=dict)
    z: dict[str, float] = field(default_factory=dict)
    rank: dict[str, int] = field(default_factory=dict)
    why_not: str = ""


def recall(question: Question, setting: Setting) -> Findings:
    """Answer a question.

    Raises:
        StoreUnavailable: when something that is searched is away.
    """
    scope = Scope(
        setting.user, question.as_of, question.kinds, question.repository, question.project, tuple(setting.projects)
    )
    places = Places(setting.searched)
    asked = terms(question.query)
    names = _named(question, setting, places, scope)
    legs = {"vec": _Leg(), "lex": _Leg(), "graph": _Leg()}
    texts = places.lexical(asked, scope, DEPTH) if asked and "lex" in setting.legs else []
    legs["lex"].why_not = NO_HIT if asked else NO_WORDS
    vectors = _vectors(legs["vec"], question, setting, places, scope) if "vec" in setting.legs else []
    near, related = _graph(names, question, places, scope) if "graph" in setting.legs else ([], False)
    lists: dict[str, list[Sequence[Hit]]] = {"lex": [one.hits for one in texts], "vec": vectors}
    class_ = query_class(question.query, question.as_of)
    weights = setting.weights.of(class_, relations=related and asks_relations(question.query))
    weights |= {leg: 0.0 for leg in fusion.FINDING if leg not in setting.legs}
    first = (question.page - 1) * question.limit
    sure = [node.memory_id for node in names if node.memory_id] + [one.memory_id for one in near]
    cards, unread = _read(sure, lists, legs, weights, first + question.limit, places, scope)
    stored = [id_ for id_ in dict.fromkeys(node.memory_id for node in names) if id_ in cards]
    _rank(legs["graph"], ((one.memory_id, one.score) for one in near if one.memory_id in cards))
    legs["graph"].raw, legs["graph"].why_not = legs["graph"].z, NO_GRAPH
    coverage = max((one.coverage for one in texts), default=0.0)
    then = datetime.fromisoformat(question.as_of) if question.as_of else setting.now
    candidates = {id_: _candidate(card, stored, legs, then) for id_, card in cards.items()}
    fused = fusion.Fusion(list(candidates.values()), weights, K, HALF_LIFE_DAYS, class_)
    order, scores = fused.order(), fused.scores()
    shown = order[first : first + question.limit]
    paths = {one.memory_id: tuple(map(graph.shown, one.paths)) for one in near}
    results = _results(shown, first, cards, candidates, legs, scores, paths, asked, setting, places, scope)
    strong = bool(stored) or not _is_weak(legs["vec"], coverage)
    return Findings(
        question, class_, "strong" if strong and order else "weak", len(order) + unread > first + question.limit, K,
        HALF_LIFE_DAYS, _legs(legs, weights, bool(order)), results,
        tuple(dict(candidates[id_], score=scores[id_], card=cards[id_]) for id_ in order),
        len(order) + unread, fused, tuple(setting.notes),
        places.known_since(scope) if question.as_of and not order else None,
    )  # fmt: skip


def _named(question: Question, setting: Setting, places: Places, scope: Scope) -> list[Node]:
    """What the query names, stored or only spoken of, in the order in which it does."""
    asked = named(question.query, setting.prefixes, setting.projects)
    by_name = places.named([name for one in asked for name in one.names], scope)
    found: list[Node] = []
    for one in asked:
        if one.number:
            numbered = places.numbered(one.number, scope)
            found += numbered if len(numbered) == 1 else ()
        for name in one.names:
            found += by_name[name]
    return list({node.key: node for node in found}.values())


def _vectors(leg: _Leg, question: Question, setting: Setting, places: Places, scope: Scope) -> list[Sequence[Hit]]:
    """The vector lists, or why there are none."""
    if setting.embed is None:
        leg.why_not = setting.why_no_vectors
        return []
    matrix = setting.embed([question.query]) if question.query.strip() else None
    if matrix is None:
        leg.why_not = BROKEN if question.query.strip() else NO_WORDS
        return []
    found = places.similar(matrix[0], MODEL, scope, DEPTH)
    leg.why_not = NO_NEAR if found else NONE_STORED
    return found


def _graph(
    names: Sequence[Node], question: Question, places: Places, scope: Scope
) -> tuple[list[graph.Neighbour], bool]:
    """What stands near the named things, and whether those have any relation."""
    first = places.edges(names, scope)
    if not first:
        return [], False
    second = places.edges(graph.reached(names, first), scope)
    return graph.neighbours(names, first, second, direction(question.query)), True


def _read(
    sure: Sequence[str], lists: Mapping[str, Sequence[Sequence[Hit]]], legs: Mapping[str, _Leg],
    weights: Mapping[str, float], shown: int, places: Places, scope: Scope,
) -> tuple[dict[str, Card], int]:  # fmt: skip
    """The cards of what can be shown or fused again, with the legs ranked; and how many hits have none.

    What is too far down to get there is not read. Of several places everything is: only the cards tell which of their
    hits are of one thing.
    """
    hits = {hit.memory_id for each in lists.values() for some in each for hit in some}
    if len(places.each) == 1:
        votes = []
        for name, each in lists.items():
            _merge(legs[name], each, hits)
            ranks = legs[name].rank
            votes.append({id_: fusion.vote(weights[name], z, K, ranks[id_]) for id_, z in legs[name].z.items()})
        leading = fusion.leading(votes, weights["temporal"], max(shown, fusion.HEAD))
        cards = places.cards(list(dict.fromkeys([*sure, *leading])), scope)
        if leading <= cards.keys():
            return cards, len(hits - set(sure) - leading)
    cards = places.cards(list(dict.fromkeys([*sure, *hits])), scope)
    for name, each in lists.items():
        _merge(legs[name], each, cards)
    return cards, 0


def _merge(leg: _Leg, lists: Sequence[Sequence[Hit]], known: Container[str]) -> None:
    """Put the lists of several places into one, each scaled by its own best; of one memory in two the better."""
    leg.raw, leg.z, leg.rank = {}, {}, {}
    merged: dict[str, float] = {}
    for hits in lists:
        best = max((hit.score for hit in hits), default=0.0)
        for hit in hits:
            if hit.memory_id in known:
                scaled = hit.score / best if best > 0 else 0.0
                merged[hit.memory_id] = max(scaled, merged.get(hit.memory_id, scaled))
                leg.raw[hit.memory_id] = max(hit.score, leg.raw.get(hit.memory_id, hit.score))
    order = sorted((-z, id_) for id_, z in merged.items())
    _rank(leg, ((id_, -z) for z, id_ in order))


def _rank(leg: _Leg, scores: Iterable[tuple[str, float]]) -> None:
    """Competition ranks of memory ids, best first: equal scores share one."""
    before, rank = None, 0
    for place, (id_, score) in enumerate(islice(scores, DEPTH), 1):
        rounded = round(score, 12)
        if rounded != before:
            rank, before = place, rounded
        leg.rank[id_], leg.z[id_] = rank, score


def _candidate(card: Card, stored: Sequence[str], legs: Mapping[str, _Leg], then: datetime) -> dict[str, Any]:
    """What the fusion takes of a memory."""
    id_ = card.memory_id
    age = (then - _instant(card.updated_at)).total_seconds() / 86_400
    candidate: dict[str, Any] = {
        "memory_id": id_,
        "named": stored.index(id_) + 1 if id_ in stored else None,
        "superseded_by": card.superseded_by,
        "age_days": max(0.0, age),
    }
    for name, leg in legs.items():
        candidate[f"{name}_rank"] = leg.rank.get(id_)
        candidate[f"{name}_z"] = leg.z.get(id_)
    return candidate


def _results(
    shown: Sequence[str], first: int, cards: Mapping[str, Card], candidates: Mapping[str, Mapping[str, Any]],
    legs: Mapping[str, _Leg], scores: Mapping[str, float], paths: Mapping[str, tuple[str, ...]],
    asked: Sequence[Term], setting: Setting, places: Places, scope: Scope,
) -> tuple[Result, ...]:  # fmt: skip
    verified = setting.verified([cards[id_] for id_ in shown])
    everything = Scope(scope.user, scope.as_of, projects=scope.projects)
    successors = places.cards([by for id_ in shown if (by := cards[id_].superseded_by)], everything)
    texts, wanted = places.passages(shown, asked, scope), sought(asked)
    results = []
    for position, id_ in enumerate(shown, first + 1):
        card, candidate = cards[id_], candidates[id_]
        results.append(
            Result(
                position, card.address, id_, card.state_id, card.kind, unfolded(card.title),
                snippet(texts.get(id_, ""), wanted),
                scores[id_], candidate, {name: leg.raw.get(id_, 0.0) for name, leg in legs.items()},
                exp(-candidate["age_days"] / HALF_LIFE_DAYS), paths.get(id_, ()),
                Staleness(
                    verified.get(id_), candidate["age_days"], card.superseded, card.superseded_by,
                    successors[card.superseded_by].address if card.superseded_by in successors else "",
                ),
            )
        )  # fmt: skip
    return tuple(results)


def _legs(legs: Mapping[str, _Leg], weights: Mapping[str, float], any_found: bool) -> dict[str, Leg]:
    shown = {
        name: Leg(weights[name], bool(leg.rank), "" if leg.rank or not weights[name] else leg.why_not)
        for name, leg in legs.items()
    }
    return shown | {"temporal": Leg(weights["temporal"], any_found)}


def _is_weak(vec: _Leg, coverage: float) -> bool:
    """Whether nothing in memory matches well: measured on questions asked of their own corpus and of others."""
    if vec.rank:
        return max(vec.raw.values()) < WEAK_COSINE and coverage < WEAK_COVERAGE
    return coverage < WEAK_COVERAGE_ALONE


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # a source that tells no time
        return datetime.fromtimestamp(0, UTC)
