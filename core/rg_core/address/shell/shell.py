r"""A command line -> the simple commands it runs, each with its words, environment and working directory.

Follows what a shell would do with what the text itself tells; what only the shell could tell is "\0" in a word.
"""

from __future__ import annotations

from rg_core.address.found import UNKNOWN
from rg_core.address.shell import plain
from rg_core.address.shell.plain import MAX_STEPS
from rg_core.address.shell.wrappers import joined, unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rg_core.address.shell.bash_words import Node, Word

MAX_COMMANDS = 1_000
MAX_FIELDS = 5_000
MAX_VALUE = 20_000  # characters of a variable
MAX_NESTED = 16  # bash -c within eval within ...
MAX_PIPE = 20  # commands whose output one program is taken to read
CAPTURED: list[str] = []  # in place of a reader: the output goes into a variable or an argument
UNSEEN = [":"]  # and here nowhere


class Command:
    """A simple command: its words, the variables that the line sets for it, and where it runs (None: unknown).

    `readers` are the words of the programs that read its output, one behind the other (see rg_core.address.piped).
    """

    __slots__ = ("argv", "cwd", "env", "readers")

    def __init__(self, argv: list[str], env: Mapping[str, str], cwd: str | None) -> None:
        self.argv = argv
        self.env = env
        self.cwd = cwd
        self.readers: list[list[str]] = []


class Stop(Exception):
    """The shell exits here."""


