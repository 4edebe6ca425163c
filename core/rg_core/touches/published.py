r"""Files that others publish for the hook to read: whole or not there, never half. Hot; standard library only.

Two forms, both in the directory `hook` beside the Touches, both replaced by renaming:

- a text, read whole: `settings` (rg_core.touches.settings).
- a table, read by bisection: `known` (rg_core.touches.known). A line a row, cells separated by tabs, sorted by the
  bytes of the lines; the first line begins with "#" and is not a row: `#<version>\t<what the publisher wants to know>`.
  A cell holds no tab and no line end (`cell`), a line is at most LONGEST bytes. Finding a row costs some 15 reads of
  a block, in 200,000 rows 70 microseconds.

A new kind of table is a new name in this directory and a function that writes and one that reads its rows.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 1
BLOCK = 4096
LONGEST = 2048  # bytes of a row, its line end included: less than a block
RUN = 1 << 20  # bytes of neighbouring rows that one question reads
TRIES, PAUSE = 10, 0.01  # Windows: a file that a hook has open cannot be replaced; it is open for a fraction of this
BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def folder(data: str) -> str:
    """Where published files are, below the data directory."""
    return os.path.join(data, "hook")


def cell(text: str, most: int) -> str:
    """Foreign text as a cell of a table: on one line, cleaned at the border, at most `most` characters."""
    from rg_core import border

    clean = border.line(text[: most * 4])
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def publish(path: str, data: bytes) -> None:
    """Write a file aside and rename it into place, with mode 0600 in a directory of mode 0700.

    Raises:
        OSError: if that fails; what was published before is unharmed.
    """
    directory = os.path.dirname(path)
    aside = os.path.join(directory, f".{os.path.basename(path)}-{os.urandom(8).hex()}")
    file = create(aside)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
        finally:
            os.close(file)
        _give(aside)
        _replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


def publish_table(path: str, rows: Iterable[str], note: str = "") -> None:
    """Publish a table. A row that is too long is left out; `note` is for `noted`.

    Raises:
        OSError: as `publish`.
    """
    lines = sorted(line for row in rows if len(line := row.encode("utf-8", "replace")) < LONGEST)
    publish(path, b"\n".join([f"#{FORMAT}\t{note}".encode(), *lines, b""]))


def noted(path: str) -> str | None:
    """What the publisher of a table noted; None where there is no table of this format."""
    try:
        with open(path, "rb") as file:
            head = file.readline(LONGEST)
    except OSError:
        return None
    mark, _, note = head.decode("utf-8", "replace").rstrip("\n").partition("\t")
    return note if mark == f"#{FORMAT}" else None


def private(directory: str) -> None:
    """Make a directory that is the user's alone, and what is missing above it."""
    above = os.path.dirname(directory)
    if above != directory and not os.path.isdir(above):
        private(above)
    try:  # contextlib.suppress costs the hook an import
        os.mkdir(directory, 0o700)
        _give(directory)
    except FileExistsError:
        pass


def _give(path: str) -> None:
    """What root makes (sudo rg-install) belongs to whoever its folder belongs to."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        owner = os.stat(os.path.dirname(path))
        os.chown(path, owner.st_uid, owner.st_gid)


class Table:
    """A published table, open; close it after use."""

    def __init__(self, path: str) -> None:
        """Open the table.

        Raises:
            OSError: if there is none, or it cannot be read.
            ValueError: if it is of another format.
        """
        self._file = os.open(path, os.O_RDONLY | BINARY)
        try:
            self._size = os.fstat(self._file).st_size
            head = self._read(0, BLOCK)
            self._start = head.find(b"\n") + 1
            if not head.startswith(b"#%d\t" % FORMAT) or not self._start:
                raise ValueError(f"{path} is of another format")
        except BaseException:
            os.close(self._file)
            raise

    def close(self) -> None:
        """Close it."""
        os.close(self._file)

    def rows(self, prefix: str) -> list[list[str]]:
        """The cells of the rows that begin so, in order; of many the first RUN bytes."""
        wanted = prefix.encode("utf-8", "replace")
        at = self._find(wanted)
        found: list[list[str]] = []
        end = min(self._size, at + RUN)
        rest = b""
        while at < end:
            block = self._read(at, BLOCK)
            if not block:
                break
            at += len(block)
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                if line.startswith(wanted):
                    found.append(line.decode("utf-8", "replace").split("\t"))
                elif line > wanted:
                    return found
        return found

    def _find(self, wanted: bytes) -> int:
        """The begin of a line at most a block before the first line that is not less than this text."""
        low, high = self._start, self._size  # low begins a line that is less, or is the first
        while high - low > BLOCK:
            middle = (low + high) // 2
            block = self._read(middle, BLOCK)
            begin = block.find(b"\n") + 1
            end = block.find(b"\n", begin)
            if not begin or end < 0:  # the last line of all, or rows longer than any that are published
                high = middle
            elif block[begin:end] < wanted:
                low = middle + begin
            else:
                high = middle
        return low

    def _read(self, at: int, size: int) -> bytes:
        os.lseek(self._file, at, os.SEEK_SET)
        return os.read(self._file, size)


def create(path: str) -> int:
    """A new file that is the user's alone, open for writing; its directory is made where it is missing.

    Raises:
        OSError: if it is there already (FileExistsError), or cannot be made.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | BINARY
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        private(os.path.dirname(path))
        return os.open(path, flags, 0o600)


def _replace(aside: str, path: str) -> None:
    for attempt in range(TRIES):
        try:
            os.replace(aside, path)
        except PermissionError:
            if os.name != "nt" or attempt == TRIES - 1:
                raise
            import time

            time.sleep(PAUSE)
        else:
            return
