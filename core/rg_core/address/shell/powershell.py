"""PowerShell's common forms, followed with the state of rg_core.address.shell.shell.Shell.

Statements, pipes, script blocks, $variables, $env:NAME, foreach over literals, ForEach-Object, both kinds of string
and here-strings, the call operator, comments and line continuations. Variables keep their `$` out of the name.
"""

from __future__ import annotations

import re

from rg_core.address.found import UNKNOWN
from rg_core.address.shell.bash_words import MAX_DEPTH
from rg_core.address.shell.plain import MAX_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    Command = Any  # rg_core.address.shell.shell has it

    class Shell(Protocol):
        """What is followed here of a shell's state; rg_core.address.shell.shell has it."""

        take: Callable[[Command], None]
        cwd: str | None
        variables: dict[str, str | list[str]]
        exported: dict[str, str]
        reasons: list[str]

        def go(self, directory: str) -> None:
            """Change the working directory."""

        def alone(self, argv: list[str], env: dict[str, str]) -> None:
            """Follow a simple command."""


_SKIP = re.compile(r"(?:[ \t\r]|`\r?\n|<#.*?(?:#>|\Z))+", re.DOTALL)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n&,]")
_PLAIN = re.compile(r"[^\s'\"`$;|&(){}]+")
_VARIABLE = re.compile(r"\$(?:\{(?:env:)?([A-Za-z_]\w*)\}|(env:)?([A-Za-z_]\w*|[?^$]))", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"\$(env:)?([A-Za-z_]\w*)[ \t]*=(?!=)[ \t]*", re.IGNORECASE)
_LITERAL = re.compile(r"""(?:'((?:[^'\n]|'')*)'|"([^"$`\n]*)"|([0-9]+))[ \t]*(?=[;\n\r}]|\Z)""")
_HERE = re.compile(r"@(['\"])[ \t]*\r?\n")
_FOREACH = re.compile(
    r"foreach[ \t]*\([ \t]*\$(\w+)[ \t]+in[ \t]+(?:@\(([^(){}$]*)\)|\$(\w+)|([^(){}$]*))[ \t]*\)\s*\{", re.IGNORECASE
)
_PIPED = re.compile(
    r"(?:@\(([^(){}$|]*)\)|\$(\w+)|([\w.'\"/ \t,#-]+?))[ \t]*\|[ \t]*"
    r"(?:ForEach-Object|foreach|%)[ \t]*(?:-Process[ \t]*)?\{",
    re.IGNORECASE,
)
_LIST = re.compile(r"(?:@\(([^(){}$]*)\)|((?:[\w./#-]+|'[^']*'|\"[^\"$`]*\")(?:[ \t]*,[ \t]*(?:[\w./#-]+|'[^']*'|\"[^\"$`]*\"))+))[ \t]*(?=[;\n\r}]|\Z)")  # fmt: skip  # noqa: E501
_ITEM = re.compile(r"'([^']*)'|\"([^\"]*)\"|([\w./#-]+)")
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})\Z")
_REDIRECTION = re.compile(r"[0-9*]?>{1,2}")
_MEMBER = re.compile(r"\.([A-Za-z_]\w*)(?![\w(])")
_DOUBLE = re.compile(r"[^\"`$]+")


class Unreadable(Exception):
    """Not complete PowerShell, or beyond what is followed here."""


def run(text: str, shell: Shell) -> None:
    """Follow a PowerShell command line with the shell's state."""
    reader = _Reader(text.replace("\0", ""), shell)
    try:
        reader.statements("")
    except Unreadable as error:
        shell.reasons.append(f"the PowerShell command cannot be read further: {error}")


