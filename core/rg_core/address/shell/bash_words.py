"""The words of bash: quotes, expansions, substitutions, here-documents, blanks. Expands nothing, runs nothing.

A Word is a string, or a list of parts: a string (literal), ("var", name, default, quoted), ("run", nodes, quoted),
("file", nodes) for <( ... ), ("braces", alternatives), ("array", words) or UNKNOWN_PART. Nodes are described in
rg_core.address.shell.bash.
"""

from __future__ import annotations

import re

from rg_core.address.shell.plain import MAX_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Node = tuple[Any, ...]
    Word = str | list[Any]

MAX_DEPTH = 40
MAX_ARITHMETIC = 2_000  # characters
MAX_ESCAPED = 10_000  # characters of a $'...'
UNKNOWN_PART = ("unknown",)
_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_PLAIN = re.compile(r"[^ \t\n\\'\"$`;&|<>()*?\[{]+")
_RESERVED = re.compile(r"[^\s;&|<>()'\"\\$`]{1,10}")
_BRACKET = re.compile(r"[()]")
_IN_QUOTES = re.compile(r"[^\\\"$`]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9#?$!@*-]")
_BRACED = re.compile(r"([A-Za-z_]\w*|[0-9]+)(?:(:?[-=])([^{}$`\"'\\]*))?\}")
_ARRAY = re.compile(r"([A-Za-z_]\w*)\[[@*]\]\}")
_BRACES = re.compile(r"\{([\w./#-]*(?:,[\w./#-]*)+|-?[0-9]{1,6}\.\.-?[0-9]{1,6})\}")
_ANSI = re.compile(r"\\(?:([abefnrtv\\'\"?])|x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4}))")
_ANSI_LETTER = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Unreadable(Exception):
    """The text is not complete bash, or goes beyond what is followed here."""


