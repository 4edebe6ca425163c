"""An answer of recall as text for a model or a person: at most 18,000 bytes, what others wrote framed as data."""

from __future__ import annotations

from collections.abc import Sequence

from rg_core.reading.framing import clean, framed, one_line, size
from rg_core.reading.render import ENVELOPE, HEAD, LARGEST
from rg_core.recall.answer import Findings, Result, rounded

ROOM = LARGEST - ENVELOPE - HEAD
LONGEST_TITLE, LONGEST_PATH, LONGEST_KEY = 300, 300, 400
NAMES = {"vec": "vectors", "lex": "words", "graph": "relations", "temporal": "recency"}
WEAK = "Nothing in memory matches this well; what comes nearest follows."
ORIGIN = "memory"


def render(answer: Findings, last: str = "") -> str:
    """The text of an answer; `last` is one line more, from whoever counts what is used."""
    head = [*([WEAK] if answer.match == "weak" and answer.results else []), legs(answer), *answer.notes]
    if answer.question.as_of:
        head.insert(0, f"As of {answer.question.as_of}.")
    if not answer.results:
        since = f": nothing is known before {answer.known_since}" if answer.known_since else ""
        page = f" on page {answer.question.page}" if answer.question.page > 1 else ""
        head.insert(0, f"Nothing in memory matches{page}{since}.")
        return "\n".join(head)
    shown, left = fitting(answer.results)
    if answer.more or left:
        head.append(more(answer, len(shown)))
    head.append("Read one whole: resource with its address.")
    return "\n".join([*head, framed("\n\n".join(shown), ORIGIN), *([last] if last else [])])


def fitting(results: Sequence[Result]) -> tuple[list[str], int]:
    """As many results as there is room for, as blocks of clean text, and how many are left."""
    shown: list[str] = []
    room = ROOM
    for result in results:
        text = block(result)
        room -= size(text) + 4
        if room < 0:
            break
        shown.append(text)
    return shown, len(results) - len(shown)


def block(result: Result) -> str:
    """One result: position, address, title, kind and age, what supersedes it, its paths, a snippet."""
    stale = result.staleness
    verified = f", verified {stale.last_verified_at[:10]}" if stale.last_verified_at else ""
    lines = [
        f"{result.position}. {one_line(result.address, LONGEST_KEY)}  {one_line(result.title, LONGEST_TITLE)}",
        f"   {result.kind.replace('_', ' ')}, {age(stale.age_days)}{verified}; {scores(result)}",
    ]
    if stale.superseded:
        lines.append(f"   superseded{f' by {one_line(stale.successor, LONGEST_KEY)}' if stale.successor else ''}")
    lines += [f"   path: {one_line(path, LONGEST_PATH)}" for path in result.paths]
    if result.snippet:
        lines.append(f"   {clean(result.snippet)}")
    return "\n".join(lines)


def legs(answer: Findings) -> str:
    """Which legs voted, and a sentence for each other one that says why not."""
    voted = [NAMES[name] for name, leg in answer.legs.items() if leg.voted and leg.weight]
    silent = [
        leg.why_not or f"{NAMES[name].capitalize()} are switched off."
        for name, leg in answer.legs.items()
        if NAMES[name] not in voted and name != "temporal"
    ]
    return " ".join([f"Voted: {', '.join(voted)}." if voted else "No leg voted.", *dict.fromkeys(silent)])


def scores(result: Result) -> str:
    """Why it is here: named, or each leg's own score."""
    parts = [f"named {result.candidate['named']}"] if result.candidate["named"] else []
    parts += [
        f"{NAMES[leg]} {rounded(result.raw[leg])}"
        for leg in ("lex", "vec", "graph")
        if result.candidate[f"{leg}_rank"] is not None
    ]
    return ", ".join(parts)


def more(answer: Findings, shown: int) -> str:
    """How to get the next results."""
    if shown < len(answer.results):
        return f"{shown} of these {len(answer.results)} results fit; ask with a smaller limit for the others."
    return f"There is more: the same call with page {answer.question.page + 1}."


def age(days: float) -> str:
    """How old, in words."""
    whole = round(days)
    return "today" if whole == 0 else "1 day old" if whole == 1 else f"{whole} days old"
