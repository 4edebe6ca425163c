"""Events of recall: one a call, and its kept rows, fused again, give its order with all legs and without each."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core import paths
from rg_core.recall.fusion import LEGS, Fusion, order
from rg_core.telemetry.log import EventLog, trouble
from rg_core.telemetry.recalled import last_line, recall_of, tell
from tests.core.telemetry import facts

CASES = [
    row
    for line in (Path(__file__).parents[1] / "recall" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    if (row := json.loads(line))["kind"] == "fusion"
]
How = tuple[dict[str, float], float, float, str]  # weights, k, half-life in days, query class
KEYS = ("named", "superseded_by", *(f"{leg}_{what}" for leg in ("vec", "lex", "graph") for what in ("rank", "z")))


def answer(candidates: list[dict[str, Any]], how: How, *, limit: int = 10, page: int = 1) -> Any:
    """What recall answers where these are the candidates."""
    weights, k, half_life, query_class = how
    ids = order(candidates, *how)
    by_id = {candidate["memory_id"]: candidate for candidate in candidates}
    rows = [
        by_id[id_] | {"score": 1.0, "position": place, "card": SimpleNamespace(
            kind="issue", address=f"github:o/r#{id_}", state_id="s", superseded=bool(by_id[id_]["superseded_by"]))}
        for place, id_ in enumerate(ids, 1)
    ]  # fmt: skip
    first = (page - 1) * limit
    results = [
        SimpleNamespace(memory_id=row["memory_id"], position=row["position"]) for row in rows[first : first + limit]
    ]
    return SimpleNamespace(
        question=SimpleNamespace(query="why walrus", as_of=None, page=page), query_class=query_class, match="strong",
        k=k, half_life_days=half_life, legs={leg: SimpleNamespace(weight=weights.get(leg, 0)) for leg in LEGS},
        results=results, candidates=rows, candidate_count=len(rows), fusion=Fusion(rows, *how),
    )  # fmt: skip


def check_fused_again(home: dict[str, str], candidates: list[dict[str, Any]], how: How, limit: int) -> None:
    """Write the event, read its rows back, and fuse those: nothing of the first page may differ."""
    given_answer = answer(candidates, how, limit=limit)
    shown = len(given_answer.results)
    facts.note(home, "raaaaa", recall_of(given_answer, 500, took_ms=2.0, shown=shown))
    kept = facts.rows(home, "recall_candidate")
    for without in ("", *LEGS):
        assert order(kept, *how, without=without)[:shown] == order(candidates, *how, without=without)[:shown]


@pytest.mark.parametrize("row", CASES, ids=[row["name"] for row in CASES])
def test_a_case_fused_again_from_its_kept_rows(home: dict[str, str], row: dict[str, Any]) -> None:
    candidates = [dict.fromkeys(KEYS) | candidate for candidate in row["candidates"]]
    check_fused_again(home, candidates, (row["weights"], row["k"], row["half_life_days"], row["class"]), 10)


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_a_random_pool_fused_again_from_its_kept_rows(seed: int) -> None:
    random = Random(seed)
    weights = {leg: random.choice((0, 1, 2, 8)) for leg in ("vec", "lex", "graph")} | {
        "temporal": random.choice((0, 0.1, 1))
    }
    candidates: list[dict[str, Any]] = []
    for number in range(random.choice((3, 25, 60))):
        ranks: dict[str, Any] = {}
        for leg in ("vec", "lex", "graph"):
            has = weights[leg] > 0 and random.random() < 0.5
            ranks |= {
                f"{leg}_rank": random.randrange(1, 30) if has else None,
                f"{leg}_z": random.random() if has else None,
            }
        candidates.append(ranks | {
            "memory_id": f"M{number}", "named": number + 1 if number < 2 and random.random() < 0.2 else None,
            "age_days": random.choice((0.0, 30.0, 900.0)),
            "superseded_by": f"M{random.randrange(60)}" if random.random() < 0.2 else None,
        })  # fmt: skip
    how = (weights, random.choice((1, 60)), 180, random.choice(("historical", "other")))
    with tempfile.TemporaryDirectory() as directory:
        environ = {"HOME": directory, "XDG_DATA_HOME": directory, "XDG_CONFIG_HOME": directory}
        check_fused_again(environ, candidates, how, random.choice((1, 5, 10)))


POOL = [
    dict.fromkeys(KEYS) | {"memory_id": f"M{n}", "age_days": 1.0, "lex_rank": n, "lex_z": 1 / n} for n in range(1, 31)
]
HOW: How = ({"lex": 2, "temporal": 0.1}, 60, 180, "other")


def said(home: dict[str, str], what: Any, *, shown: int, **log: Any) -> str:
    events = EventLog(paths.telemetry_file(home), **log)
    text = tell(
        events, facts.caller(), what, lambda name: f"results\n{last_line(name)}".rstrip(), took_ms=2.5, shown=shown,
    )  # fmt: skip
    events.close()
    return text


def test_every_call_is_one_event_also_empty_and_paged(home: dict[str, str]) -> None:
    first = said(home, answer(POOL, HOW), shown=10)
    said(home, answer(POOL, HOW, page=2), shown=10)
    said(home, answer([], HOW), shown=0)
    one, two, empty = facts.rows(home, "recall_event")
    assert first == f'results\nUsed one? cite({{"recall": "{one["id"]}", "memory": [1]}})'
    assert (one["payload_bytes"], one["candidate_count"], one["result_count"], one["page"]) == (len(first), 30, 10, 1)
    assert (two["page"], empty["result_count"]) == (2, 0)
    kept = facts.rows(home, "recall_candidate")
    assert sorted(row["position"] for row in kept if row["recall_id"] == two["id"]) == list(range(11, 21))
    assert len({one["id"], two["id"], empty["id"]}) == 3


def test_words_can_be_left_out(home: dict[str, str]) -> None:
    said(home, answer(POOL, HOW), shown=10, keeps_queries=False)
    (row,) = facts.rows(home, "recall_event")
    assert row["query"] == ""


def test_a_file_in_trouble_costs_a_recall_its_id_only(home: dict[str, str]) -> None:
    said(home, answer(POOL, HOW), shown=10)
    path = paths.telemetry_file(home)
    assert trouble(path) == ""
    assert facts.rows(home, "declared") == []  # what was tried is taken back
    with closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert said(home, answer(POOL, HOW), shown=10) == "results"
        assert "locked" in trouble(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    assert said(home, answer(POOL, HOW), shown=10) == "results"
    assert "version 99" in trouble(path)
    assert len(facts.rows(home, "recall_event")) == 1


def test_an_id_is_given_once(home: dict[str, str]) -> None:
    log = EventLog(paths.telemetry_file(home))
    assert log.recall("raaaaa", facts.caller(), facts.recall(1), facts.AT) is True
    assert log.recall("raaaaa", facts.caller(), facts.recall(2), facts.AT) is False
    log.close()
    assert [row["memory_id"] for row in facts.rows(home, "recall_candidate")] == ["I_1"]


def test_a_query_is_cut_and_an_id_is_easily_repeated(home: dict[str, str]) -> None:
    long = replace(facts.recall(1), query="x" * 5_000)
    facts.note(home, "raaaaa", long)
    (row,) = facts.rows(home, "recall_event")
    assert len(row["query"]) == 2_000
    names = {EventLog("").recall_id() for _ in range(500)}
    assert len(names) > 490
    assert not set("01oil") & set("".join(names).replace("r", ""))
