"""Programs that run another program: env, sudo, timeout, time, nice, bash -c and their like."""

from __future__ import annotations

from rg_core.address.found import UNKNOWN

TYPE_CHECKING = False


# Program -> its options that take a value as the next word (letters and long names), and how many words of its own
# stand before the other program.
_PREFIXES: dict[str, tuple[str, frozenset[str], int]] = {
    "env": ("uCS", frozenset({"unset", "chdir", "split-string"}), 0),
    "sudo": ("ugpCDhrRtTU", frozenset({"user", "group", "prompt", "chdir", "host", "role", "type", "chroot"}), 0),
    "doas": ("uC", frozenset(), 0),
    "timeout": ("ks", frozenset({"kill-after", "signal"}), 1),
    "gtimeout": ("ks", frozenset({"kill-after", "signal"}), 1),
    "time": ("fo", frozenset({"format", "output"}), 0),
    "gtime": ("fo", frozenset({"format", "output"}), 0),
    "nice": ("n", frozenset({"adjustment"}), 0),
    "ionice": ("cn", frozenset({"class", "classdata"}), 0),
    "nohup": ("", frozenset(), 0),
    "setsid": ("", frozenset(), 0),
    "stdbuf": ("ioe", frozenset({"input", "output", "error"}), 0),
    "unbuffer": ("", frozenset(), 0),
    "chronic": ("", frozenset(), 0),
    "caffeinate": ("tw", frozenset(), 0),
    "command": ("", frozenset(), 0),
    "builtin": ("", frozenset(), 0),
    "exec": ("a", frozenset(), 0),
    "noglob": ("", frozenset(), 0),
    "nocorrect": ("", frozenset(), 0),
    "watch": ("ns", frozenset({"interval", "equexit", "shotsdir"}), 0),
    "flock": ("wE", frozenset({"timeout", "wait", "conflict-exit-code"}), 1),
}
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "rbash"})
_POWERSHELLS = frozenset({"powershell", "pwsh"})
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_SET_OPTIONS = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})


class Inner:
    """What a prefix runs: a program's words, or a script (then `arguments` are its $0, $1...)."""

    __slots__ = ("arguments", "cwd", "env", "language", "script")

    def __init__(
        self,
        arguments: list[str],
        env: dict[str, str],
        cwd: str | None,
        script: str | None = None,
        language: str = "bash",
    ) -> None:
        self.arguments = arguments
        self.env = env
        self.cwd = cwd
        self.script = script
        self.language = language


def program(word: str) -> str:
    """The name of a program: the last part of its path, without .exe, in lower case."""
    return word[max(word.rfind("/"), word.rfind("\\")) + 1 :].lower().removesuffix(".exe")


def unwrap(argv: list[str], env: dict[str, str], cwd: str | None) -> Inner | str | None:
    """What a command runs inside; None if it is no prefix, a reason if it runs what cannot be told."""
    name = program(argv[0])
    if name in _SHELLS:
        return _shell(argv, env, cwd)
    if name in _POWERSHELLS:
        return _powershell(argv, env, cwd)
    if name == "cmd":
        position = next((index for index, word in enumerate(argv) if word.lower() in ("/c", "/k")), None)
        return Inner([], env, cwd, " ".join(argv[position + 1 :])) if position else "cmd without /c"
    if name in ("xargs", "parallel", "find"):
        return f"what {name} runs depends on its input"
    if name == "op" and argv[1:2] == ["run"] and "--" in argv:
        return Inner(argv[argv.index("--") + 1 :], env, cwd)
    if name not in _PREFIXES:
        return None
    return _prefix(name, argv, dict(env), cwd)


