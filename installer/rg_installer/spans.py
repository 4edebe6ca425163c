"""Putting an element into a bracketed list of a text, and taking it out, without touching any other character.

Shared by JSON objects, JSON arrays and TOML arrays: all are parts between two brackets, separated by commas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

BLANK = " \t\r\n"
Render = Callable[[str | None], str]
"""Our element as text: across lines at the given indentation, or on one line for None."""


@dataclass(frozen=True)
class Part:
    """One element: from its key or value to the end of its value; where the value begins; the comma behind it."""

    key: str | None
    start: int
    value: int
    end: int
    comma: int | None


@dataclass(frozen=True)
class Box:
    """A container in a text: the offsets of its brackets, its parts, and all comments of the text in order."""

    open: int
    close: int
    parts: Sequence[Part]
    comments: Sequence[tuple[int, int]]


def added(text: str, box: Box, render: Render, *, eol: str, unit: str) -> str:
    """The text with our element as the last of the box, laid out like its neighbours."""
    if not box.parts:
        outer = indent_of(text, box.open)
        inner = text[box.open + 1 : box.close].rstrip(BLANK)
        body = inner + eol + outer + unit + render(outer + unit) + eol + outer
        return text[: box.open + 1] + body + text[box.close :]
    last = box.parts[-1]
    after = last.end if last.comma is None else last.comma + 1
    lines = "\n" in text[_lead(text, box, last) : last.start]
    place, gap, made = after, " ", render(None)
    if lines:
        indent = indent_of(text, last.start)
        place, gap, made = _past_comments(text, box, after), eol + indent, render(indent)
    if last.comma is not None:
        return text[:place] + gap + made + "," + text[place:]
    return text[: last.end] + "," + text[last.end : place] + gap + made + text[place:]


def removed(text: str, box: Box, index: int) -> str:
    """The text without the part at the index, one of several: the exact inverse of `added`."""
    part = box.parts[index]
    lead = _lead(text, box, part)
    if part.comma is not None:
        return text[:lead] + text[part.comma + 1 :]
    comma = box.parts[index - 1].comma
    assert comma is not None
    return text[:comma] + text[comma + 1 : lead] + text[part.end :]


def emptied(text: str, box: Box, inner: str | None) -> str:
    """The text without the only part of the box. `inner` is what stood between the brackets before we came, if known.

    A comment that the user wrote beside our part stays.
    """
    part = box.parts[0]
    before = text[box.open + 1 : _lead(text, box, part)]
    after = text[part.end if part.comma is None else part.comma + 1 : box.close]
    if inner is None or inner.strip(BLANK) != (before + after).strip(BLANK):
        inner = (before + after) if (before + after).strip(BLANK) else ""
    return text[: box.open + 1] + inner + text[box.close :]


def lonely(text: str, box: Box) -> bool:
    """Whether the box would hold nothing, not even a comment, without its only part."""
    return len(box.parts) == 1 and emptied(text, box, "")[box.open + 1] == text[box.close]


def indent_of(text: str, offset: int) -> str:
    """The white space at the beginning of the line that holds the offset."""
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _lead(text: str, box: Box, part: Part) -> int:
    """Where the white space right before a part begins; the blanks at the end of a comment belong to the comment."""
    lead = part.start
    while lead > box.open + 1 and text[lead - 1] in BLANK:
        lead -= 1
    return max([lead, *(end for begin, end in box.comments if begin < part.start and end <= part.start and end > lead)])


def _past_comments(text: str, box: Box, offset: int) -> int:
    """The end of the comments that follow on the same line, or the offset itself."""
    for begin, end in box.comments:
        if begin >= offset and not text[offset:begin].strip(" \t") and begin < box.close:
            offset = end
            if "\n" in text[begin:end]:
                break
    return offset
