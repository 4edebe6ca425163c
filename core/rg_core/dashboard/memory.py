"""The Memory page: from the panels' rows to what its template shows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from markupsafe import Markup

from rg_core.dashboard import pictures, sentences, words
from rg_core.dashboard.markdown import visible
from rg_core.nouns import counted
from rg_core.telemetry.panels import Panels

RANGES = ((7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "A year"))
MOST_WEEKS, TOGETHER = 26, 4  # weeks of a picture; with more, a mark stands for four
SESSIONS = 8  # last ones
LISTED = 6  # rows of a ranked list


@dataclass(frozen=True, slots=True)
class Session:
    """One of the last sessions: its wrap, its harness, and its events in order (keys of pictures.strip)."""

    wrap: Mapping[str, Any]
    harness: str
    events: Sequence[str]


@dataclass(frozen=True, slots=True)
class Span:
    """Whose events of which time are asked for, and what may be chosen; times are ISO 8601 in UTC."""

    user: str
    days: int
    since: str
    until: str
    agent: str  # harness/agent type, "" for all
    project: str  # "" for all
    agents: Sequence[str]  # to choose from
    projects: Sequence[str]
    last: str | None  # of anything ever counted, whatever the time asked for
    enabled: bool


@dataclass(frozen=True, slots=True)
class MemoryFacts(Span):
    """Everything the Memory page says."""

    panels: Panels
    moves: Mapping[str, Sequence[tuple[int | None, int]]]  # leg -> (place without it or None, place with it)
    sessions: Sequence[Session]
    titles: Mapping[str, str]  # address -> title, where it is stored
    stored: int | None  # memories; None where the store is away
    rework_bytes: int
    trouble: Sequence[str] = ()  # what could not be read, as `status` says it


@dataclass(frozen=True, slots=True)
class Panel:
    """A question, its answer in a sentence, and how it was counted; without rows there is only `absent`."""

    id: str
    question: str
    answer: Markup | str = ""
    how: str = ""
    absent: str = ""


@dataclass(frozen=True, slots=True)
class MemoryView:
    """What the template is given beside the facts."""

    facts: MemoryFacts
    panels: Mapping[str, Panel]
    loaded: int  # bytes
    balance: pictures.Balance
    trend: pictures.Trend
    weeks: int  # that a mark of the two pictures by week stands for
    stale: Sequence[Mapping[str, Any]]  # rows of these pictures
    read: Sequence[Mapping[str, Any]]
    reads: pictures.Columns
    classes: Sequence[Mapping[str, Any]]
    moves: Mapping[str, pictures.Moves]
    nudges: Sequence[Mapping[str, Any]]
    agents: Sequence[Mapping[str, Any]]
    answered: tuple[int, int]  # reads, of reads
    true: tuple[int, int]  # checked reads that were current, of checked ones
    strips: Sequence[tuple[Session, Sequence[pictures.Mark]]] = field(default=())


def view(facts: MemoryFacts) -> MemoryView:
    """What the page shows of these facts."""
    panels = facts.panels
    reads, tokens = panels["reads"], panels["tokens"]
    hits = sum(row["hit"] + row["subsumed"] for row in reads)
    asked = hits + sum(row["miss"] for row in reads)
    checked = sum(row["checked"] for row in panels["stale"])
    outdated = sum(row["outdated"] for row in panels["stale"])
    weeks = 1 if max(len(panels["stale"]), len(reads)) <= MOST_WEEKS else TOGETHER
    stale, read = (pictures.together(rows, weeks) for rows in (panels["stale"], reads))
    return MemoryView(
        facts=facts,
        panels={panel.id: panel for panel in _panels(facts, asked)},
        loaded=tokens["recalled"] + tokens["served"] + tokens["overhead"],
        balance=pictures.balance({key: tokens[key] for key in TOKEN_KEYS}),  # type: ignore[literal-required]
        trend=pictures.trend(stale),
        weeks=weeks,
        stale=stale,
        read=read,
        reads=pictures.columns(read, ("hit", "subsumed", "miss")),
        classes=sorted(panels["hit_rate"], key=lambda row: (-row["used"] / row["recalls"], row["class"])),
        moves={leg: pictures.moves(pairs) for leg, pairs in facts.moves.items()},
        nudges=_by_harness(panels["nudges"]),
        agents=sorted(panels["agents"], key=lambda row: (-row["recalls"], row["harness"], row["agent"])),
        answered=(hits, asked),
        true=(checked - outdated, checked),
        strips=[(session, pictures.strip(session.events)) for session in facts.sessions],
    )


TOKEN_KEYS = ("recalled", "served", "overhead", "floor", "json", "rework")


def title(facts: MemoryFacts, address: str) -> str:
    """What a memory is called: its title, or else what its address ends with."""
    return visible(facts.titles.get(address) or address.rpartition("/")[2] or address)


def _panels(facts: MemoryFacts, asked: int) -> Sequence[Panel]:
    rows = facts.panels
    legs: Mapping[str, Mapping[str, Any]] = {row["leg"]: row for row in rows["lift"]}
    stale = [row for row in rows["stale"] if row["judged"] or row["checked"]]
    cited, shown = rows["top_cited"], rows["never_cited"]
    users = [row for row in rows["agents"] if row["recalls"] or row["reads"]]
    unserved = rows["unserved"]["unserved"]
    recalled = sum(row["recalls"] for row in rows["hit_rate"])
    unexplained = rows["unexplained"]["recalls"]
    left_out = (
        f" {counted(unexplained, 'recalls')} left out: fused again they come in another order than recorded."
        if unexplained
        else ""
    )
    absent = _absent(facts)

    def panel(id: str, question: str, there: object, answer: Callable[[], Markup], how: str = "") -> Panel:
        return Panel(id, question, answer(), how) if there else Panel(id, question, how=how, absent=absent)

    return (
        panel(
            "hit", "Where does memory pull its weight?", recalled,
            lambda: sentences.pulls_its_weight(rows["hit_rate"]),
            "A recall counts as used when one of its results was cited, declared as saved rework, or read whole later "
            "in the session. Dark: cited. Questions are classed by English words; under five recalls only counts "
            "are shown.",
        ),
        panel(
            "stale", "Is memory getting more or less reliable?", stale, lambda: sentences.reliable(rows["stale"]),
            "Said: of the results that an agent or you judged, those flagged stale or rewritten. Found: of the reads "
            "that a later Sweep could check, those whose source had changed before they were served. No mark: nothing "
            "was judged that week; under the axis: how many were judged and checked.",
        ),
        *(
            panel(
                leg, f"How much does {name} add?", legs[leg]["results"], partial(sentences.adds, legs[leg]),
                f"{counted(legs[leg]['recalls'], 'recalls')} fused again without {name}, by recall's own function "
                "from what was recorded. What a query names is found by its address, and is no leg's doing. What was "
                f"never shown could not be used, so this leans towards the leg.{left_out}",
            )
            for leg, name in (("graph", "the graph"), ("temporal", "recency"))
        ),
        panel(
            "top", "Which memories are load-bearing?", cited,
            lambda: sentences.bears(cited, title(facts, cited[0]["address"])),
        ),
        panel(
            "dead", "Which are dead weight?", shown or unserved is not None,
            lambda: sentences.dead(shown, unserved, facts.stored),
            "Shown at least three times, and never cited, declared useful or read whole.",
        ),
        panel("reads", "How often does memory have the answer?", asked, lambda: sentences.answers(rows["reads"])),
        panel(
            "nudges", "Do models follow the Nudge?", rows["nudges"], lambda: sentences.follows(rows["nudges"]),
            "Followed: the next thing the agent did was to ask memory. Fetched anyway: it next fetched something that "
            "it had been told of. Fetches within five seconds were already on their way and do not count.",
        ),
        panel("agents", "Which agents use memory well?", users, lambda: sentences.agents(users)),
        panel("missed", "What was asked for in vain?", rows["missed"], lambda: sentences.in_vain(rows["missed"])),
    )  # fmt: skip


def _absent(facts: MemoryFacts) -> str:
    """Why a panel has nothing to show: never a zero for an absence."""
    time = "this week" if facts.days == 7 else "this year" if facts.days == 365 else f"these {facts.days} days"
    if facts.last is None:
        return f"Nothing in {time}."
    return f"Nothing in {time}. The last event was on {words.date(facts.last)}."


def _by_harness(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The Nudges of each harness, whatever their cause; most first."""
    summed: dict[str, dict[str, Any]] = {}
    for row in rows:
        of = summed.setdefault(row["harness"], {"harness": row["harness"]})
        for key in ("given", "followed", "fetched_anyway", "no_more"):
            of[key] = of.get(key, 0) + row[key]
    return sorted(summed.values(), key=lambda row: (-row["given"], row["harness"]))
