"""A TOML text as a list of statements with their places, so that whole lines can be added and removed as text.

tomllib says what a file means; this scanner only says where. It never runs on a text that tomllib refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rg_core.harness.edits import Json
from rg_installer.json_text import Malformed
from rg_installer.spans import Box, Part

_TOKEN = re.compile(
    r'(?P<string>"""(?:[^\\]|\\.)*?"""+|\'\'\'.*?\'\'\'+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')|(?P<comment>#[^\r\n]*)'
    r"|(?P<mark>[\[\]{},=.])|(?P<line>\r?\n)|(?P<space>[ \t]+)|(?P<word>[^\s\"'#\[\]{},=.]+)",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Statement:
    """A header or an assignment: its full key path, its lines from start to end (with line end), its value's place."""

    kind: Literal["table", "array", "pair"]
    path: tuple[str, ...]
    start: int
    end: int
    value: int = 0
    value_end: int = 0


def value(raw: bytes) -> dict[str, Json]:
    """What a TOML file says.

    Raises:
        Malformed: it is not TOML 1.0.
    """
    try:
        parsed: dict[str, Json] = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise Malformed(str(error)) from None
    except ValueError:
        raise Malformed("a number in it has too many digits to be read") from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    return parsed


def statements(text: str) -> list[Statement]:
    """All statements of a valid text, in order."""
    found: list[Statement] = []
    table: tuple[str, ...] = ()
    tokens = [(match.lastgroup or "", match.start(), match.end()) for match in _TOKEN.finditer(text)]
    i = 0
    while i < len(tokens):
        kind, start, _ = tokens[i]
        if kind in ("space", "line", "comment"):
            i += 1
            continue
        begin = text.rfind("\n", 0, start) + 1
        if text[start] == "[":
            double = text.startswith("[[", start)
            path, i = _path(text, tokens, i + (2 if double else 1))
            table = path
            i, end = _to_line_end(text, tokens, i)
            found.append(Statement("array" if double else "table", path, begin, end))
            continue
        key, i = _path(text, tokens, i)
        first = _visible(tokens, i + 1)
        last = _value_end(text, tokens, first)
        i, end = _to_line_end(text, tokens, last)
        found.append(Statement("pair", table + key, begin, end, tokens[first][1], tokens[last - 1][2]))
    return found


def array(text: str, start: int, stop: int) -> Box:
    """The parts of the array literal between two offsets."""
    tokens = [(m.lastgroup or "", m.start() + start, m.end() + start) for m in _TOKEN.finditer(text[start:stop])]
    comments = [(begin, end) for kind, begin, end in tokens if kind == "comment"]
    parts: list[Part] = []
    depth, first, last = 0, -1, -1
    for kind, begin, end in tokens:
        if kind in ("comment", "space", "line"):
            continue
        mark = text[begin] if kind == "mark" else ""
        if depth == 1 and mark in (",", "]"):
            if first >= 0:
                parts.append(Part(None, first, first, last, begin if mark == "," else None))
            first = -1
        elif depth >= 1:
            first, last = (begin if first < 0 else first), end
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
    return Box(start, stop - 1, parts, comments)


def dump(item: Json) -> str:
    """A value as TOML on one line."""
    match item:
        case bool():
            return "true" if item else "false"
        case str():
            return json.dumps(item, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(item)
        case Mapping():
            return "{ " + ", ".join(f"{name(key)} = {dump(inner)}" for key, inner in item.items()) + " }"
        case Sequence():
            return "[" + ", ".join(map(dump, item)) + "]"
        case None:
            raise TypeError("TOML has no null")


def name(key: str) -> str:
    """A key as TOML, quoted only where it must be."""
    return key if _BARE.fullmatch(key) else dump(key)


def _path(text: str, tokens: Sequence[tuple[str, int, int]], i: int) -> tuple[tuple[str, ...], int]:
    """The dotted key from token i on, and the index of the token that ends it: = or ]."""
    keys: list[str] = []
    while True:
        kind, start, end = tokens[i]
        if kind == "string":
            quoted = text[start:end]
            keys.append(str(tomllib.loads(f"k = {quoted}")["k"]))
        elif kind == "word":
            keys.append(text[start:end])
        elif kind == "mark" and text[start] in "=]":
            return tuple(keys), i
        i += 1


def _visible(tokens: Sequence[tuple[str, int, int]], i: int) -> int:
    while tokens[i][0] == "space":
        i += 1
    return i


def _value_end(text: str, tokens: Sequence[tuple[str, int, int]], i: int) -> int:
    """The index behind the last token of the value that begins at token i."""
    depth, last = 0, i
    while i < len(tokens):
        kind, start, _ = tokens[i]
        if depth == 0 and kind in ("line", "comment"):
            break
        if kind == "mark":
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(text[start], 0)
        i += 1
        if kind != "space":
            last = i
    return last


def _to_line_end(text: str, tokens: Sequence[tuple[str, int, int]], i: int) -> tuple[int, int]:
    while i < len(tokens):
        kind, _, end = tokens[i]
        i += 1
        if kind == "line":
            return i, end
    return i, len(text)
