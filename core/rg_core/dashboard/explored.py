"""The pages of what the user explored: Touches by session, one session, one recall. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rg_core.address.model import without_scheme
from rg_core.dashboard import pictures, words
from rg_core.nouns import counted
from rg_core.telemetry.explored import Event, Recalled
from rg_core.telemetry.panels import SessionFacts

STEP = 200  # events of a page
SAID = {
    "cited": "cited",
    "dismissed": "beside the point",
    "flagged_stale": "out of date",
    "rewrote": "rewritten",
    "saved_rework": "saved doing it again",
}
MARKABLE = (("cited", "Useful"), ("dismissed", "Beside the point"), ("flagged_stale", "Out of date"))
HOW = {
    "FETCHED": "fetched",
    "PROMPTED": "in a prompt",
    "hit": "read from memory",
    "subsumed": "from a wider listing",
    "miss": "not in memory",
}
LEGS = (("vec", "meaning"), ("lex", "words"), ("graph", "graph"))


@dataclass(frozen=True, slots=True)
class Line:
    """One event as a line of a list."""

    at: str
    what: str
    how: str
    link: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The events of one session that are on this page."""

    session: str
    harness: str
    began: str
    marks: Sequence[pictures.Mark]
    label: str
    rows: Sequence[Line]


@dataclass(frozen=True, slots=True)
class TouchesView:
    """What was explored, newest first, by session."""

    asked: Mapping[str, str]  # address, session
    groups: Sequence[Group]
    summary: str
    next: str


def touches_view(
    events: Sequence[Event],
    asked: Mapping[str, str],
    link: Callable[[str], str],
    recall: Callable[[str], str],
    next_page: str,
) -> TouchesView:
    """Events, newest first, grouped where a session's stand together."""
    groups = []
    for session, of in groupby(events, key=lambda event: event.session):
        mine = list(of)
        groups.append(Group(
            session, mine[0].harness or "unknown", mine[-1].at, pictures.strip(list(marks(reversed(mine)))),
            in_words(mine), [_line(event, link, recall) for event in mine],
        ))  # fmt: skip
    shown = f"The latest {len(events)} events" if next_page else counted(len(events), "events")
    summary = f"{shown}, newest first." if events else "Nothing you explored matches that."
    return TouchesView(asked, groups, summary, next_page)


def marks(events: Iterator[Event]) -> Iterator[str]:
    """The keys of a strip, oldest first; a Nudge follows the event that it rode on."""
    for event in events:
        yield event.mark
        if event.nudged:
            yield "nudge"


def in_words(events: Sequence[Event]) -> str:
    """A strip's text alternative."""
    counts = {"read": 0, "miss": 0, "recall": 0, "fetch": 0, "prompt": 0}
    for event in events:
        counts[event.mark] += 1
    said = (("read", "read from memory", "read from memory"), ("miss", "not in memory", "not in memory"),
            ("recall", "recall", "recalls"), ("fetch", "fetch", "fetches"),
            ("prompt", "named in a prompt", "named in a prompt"))  # fmt: skip
    return ", ".join(f"{counts[key]} {one if counts[key] == 1 else many}" for key, one, many in said if counts[key])