def joined(cwd: str | None, directory: str, home: str = "") -> str | None:
    """The directory that `cd directory` leads to, None if that cannot be told."""
    if UNKNOWN in directory:
        return None
    if directory == "~" or directory.startswith("~/"):
        return home + directory[1:] if home else None
    if directory.startswith("~"):
        return None
    if directory.startswith(("/", "\\\\")) or (directory[:1] in _LETTERS and directory[1:3] in (":/", ":\\")):
        return directory
    if cwd is None:
        return None
    return cwd.rstrip("/") + "/" + directory if directory not in ("", ".") else cwd


def _prefix(name: str, argv: list[str], env: dict[str, str], cwd: str | None) -> Inner | str:
    letters, long_names, own = _PREFIXES[name]
    position = 1
    while position < len(argv):
        word = argv[position]
        option, value, width = _option(word, argv[position + 1 : position + 2], letters, long_names)
        if word == "--":
            position += 1
            break
        if word == "-" and name == "env":
            option, width = "i", 1
        elif not option:
            break
        position += width
        if name == "command" and option in ("v", "V"):
            return "command -v runs nothing"
        if (option in ("C", "chdir") and name == "env") or (option in ("D", "chdir") and name == "sudo"):
            cwd = joined(cwd, value)
        elif name == "env" and option in ("u", "unset"):
            env[value] = ""
        elif name == "env" and option in ("i", "ignore-environment"):
            env.update(GH_REPO="", GH_HOST="")
        elif name == "env" and option in ("S", "split-string"):
            return Inner([], env, cwd, value + " " + " ".join(argv[position:]))
        elif option in ("h", "help", "version", "V") and name not in ("sudo", "ionice", "caffeinate"):
            return f"{name} --{option} runs nothing"
    if name in ("env", "sudo", "doas"):
        while position < len(argv) and _assigns(argv[position]):
            name_of, _, value = argv[position].partition("=")
            env[name_of] = value
            position += 1
    rest = argv[position + own :]
    if name == "watch":
        return Inner([], env, cwd, " ".join(rest))
    if name == "flock" and rest[:1] in (["-c"], ["--command"]):
        return Inner([], env, cwd, " ".join(rest[1:]))
    return Inner(rest, env, cwd)


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals and name and (name[0] in _LETTERS or name[0] == "_") and name.replace("_", "a").isalnum())


def _option(word: str, following: list[str], letters: str, long_names: frozenset[str]) -> tuple[str, str, int]:
    """(name, value, how many words) of an option; ("", "", 0) if the word is none."""
    if len(word) < 2 or word[0] != "-":
        return "", "", 0
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        if name in long_names and not equals:
            return name, following[0] if following else "", 2
        return name, value, 1
    for index, letter in enumerate(word[1:], 1):
        if letter in letters:
            rest = word[index + 1 :]
            return (letter, rest, 1) if rest else (letter, following[0] if following else "", 2)
    return word[1], "", 1


def _shell(argv: list[str], env: dict[str, str], cwd: str | None) -> Inner | str:
    position, script = 1, False
    while position < len(argv) and len(argv[position]) > 1 and argv[position][0] in "-+":
        word = argv[position]
        position += 1
        if word == "--":
            break
        if word in _SET_OPTIONS:
            position += 1
        elif word.startswith("-") and not word.startswith("--"):
            script = script or "c" in word
            if word[-1] == "o":  # -euo pipefail
                position += 1
    if not script or position >= len(argv):
        return "a script in a file or on standard input"
    return Inner(argv[position + 1 :], env, cwd, argv[position])


def _powershell(argv: list[str], env: dict[str, str], cwd: str | None) -> Inner | str:
    for index, word in enumerate(argv[1:], 1):
        lower = word.lower()
        if len(lower) > 1 and lower[0] in "-/" and "command".startswith(lower[1:]):
            return Inner([], env, cwd, " ".join(argv[index + 1 :]), "powershell")
        if lower in ("-file", "-f", "-encodedcommand", "-enc", "-e"):
            break
        if not lower.startswith("-") and index > 1 and not argv[index - 1].startswith("-"):
            break
    return "a PowerShell script in a file or encoded"
