"""Reads a command line as bash would: text -> the tree of what it runs. Expands nothing, runs nothing.

A tree is a list of nodes:
    ("simple", assignments, words)          assignments: [(name, Word)], words: [Word]
    ("group", nodes)                        { ...; }, and what runs in every case
    ("subshell", nodes)                     ( ... ), one side of a pipe, a background command
    ("branch", nodes)                       what may run: then, else, while, after ||
    ("for", name, words or None, nodes)     None: over something that only the shell could tell
    ("function", name)
A Word is a string, or a list of parts: a string (literal), ("var", name, default, quoted), ("run", nodes, quoted),
("braces", alternatives), ("array", words) or UNKNOWN_PART.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = tuple[Any, ...]
    Word = str | list[Any]

MAX_DEPTH = 40
MAX_ARITHMETIC = 2_000  # characters
MAX_STEPS = 4_000  # words, parts of words and operators: some 20 ms
MAX_ESCAPED = 10_000  # characters of a $'...'
UNKNOWN_PART = ("unknown",)

_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|&>>|&>|\|&|<<<|<<-?|<&|>&|<>|>\||>>|[;&|<>()\n]")
_PLAIN = re.compile(r"[^ \t\n\\'\"$`;&|<>()*?\[{]+")
_RESERVED = re.compile(r"[^\s;&|<>()'\"\\$`]{1,10}")
_DELIMITER = re.compile(r"[^\s;&|<>()]+")
_BRACKET = re.compile(r"[()]")
_IN_QUOTES = re.compile(r"[^\\\"$`]+")
_DIGITS = re.compile(r"[0-9]+(?=[<>])|\{[A-Za-z_]\w*\}(?=[<>])")
_ASSIGN = re.compile(r"([A-Za-z_]\w*)(\+?=)")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9#?$!@*-]")
_BRACED = re.compile(r"([A-Za-z_]\w*|[0-9]+)(?:(:?[-=])([^{}$`\"'\\]*))?\}")
_ARRAY = re.compile(r"([A-Za-z_]\w*)\[[@*]\]\}")
_BRACES = re.compile(r"\{([\w./#-]*(?:,[\w./#-]*)+|-?[0-9]{1,6}\.\.-?[0-9]{1,6})\}")
_ANSI = re.compile(r"\\(?:([abefnrtv\\'\"?])|x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4}))")
_ANSI_LETTER = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_REDIRECTS = frozenset({"<", ">", ">>", "<&", ">&", "<>", ">|", "&>", "&>>", "<<<", "<<", "<<-"})
_OPENING = frozenset({"if", "while", "until", "for", "select", "case", "{", "[[", "function", "!", "time", "coproc"})


class Unreadable(Exception):
    """The text is not complete bash, or goes beyond what is followed here."""


class Reader:
    """One pass over the text, by recursive descent; the work is bounded by MAX_STEPS and MAX_DEPTH."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\0", "")
        self.at = 0
        self.depth = 0
        self.steps = 0
        self.trouble = ""
        self.heredocs: list[tuple[str, bool, bool, list[Node]]] = []
        self.top: list[Node] = []
        self.complete = 0  # how many of `top` stand in lines that were read whole

    def script(self) -> list[Node]:
        """All complete lines; from a line that cannot be read on nothing is followed, and `trouble` says why."""
        try:
            return self.lines(())
        except Unreadable as error:
            self.trouble = f"the command line cannot be read: {error}"
            return self.top[: self.complete]

    # -- lists and pipelines

    def lines(self, ends: tuple[str, ...]) -> list[Node]:
        """Commands up to one of the reserved words or operators in `ends` (left unread), or the end of the text."""
        self.deeper()
        nodes: list[Node] = []
        if self.depth == 1:
            self.top = nodes
        while True:
            line = self.at
            self.blank(newlines=True)
            if self.at >= len(self.text) or self.peek_end(ends):
                break
            if self.depth == 1 and "\n" in self.text[line : self.at]:
                self.complete = len(nodes)
            nodes += self.and_or()
            self.blank()
            if self.at >= len(self.text) or self.text[self.at] == "\n" or self.peek_end(ends):
                continue
            if not self.accept(";", then_not=";&") and not self.accept("&"):
                raise self.unexpected()
        self.depth -= 1
        return nodes

    def and_or(self) -> list[Node]:
        nodes = self.pipeline()
        while True:
            self.blank()
            if self.accept("&&"):
                self.blank(newlines=True)
                nodes += self.pipeline()
            elif self.accept("||"):
                self.blank(newlines=True)
                nodes.append(("branch", self.pipeline()))
            else:
                break
        self.blank()
        if self.text.startswith("&", self.at) and not self.text.startswith(("&&", "&>"), self.at):
            return [("subshell", nodes)]
        return nodes

    def pipeline(self) -> list[Node]:
        while (word := self.peek_word()) in ("!", "time"):
            self.at += len(word)
            self.blank()
            while word == "time" and self.peek_word() == "-p":
                self.at += 2
                self.blank()
        sides = [self.command()]
        while True:
            self.blank()
            if self.text.startswith("||", self.at) or not (self.accept("|&") or self.accept("|")):
                break
            self.blank(newlines=True)
            sides.append(self.command())
        return sides[0] if len(sides) == 1 else [("subshell", side) for side in sides]

    # -- commands

    def command(self) -> list[Node]:
        self.step()
        word = self.peek_word()
        if word in _OPENING:
            self.at += len(word)
            return self.compound(word)
        if self.text.startswith("((", self.at) and self.arithmetic(2):
            return self.redirections()
        if self.accept("("):
            nodes = self.lines((")",))
            self.want(")")
            return [("subshell", nodes), *self.redirections()]
        if word in ("then", "do", "done", "fi", "else", "elif", "esac", "}", "in"):
            raise Unreadable(f"unexpected {word}")
        return self.simple()

    def compound(self, word: str) -> list[Node]:
        if word == "{":
            nodes = self.lines(("}",))
            self.want("}")
            return [("group", nodes), *self.redirections()]
        if word == "[[":
            return [*self.condition(), *self.redirections()]
        if word == "if":
            return [*self.conditional(), *self.redirections()]
        if word in ("while", "until"):
            test = self.lines(("do",))
            return [("group", test), ("branch", self.body()), *self.redirections()]
        if word in ("for", "select"):
            return [self.loop(word), *self.redirections()]
        if word == "case":
            return [*self.case(), *self.redirections()]
        if word == "coproc":
            self.blank()
            return [("subshell", self.command())]
        if word == "function":
            self.blank()
            name = self.word()
            self.blank()
            if self.accept("("):
                self.want(")")
            return self.function(name if isinstance(name, str) else "")
        raise Unreadable(f"unexpected {word}")

    def conditional(self) -> list[Node]:
        nodes: list[Node] = [("group", self.lines(("then",)))]
        self.want("then")
        nodes.append(("branch", self.lines(("elif", "else", "fi"))))
        while True:
            if self.accept_word("elif"):
                nodes.append(("branch", self.lines(("then",))))
                self.want("then")
                nodes.append(("branch", self.lines(("elif", "else", "fi"))))
            elif self.accept_word("else"):
                nodes.append(("branch", self.lines(("fi",))))
            else:
                self.want("fi")
                return nodes

    def loop(self, word: str) -> Node:
        self.blank()
        if self.text.startswith("((", self.at):
            if not self.arithmetic(2):
                raise self.unexpected()
            self.blank()
            self.accept(";")
            return ("for", "", None, self.body())
        name = self.word()
        words: list[Word] | None = None
        self.blank(newlines=True)
        if self.accept_word("in"):
            words = []
            while True:
                self.blank()
                if self.at >= len(self.text) or self.text[self.at] in ";\n":
                    break
                words.append(self.word())
        self.blank()
        self.accept(";")
        return ("for", name if isinstance(name, str) else "", None if word == "select" else words, self.body())

    def body(self) -> list[Node]:
        self.blank(newlines=True)
        if self.accept_word("{"):
            nodes = self.lines(("}",))
            self.want("}")
            return nodes
        self.want("do")
        nodes = self.lines(("done",))
        self.want("done")
        return nodes

    def case(self) -> list[Node]:
        """A case; which of its bodies runs is not told, so none is followed."""
        self.blank()
        self.word()
        self.blank(newlines=True)
        self.want("in")
        while True:
            self.blank(newlines=True)
            if self.accept_word("esac"):
                return []
            self.accept("(")
            while not self.accept(")"):
                self.blank()
                if not self.accept("|"):
                    self.word()
                self.blank()
            self.lines((";;", ";&", ";;&", "esac"))
            for end in (";;&", ";;", ";&"):
                if self.accept(end):
                    break

    def condition(self) -> list[Node]:
        """[[ ... ]]: only the commands it substitutes are run."""
        nodes: list[Node] = []
        while True:
            self.blank(newlines=True)
            if self.accept_word("]]"):
                return nodes
            if operator := _OPERATOR.match(self.text, self.at):
                self.at = operator.end()
                continue
            word = self.word()
            if not isinstance(word, str):
                nodes.append(("simple", [], [":", word]))

    def function(self, name: str) -> list[Node]:
        """A definition: its body is read and not followed."""
        self.blank(newlines=True)
        self.command()
        return [("function", name)]

    def simple(self) -> list[Node]:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        extra: list[Node] = []
        while True:
            self.blank()
            if self.at >= len(self.text):
                break
            if fd := _DIGITS.match(self.text, self.at):
                self.at = fd.end()
            operator = _OPERATOR.match(self.text, self.at)
            if operator and not self.text.startswith(("<(", ">("), self.at):
                if operator[0] == "(" and len(words) == 1 and isinstance(words[0], str) and not assignments:
                    self.at = operator.end()
                    self.blank()
                    self.want(")")
                    return self.function(words[0])
                if operator[0] == "(" and words and isinstance(words[-1], str) and words[-1].endswith("="):
                    self.value()  # declare NAME=( ... )
                    words[-1] = [words[-1], UNKNOWN_PART]
                    continue
                if operator[0] not in _REDIRECTS:
                    break
                self.redirect(operator[0], extra)
                continue
            match = None if words else _ASSIGN.match(self.text, self.at)
            if match:
                self.at = match.end()
                assignments.append((match[1], self.value() if match[2] == "=" else [UNKNOWN_PART]))
                if match[2] != "=":
                    self.value()
            else:
                words.append(self.word())
        if not assignments and not words and not extra:
            raise self.unexpected()
        return [*extra, ("simple", assignments, words)]

    def value(self) -> Word:
        """What stands after NAME=: a word, nothing, or an array in parentheses."""
        if self.accept("("):
            words: list[Word] = []
            while True:
                self.blank(newlines=True)
                if self.accept(")"):
                    return [("array", words)]
                words.append(self.word())
        if self.at >= len(self.text) or self.text[self.at] in " \t\n;&|<>()":
            return ""
        return self.word()

    def redirections(self) -> list[Node]:
        """The redirections after a compound command; only what they substitute is run."""
        extra: list[Node] = []
        while True:
            self.blank()
            start = self.at
            if fd := _DIGITS.match(self.text, self.at):
                self.at = fd.end()
            operator = _OPERATOR.match(self.text, self.at)
            if operator is None or operator[0] not in _REDIRECTS:
                self.at = start
                return extra
            self.redirect(operator[0], extra)

    def redirect(self, operator: str, extra: list[Node]) -> None:
        self.at += len(operator)
        self.step()
        self.blank()
        if operator in ("<<", "<<-"):
            quoted_end = _DELIMITER.match(self.text, self.at)
            if quoted_end is None:
                raise Unreadable("a here-document without a delimiter")
            self.at = quoted_end.end()
            end = re.sub(r"[\\'\"]", "", quoted_end[0])
            substituted: list[Node] = []
            self.heredocs.append((end, operator == "<<-", end != quoted_end[0], substituted))
            extra.append(("group", substituted))
            return
        if operator in ("<&", ">&") and self.text.startswith("-", self.at):
            self.at += 1
            return
        target = self.word()
        if not isinstance(target, str):
            extra.append(("simple", [], [":", target]))

    # -- words

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
                parts.append(("run", self.inner(")"), True))
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
        nodes = self.lines((end,))
        self.want(end)
        return nodes

    def nested(self, text: str) -> list[Node]:
        """The nodes of a text of its own (between backticks), within the same bounds."""
        reader = Reader(text)
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

    # -- small steps

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
        pending, self.heredocs = self.heredocs, []
        for end, tabs, literal, extra in pending:
            indent = r"\t*" if tabs else ""
            close = re.compile(rf"^{indent}{re.escape(end)}(?=\n|\Z)", re.MULTILINE).search(self.text, self.at)
            body = self.text[self.at : close.start() if close else len(self.text)]
            self.at = min(close.end() + 1, len(self.text)) if close else len(self.text)
            if literal or ("$(" not in body and "`" not in body):
                continue
            reader = Reader(body)
            reader.depth, reader.steps = self.depth, self.steps
            parts: list[Any] = []
            reader.double(parts, "")
            self.steps = reader.steps
            extra.append(("simple", [], [":", parts]))

    def peek_word(self) -> str:
        match = _RESERVED.match(self.text, self.at)
        return match[0] if match and len(match[0]) < 10 else ""

    def peek_end(self, ends: tuple[str, ...]) -> bool:
        if not ends:
            return False
        if self.text[self.at] in ");" and any(self.text.startswith(end, self.at) for end in ends if end[0] in ");"):
            return True
        return self.peek_word() in ends

    def accept(self, text: str, then_not: str = "") -> bool:
        if self.text.startswith(text, self.at) and not (
            then_not and self.text[self.at + len(text) : self.at + len(text) + 1] in tuple(then_not)
        ):
            self.at += len(text)
            return True
        return False

    def accept_word(self, word: str) -> bool:
        if self.peek_word() == word:
            self.at += len(word)
            return True
        return False

    def want(self, word: str) -> None:
        self.blank(newlines=True)
        if not (self.accept(word) if word in ("(", ")") else self.accept_word(word)):
            raise Unreadable(f"{word} is missing")

    def unexpected(self) -> Unreadable:
        return Unreadable(f"unexpected {self.text[self.at : self.at + 10]!r}")

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unreadable("it is too long")

    def deeper(self) -> None:
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
