"""What was there before us, so that taking back gives it back exactly: which files and folders we made, what was empty.

Kept as `installed.json` in the data directory; it holds paths and white space, no content of the user's files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rg_core import files, paths


@dataclass
class Memo:
    """Filled while a plan is made, saved when it is applied."""

    created: set[str] = field(default_factory=set)  # files that did not exist
    folders: list[str] = field(default_factory=list)  # folders that did not exist, outermost first
    blank: dict[str, str] = field(default_factory=dict)  # files that held only white space -> that white space
    empty: dict[str, dict[str, str]] = field(default_factory=dict)  # file -> key path -> inside of an empty container
    theirs: dict[str, list[str]] = field(default_factory=dict)  # file -> key paths where the user said what we would

    def was_empty(self, path: Path, at: tuple[str, ...], inner: str) -> None:
        """Note that a container was there, empty, before our first entry in it."""
        self.empty.setdefault(str(path), {}).setdefault(_pointer(at), inner)

    def inside(self, path: Path, at: tuple[str, ...]) -> str | None:
        """What stood inside a container before us; None if it was not there."""
        return self.empty.get(str(path), {}).get(_pointer(at))

    def was_there(self, path: Path, at: tuple[str, ...]) -> None:
        """Note that what we would write there is the user's own."""
        self.theirs.setdefault(str(path), []).append(_pointer(at))

    def is_theirs(self, path: Path, at: tuple[str, ...]) -> bool:
        """Whether what we would write there is the user's own."""
        return _pointer(at) in self.theirs.get(str(path), ())

    def learn(self, other: Memo, paths: Iterable[Path]) -> None:
        """Take over what another memo knows of these files, and of the folders that were made for them."""
        for key in map(str, paths):
            self.forget(Path(key))
            self.created |= {key} & other.created
            self.blank |= {key: other.blank[key]} if key in other.blank else {}
            self.empty |= {key: other.empty[key]} if key in other.empty else {}
            self.theirs |= {key: other.theirs[key]} if key in other.theirs else {}
        self.folders = other.folders.copy()

    def forget(self, path: Path) -> None:
        """Drop what is known of a file that no longer holds anything of ours."""
        key = str(path)
        self.created.discard(key)
        self.blank.pop(key, None)
        self.empty.pop(key, None)
        self.theirs.pop(key, None)


def load(environ: Mapping[str, str]) -> Memo:
    """Read the memo; one that is missing or broken is an empty one, and removal then leaves `{}` where in doubt."""
    try:
        kept = json.loads(files.read(str(_file(environ))) or b"")
        return Memo(**{**kept, "created": set(kept["created"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return Memo()


def save(memo: Memo, environ: Mapping[str, str]) -> None:
    """Write the memo, or remove it when there is nothing left to remember.

    Raises:
        OSError: the data directory cannot be written.
    """
    file = _file(environ)
    kept = {**vars(memo), "created": sorted(memo.created)}
    if not any(kept.values()):
        file.unlink(missing_ok=True)
        return
    files.make_folder(str(file.parent))
    files.write(str(file), f"{json.dumps(kept, indent=1)}\n".encode())


def _file(environ: Mapping[str, str]) -> Path:
    return Path(paths.data_dir(environ)) / "installed.json"


def _pointer(at: tuple[str, ...]) -> str:
    return "/".join(key.replace("~", "~0").replace("/", "~1") for key in at)
