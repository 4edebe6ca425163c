"""Writing one harness's plan: all of its files, or none where one cannot be written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rg_core import files
from rg_core.errors import UserError
from rg_core.files import PRIVATE, SHARED, Changed
from rg_installer.memo import Memo
from rg_installer.plan import Change

__all__ = ["PRIVATE", "SHARED", "NotApplied", "Overtaken", "apply", "read", "writable"]
FOLDER = 0o777  # less the umask, as everybody's folders


class NotApplied(UserError):
    """A file could not be written; `written` are the files that we wrote before and left so."""

    def __init__(self, told: str, written: Sequence[Path]) -> None:
        super().__init__(f"{told}; {_listed(written)}")
        self.written = written


class Overtaken(NotApplied):
    """Another program changed a file between our look and our write: to be planned again on its text."""


def read(path: Path) -> bytes | None:
    """A file's bytes through its links; None if there is none.

    Raises:
        UserError: it is there and cannot be read.
    """
    try:
        return files.read(str(path))
    except OSError as error:
        told = f"{path} cannot be read ({error.strerror}); make it a file that you may read, and run rg-install again"
        raise UserError(told) from None


def writable(changes: Iterable[Change]) -> None:
    """See that all can be written before the first is.

    Raises:
        UserError: a file or its folder is read-only or somebody else's.
    """
    for change in changes:
        target = Path(os.path.realpath(change.path))
        folder = next(folder for folder in target.parents if folder.exists())
        try:
            if change.before is not None:
                os.close(os.open(target, os.O_WRONLY))  # asks the file system too, not only the mode
            if (change.before is None or change.after is None) and not os.access(folder, os.W_OK):
                target = folder
                raise PermissionError
        except OSError:
            raise UserError(f"{change.path}: {target} is read-only for you; nothing was changed") from None


def apply(
    changes: Sequence[Change], memo: Memo, *, mode: int = PRIVATE, keep: Callable[[Memo], None] | None = None
) -> None:
    """Write all changes; new files get `mode`, the others keep theirs. `keep` gets the memo before the first write.

    Raises:
        Overtaken: a file is no longer what the plan was made from; what was written before stays.
        NotApplied: a file cannot be written; what was written before is taken back, as far as that can be done.
    """
    _foresee(changes, memo)
    if keep:
        keep(memo)
    written: list[Change] = []
    for change in changes:
        try:
            if change.after is not None:
                files.make_folder(os.path.dirname(os.path.realpath(change.path)), FOLDER)
            files.rewrite(str(change.path), change.before, change.after, mode=mode)
        except Changed:
            _leave_folders(memo)
            told = f"{change.path} was changed by another program just now"
            raise Overtaken(told, [done.path for done in written]) from None
        except OSError as error:
            left = _take_back(written)
            _leave_folders(memo)
            raise NotApplied(f"{change.path} cannot be written ({error.strerror})", left) from None
        written.append(change)
    _leave_folders(memo)


def _take_back(written: Sequence[Change]) -> list[Path]:
    """Undo what was written; the files where that failed."""
    left = []
    for change in reversed(written):
        try:
            files.rewrite(str(change.path), change.after, change.before)
        except (Changed, OSError):
            left.append(change.path)
    return left


def _listed(written: Sequence[Path]) -> str:
    return f"already written: {', '.join(map(str, written))}" if written else "nothing was changed"


def _foresee(changes: Sequence[Change], memo: Memo) -> None:
    """Note the folders that will be made, so that also an interrupted run can be taken back."""
    for change in changes:
        target = Path(os.path.realpath(change.path))
        missing = [] if change.after is None else [str(folder) for folder in target.parents if not folder.exists()]
        memo.folders += [folder for folder in reversed(missing) if folder not in memo.folders]


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
