"""Which version of a program is on the PATH, asked without leaving anything in the user's home."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping

HOMES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def installed(program: str, environ: Mapping[str, str]) -> tuple[int, ...]:
    """The version that a program tells, e.g. (2, 1, 332); () if it is not there or does not tell within ten seconds."""
    found = shutil.which(program, path=environ.get("PATH"))
    if not found:
        return ()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # some make their folders even for this
        return _told(found, {**environ, **dict.fromkeys(HOMES, home)}) or _told(found, environ)  # a shim needs its own


def _told(program: str, environ: Mapping[str, str]) -> tuple[int, ...]:
    quiet = subprocess.DEVNULL
    try:
        told = subprocess.run(
            [program, "--version"], stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, env=environ, text=True,
            timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ()
    number = re.search(r"\d+(\.\d+)+", told.stdout)
    return tuple(map(int, number[0].split("."))) if number else ()


def shown(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))
