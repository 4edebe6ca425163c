"""A progress bar for a command that goes through many things, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def tracked(things: Iterable[T], what: str, total: int | None = None, *, wanted: bool = True) -> Iterator[T]:
    """The same things; while they pass, a terminal's stderr shows how many have."""
    if not (wanted and sys.stderr.isatty()):
        yield from things
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(things, total=total, description=what)
