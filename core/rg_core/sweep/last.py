"""How the last Sweep on this machine ended, for whoever was not there: `rg-memory status` tells it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from rg_core import files, paths, times

Ending = Literal["running", "done", "waits", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class LastSweep:
    """One Sweep. `ended` is "" while it runs, and stays so if it is killed; `reason` says why it waits or failed."""

    user: str
    began: str
    ended: str
    ending: Ending
    reason: str
    process: int


def begun(environ: Mapping[str, str], user: str) -> LastSweep:
    """Write down that a Sweep of this process begins."""
    last = LastSweep(user, times.now(), "", "running", "", os.getpid())
    _write(environ, last)
    return last


def ended(environ: Mapping[str, str], last: LastSweep, ending: Ending, reason: str = "") -> None:
    """Write down how it ended."""
    _write(environ, LastSweep(last.user, last.began, times.now(), ending, reason, last.process))


def read(environ: Mapping[str, str], user: str) -> LastSweep | None:
    """This user's last Sweep; None if there was none, or it was another user's."""
    try:
        with open(paths.last_sweep_file(environ), encoding="utf-8") as file:
            last = LastSweep(**json.load(file))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return last if user and last.user == user else None


def _write(environ: Mapping[str, str], last: LastSweep) -> None:
    """Replace the file; that it cannot be written must not fail a Sweep."""
    path = paths.last_sweep_file(environ)
    with suppress(OSError):
        files.write(path, json.dumps(asdict(last)).encode())
