"""Writing a plan: each file is looked at again, written aside and renamed over the link's target, or left alone."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
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
        raise UserError(f"{path} cannot be read ({error.strerror}); mend that and run rg-install again") from None


def apply(changes: Sequence[Change], memo: Memo, *, mode: int = PRIVATE) -> None:
    """Write all changes; new files get `mode`, the others keep theirs.

    Raises:
        UserError: a file is no longer what the plan was made from, or cannot be written. What was written before stays
            complete and is told; every single file is either as it was or as it shall be.
    """
    for change in changes:
        if read(change.path) != change.before:
            raise UserError(f"{change.path} was changed by another program just now; run rg-install again")
    written: list[Path] = []
    for change in changes:
        try:
            _write(change, memo, mode)
        except OSError as error:
            done = f"; already written: {', '.join(map(str, written))}" if written else "; nothing was changed"
            raise UserError(f"{change.path} cannot be written ({error.strerror}){done}") from None
        written.append(change.path)


def _write(change: Change, memo: Memo, mode: int) -> None:
    target = Path(os.path.realpath(change.path))
    if read(change.path) != change.before:
        raise UserError(f"{change.path} was changed by another program just now; run rg-install again")
    if change.after is None:
        target.unlink()
        _leave_folders(target, memo)
        return
    _make_folders(target.parent, memo)
    handle, aside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(aside, stat.S_IMODE(target.stat().st_mode) if change.before is not None else mode)
        os.replace(aside, target)
    except BaseException:
        os.unlink(aside)
        raise


def _make_folders(folder: Path, memo: Memo) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        made.mkdir()
        memo.folders.append(str(made))


def _leave_folders(target: Path, memo: Memo) -> None:
    """Remove the folders that we made, if nothing else came into them."""
    for folder in target.parents:
        if str(folder) not in memo.folders:
            return
        try:
            folder.rmdir()
        except OSError:
            return
        memo.folders.remove(str(folder))
