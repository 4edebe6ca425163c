"""One small log file for what happens where nobody looks: Sweeps that a session's end started, and bugs.

A line is ASCII: time, program, process, what happened. Nothing in it was written by other people but addresses, and no
secret is in it. Two files of at most 256 KB, mode 0600, in the data directory; several processes may write at once.
The hook never opens it. Writing fails in silence: a log must not fail what it is the log of.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping

from rg_core import files, paths, times
from rg_core.secret import masked

MOST = 256 * 1024  # bytes of a file before it becomes the older one
LONGEST = 1000  # characters of a line


def note(environ: Mapping[str, str], program: str, *lines: str) -> bool:
    """Append lines; whether they are written."""
    head = f"{times.now()} {program}[{os.getpid()}] "
    text = "".join(f"{head}{_plain(line)}\n" for line in lines)
    path = paths.log_file(environ)
    try:
        files.make_folder(os.path.dirname(path))
        _rotate(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            files.hand_over(path)
            os.write(descriptor, text.encode("ascii"))
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


def crash(environ: Mapping[str, str], program: str, error: BaseException) -> str:
    """Write a bug of ours with its traceback; the line for the user, which names the file."""
    lines = [line for part in traceback.format_exception(error) for line in part.splitlines()]
    what = f"{program}: this is a bug in rg-memory ({type(error).__name__})"
    if note(environ, program, *lines):
        return f"{what}; please report the end of {paths.log_file(environ)}"
    return f"{what}, and {paths.log_file(environ)} cannot be written:\n" + "\n".join(map(_plain, lines))


def _rotate(path: str) -> None:
    """Make a full file the older one; of two processes that do so at once, one finds nothing left to do."""
    try:
        if os.path.getsize(path) >= MOST:
            os.replace(path, f"{path}.1")
    except FileNotFoundError:
        pass


def _plain(line: str) -> str:
    """One line of ASCII without secrets."""
    text = masked(line).encode("ascii", "backslashreplace").decode()
    return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)[:LONGEST]
