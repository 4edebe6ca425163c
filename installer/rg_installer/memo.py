"""What was there before us, so that taking back gives it back exactly: which files and folders we made, what was empty.

Kept as `installed.json` in the data directory; it holds paths and white space, no content of the user's files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rg_core import paths


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
        kept = json.loads(_file(environ).read_text("utf-8"))
        return Memo(**{**kept, "created": set(kept["created"])})
    except (OSError, ValueError, TypeError, KeyError):
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
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = file.with_name(f".{file.name}.new")
    aside.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    aside.chmod(0o600)
    aside.replace(file)


def _file(environ: Mapping[str, str]) -> Path:
    return Path(paths.data_dir(environ)) / "installed.json"


def _pointer(at: tuple[str, ...]) -> str:
    return "/".join(key.replace("~", "~0").replace("/", "~1") for key in at)