class Shell:
    """A shell's state while its commands are followed: variables, which of them are exported, working directory."""

    def __init__(self, take: Callable[[Command], None], cwd: str | None, environ: Mapping[str, str]) -> None:
        self.take = take
        self.environ = environ
        self.cwd = cwd
        self.before = cwd
        self.variables: dict[str, str | list[str]] = {}
        self.exported: dict[str, str] = {}
        self.functions: set[str] = set()
        self.reasons: list[str] = []
        self.taken = 0
        self.fields = 0
        self.nested = 0

    def run_text(self, text: str) -> None:
        """Follow a command line."""
        self.nested += 1
        if self.nested > MAX_NESTED:
            self.reasons.append("shells nested too deeply")
        else:
            self.run_to_stop(self.read(text))
        self.nested -= 1

    def read(self, text: str) -> Sequence[Node]:
        """The tree of a command line, as far as it can be read."""
        nodes = plain.read(text)
        if nodes is not None:
            return nodes
        from rg_core.address.shell.bash import Reader

        reader = Reader(text)
        tree = reader.script()
        if reader.trouble:
            self.reasons.append(reader.trouble)
        return tree

    def run_to_stop(self, nodes: Sequence[Node]) -> bool:
        """Follow commands; True if the shell exits among them."""
        try:
            self.run(nodes)
        except Stop:
            return True
        return False

    def run(self, nodes: Sequence[Node]) -> None:
        """Follow commands.

        Raises:
            Stop: where the shell exits.
        """
        for node in nodes:
            kind = node[0]
            if kind == "simple":
                self.simple(node[1], node[2])
            elif kind == "group":
                self.run(node[1])
            elif kind == "then":
                self.run_to_stop(node[1])
            elif kind == "subshell":
                self.apart(node[1])
            elif kind == "pipe":
                self.pipe(node[1])
            elif kind == "branch":
                self.perhaps(node[1])
            elif kind == "for":
                self.loop(node[1], node[2], node[3])
            elif kind == "silent":
                self.silent(node[1])
            elif kind == "here":
                self.expand(node[1])  # what it substitutes is run
            else:
                self.functions.add(node[1])

    def apart(self, nodes: Sequence[Node]) -> None:
        """Run in a subshell: nothing it changes stays."""
        state = self.cwd, self.before, dict(self.variables), dict(self.exported), set(self.functions)
        self.run_to_stop(nodes)
        self.cwd, self.before, self.variables, self.exported, self.functions = state

    def pipe(self, sides: Sequence[Sequence[Node]]) -> None:
        """Run each side in a subshell; what it prints is read by the ones behind it."""
        before: list[Command] = []
        for side in sides:
            taken = self.collected(side)
            if len(taken) == 1:
                for command in before[-MAX_PIPE:]:
                    command.readers.append(taken[0].argv)
            before += taken
        for command in before:
            self.take(command)

    def silent(self, node: Node) -> None:
        """Run a command whose output nobody sees."""
        take = self.take
        taken: list[Command] = []
        self.take = taken.append
        try:
            self.run([node])
        finally:
            self.take = take
            for command in taken:
                command.readers.append(UNSEEN)
                take(command)

    def collected(self, nodes: Sequence[Node]) -> list[Command]:
        """The commands of a subshell, not taken yet."""
        take = self.take
        taken: list[Command] = []
        self.take = taken.append
        self.apart(nodes)
        self.take = take
        return taken

    def perhaps(self, nodes: Sequence[Node]) -> None:
        """Run what may run; whatever it changes is unknown afterwards."""
        cwd, variables, exported = self.cwd, dict(self.variables), dict(self.exported)
        if self.run_to_stop(nodes):  # `cd x || exit`: whoever comes further did not take this way
            self.cwd, self.variables, self.exported = cwd, variables, exported
            return
        self.cwd = cwd if cwd == self.cwd else None
        for held, old in ((self.variables, variables), (self.exported, exported)):
            for name in held.keys() | old.keys():
                if held.get(name) != old.get(name):
                    held[name] = UNKNOWN  # type: ignore[assignment, unused-ignore]

    def loop(self, name: str, words: list[Word] | None, body: Sequence[Node]) -> None:
        """Follow a loop's body for each value."""
        values = [UNKNOWN] if words is None else [value for word in words for value in self.expand(word)]
        if not values:
            return
        for value in values:
            if self.taken >= MAX_COMMANDS:
                break
            self.variables[name] = value
            if UNKNOWN in value:
                self.perhaps(body)
            else:
                self.run(body)

    # -- expansion

    def expand(self, word: Word) -> list[str]:
        """The fields of a word."""
        self.fields += 1
        if isinstance(word, str):
            return [word]
        fields = [""]
        any_quoted = False
        for part in word:
            values, quoted = self.part(part)
            any_quoted = any_quoted or quoted
            if not isinstance(part, str) and part[0] == "braces":
                fields = [field + value for field in fields for value in values][:MAX_FIELDS]
            elif values:
                fields[-1] += values[0]
                fields += values[1:]
        return [field for field in fields if field or any_quoted]

    def part(self, part: Any) -> tuple[list[str], bool]:
        """(the fields a part gives, whether an empty one counts as a word)."""
        if isinstance(part, str):
            return [part], True
        kind = part[0]
        if kind == "var":
            return self.variable(part[1], part[2], quoted=part[3])
        if kind in ("run", "file"):
            for command in self.collected(part[1]):
                command.readers.append(CAPTURED)
                self.take(command)
            text = _of_cat(part[1]) if kind == "run" else None
            if text is None:
                return [UNKNOWN], True
            return ([text], True) if part[2] else (text.split(), False)
        if kind == "braces":
            return part[1], True
        if kind == "array":
            for word in part[1]:
                self.expand(word)
        return [UNKNOWN], True

    def variable(self, name: str, default: str | None, *, quoted: bool) -> tuple[list[str], bool]:
        """The fields of a variable, and whether an empty one counts as a word."""
        if name.endswith("[@]"):
            held = self.variables.get(name[:-3], UNKNOWN)
            return (list(held), False) if isinstance(held, list) else ([held], True)
        value = self.value(name)
        if default is not None and not value:
            value = default
        if value is None:
            value = UNKNOWN
        if quoted:
            return [value], True
        if any(character in value for character in "*?["):
            return [UNKNOWN], True
        fields = value.split()
        if fields and value[:1].isspace():
            fields.insert(0, "")
        return fields, False

    def value(self, name: str) -> str | None:
        """A variable's value; None if the text does not tell it."""
        if name in self.variables:
            held = self.variables[name]
            return held if isinstance(held, str) else (held[0] if held else "")
        if name in self.exported:
            return self.exported[name]
        if name == "PWD":
            return self.cwd
        return self.environ.get("HOME") if name == "HOME" else None

    def text(self, word: Word) -> str | list[str]:
        """The value of an assignment."""
        if isinstance(word, str):
            return word
        if len(word) == 1 and not isinstance(word[0], str) and word[0][0] == "array":
            return [field for item in word[0][1] for field in self.expand(item)]
        value = "".join("".join(self.part(_quoted(part))[0]) for part in word)
        return value if len(value) <= MAX_VALUE else UNKNOWN

    # -- simple commands

    def simple(self, assignments: list[tuple[str, Word]], words: list[Word]) -> None:
        """Follow assignments and words."""
        if self.fields > MAX_STEPS:
            raise Stop
        given = {name: self.text(value) for name, value in assignments}
        argv = [field for word in words for field in self.expand(word)]
        if not argv:
            for name, value in given.items():
                self.assign(name, value)
            return
        own = {name: value for name, value in given.items() if isinstance(value, str)}
        self.execute(argv, self.exported | own)

    def assign(self, name: str, value: str | list[str]) -> None:
        """Set a variable, and pass it on if it is in the environment."""
        self.variables[name] = value
        if (name in self.exported and isinstance(value, str)) or name in self.environ:
            self.exported[name] = value if isinstance(value, str) else UNKNOWN

    def alone(self, argv: list[str], env: dict[str, str]) -> None:
        """Follow one simple command that no shell here runs, so that its exit ends nothing but itself."""
        try:  # noqa: SIM105 - contextlib is no module for the hook
            self.execute(argv, env)
        except Stop:
            pass

    def execute(self, argv: list[str], env: dict[str, str]) -> None:
        """Follow one simple command: a builtin, a prefix such as env or timeout, a shell, or a program.

        Raises:
            Stop: where the shell exits.
        """
        name = argv[0]
        if name in self.functions:
            self.reasons.append(f"{name} is a function of the command line")
            return
        builtin = _BUILTINS.get(name)
        if builtin is not None:
            builtin(self, argv)
            return
        inner = unwrap(argv, env, self.cwd)
        if inner is None:
            if self.taken < MAX_COMMANDS:
                self.taken += 1
                self.take(Command(argv, env, self.cwd))
        elif isinstance(inner, str):
            self.reasons.append(inner)
        elif inner.script is not None:
            self.script(inner.script, inner.arguments, inner.env, inner.cwd, inner.language)
        elif inner.arguments and name in ("command", "builtin", "noglob", "nocorrect"):
            self.execute(inner.arguments, inner.env)
        elif inner.arguments:
            child = self.child(inner.env, inner.cwd)
            if child.nested <= MAX_NESTED:
                child.alone(inner.arguments, inner.env)
            self.taken = child.taken

    def script(self, text: str, arguments: list[str], env: dict[str, str], cwd: str | None, language: str) -> None:
        """Follow a text that another shell runs."""
        child = self.child(env, cwd)
        if language == "powershell":
            from rg_core.address.shell.powershell import run

            run(text, child)
        else:
            for index, argument in enumerate(arguments):
                child.variables[str(index)] = argument
            child.run_text(text.replace(UNKNOWN, "${?}"))  # what is unknown stays unknown, the rest is followed
        self.taken = child.taken

    def child(self, env: dict[str, str], cwd: str | None) -> Shell:
        """The state of a shell that this one starts."""
        shell = Shell(self.take, cwd, self.environ)
        shell.exported = dict(env)
        shell.reasons = self.reasons
        shell.taken, shell.fields, shell.nested = self.taken, self.fields, self.nested + 1
        return shell

    def go(self, directory: str) -> None:
        """Change the working directory as cd does."""
        self.before, self.cwd = self.cwd, joined(self.cwd, directory, self.environ.get("HOME", ""))


