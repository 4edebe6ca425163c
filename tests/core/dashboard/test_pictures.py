"""Coordinates of pictures: what a drawing must keep to, and snapshots of every picture."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import hypot
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pytest_snapshot.plugin import Snapshot

from rg_core.dashboard import pictures

WEEKS = ["2026-10-05", "2026-10-12", "2026-10-19", "2026-10-26"]
COUNTS = st.lists(
    st.fixed_dictionaries({"week": st.sampled_from(WEEKS), "hit": st.integers(0, 9_999), "miss": st.integers(0, 99)}),
    max_size=60,
)


@given(COUNTS)
def test_columns_stay_in_their_picture_and_keep_proportion(rows: list[dict[str, int]]) -> None:
    picture = pictures.columns(rows, ("hit", "miss"))
    for column, row in zip(picture.columns, rows, strict=True):
        assert column.total == row["hit"] + row["miss"]
        for box in column.boxes:
            assert picture.left <= box.x
            assert box.x + box.width <= picture.width + 0.2
            assert 0 <= box.y <= box.y + box.height <= picture.base + 0.2
    assert all(0 <= tick.y < picture.base for tick in picture.ticks)


@given(st.lists(st.tuples(st.none() | st.integers(1, 30), st.integers(1, 20)), max_size=80))
def test_every_result_is_in_one_column_of_moves(pairs: list[tuple[int | None, int]]) -> None:
    picture = pictures.moves(pairs)
    assert sum(column.total for column in picture.columns) == len(pairs)
    only = next(column for column in picture.columns if column.label == "only")
    assert only.total == sum(without is None for without, _ in pairs)


def test_a_week_without_judgement_is_a_gap() -> None:
    rows = [{"week": week, "judged": judged, "stale": 0, "checked": 0, "outdated": 0}
            for week, judged in zip(WEEKS, (3, 0, 4, 5), strict=True)]  # fmt: skip
    line = pictures.trend(rows).said
    assert [dot.week for dot in line.dots] == [WEEKS[0], WEEKS[2], WEEKS[3]]
    assert len(line.paths) == 1
    assert line.paths[0].count("L") == 1


def test_bars_have_one_scale_and_nothing_is_clamped() -> None:
    numbers = {"recalled": 100, "served": 300, "overhead": 100, "floor": 250, "json": 1_000, "rework": 0}
    bars = pictures.balance(numbers)
    assert abs(bars.floor * 4 - bars.ceiling) < 0.5
    assert bars.ceiling == 100
    assert bars.even == 50
    assert [(part.x, part.width) for part in bars.loaded] == [(0, 10), (10, 30), (40, 10)]


def test_weeks_are_put_together_without_loss() -> None:
    rows = [{"week": week, "hit": n, "miss": 1} for n, week in enumerate(WEEKS)]
    assert pictures.together(rows, 1) == rows
    assert pictures.together(rows, 3) == [
        {"week": WEEKS[0], "hit": 0, "miss": 1}, {"week": WEEKS[1], "hit": 6, "miss": 3},
    ]  # fmt: skip


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_neighbours_stand_apart_on_one_ring(sizes: list[int]) -> None:
    groups = [
        [pictures.Neighbour(f"kind {kind}", "item", f"#{number}", "", "") for number in range(size)]
        for kind, size in enumerate(sizes)
    ]
    drawn = pictures.neighbourhood(groups)
    assert len(drawn.placed) == min(sum(sizes), pictures.MOST_NEIGHBOURS)
    assert drawn.left_out == sum(sizes) - len(drawn.placed)
    for at in drawn.placed:
        assert 0 < at.x < drawn.width
        assert drawn.top <= at.text_y - 13.9 < at.text_y + 22 <= drawn.top + drawn.height + 0.2
        assert drawn.top < at.y < drawn.top + drawn.height
    apart = [hypot(a.x - b.x, a.y - b.y) for i, a in enumerate(drawn.placed) for b in drawn.placed[:i]]
    assert min(apart, default=99) > 14  # two marks of radius 7 do not touch


def test_the_pictures_of_a_world(snapshot: Snapshot) -> None:
    stale = [{"week": week, "judged": 4, "stale": n, "checked": n, "outdated": n // 2} for n, week in enumerate(WEEKS)]
    reads = [{"week": week, "hit": 7 * n, "subsumed": n, "miss": 3} for n, week in enumerate(WEEKS)]
    numbers = {
        "recalled": 28_300,
        "served": 26_640,
        "overhead": 21_020,
        "floor": 72_280,
        "json": 184_760,
        "rework": 40_000,
    }
    ring = [[pictures.Neighbour("closes", "item", "#58", "One source of truth", "/58")],
            [pictures.Neighbour("mentions", "item", f"#{n}", "title", f"/{n}") for n in (34, 37, 52)]]  # fmt: skip
    made: dict[str, Any] = {
        "balance": pictures.balance(numbers), "columns": pictures.columns(reads, ("hit", "subsumed", "miss")),
        "trend": pictures.trend(stale), "moves": pictures.moves([(None, 1), (2, 1), (1, 2), (3, 3), (9, 1)]),
        "neighbourhood": pictures.neighbourhood(ring),
    }  # fmt: skip
    snapshot.snapshot_dir = Path(__file__).parent / "snapshots"
    for name, picture in made.items():
        snapshot.assert_match(json.dumps(asdict(picture), indent=1) + "\n", f"{name}.json")
    strip = pictures.strip(["prompt", "nudge", "read", "recall", "miss", "fetch", "nudge"])
    snapshot.assert_match(json.dumps([asdict(mark) for mark in strip]) + "\n", "strip.json")
