"""An answer of recall, handed over by the tool or the command that gives it: one event, and the id that it prints.

Recall knows nothing of this. A candidate of its answer has what the fusion took, its score and its card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rg_core import times
from rg_core.recall.answer import Findings
from rg_core.telemetry.estimate import size
from rg_core.telemetry.events import Caller, Candidate, Recall
from rg_core.telemetry.log import EventLog


def tell(
    events: EventLog,
    caller: Caller,
    answer: Findings,
    render: Callable[[str], str],
    *,
    took_ms: float,
    shown: int,
) -> str:
    """Write the event of an answer, and give its text, which names the event's id if that could be written.

    Args:
        events: the log.
        caller: who asked.
        answer: what recall answered.
        render: the text of the answer with an id, or with "".
        took_ms: how long it took.
        shown: how many results the text shows.
    """
    name = events.recall_id()
    text = render(name)
    event = recall_of(answer, size(text), took_ms=took_ms, shown=shown)
    written = events.recall(name, caller, event, times.now())
    if written is False:  # another recall has this id, once in years
        return tell(events, caller, answer, render, took_ms=took_ms, shown=shown)
    return text if written else render("")


def last_line(recall_id: str) -> str:
    """The line under an answer that says how to tell what helped; "" without an id."""
    return f'Used one? cite({{"recall": "{recall_id}", "memory": [1]}})' if recall_id else ""


def recall_of(answer: Findings, payload_bytes: int, *, took_ms: float, shown: int) -> Recall:
    """The record of an answer: of a first page with the candidates that fusing again needs, else with what it shows."""
    places = {result.memory_id: result.position for result in answer.results[:shown]}
    weights = {name: leg.weight for name, leg in answer.legs.items()}
    wanted = set(places)
    if answer.question.page == 1:
        wanted |= answer.fusion.needed(shown)
    return Recall(
        query=answer.question.query,
        query_class=answer.query_class,
        as_of=answer.question.as_of,
        page=answer.question.page,
        result_count=shown,
        candidate_count=answer.candidate_count,
        payload_bytes=payload_bytes,
        took_ms=took_ms,
        match=answer.match,
        weights=weights,
        rrf_k=answer.k,
        half_life_days=answer.half_life_days,
        candidates=tuple(
            _candidate(row, places.get(row["memory_id"])) for row in answer.candidates if row["memory_id"] in wanted
        ),
    )


def _candidate(row: Mapping[str, Any], position: int | None) -> Candidate:
    card = row["card"]
    return Candidate(
        row["memory_id"], card.kind, card.address, card.state_id, position, row["score"], row["named"],
        row["vec_rank"], row["lex_rank"], row["graph_rank"], row["vec_z"], row["lex_z"], row["graph_z"],
        row["age_days"], card.superseded, row["superseded_by"],
    )  # fmt: skip
