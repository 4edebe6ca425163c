"""Exact surgery on JSON texts, strict or with comments: comments, order, layout, line ends and mark stay as they are.

Comments and trailing commas are blanked to spaces in a copy of the same length, so that Python's own strict parser
reads every dialect and its offsets hold in the user's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from rg_core.harness.edits import Json, Syntax
from rg_installer import spans
from rg_installer.spans import BLANK, Box, Part

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|(?P<comment>//[^\r\n]*|/\*.*?\*/)|(?P<comma>,)', re.DOTALL)
_NAIVE = re.compile(r"/\*[\s\S]*?\*/|//.*$", re.MULTILINE)
_VISIBLE = re.compile(r"[^\r\n]")


class Malformed(Exception):
    """The program that owns the file would not read it; the text says why and, where it can be told, the line."""


def _constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)


@dataclass(frozen=True, eq=False)
class Text:
    """A JSON file taken apart: `text` is the user's, `plain` the same length in strict JSON, `value` what it says."""

    mark: str
    text: str
    plain: str
    comments: Sequence[tuple[int, int]]
    value: Json
    root: Box | None = None  # its outermost object, if it is one

    @cached_property
    def eol(self) -> str:
        """The file's own line end."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def unit(self) -> str:
        """One step of the file's own indentation."""
        found = re.search(r"\n([ \t]+)\S", self.text)
        return found[1] if found else "  "


@lru_cache(maxsize=32)
def parse(raw: bytes, syntax: Syntax) -> Text:
    """Take a file apart as the program would read it; the same bytes once, for some files are of many megabytes.

    Raises:
        Malformed: the program would refuse or drop this file.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not UTF-8") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    if mark and syntax not in ("json_bom", "jsonc"):
        raise Malformed("it begins with a byte order mark, which this program does not accept")
    text = text.removeprefix(mark)
    plain, comments = _blanked(text, syntax)
    if syntax == "json_comments":
        _same_when_cut(text, plain)
    try:
        value, root = _object(plain, comments) or (_value(plain), None)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    return Text(mark, text, plain, comments, value, root)


def holds(text: Text, at: Sequence[str]) -> Any:
    """The value at a key path, or None."""
    value: Any = text.value
    for key in at:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def locate(text: Text, at: Sequence[str]) -> tuple[int, Sequence[str]]:
    """The offset of the deepest value on the path that exists, and the keys that lead from it to the end.

    Raises:
        Malformed: a value on the path is not an object, or a key on it is there twice.
    """
    offset = _skip(text.plain, 0)
    for depth, key in enumerate(at):
        if text.plain[offset] != "{":
            what = ".".join(at[:depth]) or "all of it"
            raise Malformed(f"{what} is not an object (line {_line(text.plain, offset)})")
        found = [part for part in box(text, offset).parts if part.key == key]
        if len(found) > 1:
            raise Malformed(f"{'.'.join(at[: depth + 1])} is there twice (line {_line(text.plain, found[1].start)})")
        if not found:
            return offset, at[depth:]
        offset = found[0].value
    return offset, ()


@lru_cache(maxsize=64)
def box(text: Text, offset: int) -> Box:
    """The parts of the object or array that begins at the offset."""
    if text.root and text.root.open == offset:
        return _with_trailing_comma(text, text.root)
    plain = text.plain
    keyed = plain[offset] == "{"
    parts: list[Part] = []
    i = _skip(plain, offset + 1)
    while plain[i] not in "}]":
        start, key = i, None
        if keyed:
            key, i = scanstring(plain, i + 1, True)
            i = _skip(plain, _skip(plain, i) + 1)
        value, end = i, _end(plain, i)
        i = _skip(plain, end)
        comma = i if plain[i] == "," else None
        parts.append(Part(key, start, value, end, comma))
        i = _skip(plain, i + 1) if comma is not None else i
    return _with_trailing_comma(text, Box(offset, i, parts, text.comments))


def _with_trailing_comma(text: Text, found: Box) -> Box:
    if not found.parts or found.parts[-1].comma is not None:
        return found
    last = found.parts[-1]
    comma = _trailing_comma(text, last.end, found.close)
    return Box(found.open, found.close, [*found.parts[:-1], replace(last, comma=comma)], text.comments)


def end(text: Text, offset: int) -> int:
    """Where the value that begins at the offset ends."""
    return _end(text.plain, offset)


def add(text: Text, offset: int, key: str | None, value: Json) -> str:
    """The text with one more element in the object (key given) or array (key None) at the offset."""

    def render(indent: str | None) -> str:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
        return name + dump(value, indent, text.eol, text.unit)

    return spans.added(text.text, box(text, offset), render, eol=text.eol, unit=text.unit)


def put(text: Text, offset: int, value: Json) -> str:
    """The text with another value in place of the one at the offset."""
    multi = "\n" in text.text
    made = dump(value, spans.indent_of(text.text, offset) if multi else None, text.eol, text.unit)
    return text.text[:offset] + made + text.text[end(text, offset) :]


def dump(value: Json, indent: str | None, eol: str, unit: str) -> str:
    """A value as text: on one line (indent None), or across lines as they follow a line with this indentation."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", eol + indent)


