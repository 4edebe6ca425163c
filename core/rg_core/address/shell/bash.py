"""Reads a command line as bash would: text -> the tree of what it runs. Expands nothing, runs nothing.

A tree is a list of nodes:
    ("simple", assignments, words)          assignments: [(name, Word)], words: [Word]
    ("group", nodes)                        { ...; }, and what runs in every case
    ("subshell", nodes)                     ( ... ), a background command
    ("pipe", [nodes, ...])                  the sides of a | b | c, each in a subshell
    ("then", nodes)                         after &&: followed as run, but an exit there ends nothing
    ("branch", nodes)                       what may run: then, else, while, after ||
    ("for", name, words or None, nodes)     None: over something that only the shell could tell
    ("here", Word)                          the text of a here-document
    ("silent", node)                        a simple command whose output goes to /dev/null
    ("function", name)
Words are described in rg_core.address.shell.bash_words.
"""

from __future__ import annotations

import re

from rg_core.address.parts import NOWHERE
from rg_core.address.shell.bash_words import UNKNOWN_PART, Unreadable, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.address.shell.bash_words import Node, Word

_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|&>>|&>|\|&|<<<|<<-?|<&|>&|<>|>\||>>|[;&|<>()\n]")
_DELIMITER = re.compile(r"[^\s;&|<>()]+")
_DIGITS = re.compile(r"[0-9]+(?=[<>])|\{[A-Za-z_]\w*\}(?=[<>])")
_ASSIGN = re.compile(r"([A-Za-z_]\w*)(\+?=)")
_REDIRECTS = frozenset({"<", ">", ">>", "<&", ">&", "<>", ">|", "&>", "&>>", "<<<", "<<", "<<-"})
_OPENING = frozenset({"if", "while", "until", "for", "select", "case", "{", "[[", "function", "!", "time", "coproc"})


class Reader(Words):
    """Reads commands by recursive descent."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.trouble = ""
        self.top: list[Node] = []
        self.complete = 0  # how many of `top` stand in lines that were read whole

    def script(self) -> list[Node]:
        """All complete lines; from a line that cannot be read on nothing is followed, and `trouble` says why."""
        try:
            return self.lines(())
        except Unreadable as error:
            self.trouble = f"the command line cannot be read: {error}"
            return self.top[: self.complete]

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
        """Pipelines joined by && and ||; what follows || may run."""
        nodes = self.pipeline()
        while True:
            self.blank()
            if self.accept("&&"):
                self.blank(newlines=True)
                nodes.append(("then", self.pipeline()))
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
        """Commands joined by |."""
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
        return sides[0] if len(sides) == 1 else [("pipe", sides)]

    def command(self) -> list[Node]:
        """One command: simple, compound, or in parentheses."""
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
        """The compound command that the reserved word began."""
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
        """The rest of an if."""
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
        """The rest of a for or select."""
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
        """The body of a loop: do ... done, or the older { ... }."""
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
        """Assignments, words and redirections, or a function definition."""
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        extra: list[Node] = []
        silent = False
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
                target = self.redirect(operator[0], extra)
                silent = silent or (target in NOWHERE and ">" in operator[0] and (not fd or fd[0] == "1"))
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
        command: Node = ("simple", assignments, words)
        return [*extra, ("silent", command) if silent else command]

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

    def redirect(self, operator: str, extra: list[Node]) -> str:
        """One redirection; only what its target substitutes is run, and its here-document. The target, if a literal."""
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
            return ""
        if operator in ("<&", ">&") and self.text.startswith("-", self.at):
            self.at += 1
            return ""
        target = self.word()
        if isinstance(target, str):
            return target
        extra.append(("simple", [], [":", target]))
        return ""

    def peek_end(self, ends: tuple[str, ...]) -> bool:
        """Whether one of the ends stands here."""
        if not ends:
            return False
        if self.text[self.at] in ");" and any(self.text.startswith(end, self.at) for end in ends if end[0] in ");"):
            return True
        return self.peek_word() in ends
