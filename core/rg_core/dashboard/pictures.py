"""Rows -> coordinates. Pure: no colours, no words; a template draws what stands here.

Coordinates are in the units of a picture's own view box, rounded to a tenth: the same rows are the same picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, pi, sin
from typing import Any

WIDTH = 520.0
LABEL = 68.0  # of width, for a date over two counts
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
NEAR_WIDTH = 440.0  # of a neighbourhood
RING, WIDE_RING, ROOMY = 88.0, 150.0, 10  # how far out neighbours stand, and how many have room for titles
HUB = 32.0  # from the middle of a neighbourhood to beyond its item's circle
MOST_NEIGHBOURS = 24
PLACES = 5  # gained or lost, that have a column of their own


def together(rows: Sequence[Mapping[str, Any]], weeks: int) -> Sequence[Mapping[str, Any]]:
    """Rows by week, so many weeks as one: under the first one's name, every count summed. The last group is whole."""
    groups = [rows[max(0, end - weeks) : end] for end in range(len(rows), 0, -weeks)][::-1]
    return [
        {key: value if key == "week" else sum(row[key] for row in group) for key, value in group[0].items()}
        for group in groups
    ]


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across a picture, and the value it stands for."""

    y: float
    value: float


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle for `count` of `key`."""

    key: str
    count: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """What is stacked over one label."""

    label: str
    middle: float
    top: float
    total: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A column a row."""

    width: float
    height: float
    base: float
    left: float
    ticks: tuple[Tick, ...]
    columns: tuple[Column, ...]


def columns(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], label: str = "week") -> Columns:
    """The counts named by `keys`, stacked in that order, over each row's label."""
    height, base, left = 168.0, 140.0, 30.0
    top = _top(max([sum(row[key] for key in keys) for row in rows], default=0))
    slot = (WIDTH - left) / max(1, len(rows))
    bar = min(44.0, slot * 0.62)
    drawn = []
    for place, row in enumerate(rows):
        x, y, boxes = left + place * slot + (slot - bar) / 2, base, []
        for key in keys:
            tall = row[key] / top * (base - 12)
            y -= tall
            if row[key]:
                boxes.append(Box(key, row[key], _r(x), _r(y), _r(bar), _r(tall)))
        drawn.append(Column(row[label], _r(x + bar / 2), _r(y - 5), sum(row[key] for key in keys), tuple(boxes)))
    return Columns(WIDTH, height, base, left, _ticks(top, base, 12), tuple(drawn))


@dataclass(frozen=True, slots=True)
class Dot:
    """A share of one week: `part` of `whole`."""

    x: float
    y: float
    part: int
    whole: int
    week: str


