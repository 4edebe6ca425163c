"""Writing a plan: each file is looked at again, written aside and renamed over the link's target, or left alone."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rg_core.errors import UserError
from rg_installer.memo import Memo
from rg_installer.plan import Change

PRIVATE, SHARED = 0o600, 0o644


def read(path: Path) -> bytes | None:
    """A file's bytes through its links; None if there is none.

    Raises:
        UserError: it is there and cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        told = f"{path} cannot be read ({error.strerror}); make it readable for you and run rg-install again"
        raise UserError(told) from None


def writable(changes: Iterable[Change]) -> None:
    """See that all can be written before the first is.

    Raises:
        UserError: a file or its folder is read-only or somebody else's.
    """
    for change in changes:
        target = Path(os.path.realpath(change.path))
        folder = next(folder for folder in target.parents if folder.exists())
        for place in (target, folder) if change.before is not None else (folder,):
            if not os.access(place, os.W_OK):
                raise UserError(f"{change.path}: {place} is read-only for you; nothing was changed")


def tidy(paths: Iterable[Path]) -> None:
    """Remove what a killed run left beside these files."""
    for target in {Path(os.path.realpath(path)) for path in paths}:
        for left in target.parent.glob(glob.escape(_aside(target, 0).removesuffix("0")) + "*"):
            if not _runs(left.name.rpartition("-")[2]):
                left.unlink(missing_ok=True)


def apply(
    changes: Sequence[Change], memo: Memo, *, mode: int = PRIVATE, keep: Callable[[Memo], None] | None = None
) -> None:
    """Write all changes; new files get `mode`, the others keep theirs. `keep` gets the memo before the first write.

    Raises:
        UserError: a file is no longer what the plan was made from, or cannot be written. What was written before stays
            complete and is told; every single file is either as it was or as it shall be.
    """
    for change in changes:
        if read(change.path) != change.before:
            raise UserError(f"{change.path} was changed by another program just now; run rg-install again")
    _foresee(changes, memo)
    if keep:
        keep(memo)
    written: list[Path] = []
    for change in changes:
        try:
            _write(change, mode)
        except OSError as error:
            done = f"; already written: {', '.join(map(str, written))}" if written else "; nothing was changed"
            raise UserError(f"{change.path} cannot be written ({error.strerror}){done}") from None
        written.append(change.path)
    _leave_folders(memo)


def _foresee(changes: Sequence[Change], memo: Memo) -> None:
    """Note the folders that will be made, so that also an interrupted run can be taken back."""
    for change in changes:
        target = Path(os.path.realpath(change.path))
        missing = [] if change.after is None else [str(folder) for folder in target.parents if not folder.exists()]
        memo.folders += [folder for folder in reversed(missing) if folder not in memo.folders]


def _write(change: Change, mode: int) -> None:
    target = Path(os.path.realpath(change.path))
    if read(change.path) != change.before:
        raise UserError(f"{change.path} was changed by another program just now; run rg-install again")
    if change.after is None:
        target.unlink()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(_aside(target, os.getpid()))
    try:
        with open(os.open(aside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, PRIVATE), "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        _dress(aside, target, mode)
        os.replace(aside, target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _dress(aside: Path, target: Path, mode: int) -> None:
    """Give the new file the mode and, where we may, the owner of the one that it replaces."""
    try:
        status = target.stat()
    except FileNotFoundError:
        aside.chmod(mode)
        return
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(aside, status.st_uid, status.st_gid)
    aside.chmod(stat.S_IMODE(status.st_mode))


def _aside(target: Path, process: int) -> str:
    return f".{target.name}.rg-install-{process}"


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


def _leave_folders(memo: Memo) -> None:
    """Remove the folders that we made, if nothing else came into them."""
    for folder in reversed(memo.folders.copy()):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            continue
        memo.folders.remove(folder)
