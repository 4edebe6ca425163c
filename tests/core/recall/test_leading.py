"""What is too far down to be shown is not read: the answer is the same as if it were."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.recall import vectors
from rg_core.recall.answer import Question
from rg_core.recall.fusion import HEAD, LEGS, Fusion, leading, vote
from rg_core.recall.run import Setting, recall
from rg_core.store.sqlite.recall import RecallIndex
from tests.core.recall import cases
from tests.core.recall.test_cases import ROWS

QUERIES = [row["query"] for row in ROWS if row["kind"] in ("recall", "class") and "query" in row][::4]


def pool(random: Random, size: int) -> list[dict[str, Any]]:
    """Candidates as two legs list them: ranks from the best score on, equal scores share one."""
    candidates = [
        dict(cases.ABSENT, memory_id=f"M{number}", age_days=random.choice((0.0, 30.0, 180.0, 9_000.0)))
        for number in range(size)
    ]
    for leg in ("vec", "lex"):
        listed = random.sample(candidates, random.randint(0, min(100, size)))
        scores = sorted((random.choice((random.random(), 0.5, -0.1)) for _ in listed), reverse=True)
        best = max(scores[:1], default=0.0)
        for candidate, score in zip(listed, scores, strict=True):
            candidate[f"{leg}_rank"] = scores.index(score) + 1
            candidate[f"{leg}_z"] = score / best if best > 0 else 0.0
    for candidate in random.sample(candidates, min(3, size)):
        candidate["superseded_by"] = f"M{random.randrange(size)}"
    return candidates


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_the_leading_ones_are_ordered_as_all_of_them(seed: int) -> None:
    random = Random(seed)
    candidates = pool(random, random.choice((0, 3, 30, 190)))
    weights: dict[str, float] = {"vec": random.choice((0, 1, 2)), "lex": random.choice((0, 1, 2)), "graph": 1}
    weights["temporal"] = random.choice((0, 0.1, 1))
    k, depth = random.choice((1, 60)), random.choice((HEAD, 50))
    lists = [
        {
            one["memory_id"]: vote(weights[leg], one[f"{leg}_z"], k, one[f"{leg}_rank"])
            for one in candidates
            if one[f"{leg}_rank"] is not None
        }
        for leg in ("lex", "vec")
    ]
    kept = leading(lists, weights["temporal"], depth)
    how = (weights, k, 180, random.choice(("historical", "other")))
    whole = Fusion(candidates, *how)
    some = Fusion([one for one in candidates if one["memory_id"] in kept], *how)
    for without in ("", *LEGS):
        assert some.order(without)[:depth] == whole.order(without)[:depth]
    assert some.needed(depth) == whole.needed(depth)


def test_an_answer_is_the_same_as_if_everything_were_read(tmp_path: Path) -> None:
    """Of two places everything is read: here the second one has nothing."""
    index = cases.specifications().writer.index
    nothing = RecallIndex(str(tmp_path / "recall.db"))
    setting = Setting(cases.USER, [index], cases.NOW + timedelta(days=90), embed=vectors.embed)
    fewer = 0
    for query in QUERIES:
        for question in (Question(query), Question(query, limit=3, page=9)):
            one = recall(question, setting)
            two = recall(question, replace(setting, searched=[index, nothing]))
            assert one.results == two.results
            assert (one.more, one.candidate_count, one.legs) == (two.more, two.candidate_count, two.legs)
            for without in ("", *LEGS):
                assert one.fusion.order(without)[:HEAD] == two.fusion.order(without)[:HEAD]
            assert one.fusion.needed(10) == two.fusion.needed(10)
            fewer += len(one.candidates) < len(two.candidates)
    nothing.close()
    assert fewer > len(QUERIES)  # of two questions each
