"""Writing a file whole: whoever reads it meanwhile sees the old bytes or the new ones. One way for all of rg-memory.

The bytes go into a file beside the target, which is then renamed over it. A symbolic link stays one. A file keeps its
mode and its owner; a new one belongs to the owner of its folder, also where root makes it (sudo). What cannot or must
not be renamed over, because it is a mount point, has other names (hard links), or lies in a folder where nothing may be
made, is written in place.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from errno import EBUSY, EPERM, EXDEV

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

PRIVATE, SHARED = 0o600, 0o644
ASIDE = "rg-memory"
EXCHANGE = 2  # RENAME_EXCHANGE of Linux's renameat2 and RENAME_SWAP of macOS's renamex_np
HERE = -100  # AT_FDCWD
IN_PLACE = (EBUSY, EXDEV, EPERM)  # of a rename over a mount point, or of another's file in a sticky folder


class Changed(Exception):
    """The file is no longer what the caller has seen; nothing was written."""


def read(path: str) -> bytes | None:
    """The bytes of a regular file, through links; None if there is none.

    Raises:
        OSError: it is there and is no regular file, or cannot be read.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its other end
            raise OSError(0, "Not a regular file", path)
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def write(path: str, data: bytes, *, mode: int = PRIVATE, secret: bool = False) -> None:
    """Write the file, whatever was there.

    Args:
        path: the file; its folder must be there (see `make_folder`).
        data: all of its bytes.
        mode: for a file that is new; another keeps its own.
        secret: what others may do with a file that is there is taken from them first.

    Raises:
        OSError: it cannot be written; it is as it was.
    """
    if secret and os.path.exists(path):
        os.chmod(path, PRIVATE)
    _write(path, data, mode, None)


def rewrite(path: str, before: bytes | None, after: bytes | None, *, mode: int = PRIVATE) -> None:
    """Bring the file from the bytes that the caller has seen to others; None is no file.

    Where the system can exchange two files, nothing that another program renames into place is lost, not even between
    the last look and the rename. Elsewhere the last look comes right before the rename.

    Raises:
        Changed: it is not as the caller has seen it.
        OSError: it cannot be written; it is as it was.
    """
    if read(path) != before:
        raise Changed(path)
    if after is not None:
        _write(path, after, mode, (before,))
    elif before is not None:
        os.unlink(os.path.realpath(path))


@contextlib.contextmanager
def stream(path: str) -> Iterator[BinaryIO]:
    """A file to write to, which becomes PATH when all is written; where that fails, PATH is as it was.

    What is no regular file, such as a pipe or /dev/null, and what has other names is written to as it is.

    Raises:
        OSError: it cannot be written.
    """
    target = os.path.realpath(path)
    old = _stat(target)
    if old and (not stat.S_ISREG(old.st_mode) or old.st_nlink > 1):
        with open(target, "wb") as file:
            yield file
        return
    aside = _aside(target)
    try:
        with _created(aside) as file:
            yield file
            _flush(file)
        _dress(aside, target, old, PRIVATE)
        os.replace(aside, target)
    finally:
        if os.path.lexists(aside):
            os.unlink(aside)


def settle(aside: str, path: str) -> None:
    """Put a whole new file in its place, unless another process was first: its file is as good.

    Raises:
        OSError: it cannot be put there.
    """
    hand_over(aside)
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if not os.path.exists(path):
            os.rename(aside, path)


def hand_over(path: str) -> None:
    """Give a file that root just made (sudo) to the owner of its folder."""
    _give(path, os.path.dirname(os.path.abspath(path)), new=True)


def make_folder(folder: str, mode: int = 0o700) -> None:
    """Make a folder and those above it that are missing; made by root, each belongs to the owner of the one above.

    Raises:
        OSError: it cannot be made.
    """
    if os.path.isdir(folder) or not folder:
        return
    make_folder(os.path.dirname(folder), mode)
    try:
        os.mkdir(folder, mode)
    except FileExistsError:
        return
    _give(folder, os.path.dirname(folder), new=True)