def _of_cat(nodes: Sequence[Node]) -> str | None:
    """What $(cat <<'EOF' ...) gives, where the text of the here-document is known: how long arguments are written."""
    match nodes:
        case [("group", [("here", [str(text)])]), ("simple", [], ["cat"])]:
            return text.rstrip("\n")
    return None


def _quoted(part: Any) -> Any:
    return (*part[:-1], True) if not isinstance(part, str) and part[0] in ("var", "run") else part


def _cd(shell: Shell, argv: list[str]) -> None:
    names = [word for word in argv[1:] if word not in ("-P", "-L", "-e", "--")]
    if not names:
        shell.go("~")
    elif names[0] == "-":
        shell.before, shell.cwd = shell.cwd, shell.before
    elif names[0].startswith(("+", "-")) or len(names) > 1:
        shell.cwd = None
    else:
        shell.go(names[0])


def _popd(shell: Shell, argv: list[str]) -> None:
    shell.before, shell.cwd = None, shell.before


def _export(shell: Shell, argv: list[str]) -> None:
    exporting = argv[0] == "export" or any(word.startswith("-") and "x" in word for word in argv[1:])
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if word.startswith("-") or not name.isidentifier():
            continue
        if equals:
            shell.assign(name, value)
        if exporting:
            held = shell.variables.get(name)
            if held is not None or equals:
                shell.exported[name] = held if isinstance(held, str) else UNKNOWN


def _unset(shell: Shell, argv: list[str]) -> None:
    for name in argv[1:]:
        if name.isidentifier():
            shell.variables[name] = ""
            if name in shell.exported or name in shell.environ:
                shell.exported[name] = ""
        shell.functions.discard(name)


def _read(shell: Shell, argv: list[str]) -> None:
    for name in argv[1:]:
        if name.isidentifier():
            shell.assign(name, UNKNOWN)


def _eval(shell: Shell, argv: list[str]) -> None:
    shell.nested += 1
    if shell.nested <= MAX_NESTED:
        shell.run(shell.read(" ".join(argv[1:]).replace(UNKNOWN, "${?}")))
    shell.nested -= 1


def _exit(shell: Shell, argv: list[str]) -> None:
    raise Stop


def _nothing(shell: Shell, argv: list[str]) -> None:
    pass


_BUILTINS: dict[str, Callable[[Shell, list[str]], None]] = {
    "cd": _cd, "pushd": _cd, "popd": _popd, "export": _export, "declare": _export, "typeset": _export,
    "local": _export, "readonly": _export, "unset": _unset, "read": _read, "mapfile": _read, "readarray": _read,
    "eval": _eval, "exit": _exit, "return": _exit, ":": _nothing, "true": _nothing, "echo": _nothing,
    "printf": _nothing, "set": _nothing, "alias": _nothing, "shift": _nothing,
}  # fmt: skip
