"""JSON read and quoted by the C parts of `json` alone. Hot.

`json` imports `re`, and that `enum`, `functools` and `collections`: together half of what a relevant hook call costs
beyond Python's own start. The two C functions are what `json` itself runs on in CPython, 3.11 to 3.14 and on.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii as quote
    from _json import make_scanner
except ImportError:  # another implementation of Python
    from json.encoder import encode_basestring_ascii as quote
    from json.scanner import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["loads", "quote"]


class _Lenient:
    """The scanner's options: control characters within strings are taken as they are."""

    strict = False
    object_hook = object_pairs_hook = array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN, Infinity and -Infinity
    memo: dict[str, str] = {}  # noqa: RUF012 - of the Python scanner, which empties it


def loads(text: str) -> Any:
    """The object that begins at the first brace; what stands around it does not matter.

    Raises:
        ValueError: if there is none, or it is not JSON.
        StopIteration: if it ends too early.
        RecursionError: if it is nested too deeply.
    """
    return make_scanner(_Lenient)(text, text.index("{"))[0]  # type: ignore[arg-type]
