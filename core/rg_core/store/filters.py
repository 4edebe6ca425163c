"""The words that filters compare, folded once in Python, so that SQL, Cypher and the matcher agree on case."""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = "\n"  # cannot be in a folded word


def fold(text: str | None) -> str:
    """Lower-case with white space folded, as the filters of an Address are."""
    return " ".join((text or "").split()).lower()


def words(values: Iterable[str]) -> str:
    """Folded words as one text in which `word(value)` is found exactly when the value is among them."""
    return SEPARATOR + "".join(fold(value) + SEPARATOR for value in values)


def word(value: str) -> str:
    """What to look for in `words`; the value is folded already, as an Address holds it."""
    return f"{SEPARATOR}{value}{SEPARATOR}"
