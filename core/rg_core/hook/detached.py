"""A process that outlives the hook and the session and holds none of our files: some harnesses wait for those."""

from __future__ import annotations

import os
import sys


def start(program: str) -> None:
    """Run a program of Python in the user's home; nothing of the folder it runs in can be imported by it.

    Raises:
        OSError: if no process is to be had.
    """
    from subprocess import DEVNULL, Popen

    home = os.path.expanduser("~")
    Popen(
        [sys.executable, "-P", "-c", program],
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        close_fds=True,
        start_new_session=True,
        cwd=home if os.path.isdir(home) else None,
    )
