"""What a prompt should have been told where its program drops that: kept for the session's next tool call. Hot.

A file for each session that waits, in a folder that is there only while one does; so a call that has nothing to wait
for costs one look at that.
"""

from __future__ import annotations

import os
import time

from rg_core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OLD = 86_400  # seconds: a session that ended without a call


def waits(environ: Mapping[str, str]) -> bool:
    """Whether any session has something to be told."""
    return os.path.isdir(_folder(environ))


def keep(environ: Mapping[str, str], session: str, note: str) -> None:
    """Keep a note for a session.

    Raises:
        OSError: if it cannot be kept.
    """
    os.makedirs(_folder(environ), mode=0o700, exist_ok=True)
    file = os.open(_file(environ, session), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, note.encode("utf-8", "replace") + b"\n")
    finally:
        os.close(file)


def take(environ: Mapping[str, str], session: str) -> str:
    """What was kept for a session, once; "" for nothing.

    Raises:
        OSError: if it cannot be read or removed.
    """
    folder, mine = _folder(environ), _file(environ, session)
    note = ""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if path == mine:
            with open(path, encoding="utf-8", errors="replace") as file:
                note = file.read().rstrip("\n")
        elif time.time() - os.stat(path).st_mtime < OLD:
            continue
        os.remove(path)
    if not os.listdir(folder):
        os.rmdir(folder)
    return note


def _folder(environ: Mapping[str, str]) -> str:
    return os.path.join(paths.data_dir(environ), "hook", "later")


def _file(environ: Mapping[str, str], session: str) -> str:
    from rg_core.touches.touch import identify

    return os.path.join(_folder(environ), identify(session))