@dataclass(frozen=True, slots=True)
class Line:
    """Dots, and lines (points of a path) through those whose weeks follow one another."""

    dots: tuple[Dot, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """Two shares over the same weeks; `ticks` carry shares between 0 and 1."""

    width: float
    height: float
    base: float
    left: float
    said: Line
    found: Line
    ticks: tuple[Tick, ...]
    weeks: tuple[tuple[float, Mapping[str, Any]], ...]
    labelled: tuple[tuple[float, Mapping[str, Any]], ...]  # those whose labels have room


def trend(rows: Sequence[Mapping[str, Any]]) -> Trend:
    """Stale of judged, and outdated of checked, week by week; a week without any has a gap, not a zero."""
    height, base, left = 176.0, 128.0, 40.0
    step = (WIDTH - left - LABEL / 2) / (len(rows) - 1) if len(rows) > 1 else 0.0
    places = [left + 6 + number * step for number in range(len(rows))]
    shares = [row[part] / row[whole] for row in rows for part, whole in (("stale", "judged"), ("outdated", "checked"))
              if row[whole]]  # fmt: skip
    top = next(limit for limit in (0.2, 0.5, 1.0) if limit >= max([*shares, 0.0]))

    def height_of(share: float) -> float:
        return _r(base - share / top * (base - 14))

    def line(part: str, whole: str) -> Line:
        dots = [
            Dot(_r(x), height_of(row[part] / row[whole]), row[part], row[whole], row["week"]) if row[whole] else None
            for x, row in zip(places, rows, strict=True)
        ]
        runs: list[list[Dot]] = [[]]
        for dot in dots:
            if dot:
                runs[-1].append(dot)
            elif runs[-1]:
                runs.append([])
        paths = ["M" + "L".join(f"{dot.x} {dot.y}" for dot in run) for run in runs if len(run) > 1]
        return Line(tuple(dot for dot in dots if dot), tuple(paths))

    weeks = tuple((_r(x), row) for x, row in zip(places, rows, strict=True))
    every = ceil(LABEL / step) if step else 1
    return Trend(
        WIDTH, height, base, left, line("stale", "judged"), line("outdated", "checked"),
        (Tick(height_of(top / 2), top / 2), Tick(height_of(top), top)),
        weeks, weeks[::-1][::every][::-1],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moves:
    """How many used results gained so many places (keys -5 to 5, beyond counted at the ends), or came only so."""

    width: float
    height: float
    base: float
    left: float
    ticks: tuple[Tick, ...]
    columns: tuple[Column, ...]
    same: float  # the middle of no move


def moves(pairs: Sequence[tuple[int | None, int]]) -> Moves:
    """A histogram of (place without the leg or None for not shown, place with it)."""
    base, left = 118.0, 30.0
    gained = Counter(
        "only" if without is None else str(max(-PLACES, min(PLACES, without - place))) for without, place in pairs
    )
    keys = [*(str(places) for places in range(-PLACES, PLACES + 1)), "only"]
    top = _top(max(gained.values(), default=0))
    slot = (WIDTH - left) / (len(keys) + 1.2)
    drawn = []
    for number, key in enumerate(keys):
        x = left + slot * (number + (0.9 if key == "only" else 0.0)) + slot * 0.14
        tall = gained[key] / top * (base - 26)
        box = Box(key, gained[key], _r(x), _r(base - tall), _r(slot * 0.72), _r(tall))
        middle = _r(x + slot * 0.36)
        drawn.append(Column(key, middle, _r(base - tall - 5), gained[key], (box,) if gained[key] else ()))
    return Moves(WIDTH, base + 38, base, left, _ticks(top, base, 26), tuple(drawn), drawn[PLACES].middle)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar, in per cent of its width."""

    key: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Balance:
    """Two bars on one scale, in per cent: what was loaded, and what was kept out between a floor and a ceiling."""

    loaded: tuple[Part, ...]
    floor: float
    ceiling: float
    rework: float  # begins where the floor ends
    even: float  # where the loaded bar ends, drawn across both


def balance(tokens: Mapping[str, int]) -> Balance:
    """The bars of the panel `tokens`; all of its numbers are bytes, and none is clamped."""
    sizes = [(key, tokens[key]) for key in ("recalled", "served", "overhead")]
    total = sum(size for _, size in sizes)
    scale = 100 / max(total, tokens["json"], tokens["floor"] + tokens["rework"], 1)
    parts, x = [], 0
    for key, size in sizes:
        parts.append(Part(key, size, _r(x * scale), _r(size * scale)))
        x += size
    return Balance(
        tuple(parts), _r(tokens["floor"] * scale), _r(tokens["json"] * scale), _r(tokens["rework"] * scale),
        _r(total * scale),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mark:
    """One event of a session's strip; a Nudge stands above the event it rode on."""

    key: str  # read, miss, recall, fetch, prompt, nudge
    x: float


def strip(events: Sequence[str], most: int = 34) -> tuple[Mark, ...]:
    """The first `most` events of a session, in order."""
    marks: list[Mark] = []
    x = -7.0
    for key in events[:most]:
        if key != "nudge" or not marks:
            x += 15
        marks.append(Mark(key, x))
    return tuple(marks)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What stands on the ring around an item."""

    edge: str
    kind: str
    label: str
    title: str
    link: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A neighbour with its place, the near end of its edge, and where its two lines of text go."""

    neighbour: Neighbour
    x: float
    y: float
    near_x: float
    near_y: float
    text_x: float
    text_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An item in the middle, a sector a kind of edge; from `top` on, as high as what is drawn."""

    width: float
    top: float
    height: float
    x: float
    y: float
    placed: tuple[Placed, ...]
    left_out: int
    crowded: bool  # there is room for labels, but not for titles


def neighbourhood(groups: Sequence[Sequence[Neighbour]]) -> Neighbourhood:
    """Up to MOST_NEIGHBOURS on one ring, groups in their order, each in a sector as wide as it has members."""
    gap, x, y = 0.22, NEAR_WIDTH / 2, NEAR_WIDTH / 2
    shown: list[list[Neighbour]] = []
    left = MOST_NEIGHBOURS
    for group in groups:
        if group and left:
            shown.append(list(group[:left]))
            left -= len(shown[-1])
    count = sum(map(len, shown))
    crowded = count > ROOMY
    placed, angle = [], -pi / 2
    turn = 2 * pi - gap * len(shown)
    for group in shown:
        sector = turn * len(group) / count
        for number, neighbour in enumerate(group):
            at = angle + sector * (number + 0.5) / len(group)
            placed.append(_place(neighbour, at, x, y, crowded=crowded))
        angle += sector + gap
    rows = [y - HUB, y + HUB, *(line for at in placed for line in (at.text_y - 14, at.text_y + 22))]
    top = min(rows)
    return Neighbourhood(
        NEAR_WIDTH, _r(top), _r(max(rows) - top), x, y, tuple(placed), sum(map(len, groups)) - count, crowded
    )


def _place(neighbour: Neighbour, angle: float, x: float, y: float, *, crowded: bool) -> Placed:
    radius, lines, beside = (WIDE_RING, 15, 0.42) if crowded else (RING, 28, 0.2)
    across, down = cos(angle), sin(angle)
    at_x, at_y = x + radius * across, y + radius * down
    if abs(across) < beside:
        text = (at_x, at_y + (-lines if down < 0 else 24), "middle")
    else:
        text = (at_x + (12 if across > 0 else -12), at_y - 2, "start" if across > 0 else "end")
    return Placed(
        neighbour, _r(at_x), _r(at_y), _r(x + 22 * across), _r(y + 22 * down), _r(text[0]), _r(text[1]), text[2]
    )


def _top(most: float) -> float:
    """The value at the upper edge: a whole number of steps, at least four."""
    step = _step(max(most, 4))
    return ceil(max(most, 4) / step) * step


def _ticks(top: float, base: float, margin: float) -> tuple[Tick, ...]:
    step = _step(top)
    return tuple(Tick(_r(base - step * n / top * (base - margin)), step * n) for n in range(1, int(top / step) + 1))


def _step(top: float) -> float:
    return next((step for step in STEPS if top / step <= 4.01), top / 4)


def _r(value: float) -> float:
    return round(value, 1)
