"""Reads the everyday command line without `re`, whose import is a quarter of what a relevant hook call costs. Hot.

Words, quotes, operators and redirections to files; nothing that expands or substitutes, no loop, no here-document. The
tree is the one that rg_core.address.shell.bash reads (a property test says so); for what is not read here it is None,
and that reader has to.
"""

from __future__ import annotations

from rg_core.address.found import word_set
from rg_core.address.parts import NOWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = tuple[Any, ...]

MAX_STEPS = 4_000  # words, parts of words and operators of any command line: some 20 ms
MAX_TEXT = 1_500  # characters: never so many steps
_OTHER = frozenset("$`\\*?[{()\r\0")  # outside single quotes; "<" is looked at where it stands
_QUOTABLE = frozenset("*?[{()")  # and in double quotes mere letters
_RESERVED = word_set(
    "if while until for select case { [[ function ! time coproc then do done fi else elif esac } in"
)  # fmt: skip
_ENDS_PEEK = frozenset(";&|<>()'\"\\$`")


class _Other(Exception):
    """Something that is not read here."""


def read(text: str) -> list[Node] | None:
    """The tree of a command line; None if it is more than an everyday one."""
    if len(text) > MAX_TEXT or "\r" in text or "\0" in text or "<" in text:
        return None
    try:
        return _Plain(text).lines()
    except _Other:
        return None


class _Plain:
    def __init__(self, text: str) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0

    def lines(self) -> list[Node]:
        nodes: list[Node] = []
        while True:
            self.blank(newlines=True)
            if self.at >= self.size:
                return nodes
            nodes += self.pipeline()
            while self.text.startswith(("&&", "||"), self.at):
                kind = "then" if self.text[self.at] == "&" else "branch"
                self.at += 2
                self.blank(newlines=True)
                nodes.append((kind, self.pipeline()))
            if self.at >= self.size or self.text[self.at] == "\n":
                continue
            if self.text[self.at] != ";" or self.text.startswith((";;", ";&"), self.at):
                raise _Other  # a command in the background, or a mistake
            self.at += 1

    def pipeline(self) -> list[Node]:
        sides = [self.simple()]
        while self.text.startswith("|", self.at) and not self.text.startswith("||", self.at):
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.blank(newlines=True)
            sides.append(self.simple())
        return sides[0] if len(sides) == 1 else [("pipe", sides)]

    def simple(self) -> list[Node]:
        words: list[str] = []
        silent = False
        start = end = self.at
        while end < self.size and not (self.text[end].isspace() or self.text[end] in _ENDS_PEEK):
            end += 1
        if self.text[start:end] in _RESERVED:
            raise _Other
        while True:
            self.blank()
            if self.at >= self.size or self.text[self.at] in "\n;|":
                break
            if self.text[self.at] == "&" and not self.text.startswith("&>", self.at):
                break
            target = self.redirection()
            silent = silent or target in NOWHERE
            if target is None:
                begin = self.at
                words.append(self.word())
                if len(words) == 1 and "=" in self.text[begin : self.at]:
                    raise _Other  # an assignment
        if not words:
            raise _Other
        command: Node = ("simple", [], words)
        return [("silent", command) if silent else command]

    def redirection(self) -> str | None:
        """Past a redirection to a file, if one stands here: where the output goes, "" if anything else does."""
        at = begin = self.at
        while at < self.size and self.text[at] in "0123456789":
            at += 1
        for operator in ("&>>", "&>", ">>", ">&", ">|", ">"):
            if self.text.startswith(operator, at) and (at == self.at or operator[0] != "&"):
                self.at = at + len(operator)
                self.blank()
                if operator == ">&" and self.text.startswith("-", self.at):
                    self.at += 1
                    return ""
                target = self.word()
                return target if self.text[begin:at] in ("", "1") else ""
        return None

    def word(self) -> str:
        """One word, from here to the next blank or operator."""
        text, start = self.text, self.at
        parts: list[str] = []
        while self.at < self.size:
            character = text[self.at]
            if character in " \t\n;&|>":
                break
            if character in "'\"":
                end = text.find(character, self.at + 1)
                inside = text[self.at + 1 : end]
                if end < 0 or (character == '"' and not (_OTHER - _QUOTABLE).isdisjoint(inside)):
                    raise _Other
                parts.append(inside)
                self.at = end + 1
            elif character in _OTHER:
                raise _Other
            else:
                parts.append(character)
                self.at += 1
        if self.at == start:
            raise _Other
        return "".join(parts)

    def blank(self, *, newlines: bool = False) -> None:
        """Past blanks, and past line ends where they mean nothing."""
        skipped = " \t\n" if newlines else " \t"
        while self.at < self.size and self.text[self.at] in skipped:
            self.at += 1
        if self.text.startswith("#", self.at):
            raise _Other  # a comment
