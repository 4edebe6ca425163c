"""The flags of the gh commands that read, and how gh (cobra, pflag) reads a command line.

Source: cli/cli v2.60 and the 2026 additions (--type). A letter stands for the long flag it is short for.
"""

from __future__ import annotations

from rg_core.address.found import UNKNOWN, NoAddress

_JSON = "json= jq=q template=t web:w"
_SEARCH = (
    f"{_JSON} limit=L repo=R app= archived: assignee= author= closed= commenter= comments= created= interactions="
    " involves= label= language= locked: match= mentions= milestone= no-assignee: no-label: no-milestone: no-project:"
    " order= owner= project= reactions= sort= state= team-mentions= updated= visibility="
)
# name= takes a value, name: is a switch; what follows is its letter.
_TABLE = {
    "issue view": f"repo=R comments:c {_JSON}",
    "issue list": "repo=R app= assignee=a author=A label=l limit=L mention= milestone=m search=S state=s type= "
    f"{_JSON}",
    "pr view": f"repo=R comments:c {_JSON}",
    "pr list": f"repo=R app= assignee=a author=A base=B draft:d head=H label=l limit=L search=S state=s {_JSON}",
    "pr diff": "repo=R color= name-only: patch: web:w exclude=e",
    "pr checks": f"repo=R fail-fast: interval=i required: watch: {_JSON}",
    "repo view": f"branch=b {_JSON}",
    "search issues": f"{_SEARCH} include-prs:",
    "search prs": f"{_SEARCH} base=B checks= draft: head=H merged: merged-at= review= review-requested= reviewed-by=",
    "api": "cache= field=F header=H hostname= include:i input= jq=q method=X paginate: preview=p raw-field=f silent:"
    " slurp: template=t verbose:",
}
ALIASES = {"ls": "list", "new": "create"}
COMMANDS = frozenset(_TABLE)


class Flags:
    """A read command line: positional arguments, and each flag's values in the order given."""

    __slots__ = ("arguments", "ordered", "values")

    def __init__(self) -> None:
        self.arguments: list[str] = []
        self.values: dict[str, list[str]] = {}
        self.ordered: list[tuple[str, str]] = []

    def last(self, name: str) -> str:
        """The value that counts of a flag given once or more, else "".

        Raises:
            NoAddress: if only the shell could tell it.
        """
        return self.known(self.values[name][-1]) if name in self.values else ""

    def every(self, name: str) -> list[str]:
        """All values of a flag that may be repeated."""
        return [self.known(value) for value in self.values.get(name, [])]

    def switch(self, name: str) -> bool:
        """Whether a switch is on; the last one given counts."""
        value = self.last(name) if name in self.values else "false"
        if value.lower() not in ("true", "t", "1", "false", "f", "0"):
            raise NoAddress(f"gh refuses --{name}={value[:20]}")
        return value.lower() in ("true", "t", "1")

    @staticmethod
    def known(value: str) -> str:
        """The value, if it is known as it stands."""
        if UNKNOWN in value:
            raise NoAddress("a part depends on the shell: an unset variable, a glob or another command's output")
        return value


def read(command: str, words: list[str]) -> Flags:
    """Read the words after a command, e.g. `issue list`.

    Raises:
        NoAddress: for what gh refuses (an unknown flag, a missing value) and for --help.
    """
    values, letters = _flags(command)
    result = Flags()
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "--":
            result.arguments += words[position:]
            break
        if len(word) < 2 or word[0] != "-":
            result.arguments.append(word)
            continue
        if word in ("--help", "-h"):
            raise NoAddress("--help fetches nothing")
        if word[1] == "-":
            name, equals, value = word[2:].partition("=")
            if name not in values:
                raise NoAddress(f"gh has no --{name[:30]} on {command}".replace(UNKNOWN, "?"))
            if values[name] and not equals:
                if position == len(words):
                    raise NoAddress(f"gh needs a value for --{name}")
                value = words[position]
                position += 1
            _keep(result, name, value if values[name] or equals else "true")
            continue
        position = _cluster(result, command, word[1:], (values, letters), words, position)
    return result


def _cluster(
    result: Flags,
    command: str,
    cluster: str,
    flags: tuple[dict[str, bool], dict[str, str]],
    words: list[str],
    position: int,
) -> int:
    """Short flags written together: -cR a/b, -Ra/b, -R=a/b."""
    values, letters = flags
    for index, letter in enumerate(cluster):
        if letter not in letters:
            raise NoAddress(f"gh has no -{letter} on {command}".replace(UNKNOWN, "?"))
        name, rest = letters[letter], cluster[index + 1 :]
        if values[name]:
            if rest:
                _keep(result, name, rest.removeprefix("="))
            elif position < len(words):
                _keep(result, name, words[position])
                position += 1
            else:
                raise NoAddress(f"gh needs a value for -{letter}")
            break
        if rest.startswith("="):
            _keep(result, name, rest[1:])
            break
        _keep(result, name, "true")
    return position


def _keep(result: Flags, name: str, value: str) -> None:
    result.values.setdefault(name, []).append(value)
    result.ordered.append((name, value))


def _flags(command: str) -> tuple[dict[str, bool], dict[str, str]]:
    """(long name -> takes a value, letter -> long name)."""
    values, letters = {}, {}
    for entry in _TABLE[command].split():
        mark = "=" if "=" in entry else ":"
        name, _, letter = entry.partition(mark)
        values[name] = mark == "="
        if letter:
            letters[letter] = name
    return values, letters