class Words:
    """One pass over a text; the work is bounded by MAX_STEPS and MAX_DEPTH."""

    lines: Callable[[tuple[str, ...]], list[Node]]  # commands up to one of the ends: the grammar's part (bash.py)

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\0", "")
        self.at = 0
        self.depth = 0
        self.steps = 0
        self.heredocs: list[tuple[str, bool, bool, list[Node]]] = []

    def word(self) -> Word:
        """One word, from here to the next blank or operator."""
        self.step()
        parts: list[Any] = []
        start = self.at
        while self.at < len(self.text):
            if plain := _PLAIN.match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
                continue
            character = self.text[self.at]
            if character in " \t\n;&|)":
                break
            self.step()
            if character in "<>(":
                if not self.text.startswith(("<(", ">("), self.at):
                    break
                self.at += 2
                parts.append(("file", self.inner(")")))
            elif character == "\\":
                if self.text.startswith("\\\n", self.at):
                    self.at += 2
                    continue
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif character in "'\"`$":
                self.quoting(character, parts)
            elif character == "{":
                braces = _BRACES.match(self.text, self.at)
                parts.append(("braces", _alternatives(braces[1])) if braces else "{")
                self.at += len(braces[0]) if braces else 1
            else:  # a glob; a ? in the middle of a URL's query matches no file that anybody has
                parts.append("?" if character == "?" and "/" in self.text[start : self.at] else UNKNOWN_PART)
                self.at += 1
        if self.at == start:
            raise self.unexpected()
        return "".join(parts) if all(isinstance(part, str) for part in parts) else parts

    def quoting(self, character: str, parts: list[Any]) -> None:
        """What a quote, backtick or dollar begins."""
        if character == "'":
            parts.append(self.until("'"))
        elif character == '"':
            self.at += 1
            parts.append("")  # "" is an argument too
            self.double(parts, '"')
        elif character == "`":
            inner = re.sub(r"\\([\\`$])", r"\1", self.until("`", escapes=True))
            parts.append(("run", self.nested(inner), False))
        elif self.text.startswith("$'", self.at):
            self.at += 1
            inside = self.until("'", escapes=True)
            parts.append(_ANSI.sub(_ansi, inside) if len(inside) <= MAX_ESCAPED else UNKNOWN_PART)
        elif self.text.startswith('$"', self.at):
            self.at += 1
        else:
            self.dollar(parts, quoted=False)

    def double(self, parts: list[Any], end: str) -> None:
        """The inside of double quotes, or (end="") a here-document that expands."""
        while True:
            if plain := _IN_QUOTES.match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
            if self.at >= len(self.text):
                if end:
                    raise Unreadable("a quote that is not closed")
                return
            self.step()
            character = self.text[self.at]
            if character == '"':
                self.at += 1
                if end:
                    return
                parts.append('"')
            elif character == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                self.at += 2
                if following != "\n":
                    parts.append(following if following in '$`"\\' else "\\" + following)
            elif character == "`":
                inner = re.sub(r"\\([\\`$\"])", r"\1", self.until("`", escapes=True))
                parts.append(("run", self.nested(inner), True))
            else:
                self.dollar(parts, quoted=True)

    def dollar(self, parts: list[Any], *, quoted: bool) -> None:
        """An expansion."""
        text = self.text
        if text.startswith("$((", self.at) and self.arithmetic(3):
            parts.append(UNKNOWN_PART)
            return
        if text.startswith("$(", self.at):
            self.at += 2
            parts.append(("run", self.inner(")"), quoted))
        elif text.startswith("${", self.at):
            self.at += 2
            if match := _ARRAY.match(text, self.at):
                parts.append(("var", match[1] + "[@]", None, quoted))
                self.at = match.end()
            elif match := _BRACED.match(text, self.at):
                parts.append(("var", match[1], match[3] if match[2] else None, quoted))
                self.at = match.end()
            else:
                self.parameter()
                parts.append(UNKNOWN_PART)
        elif match := _NAME.match(text, self.at + 1):
            parts.append(("var", match[0], None, quoted))
            self.at = match.end()
        else:
            parts.append("$")
            self.at += 1

    def parameter(self) -> None:
        """The rest of a ${...} that is not followed, to its closing brace."""
        self.deeper()
        ignored: list[Any] = []
        while not self.accept("}"):
            if self.at >= len(self.text):
                raise Unreadable("a ${ that is not closed")
            self.step()
            character = self.text[self.at]
            if character == "\\":
                self.at += 2
            elif character in "'\"`$":
                self.quoting(character, ignored)
            else:
                self.at += 1
        self.depth -= 1

    def arithmetic(self, opening: int) -> bool:
        """Skip the `((...))` that begins here with so many characters; False if it is nested parentheses instead."""
        depth = 2
        for bracket in _BRACKET.finditer(self.text, self.at + opening, self.at + MAX_ARITHMETIC):
            depth += 1 if bracket[0] == "(" else -1
            if depth == 0:
                if self.text[bracket.start() - 1] != ")":
                    break
                self.at = bracket.end()
                return True
        self.steps += MAX_ARITHMETIC // 100
        return False

    def inner(self, end: str) -> list[Node]:
        """The commands up to a closing mark, and past it."""
        nodes = self.lines((end,))
        self.want(end)
        return nodes

    def nested(self, text: str) -> list[Node]:
        """The nodes of a text of its own (between backticks), within the same bounds."""
        reader = type(self)(text)
        reader.depth, reader.steps = self.depth, self.steps
        reader.deeper()
        nodes = reader.lines(())
        self.steps = reader.steps
        return nodes

    def until(self, end: str, *, escapes: bool = False) -> str:
        """The text between here (an opening mark) and its closing mark."""
        start = self.at + 1
        found = self.text.find(end, start)
        while escapes and found > 0:
            backslashes = 0
            while self.text[found - 1 - backslashes] == "\\" and found - 1 - backslashes >= start:
                backslashes += 1
            if backslashes % 2 == 0:
                break
            self.step()
            found = self.text.find(end, found + 1)
        if found < 0:
            raise Unreadable("a quote that is not closed")
        self.at = found + 1
        return self.text[start:found]

    def blank(self, *, newlines: bool = False) -> None:
        """Past blanks and comments; past line ends too where they mean nothing, and here-documents that begin there."""
        while self.at < len(self.text):
            if match := _BLANKS.match(self.text, self.at):
                self.at = match.end()
            character = self.text[self.at : self.at + 1]
            if character == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif newlines and character == "\n":
                self.step()
                self.at += 1
                self.read_heredocs()
            else:
                return

    def read_heredocs(self) -> None:
        """The bodies of the here-documents that the line announced."""
        pending, self.heredocs = self.heredocs, []
        for end, tabs, literal, extra in pending:
            indent = r"\t*" if tabs else ""
            close = re.compile(rf"^{indent}{re.escape(end)}(?=\n|\Z)", re.MULTILINE).search(self.text, self.at)
            body = self.text[self.at : close.start() if close else len(self.text)]
            self.at = min(close.end() + 1, len(self.text)) if close else len(self.text)
            parts: list[Any] = [body if literal or not any(each in body for each in "$`\\") else UNKNOWN_PART]
            if not literal and ("$(" in body or "`" in body):
                reader = type(self)(body)
                reader.depth, reader.steps = self.depth, self.steps
                parts = []
                reader.double(parts, "")
                self.steps = reader.steps
            extra.append(("here", parts))

    def peek_word(self) -> str:
        """The short word that stands here unquoted, else an empty text."""
        match = _RESERVED.match(self.text, self.at)
        return match[0] if match and len(match[0]) < 10 else ""

    def accept(self, text: str, then_not: str = "") -> bool:
        """Go past the text if it stands here, and none of `then_not` behind it."""
        if self.text.startswith(text, self.at) and not (
            then_not and self.text[self.at + len(text) : self.at + len(text) + 1] in tuple(then_not)
        ):
            self.at += len(text)
            return True
        return False

    def accept_word(self, word: str) -> bool:
        """Go past the word if it stands here."""
        if self.peek_word() == word:
            self.at += len(word)
            return True
        return False

    def want(self, word: str) -> None:
        """Go past the word, which must stand here."""
        self.blank(newlines=True)
        if not (self.accept(word) if word in ("(", ")") else self.accept_word(word)):
            raise Unreadable(f"{word} is missing")

    def unexpected(self) -> Unreadable:
        """The error of finding what is here."""
        return Unreadable(f"unexpected {self.text[self.at : self.at + 10]!r}")

    def step(self) -> None:
        """Count a step of work."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unreadable("it is too long")

    def deeper(self) -> None:
        """Count a level of nesting."""
        self.depth += 1
        self.steps += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("it is nested too deeply")


def _alternatives(inside: str) -> list[str]:
    if ".." not in inside or "," in inside:
        return inside.split(",")
    first, _, last = inside.partition("..")
    low, high = int(first), int(last)
    step = 1 if high >= low else -1
    return [str(number) for number in range(low, high + step, step)][:200]


def _ansi(match: re.Match[str]) -> str:
    letter, hexadecimal, octal, unicode = match.groups()
    if letter:
        return _ANSI_LETTER.get(letter, letter)
    return chr(int(hexadecimal or unicode, 16) if hexadecimal or unicode else int(octal, 8)).replace("\0", "")
