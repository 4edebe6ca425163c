"""What the filters and orders of a listing mean, folded and compared in Python, so that every engine agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rg_core.address.model import Address
from rg_core.store.model import Row

SEPARATOR = "\n"  # cannot be in a folded word
SORTED_BY: Mapping[str, Callable[[tuple[Any, Row]], tuple[Any, ...]]] = {  # what an order that States tell compares
    "created": lambda pair: (pair[0]["created_at"], pair[1].number),
    "updated": lambda pair: (pair[1].updated_at, pair[1].number),
    "comments": lambda pair: (pair[1].comments, pair[1].number),
}


def fold(text: str | None) -> str:
    """Lower-case with white space folded, as the filters of an Address are."""
    return " ".join((text or "").split()).lower()


def words(values: Iterable[str]) -> str:
    """Folded words as one text in which `word(value)` is found exactly when the value is among them."""
    return SEPARATOR + "".join(fold(value) + SEPARATOR for value in values)


def word(value: str) -> str:
    """What to look for in `words`; the value is folded already, as an Address holds it."""
    return f"{SEPARATOR}{value}{SEPARATOR}"


def asks_for(question: Address, content: Mapping[str, Any]) -> bool:
    """Whether an item's content passes a question's filters."""
    states = {"closed": ("closed", "merged") if question.kind == "pulls" else ("closed",)}
    labels, assignees = words(content["labels"]), words(content["assignees"])
    return (
        (question.state == "all" or content["state"] in states.get(question.state, (question.state,)))
        and all(word(label) in labels for label in question.labels)
        and question.author in ("", fold(content["author"]))
        and (not question.assignee or word(question.assignee) in assignees)
        and (
            content["milestone_number"] == int(question.milestone)
            if question.milestone.isdecimal()
            else question.milestone in ("", fold(content["milestone"]))
        )
    )


def sort(found: list[tuple[Any, Row]], order: str) -> None:
    """Sort (content, Row) pairs; they stay in their order where States do not tell the one that is asked for."""
    name, _, direction = order.partition("-")
    if name in SORTED_BY and direction in ("asc", "desc"):
        found.sort(key=SORTED_BY[name], reverse=direction == "desc")
