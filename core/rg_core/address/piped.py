"""What of an answer is shown: by a jq program or a template, and by the programs behind a pipe. Pure.

The result is the names of the fields that are left: () for all of it, (COUNT,) where only a count is, (UNTOLD,) for
what cannot be told. Names are as `rg_core.address.parts` has them.
"""

from __future__ import annotations

from rg_core.address.found import UNKNOWN, word_set
from rg_core.address.parts import COUNT, FIELDS, UNTOLD, VOLATILE, plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Reader = Callable[[list[str], tuple[str, ...], bool], tuple[str, ...]]

LONGEST, DEEPEST = 4_000, 40  # characters of a program, and parentheses in it: beyond that it is not read
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_CHOOSE = word_set("select sort_by group_by unique_by min_by max_by del")  # what is named there is not shown
_COUNTS = word_set("length len add keys")
_VALUES = word_set("open opened closed merged draft true false null") | VOLATILE  # of a state
_MISSING = word_set(  # fields of GitHub's that memory does not keep, and whose names somebody may look for
    "mergeable mergeablestate mergestatestatus rebaseable draft isdraft additions deletions headrefname headrefoid sha"
    " commits statuscheckrollup reviewdecision reviewrequests requestedreviewers reviewers automerge automergeenabled"
    " projects projectitems reactions reactiongroups locked activelockreason statereason mergecommit mergecommitsha"
    " mergedby mergedat stargazerscount stargazercount forks forkscount forkcount watchers openissuescount"
    " defaultbranch defaultbranchref license topics visibility archived isarchived"
)
_NO_FIELDS = word_set("print printf begin end next exit gsub sub match split getline while last chomp")  # awk's, perl's
_JAVASCRIPT = word_set("stdin stdout stderr env argv read")
_JQ_TAKES = {"arg": 2, "argjson": 2, "slurpfile": 2, "rawfile": 2, "indent": 1, "L": 1}
_GREP_TAKES = (frozenset("efmABCd"), word_set("regexp file max-count after-context before-context context"))


def shown(program: str, readers: Sequence[list[str]], *, lines: bool = True) -> tuple[str, ...]:
    """What is left of an answer.

    Args:
        program: a jq program or a Go template that the fetching program itself applies, "" for none.
        readers: the words of the programs that read its output, one behind the other; none where it goes into a
            variable or an argument.
        lines: whether a line of the output may be a field, so that a search tells which is looked for.
    """
    left = of_program(program) if program else ()
    for words in readers:
        name = _name(words[0]) if words and max(map(len, words)) <= LONGEST else ""
        if name in _THROUGH:
            continue
        if reader := _READERS.get(name):
            left = reader(words[1:], left, lines)
        elif not left:
            left = (UNTOLD,)
    return left


def of_program(program: str) -> tuple[str, ...]:
    """The fields that a jq program or a Go template shows."""
    if UNKNOWN in program or len(program) > LONGEST:
        return (UNTOLD,)
    if "{{" in program:  # what stands between the actions of a template is text
        program = " ".join(part.partition("}}")[0] for part in program.split("{{")[1:])
    reading = _Program(program)
    reading.read("")
    if reading.counts:
        return (COUNT,)
    missing = [name for name in reading.choosing if name not in FIELDS and name != "pullrequest"]
    return tuple(dict.fromkeys(reading.names + missing))


