"""The names by which texts speak of documents: SPEC-054, ADR #12. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

PREFIXES = ("SPEC", "ADR")
HYPHENS = str.maketrans("\u2010\u2011", "--")
SPACED = frozenset({"ADR"})  # also written "ADR #12"


@lru_cache(maxsize=16)
def pattern(prefixes: Sequence[str]) -> re.Pattern[str]:
    """What matches a name with one of these prefixes; the groups are (prefix, digits) of either spelling.

    ASCII on purpose: a name directly before Japanese text is a name.
    """
    names = "|".join(re.escape(prefix) for prefix in prefixes) or r"(?!)"
    spaced = "|".join(re.escape(prefix) for prefix in prefixes if prefix.upper() in SPACED) or r"(?!)"
    return re.compile(
        rf"(?<![A-Za-z0-9_-])(?:({names})-([0-9]{{1,6}})|({spaced}) ?#([0-9]{{1,6}}))(?![A-Za-z0-9_])", re.IGNORECASE
    )


def names(text: str, prefixes: Sequence[str] = PREFIXES) -> Iterator[str]:
    """Every name in a text in canonical spelling, in order, as often as it stands there."""
    for match in pattern(tuple(prefixes)).finditer(text.translate(HYPHENS)):
        yield canonical(match[1] or match[3], match[2] or match[4])


def canonical(prefix: str, digits: str) -> str:
    """The one spelling of a name: upper-case, at least three digits."""
    return f"{prefix.upper()}-{int(digits):03d}"


def name_of(text: str, prefixes: Sequence[str] = PREFIXES) -> str | None:
    """The name that a whole text is (white space around it aside), if it is one."""
    match = pattern(tuple(prefixes)).fullmatch(text.strip().translate(HYPHENS))
    return canonical(match[1] or match[3], match[2] or match[4]) if match else None
