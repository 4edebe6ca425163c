"""Which files of a directory are documents, and their text. Reads the disk, writes nothing."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rg_core.address.local import SUFFIXES, is_document_path
from rg_core.documents import history
from rg_core.errors import UserError

LARGEST = 1 << 20  # bytes of one document
MOST = 20_000  # documents of one directory
WHY_NOT = {
    "large": f"larger than {LARGEST >> 20} MiB",
    "binary": "binary",
    "encoding": "not UTF-8",
    "link": "a link",
    "name": "a name that cannot be part of a key",
    "unreadable": "not readable",
    "excluded": "excluded by capture.exclude_projects",
}


@dataclass(frozen=True, slots=True)
class File:
    """A Markdown file as the disk has it."""

    path: str  # relative to the project's directory, with slashes
    absolute: str
    mtime: int  # nanoseconds
    size: int


def files(
    base: str, only: str, inside: str, globs: Sequence[str], excluded: Sequence[str], *, repository: bool
) -> tuple[list[File], Counter[str]]:
    """The documents below a directory, or the one file `only` of it, and how many were left out for which reason.

    Args:
        base: an absolute directory without links.
        only: "." or the name of a file in it.
        inside: the path of `base` relative to the project's directory, "" for that directory itself.
        globs: at least one must match the path relative to `base`, if there are any.
        excluded: patterns of directories whose content is never read.
        repository: whether Git tells which files there are.

    Raises:
        UserError: if there are too many.
        NoGit: if Git cannot tell.
    """
    left_out: Counter[str] = Counter()
    found = []
    for path in sorted(history.tracked(base, only) if repository else _walk(base, only)):
        if not path.lower().endswith(SUFFIXES) or (globs and not any(fnmatchcase(path, glob) for glob in globs)):
            continue
        absolute = os.path.join(base, *path.split("/"))
        whole = f"{inside}/{path}" if inside else path
        why = _why_not(absolute, whole, excluded)
        if why == "gone":
            continue
        if why:
            left_out[why] += 1
            continue
        status = os.stat(absolute)
        found.append(File(whole, absolute, status.st_mtime_ns, status.st_size))
        if len(found) > MOST:
            raise UserError(f"{base} holds more than {MOST:,} documents; name a part of it, or use --glob")
    return found, left_out


def read(file: File) -> str:
    """The text of a document, with newlines as its only line ends.

    Raises:
        ValueError: with the word of WHY_NOT that says why it is none.
    """
    try:
        with open(file.absolute, "rb") as opened:
            return decode(opened.read(LARGEST + 1))
    except OSError:
        raise ValueError("unreadable") from None


def decode(data: bytes | None) -> str:
    """The text of a document from its bytes.

    Raises:
        ValueError: as `read`.
    """
    if data is None or len(data) > LARGEST:
        raise ValueError("large")
    if b"\0" in data:
        raise ValueError("binary")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise ValueError("encoding") from None


def is_excluded(directory: str, patterns: Sequence[str]) -> bool:
    """Whether a directory is one of these, or below one; * and ? are wildcards."""
    place = os.path.normcase(directory)
    for pattern in patterns:
        whole = os.path.normcase(os.path.expanduser(pattern)).rstrip(os.sep) or os.sep
        if fnmatchcase(place, whole) or fnmatchcase(place, whole.rstrip(os.sep) + os.sep + "*"):
            return True
    return False


def _why_not(absolute: str, path: str, excluded: Sequence[str]) -> str:
    """Why a file is not read, a word of WHY_NOT or "gone"; "" if it is."""
    if os.path.islink(absolute) or os.path.realpath(os.path.dirname(absolute)) != os.path.dirname(absolute):
        return "link"
    if not is_document_path(path):
        return "name"
    try:
        status = os.stat(absolute)
    except FileNotFoundError:
        return "gone"
    except OSError:
        return "unreadable"
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for its other end
        return "unreadable"
    if status.st_size > LARGEST:
        return "large"
    return "excluded" if excluded and is_excluded(os.path.dirname(absolute), excluded) else ""


def _walk(base: str, only: str) -> Iterator[str]:
    """Files below a directory, but for those in dot folders."""
    if only != ".":
        yield only
        return
    for directory, folders, names in os.walk(base):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            yield os.path.relpath(os.path.join(directory, name), base).replace(os.sep, "/")
