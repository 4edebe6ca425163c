"""The command lines that go into a harness's files: silent, and harmless when the program behind them is gone.

An interpreter that cannot find its script exits 2, which several harnesses take as "deny this call"; a missing program
exits 127, which some show to the user at every call. So the program is looked for first and its exit code is dropped.
"""

from __future__ import annotations

import ntpath
import shlex


def posix(program: str, *arguments: str, otherwise: str = "true") -> str:
    """A line for sh, bash and zsh that runs the program if it is there and always exits 0.

    A program without a path (in a plugin, made before it is known where it will be) is looked for as a person's shell
    would, also where pipx and uv put it: a program started from a desktop has a shorter PATH.
    """
    if ntpath.basename(program) == program:
        call = f"command -v {program} >/dev/null && {shlex.join((program, *arguments))} 2>/dev/null || {otherwise}"
        return f'PATH="$PATH:$HOME/.local/bin"; {call}'
    return f"[ -x {shlex.quote(program)} ] && {shlex.join((program, *arguments))} 2>/dev/null || {otherwise}"


def powershell(program: str, *arguments: str) -> str:
    """The same for PowerShell 5.1, which has neither || nor && and runs a quoted path only behind &.

    On Windows rg-hook is a script without a program of its own: the interpreter beside it runs it.
    """
    words = [program, *arguments]
    if not ntpath.dirname(program):
        return f"if (Get-Command {program} -ErrorAction Ignore) {{ & {' '.join(map(_quoted, words))} }}; exit 0"
    if not program.startswith("/") and not program.lower().endswith(".exe"):
        words.insert(0, ntpath.join(ntpath.dirname(program), "python.exe"))
    return f"if (Test-Path -LiteralPath {_quoted(program)}) {{ & {' '.join(map(_quoted, words))} }}; exit 0"


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
