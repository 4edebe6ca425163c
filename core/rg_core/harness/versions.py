"""Which version of a program is on the PATH."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping


def installed(program: str, environ: Mapping[str, str]) -> tuple[int, ...]:
    """The version that a program tells, e.g. (2, 1, 332); () if it is not there or does not tell within ten seconds."""
    found = shutil.which(program, path=environ.get("PATH"))
    if not found:
        return ()
    quiet = subprocess.DEVNULL
    command = [found, "--version"]
    try:
        told = subprocess.run(
            command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ()
    number = re.search(r"\d+(\.\d+)+", told.stdout)
    return tuple(map(int, number[0].split("."))) if number else ()


def shown(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))
