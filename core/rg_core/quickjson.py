"""JSON read and written by the C parts of `json` alone. Hot.

`json` imports `re`, and that `enum`, `functools` and `collections`: together half of what a relevant hook call costs
beyond Python's own start. The C functions are what `json` itself runs on in CPython, 3.11 to 3.14 and on.
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

__all__ = ["dumps", "loads", "quote", "whole"]


class _Strict:
    """The scanner's options."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float  # NaN, Infinity and -Infinity
    memo: dict[str, str] = {}  # noqa: RUF012 - of the Python scanner, which empties it


class _Lenient(_Strict):
    """Control characters within strings are taken as they are."""

    strict = False


def loads(text: str) -> Any:
    """The object that begins at the first brace; what stands around it does not matter.

    Raises:
        ValueError: if there is none, or it is not JSON.
        StopIteration: if it ends too early.
        RecursionError: if it is nested too deeply.
    """
    return _scan(_Lenient, text, text.index("{"))[0]


def whole(text: str) -> Any:
    """The value of a text that is JSON and nothing else; raises what `loads` does."""
    text = text.strip(" \t\r\n")
    value, end = _scan(_Strict, text, 0)
    if end != len(text):
        raise ValueError("something stands behind the value")
    return value


def _scan(options: type[_Strict], text: str, start: int) -> tuple[Any, int]:
    try:
        return make_scanner(options)(text, start)  # type: ignore[arg-type]
    except SystemError:  # Python 3.11 finds no exception to raise where `json` was not imported
        raise ValueError("not JSON") from None


def dumps(value: object) -> str:
    """A value of dicts, lists, texts, numbers, booleans and None as JSON on one line, in ASCII."""
    try:
        from _json import make_encoder
    except ImportError:
        from json import dumps

        return dumps(value)
    encode = make_encoder(None, None, quote, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]
    return "".join(encode(value, 0))
