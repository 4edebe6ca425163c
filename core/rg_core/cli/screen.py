"""What every command shows a person: all of it passes one border, and looks alike.

Whatever was not written by us (rg_core.border) can neither control a terminal nor pass for a line of ours: the streams
themselves clean what is written to them, and what is shown within a line of ours is put on one line by `line`.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from rg_core.border import Screen, line
from rg_core.errors import UserError
from rg_core.secret import masked

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = [
    "Bar", "as_json", "bordered", "coloured", "columns", "console", "held", "line", "raw", "say", "say_json",
    "tracked", "unexpected", "warn",
]  # fmt: skip

T = TypeVar("T")
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
CHANGES = {"+": "green", "-": "red", "@@": "cyan"}


@contextmanager
def bordered() -> Iterator[None]:
    """While this lasts, standard output and standard error are behind the border."""
    with redirect_stdout(cast("Any", Screen(sys.stdout))), redirect_stderr(cast("Any", Screen(sys.stderr))):
        yield


def raw(stream: TextIO) -> TextIO:
    """The stream before the border, for our own colours and for what its owner wants as it is."""
    return stream.plain if isinstance(stream, Screen) else stream


def console(stream: TextIO, *, wrap: bool = True) -> Console:
    """A rich console on a stream. It writes escape codes of its own, so what it is given has to be clean."""
    from rich.console import Console

    return Console(file=raw(stream), highlight=False, soft_wrap=not wrap)


def coloured(stream: TextIO) -> bool:
    """Whether somebody looks at it who wants colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def say(text: str, styles: Mapping[str, str] = {}, out: TextIO | None = None) -> None:
    """Print lines; on a terminal that wants colour, they are styled by how they begin."""
    out = out or sys.stdout
    if not (styles and coloured(out)):
        print(text, file=out, flush=True)
        return
    from rich.text import Text

    from rg_core import border

    shown = console(out, wrap=False)
    for each in border.text(text).split("\n"):
        style = next((style for begin, style in styles.items() if each.startswith(begin)), "")
        shown.print(Text(each, style=style))


def warn(problem: object, program: str = "rg-memory") -> None:
    """Tell on standard error what did not go as it should, on one line."""
    print(f"{program}: {line(masked(str(problem)))}", file=sys.stderr)


def unexpected(error: Exception, program: str = "rg-memory") -> int:
    """Tell of an error that nobody foresaw; the exit code: 4, a bug, unless it is where we are or where we write to."""
    from rg_core import log, paths

    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # the reader of our output went away: nothing to say, and nobody to say it to
        return 0
    if isinstance(error, OSError) and error.errno in FULL:
        warn("no space is left where this writes to; free some, or send the output elsewhere", program)
        with suppress(OSError, ValueError):  # what is still to be written would fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), raw(sys.stdout).fileno())
        return 1
    if isinstance(error, FileNotFoundError) and not paths.here():
        warn("the working directory is gone; change to one that is there", program)
        return 1
    say(log.crash(os.environ, program, error), out=sys.stderr)
    return 4


def say_json(value: object, model: str, *, indent: int | None = 2, file: TextIO | None = None) -> None:
    """Print JSON for scripts: ASCII, so that every program reads it and no terminal obeys it.

    Args:
        value: what to print.
        model: the module of rg_core.cli.output whose schema it has; it is held to it.
        indent: None for one line.
        file: instead of standard output.
    """
    print(as_json(value, model, indent=indent), file=file)


def as_json(value: object, model: str, *, indent: int | None = None) -> str:
    """The JSON text that `say_json` prints."""
    return json.dumps(held(value, model), indent=indent)


def held(value: T, model: str) -> T:
    """The value, which has the schema of a module of rg_core.cli.output."""
    import_module(f"rg_core.cli.output.{model}").Output.model_validate(value)
    return value


def columns(rows: Sequence[Sequence[object]], out: TextIO | None = None) -> None:
    """Print rows with their cells under each other, each cell on one line."""
    cells = [[line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), file=out)


def confirm(question: str, options: argparse.Namespace) -> bool:
    """Whether a person agrees to what cannot be undone: with --yes, or at a terminal.

    Raises:
        UserError: where there is no terminal to ask at; what comes through a pipe is nobody's consent.
    """
    if options.yes:
        return True
    if not sys.stdin.isatty():
        raise UserError("this cannot be undone, and there is no terminal to ask at; nothing was done: pass --yes")
    return input(f"{line(question)} This cannot be undone. [y/N] ").strip().lower() in ("y", "yes")


class Bar:
    """A progress bar on a terminal's standard error, and nothing elsewhere."""

    def __init__(self, what: str, total: int | None = None, *, wanted: bool = True) -> None:
        self.what, self.total = what, total
        self.wanted = wanted and sys.stderr.isatty()

    def __enter__(self) -> Bar:
        if self.wanted:
            self._progress = _progress()
            self._task = self._progress.add_task(self.what, total=self.total)
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.wanted:
            self._progress.stop()

    def show(self, done: int, total: int | None, what: str = "") -> None:
        """Show how far it is, and of what."""
        if self.wanted:
            self._progress.update(self._task, completed=done, total=total, description=what or self.what)


def tracked(things: Iterable[T], what: str, total: int | None = None, *, wanted: bool = True) -> Iterator[T]:
    """The same things; while they pass, the bar shows how many have."""
    with Bar(what, total, wanted=wanted) as bar:
        for done, thing in enumerate(things, 1):
            yield thing
            bar.show(done, total)


def _progress() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console(sys.stderr), transient=True)
