"""The panels in words: each a question, its table, and how it was counted.

On a terminal a bar of cells shows each row's share; elsewhere the same columns are plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from rg_core.cli.screen import coloured, columns, console, line
from rg_core.nouns import counted
from rg_core.reading.framing import one_line
from rg_core.telemetry.estimate import BYTES_A_TOKEN
from rg_core.telemetry.panels import Panels

CELLS = 12  # of a bar
LONGEST = 80  # bytes of an address shown
FEW = 20  # used results; with fewer the lift is not worth a number
SESSIONS = 5  # the last ones


@dataclass(frozen=True, slots=True)
class Section:
    """One panel: what it asks, its table, and how it was counted. `shares`: a bar from 0 to 1 for each row, or none."""

    question: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    shares: Sequence[float | None] = ()
    counted: str = ""


def show(facts: Mapping[str, Any], panels: Panels, out: TextIO) -> None:
    """Print what was counted."""
    for number, section in enumerate(sections(facts, panels)):
        if number:
            print(file=out)
        (_rich if coloured(out) else _plain)(section, out)


def sections(facts: Mapping[str, Any], panels: Panels) -> Iterator[Section]:
    """The panels that have something to say, in the order of the page."""
    yield _summary(facts)
    yield _tokens(panels)
    if rows := panels["hit_rate"]:
        yield Section(
            "Where does memory pull its weight?",
            ("class", "recalls", "empty", "cited", "used"),
            [(row["class"], row["recalls"], row["empty"], row["cited"], row["used"]) for row in rows],
            [_share(row["used"], row["recalls"]) for row in rows],
            "Measured. Used: cited, said to save rework, or read whole later in the session. Classed by English words.",
        )
    if weeks := panels["stale"]:
        yield Section(
            "Is it more or less reliable over time?",
            ("week of", "judged", "said stale", "checked", "found stale"),
            [(row["week"], row["judged"], row["stale"], row["checked"], row["outdated"]) for row in weeks],
            [_share(row["stale"] + row["outdated"], row["judged"] + row["checked"]) for row in weeks],
            "Judged: an agent or you said something of it. Checked: a sweep fetched it again. The bar: stale ones.",
        )
    if agents := panels["agents"]:
        yield Section(
            "Which agents use memory well?",
            ("harness", "agent", "recalls", "used", "tagged", "reads", "hits", "fetched"),
            [tuple(row.values()) for row in agents],
            [_share(row["hits"], row["hits"] + row["fetched"]) for row in agents],
            "Measured. The bar: answered reads beside fetches.",
        )
    if top := panels["top_cited"]:
        yield Section(
            "Which memories are load-bearing?",
            ("cited", "sessions", "last", "address"),
            [(row["cited"], row["sessions"], row["last"], one_line(row["address"], LONGEST)) for row in top],
        )
    yield from _unused(panels)
    yield from _lift(panels)
    if reads := panels["reads"]:
        yield Section(
            "How often does memory have the answer?",
            ("week of", "hit", "subsumed", "miss", "fetched", "prompted"),
            [tuple(row.values()) for row in reads],
            [_share(row["hit"] + row["subsumed"], row["hit"] + row["subsumed"] + row["miss"]) for row in reads],
            "Measured. The bar: reads that memory answered.",
        )
    if nudges := panels["nudges"]:
        yield Section(
            "Do models follow the Nudge?",
            ("harness", "at", "given", "followed", "fetched anyway", "neither"),
            [tuple(str(cell).lower() if cell == row["cause"] else cell for cell in row.values()) for row in nudges],
            [_share(row["followed"], row["given"]) for row in nudges],
            "Measured by what the session did next: it asked memory, it fetched what it had been told of, or neither.",
        )
    if missed := panels["missed"]:
        yield Section(
            "What was asked for in vain?",
            ("misses", "last", "address"),
            [(row["misses"], row["last"], one_line(row["address"], LONGEST)) for row in missed],
        )
    if wraps := panels["wraps"][-SESSIONS:]:
        yield Section(
            "What happened in the last sessions?",
            ("started", "recalls", "used", "hits", "misses", "fetched", "Nudges", "followed", "session"),
            [
                (wrap["started"], wrap["recalls"], wrap["used"], wrap["hits"], wrap["misses"], wrap["fetched"],
                 wrap["nudges"], wrap["followed"], one_line(wrap["session"], 40))
                for wrap in wraps
            ],
        )  # fmt: skip


def tokens(count: int) -> str:
    """Bytes as tokens, signed."""
    return f"{round(count / BYTES_A_TOKEN):,}"


def verdict(loaded: int, floor: int, json: int) -> str:
    """Whether it pays, in a sentence that may say "not yet"."""
    if not loaded and not json:
        return "Nothing was loaded and nothing kept out yet."
    if floor >= loaded:
        return f"It pays: memory loaded {tokens(loaded)} tokens and kept out at least {tokens(floor)}."
    if json >= loaded:
        return f"About even: memory loaded {tokens(loaded)} tokens and kept out {tokens(floor)} to {tokens(json)}."
    return f"Not yet: memory loaded {tokens(loaded)} tokens and kept out {tokens(json)} at most."


def _summary(facts: Mapping[str, Any]) -> Section:
    asked, served = facts["cache_reads"], facts["served_from_memory"]
    rows: list[tuple[str, str]] = [
        ("agents asked memory", counted(asked, "times")),
        ("memory answered", counted(served, "times") + (f" ({served / asked:.0%})" if asked else "")),
        *((f"  {name}", f"{count:,}") for name, count in facts["outcomes"].items()),
        ("fetched from GitHub", f"{counted(facts['fetched'], 'times')} in {counted(facts['sessions'], 'sessions')}"),
        ("named in prompts", counted(facts["prompted"], "times")),
    ]
    if facts["most_explored"]:
        rows += [("most explored", "")]
        rows += [(f"  {entry['count']:,}", entry["address"]) for entry in facts["most_explored"]]
    return Section("", (), rows)


def _tokens(panels: Panels) -> Section:
    found = panels["tokens"]
    loaded = found["recalled"] + found["served"] + found["overhead"]
    rows = [
        ("loaded, measured", tokens(loaded)),
        ("  by recall", tokens(found["recalled"])),
        ("  by reads", tokens(found["served"])),
        ("  by tool descriptions and Nudges", tokens(found["overhead"])),
        ("kept out, estimated", f"{tokens(found['floor'])} to {tokens(found['json'])}"),
        ("rework saved, declared", tokens(found["rework"])),
        ("requests not made, estimated", f"{found['requests']:,}"),
    ]
    how = (
        "A token is four bytes. Kept out: what memory answered and the session never fetched, from its text alone to "
        "GitHub's JSON.\nNot counted: what cite answers, and sessions in which nothing of ours happened."
    )
    return Section(
        f"Does it pay for itself? {verdict(loaded, found['floor'], found['json'])}", ("tokens", ""), rows, (), how
    )


def _unused(panels: Panels) -> Iterator[Section]:
    unserved = panels["unserved"]["unserved"]
    how = "" if unserved is None else f"Neither shown nor read in this period: {counted(unserved, 'stored memories')}."
    if (rows := panels["never_cited"]) or unserved:
        yield Section(
            "What is dead weight?",
            ("shown", "address") if rows else (),
            [(row["shown"], one_line(row["address"], LONGEST)) for row in rows],
            (),
            how,
        )


def _lift(panels: Panels) -> Iterator[Section]:
    rows = [row for row in panels["lift"] if row["results"]]
    if not rows:
        return
    unexplained = panels["unexplained"]["recalls"]
    how = "What was not shown could not be used, so this leans towards the leg. Lift: the mean gain of 1/place."
    if unexplained:
        how += f"\nLeft out, as fusing again gives another order than recorded: {counted(unexplained, 'recalls')}."
    yield Section(
        "How much do the graph, recency and the text legs add?",
        ("leg", "recalls", "used results", "lift", "only with it", "better", "same", "worse"),
        [
            (row["leg"], row["recalls"], row["results"],
             "" if row["lift"] is None or row["results"] < FEW else f"{row['lift']:+.3f}",
             row["only_with"], row["better"], row["same"], row["worse"])
            for row in rows
        ],
        (),
        how,
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else line(value)


def _plain(section: Section, out: TextIO) -> None:
    if section.question:
        print(section.question, file=out)
    table = [section.head, *section.rows] if any(section.head) else section.rows
    cells = [[_cell(value) for value in row] for row in table]
    columns(cells, out)
    if section.counted:
        print(section.counted, file=out)


def _rich(section: Section, out: TextIO) -> None:
    from rich.table import Table
    from rich.text import Text

    shown = console(out)
    if section.question:
        shown.print(Text(section.question, style="bold"))
    table = Table(box=None, show_header=any(section.head), header_style="dim", pad_edge=False)
    width = len(section.head) or (len(section.rows[0]) if section.rows else 0)
    for number in range(width):
        numeric = bool(section.rows) and all(isinstance(row[number], int) for row in section.rows)
        table.add_column(section.head[number] if section.head else "", justify="right" if numeric else "left")
    if section.shares:
        table.add_column("")
    for number, row in enumerate(section.rows):
        bar = [Text(_bar(section.shares[number]), style="cyan")] if section.shares else []
        table.add_row(*(Text(_cell(value)) for value in row), *bar)
    if section.rows:
        shown.print(table)
    if section.counted:
        shown.print(Text(section.counted, style="dim"))


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    full = round(share * CELLS)
    return "█" * full + "░" * (CELLS - full) + f" {share:.0%}"