def tidy(paths: Iterable[str]) -> None:
    """Remove what killed programs of ours left beside these files."""
    for target in {os.path.realpath(path) for path in paths}:
        folder, begin = os.path.dirname(target), os.path.basename(_aside(target)).rpartition("-")[0] + "-"
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(begin) and not _runs(name.rpartition("-")[2]):
                os.unlink(os.path.join(folder, name))


def _write(path: str, data: bytes, mode: int, seen: tuple[bytes | None] | None) -> None:
    target = os.path.realpath(path)
    old = _stat(target)
    if old and not stat.S_ISREG(old.st_mode):
        raise OSError(0, "Not a regular file", path)
    if old and (old.st_nlink > 1 or not os.access(os.path.dirname(target), os.W_OK)):
        _in_place(target, data, seen)
        return
    aside = _aside(target)
    try:
        with _created(aside) as file:
            file.write(data)
            _flush(file)
        _dress(aside, target, old, mode)
        try:
            _put(aside, target, data, seen)
        except OSError as error:
            if old is None or error.errno not in IN_PLACE:
                raise
            _in_place(target, data, seen)
    finally:
        if os.path.lexists(aside):
            os.unlink(aside)


def _put(aside: str, target: str, data: bytes, seen: tuple[bytes | None] | None) -> None:
    """Rename the file aside over the target, if that is still as it was seen."""
    if seen is None:
        os.replace(aside, target)
        return
    exchange = _exchange()  # before the last look: nothing but the look stands between it and the rename
    if read(target) != seen[0]:
        raise Changed(target)
    if seen[0] is None:
        try:
            os.link(aside, target)  # unlike a rename it never takes another file's place
        except FileExistsError:
            raise Changed(target) from None
        except OSError:
            os.replace(aside, target)
        return
    if not exchange(aside, target):
        os.replace(aside, target)
        return
    expected: bytes | None = seen[0]
    put: bytes | None = data
    taken = read(aside)
    if taken == expected:
        return
    while taken != expected:  # somebody wrote in between: that goes back, unless they have written once more
        expected, put = put, taken
        exchange(aside, target)
        taken = read(aside)
    raise Changed(target)


def _in_place(target: str, data: bytes, seen: tuple[bytes | None] | None) -> None:
    with open(target, "r+b") as file:
        if seen is not None and file.read() != seen[0]:
            raise Changed(target)
        file.seek(0)
        file.write(data)
        file.truncate()
        _flush(file)


def _stat(target: str) -> os.stat_result | None:
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def _created(aside: str) -> BinaryIO:
    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    return open(os.open(aside, flags, PRIVATE), "wb")


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _dress(aside: str, target: str, old: os.stat_result | None, mode: int) -> None:
    """Give the new file the mode and the owner of the one that it replaces, or of its folder."""
    _give(aside, target if old else os.path.dirname(target), new=not old)
    os.chmod(aside, stat.S_IMODE(old.st_mode) if old else mode)


def _give(path: str, like: str, *, new: bool) -> None:
    """Give a file to the owner of another, where we may; what is new is its maker's, unless root made it."""
    if not hasattr(os, "chown") or (new and os.geteuid() != 0):
        return
    owner = os.stat(like)
    if (owner.st_uid, owner.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(path, owner.st_uid, owner.st_gid)


def _exchange() -> Callable[[str, str], bool]:
    """A function that exchanges two files in one step, or says that the system or the file system cannot."""
    if sys.platform not in ("linux", "darwin"):
        return lambda one, other: False
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        rename = libc.renameat2 if sys.platform == "linux" else libc.renamex_np
    except (ImportError, OSError, AttributeError):
        return lambda one, other: False
    if sys.platform == "linux":
        return lambda one, other: rename(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0
    return lambda one, other: rename(os.fsencode(one), os.fsencode(other), EXCHANGE) == 0


def _aside(target: str) -> str:
    return os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{ASIDE}-{os.getpid()}")


def _runs(process: str) -> bool:
    """Whether the process may still run; on Windows, where asking would end it, it may."""
    if not process.isdecimal() or os.name == "nt":
        return True
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