def _blanked(text: str, syntax: Syntax) -> tuple[str, list[tuple[int, int]]]:
    if syntax in ("json", "json_bom"):
        return text, []
    comments = []
    commas = []
    pieces = []
    done = 0
    for found in _PIECE.finditer(text):
        if found["comment"]:
            comments.append(found.span())
            pieces += [text[done : found.start()], _VISIBLE.sub(" ", found[0])]
            done = found.end()
        elif found["comma"]:
            commas.append(found.start())
    plain = "".join(pieces) + text[done:]
    if syntax == "jsonc":
        trailing = [comma for comma in commas if _trails(plain, comma)]
        begins = [0, *(comma + 1 for comma in trailing)]
        plain = " ".join(plain[begin:end] for begin, end in zip(begins, [*trailing, len(plain)], strict=True))
    return plain, comments


def _trails(plain: str, comma: int) -> bool:
    """Whether a comma stands between an element and the bracket that closes its container."""
    before, after = comma - 1, _skip(plain, comma + 1)
    while before >= 0 and plain[before] in BLANK:
        before -= 1
    return plain[after : after + 1] in ("}", "]") and before >= 0 and plain[before] not in ",{["


def _same_when_cut(text: str, plain: str) -> None:
    """Refuse a text that Cursor's comment cutting destroys: it cuts at every //, also inside a string."""
    cut = _NAIVE.sub("", text)
    try:
        same = json.loads(cut) == json.loads(plain)
    except ValueError:
        same = False
    if not same and (found := re.search(r'"[^"\n]*(//|/\*)[^"\n]*"', text)):
        line = _line(text, found.start())
        raise Malformed(f"line {line}: this program takes {found[1]} for a comment even inside a string")


def _object(plain: str, comments: Sequence[tuple[int, int]]) -> tuple[Json, Box] | None:
    """What the outermost object says and where its parts are, in one reading; None if it is not one, or not valid."""
    begin = _skip(plain, 0)
    value: dict[str, Json] = {}
    parts: list[Part] = []
    try:
        i = _skip(plain, begin + 1)
        if plain[begin] != "{" or plain[i] == "}":
            return None
        while True:
            start = i
            key, i = scanstring(plain, i + 1, True) if plain[i] == '"' else ("", len(plain))
            i = _skip(plain, i)
            if plain[i] != ":":
                return None
            place = _skip(plain, i + 1)
            value[key], end = _DECODER.raw_decode(plain, place)
            i = _skip(plain, end)
            parts.append(Part(key, start, place, end, i if plain[i] == "," else None))
            if plain[i] == "}":
                return (value, Box(begin, i, parts, comments)) if _skip(plain, i + 1) == len(plain) else None
            if plain[i] != ",":
                return None
            i = _skip(plain, i + 1)
    except (ValueError, IndexError):
        return None


def _value(plain: str) -> Json:
    try:
        value: Json = json.loads(plain, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise Malformed(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError:
        raise Malformed("a number in it has too many digits to be read") from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    return value


def _end(plain: str, offset: int) -> int:
    return _DECODER.raw_decode(plain, offset)[1]


def _skip(plain: str, offset: int) -> int:
    while offset < len(plain) and plain[offset] in BLANK:
        offset += 1
    return offset


def _trailing_comma(text: Text, start: int, stop: int) -> int | None:
    for i in range(start, stop):
        if text.text[i] == "," and not any(begin <= i < finish for begin, finish in text.comments):
            return i
    return None


def _line(plain: str, offset: int) -> int:
    return plain.count("\n", 0, offset) + 1
