"""Errors that a user is shown as they are: what happened, why, and the command or step that helps."""

from __future__ import annotations

ROOM = 1 << 20  # bytes: with less than this free, a failed write needs no other explanation


class UserError(Exception):
    """An expected failure; a command prints its text and exits 1. Never holds a secret."""


def disk_is_full(path: str) -> bool:
    """Whether the disk that this file is on, or would be on, has no room left.

    Of the write that met the disk's end the database says so; of the next steps only that they failed, or even that the
    file is damaged.
    """
    import os
    import shutil

    try:
        return shutil.disk_usage(os.path.dirname(path) or ".").free < ROOM
    except OSError:
        return False


def cannot_hold_a_database(directory: str) -> bool:
    """Whether the file system of a directory lacks what SQLite needs: file locks and memory shared by a file.

    Some network file systems do. SQLite then says "locked" for ever, or "locking protocol", or "disk I/O error".
    """
    import os
    import tempfile

    try:
        import fcntl
        import mmap
    except ImportError:  # Windows has both, everywhere
        return False
    try:
        handle, path = tempfile.mkstemp(prefix=".probe.db", suffix="-shm", dir=directory)
    except OSError:
        return False  # another trouble, and another message
    try:
        os.ftruncate(handle, mmap.PAGESIZE)
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mmap.mmap(handle, mmap.PAGESIZE).close()
    except OSError as error:
        return not disk_is_full(path) and bool(error.errno)
    finally:
        os.close(handle)
        os.unlink(path)
    return False