class _Program:
    """One pass over a jq program: the fields that it shows, and those by which it only chooses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.names: list[str] = []
        self.choosing: list[str] = []
        self.counts = False

    def read(self, end: str, *, choosing: bool = False) -> None:
        """Read up to the closing `end`, or the end of the program."""
        text = self.text
        self.depth += 1
        if self.depth > DEEPEST:
            self.names.append(UNTOLD)
            self.at = len(text)
        while self.at < len(text):
            letter, start = text[self.at], self.at
            self.at += 1
            if letter == end:
                break
            if letter in '"`':
                self.string(letter, choosing=choosing)
            elif letter == "(":
                self.read(")", choosing=choosing)
            elif letter == "#":
                self.at = (text.find("\n", self.at) + 1) or len(text)
            elif letter in "$@":
                self.word()
            elif letter in _LETTERS:
                self.at = start
                self.named(start, self.word(), choosing=choosing)
        self.depth -= 1

    def word(self) -> str:
        """The name that stands here."""
        start = self.at
        while self.at < len(self.text) and (self.text[self.at] in _LETTERS or self.text[self.at].isdigit()):
            self.at += 1
        return self.text[start : self.at]

    def named(self, start: int, word: str, *, choosing: bool) -> None:
        """A field, a function, or a field that is its own key: {number, title}."""
        before, after = self.text[:start].rstrip(), self.text[self.at :].lstrip()
        own_key = before.endswith(("{", ",")) and after.startswith(("}", ","))
        if self.text[start - 1 : start] == "." or own_key:
            (self.choosing if choosing else self.names).append(plain_name(word))
        elif word in _CHOOSE and after.startswith("("):
            self.at = self.text.index("(", self.at) + 1
            self.read(")", choosing=True)
        elif word in _COUNTS and not choosing:
            self.counts = True

    def string(self, quote: str, *, choosing: bool) -> None:
        """Past a text and into what it interpolates; .["name"] is a field."""
        before, start = self.text[: self.at - 1].rstrip(), self.at
        while self.at < len(self.text) and self.text[self.at] != quote:
            if self.text.startswith("\\(", self.at):
                self.at += 2
                self.read(")", choosing=choosing)
            else:
                self.at += 2 if self.text[self.at] == "\\" else 1
        key = before.endswith(".") or (before.endswith("[") and before[-2:-1] in (*".])", *_LETTERS))
        if key and self.at > start:
            (self.choosing if choosing else self.names).append(plain_name(self.text[start : self.at]))
        self.at += 1


def _jq(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    position = 0
    while position < len(words) and words[position].startswith("-"):
        option = words[position].lstrip("-")
        if option in ("f", "from-file"):
            return left or (UNTOLD,)
        position += 1 + _JQ_TAKES.get(option, 0)
    rest = [word for word in words[position:] if word not in ("e", "eval")]  # yq's
    return _more(left, of_program(rest[0]) if rest else ())


def _python(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    if words[:2] == ["-m", "json.tool"]:
        return left
    program = _after(words, lambda word: word.startswith("-") and word.endswith("c"))
    if not program or UNKNOWN in program:
        return left or (UNTOLD,)
    import re

    if re.search(r"\b(?:len|sum)\(", program):
        return (COUNT,)
    return _more(left, map(plain_name, re.findall(r"(?:\[|\bget\()\s*['\"](\w+)['\"]", program)))


def _script(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    program = _after(words, lambda word: word in ("-e", "-p", "-pe", "-ne", "-E", "--eval", "--print", "eval"))
    if not program or UNKNOWN in program:
        return left or (UNTOLD,)
    import re

    if re.search(r"\.(?:length|size|count)\b", program):
        return (COUNT,)
    names = re.findall(r"\[\s*['\"](\w+)['\"]\s*\]|\.([A-Za-z_]\w*)(?![\w(])", program)
    return _more(left, (plain_name(key or member) for key, member in names if member not in _JAVASCRIPT))


def _grep(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    from rg_core.address.http_clients import options

    patterns: list[str] = []
    for option, value in options(words, *_GREP_TAKES):
        if option in ("c", "count"):
            return (COUNT,)
        if option in ("v", "invert-match", "f", "file"):
            return left
        if option in ("e", "regexp") or (not option and not patterns):
            patterns.append(value)
    return left if left or not lines else _looked_for(patterns)


def _awk(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    return left if left or not lines else _looked_for(word for word in words if not word.startswith("-"))


def _sed(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    """The lines that sed and perl show: those they look for with -n, and else all."""
    silent = any(word.startswith("-") and "n" in word for word in words)
    return _awk(words, left, lines) if silent else left


def _looked_for(patterns: Iterable[str]) -> tuple[str, ...]:
    """The fields whose lines are looked for; () where anything else is, for that may be in any text."""
    words: list[str] = []
    for pattern in patterns:
        at = 0
        while at < len(pattern):
            end = at
            while end < len(pattern) and (pattern[end] in _LETTERS or pattern[end] == "-"):
                end += 1
            word = plain_name(pattern[at:end].replace("-", ""))
            if len(word) > 2 and word not in _NO_FIELDS:
                words.append(word)
            at = end + (2 if pattern[end : end + 1] == "\\" else 1)  # \s is no letter
            if pattern[end : end + 1] == "[":
                at = (pattern.find("]", at) + 1) or len(pattern)
    if not words or any(word not in FIELDS | _VALUES | _MISSING for word in words):
        return ()
    return tuple(word for word in words if word in FIELDS | _MISSING) or ("state",)


def _select(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    """Select-Object and PowerShell's formatting commands."""
    names: list[str] = []
    skip = False
    for word in words:
        if skip or UNKNOWN in word:
            skip = False
        elif word.startswith("-"):
            skip = word.lower() in ("-first", "-last", "-skip", "-index")
        else:
            names += [plain_name(name) for name in word.split(",") if name not in ("", "*")]
    return (COUNT,) if {"count", "length"} & set(names) else _more(left, names)


def _nothing(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    return (UNTOLD,)


def _count(words: list[str], left: tuple[str, ...], lines: bool) -> tuple[str, ...]:
    return (COUNT,)


def _after(words: list[str], is_option: Callable[[str], bool]) -> str:
    """The word after the first option that says so."""
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if is_option(word)), "")


def _more(left: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*left, *names)))


def _name(word: str) -> str:
    from rg_core.address.shell.wrappers import program

    return program(word)


_THROUGH = word_set(
    "cat tee less more most bat head tail sort uniq tr cut paste fold fmt nl column pr rev tac strings iconv expand"
    " sponge base64 dos2unix pandoc html2text lynx w3m elinks glow gron json_pp pbcopy xclip xsel clip"
    " gh curl wget convertfrom-json convertto-json out-string out-file out-host set-content tee-object sort-object"
    " where-object where ?"
)
_READERS: dict[str, Reader] = {
    **dict.fromkeys(("jq", "gojq", "jaq", "yq", "fx"), _jq),
    **dict.fromkeys(("python", "python3", "py"), _python),
    **dict.fromkeys(("node", "nodejs", "deno", "bun", "ruby"), _script),
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "findstr", "select-string", "sls"), _grep),
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("sed", "gsed", "perl"), _sed),
    **dict.fromkeys(("select-object", "select", "format-list", "fl", "format-table", "ft"), _select),
    **dict.fromkeys((":", "true", "out-null"), _nothing),
    **dict.fromkeys(("wc", "measure-object", "measure"), _count),
}