def _line(event: Event, link: Callable[[str], str], recall: Callable[[str], str]) -> Line:
    if event.what == "recall":
        what = event.query or "a question whose text is not kept"
        return Line(event.at, what, counted(event.result_count, "results"), recall(event.id), "recall")
    what = without_scheme(event.address) if event.address else "an address that is not public and not kept"
    how = HOW.get(event.provenance) or HOW[event.outcome]
    state = event.reason.replace("_", " ") or ("waits for a sweep" if event.status == "pending" else "")
    note = " · ".join(part for part in (event.tool_name, event.agent_type, state) if part)
    return Line(event.at, what, how, link(event.address) if event.address else "", note)


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session: its wrap, its strip, its recalls."""

    session: str
    heading: str
    marks: Sequence[pictures.Mark]
    label: str
    facts: Sequence[tuple[str, int | None, str]]
    recalls: Sequence[Event]


def session_view(facts: SessionFacts, tokens: tuple[int, int, int], events: Sequence[Event]) -> SessionView:
    """A session from its wrap, its bytes (loaded, kept out at least, at most) and its events, newest first."""
    said = ", ".join(f"{SAID[kind]} {count}" for kind, count in facts["said"].items())
    harness = events[0].harness if events else ""
    rows: Sequence[tuple[str, int | None, str]] = (
        ("Began", None, words.clock(facts["started"])),
        ("Ended", None, words.clock(facts["ended"])),
        ("Recalls", facts["recalls"], str(facts["recalls"])),
        ("Results used", facts["used"], str(facts["used"])),
        ("Said of them", None, said or words.NONE),
        ("Reads answered", facts["hits"], str(facts["hits"])),
        ("Not in memory", facts["misses"], str(facts["misses"])),
        ("Fetched from GitHub", facts["fetched"], str(facts["fetched"])),
        ("Nudges", facts["nudges"], f"{facts['nudges']}, {facts['followed']} followed" if facts["nudges"] else "0"),
        ("Requests not made", facts["requests"], str(facts["requests"])),
        ("Tokens loaded", tokens[0], words.tokens(tokens[0])),
        ("Tokens kept out", tokens[1], f"{words.tokens(tokens[1])} to {words.tokens(tokens[2])}"),
    )
    return SessionView(
        facts["session"], f"{harness or 'A session'} on {words.date(facts['started'])}",
        pictures.strip(list(marks(reversed(events))), most=60), in_words(events), rows,
        [event for event in events if event.what == "recall"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecallView:
    """One recall and its results, with what each leg had to do with them."""

    id: str
    session: str
    query: str
    facts: str
    weak: bool
    marked: str
    legs: Sequence[Mapping[str, str]]
    rows: Sequence[Mapping[str, Any]]
    kinds: Sequence[tuple[str, str]]


def recall_view(
    found: Recalled, titles: Mapping[str, str], paths: Mapping[str, Sequence[str]], marked: str = ""
) -> RecallView:
    """A recall as it was answered; `marked` is what was just noted of a result."""
    event: Mapping[str, Any] = found.event
    facts = [
        words.clock(event["at"]),
        event["harness"],
        words.CLASSES.get(event["query_class"], event["query_class"]),
        counted(event["result_count"], "results"),
        f"{event['match']} match",
        f"page {event['page']}" if event["page"] > 1 else "",
        f"as of {words.date(event['as_of'])}" if event["as_of"] else "",
        f"{event['took_ms']:.0f} ms",
        f"{words.tokens(event['payload_bytes'])} tokens",
        f"recency weighs {found.weights.get('temporal', 0):g}",
    ]
    legs = [{"key": key, "name": name, "weight": f"{found.weights.get(key, 0):g}"} for key, name in LEGS]
    return RecallView(
        event["id"], event["session"], event["query"], " · ".join(fact for fact in facts if fact),
        event["match"] == "weak", marked, legs,
        [_result(row, titles, paths, found.said) for row in found.results], MARKABLE,
    )  # fmt: skip


def _result(
    row: Mapping[str, Any],
    titles: Mapping[str, str],
    paths: Mapping[str, Sequence[str]],
    said: Mapping[str, Sequence[str]],
) -> Mapping[str, Any]:
    kinds = said.get(row["memory_id"], ())
    return {
        "position": row["position"],
        "memory_id": row["memory_id"],
        "address": row["address"],
        "title": titles.get(row["address"]) or without_scheme(row["address"]),
        "named": row["named"],
        "superseded": row["superseded"],
        "legs": [
            {"rank": row[f"{key}_rank"], "z": f"{row[f'{key}_z']:.2f}"} if row[f"{key}_rank"] is not None else None
            for key, _ in LEGS
        ],
        "paths": paths.get(row["memory_id"], ()) if row["graph_rank"] is not None else (),
        "age": counted(round(row["age_days"]), "days"),
        "said": ", ".join(SAID[kind] for kind in kinds),
        "kinds": kinds,
    }