class _Reader:
    def __init__(self, text: str, shell: Shell) -> None:
        self.text = text
        self.shell = shell
        self.at = 0
        self.depth = 0
        self.steps = 0

    def statements(self, end: str) -> None:
        """Follow statements up to the closing `end` (read too), or the end of the text."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("it is nested too deeply")
        while True:
            self.step()
            self.skip()
            if self.at >= len(self.text):
                if end:
                    raise Unreadable(f"{end} is missing")
                break
            if end and self.text[self.at] == end:
                self.at += 1
                break
            if separator := _SEPARATOR.match(self.text, self.at):
                self.at = separator.end()
                continue
            if not self.loop() and not self.assignment():
                self.pipeline(captured=False)
        self.depth -= 1

    def loop(self) -> bool:
        """Loops over literals: foreach ($x in 1,2) {...} and 1..3 | ForEach-Object {...}."""
        if match := _FOREACH.match(self.text, self.at):
            name, items = match[1], match.groups()[1:]
        elif match := _PIPED.match(self.text, self.at):
            name, items = "_", match.groups()
        else:
            return False
        held = self.shell.variables.get(items[1]) if items[1] else None
        values = held if isinstance(held, list) else _values(items[0] or items[2] or "")
        if name == "_" and not values:  # a command's output: its name and words are no items
            return False
        start = match.end()
        for value in values or [UNKNOWN]:
            self.at = start
            self.shell.variables[name] = value
            self.statements("}")
        return True

    def assignment(self) -> bool:
        match = _ASSIGNMENT.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        value: str | list[str] = UNKNOWN
        if (several := _LIST.match(self.text, self.at)) and (values := _values(several[1] or several[2] or "")):
            self.at = several.end()
            value = values
        elif literal := _LITERAL.match(self.text, self.at):
            self.at = literal.end()
            single, double, number = literal.groups()
            value = single.replace("''", "'") if single is not None else double if double is not None else number
        if match[1]:
            self.shell.exported[match[2].upper()] = value if isinstance(value, str) else UNKNOWN
        else:
            self.shell.variables[match[2]] = value
        if value is UNKNOWN:
            self.skip()
            if self.at < len(self.text) and self.text[self.at] not in ")}" and not _SEPARATOR.match(self.text, self.at):
                self.pipeline(captured=True)
        return True

    def pipeline(self, *, captured: bool) -> None:
        """Commands joined by |; what one prints is read by the ones behind it, or goes into a variable."""
        take = self.shell.take
        before: list[Command] = []
        while True:
            taken: list[Command] = []
            self.shell.take = taken.append
            words = self.command()
            if words:
                for command in before:
                    command.readers.append(words)
            before += taken
            if self.text[self.at : self.at + 2] == "||" or self.text[self.at : self.at + 1] != "|":
                break
            self.at += 1
            self.skip()
        self.shell.take = take
        for command in before:
            if captured:
                command.readers.append([])
            take(command)

    def command(self) -> list[str]:
        """Follow one command; its words."""
        words: list[str] = []
        while True:
            self.skip()
            if self.at >= len(self.text):
                break
            character = self.text[self.at]
            if character in ")}" or (character != "," and _SEPARATOR.match(self.text, self.at)):
                break
            word = self.word()
            if redirection := _REDIRECTION.match(word):
                self.skip()
                if redirection.end() == len(word) and self.at < len(self.text) and self.text[self.at] not in "&;|)}\n":
                    self.word()
                continue
            words.append(word)
        if words and words[0].lower() in ("cd", "set-location", "sl", "push-location", "chdir"):
            names = [word for word in words[1:] if word.lower() not in ("-path", "-literalpath")]
            self.shell.go(names[0] if len(names) == 1 else UNKNOWN)
        elif words and words[0].lower() in ("exit", "return", "throw") and self.depth == 1:
            self.at = len(self.text)
        elif words and words[0].lower() not in ("write-host", "write-output", "echo"):
            self.shell.alone(words, dict(self.shell.exported))
        return words

    def word(self) -> str:
        parts: list[str] = []
        start = self.at
        while self.at < len(self.text):
            self.step()
            if self.text[self.at] == "@" and (here := _HERE.match(self.text, self.at)):
                parts.append(self.here_string(here.end(), here[1]))
                continue
            if plain := _PLAIN.match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
                continue
            character = self.text[self.at]
            if character == "'":
                parts.append(self.single())
            elif character == '"':
                parts.append(self.double())
            elif character == "`":
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif character in "({" or self.text.startswith("$(", self.at):
                if character == "{" and parts:  # ${...} is a variable; x{ is text
                    break
                self.member(2 if character == "$" else 1)
                parts.append(UNKNOWN)
            elif character == "$":
                parts.append(self.variable())
            else:
                break
        if self.at == start:
            raise Unreadable(f"unexpected {self.text[self.at : self.at + 10]!r}")
        return "".join(parts)

    def member(self, opening: int) -> None:
        """Follow a block and what is taken of its answer: (...).title."""
        take = self.shell.take
        taken: list[Command] = []
        self.shell.take = taken.append
        self.block(opening)
        self.shell.take = take
        member = _MEMBER.match(self.text, self.at)
        for command in taken:
            command.readers.append(["select", member[1]] if member else [])
            take(command)

    def block(self, opening: int) -> None:
        """Follow a parenthesis or script block; what it may change is unknown afterwards."""
        end = {"(": ")", "{": "}"}[self.text[self.at + opening - 1]]
        self.at += opening
        before, cwd = dict(self.shell.variables), self.shell.cwd
        self.statements(end)
        for name, value in self.shell.variables.items():
            if before.get(name) != value:
                self.shell.variables[name] = UNKNOWN
        self.shell.cwd = cwd if cwd == self.shell.cwd else None

    def variable(self) -> str:
        match = _VARIABLE.match(self.text, self.at)
        if match is None:
            self.at += 1
            return "$"
        self.at = match.end()
        member = re.compile(r"[.\[][\w.\[\]]*").match(self.text, self.at)
        if member and len(member[0]) > 1:  # $x.Property
            self.at = member.end()
            return UNKNOWN
        held = self.shell.exported if match[2] else self.shell.variables
        value = held.get(match[3].upper() if match[2] else match[1] or match[3], UNKNOWN)
        return value if isinstance(value, str) else UNKNOWN

    def here_string(self, start: int, quote: str) -> str:
        end = self.text.find(f"\n{quote}@", start - 1)
        if end < 0:
            raise Unreadable("a here-string that is not closed")
        self.at = end + 3
        inside = self.text[start:end]
        return inside if quote == "'" or "$" not in inside else UNKNOWN

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unreadable("it is too long")

    def single(self) -> str:
        parts = []
        while True:
            self.step()
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise Unreadable("a quote that is not closed")
            parts.append(self.text[self.at + 1 : end])
            self.at = end + 1
            if not self.text.startswith("'", self.at):
                return "".join(parts)
            parts.append("'")

    def double(self) -> str:
        parts: list[str] = []
        self.at += 1
        while True:
            self.step()
            if plain := _DOUBLE.match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
            if self.at >= len(self.text):
                raise Unreadable("a quote that is not closed")
            if self.text.startswith('""', self.at):
                parts.append('"')
                self.at += 2
            elif self.text[self.at] == '"':
                self.at += 1
                return "".join(parts)
            elif self.text[self.at] == "`":
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif self.text.startswith("$(", self.at):
                self.block(2)
                parts.append(UNKNOWN)
            else:
                parts.append(self.variable())

    def skip(self) -> None:
        """Past blanks, line continuations and comments."""
        while True:
            self.step()
            if match := _SKIP.match(self.text, self.at):
                self.at = match.end()
            if not self.text.startswith("#", self.at):
                return
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end


def _values(items: str) -> list[str]:
    """The literal items of `1,2,3`, `'a','b'` or `1..3`; [] if they are none."""
    if bounds := _RANGE.match(items.strip()):
        low, high = int(bounds[1]), int(bounds[2])
        return [str(number) for number in range(low, high + (1 if high >= low else -1), 1 if high >= low else -1)][:200]
    values = []
    for item in items.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None:
            return []
        values.append(match[1] or match[2] or match[3] or "")
    return values
