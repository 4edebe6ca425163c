"""The terms of a text and of a query, and how much of a query an asset answers. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_FUNCTION_WORDS = (
    "a an and are as at be by can do does for from has have how i if in into is it its me my no not of on or our so "
    "that the their them then there these this to us was we what when where which who why will with you your"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
# Kana with its length mark, Han, Hangul: written without blanks, so each character is a term of its own.
ALONE = "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"  # noqa: E501
TERM = re.compile(rf"[{ALONE}]|[^\W_{ALONE}]+")
ASCII = bytes(ord(chr(code).lower() if chr(code).isalnum() else " ") for code in range(128)).ljust(256)


def terms(text: str) -> set[str]:
    """The distinct terms of a text: case and an English plural's `s` do not matter, function words are none."""
    words = _words(text)
    return {_singular(word) for word in words if not (word.isascii() and (len(word) == 1 or word in FUNCTION_WORDS))}


def relevance(query: set[str], texts: Iterable[str]) -> int:
    """How many thousandths of the query's terms (see `terms`) these texts have, rounded down; 0 without a query."""
    if not query:
        return 0
    words = _words("\n".join(texts))
    return 1000 * len([term for term in query if term in words or _plural(term) in words]) // len(query)


def _words(text: str) -> set[str]:
    if text.isascii():  # as most texts are: several times as fast
        return set(text.encode().translate(ASCII).decode().split())
    return set(TERM.findall(unicodedata.normalize("NFKC", text).casefold()))


def _singular(word: str) -> str:
    if len(word) > 3 and word.isascii() and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


@lru_cache(1024)
def _plural(term: str) -> str:
    """The other word of which `_singular` makes this term; "" where there is none."""
    plural = term + "s"
    return plural if plural not in FUNCTION_WORDS and _singular(plural) == term else ""
