"""What sessions are given, as files that the hook reads: one text per project, framework and agent. Hot.

Written by rg_core.assets.delivery whenever an asset, a policy or the configuration changes; read by the hook at the
start of a session, which computes nothing. All of it is in the directory `sessions` of the data directory:

- `index`: the first line is `1 STAMP`, where STAMP tells the state of config.toml that it was made from; the second
  is the installation's main agent, or empty; then a line `DIRECTORY<TAB>PROJECT` for each directory of a project, the
  longest first. There is no index while nothing is to be delivered.
- `PROJECT/FRAMEWORK AGENT`, each name as `named` makes it: the first line is `1 STAMP`, the second `UNTIL`, a time in
  ISO 8601 from which on the text may not be shown, or empty; what follows is the text, perhaps none. AGENT is `none`,
  `=NAME` for each name that an entry or a binding has, or `any` for every other, so that a deny of `agent:*` holds for
  names that nobody wrote down.

A missing file, another STAMP or a passed UNTIL show nothing and are stale: whoever finds that has it made anew.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "1"
NONE, OTHER = "none", "any"  # agents; a name has a = before it
LONGEST = 100  # characters of a name that are written out
SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-.")


def folder(data: str) -> str:
    """Where the files are, below the data directory."""
    return os.path.join(data, "sessions")


def named(name: str) -> str:
    """A name as the name of a file: what is not a-z, 0-9, or one of _-. becomes %XX of its UTF-8; never hidden.

    What is too long for a file system ends in % and a digest instead.
    """
    letters = [
        letter if letter in SAFE else "".join([f"%{byte:02X}" for byte in letter.encode("utf-8", "replace")])
        for letter in name
    ]
    safe = "".join(letters)
    if len(safe) > LONGEST:
        from hashlib import sha256

        safe = f"{safe[:LONGEST]}%{sha256(safe.encode()).hexdigest()}"
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


def stamp(path: str) -> str:
    """Which state of config.toml this is."""
    try:
        status = os.stat(path)
    except OSError:
        return "none"
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def text_for(
    data: str, config_file: str, directory: str, framework: str, agent_type: str, now: str
) -> tuple[str, bool]:
    """The text for a session or subagent that begins now, and whether what is there is stale.

    Args:
        data: the data directory.
        config_file: the path of config.toml.
        directory: where the session works.
        framework: the harness's name.
        agent_type: of a subagent, "" for the main agent.
        now: in ISO 8601, UTC, to the second.
    """
    place = folder(data)
    index = _lines(os.path.join(place, "index"))
    if index is None:
        return "", False
    head, agent, *rows = index
    current = f"{FORMAT} {stamp(config_file)}"
    if head != current:
        return "", True
    project = _project(rows, directory)
    if not project:
        return "", False
    below = os.path.join(place, named(project))
    wanted = agent or agent_type.strip()
    if not wanted.isascii():
        from unicodedata import normalize

        wanted = normalize("NFC", wanted)  # as names of entries are
    for name in (f"={named(wanted)}", OTHER) if wanted else (NONE,):
        found = _lines(os.path.join(below, f"{named(framework)} {name}"))
        if found is None:
            continue
        if found[0] != current or len(found) < 2 or (found[1] and found[1] <= now):
            return "", True
        return "\n".join(found[2:]), False
    return "", True


def _project(rows: list[str], directory: str) -> str:
    here = os.path.realpath(directory) + os.sep if directory else ""
    for row in rows:
        path, _, project = row.rpartition("\t")
        if path and here.startswith(path.rstrip(os.sep) + os.sep):
            return project
    return ""


def _lines(path: str) -> list[str] | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read().split("\n")
    except (OSError, ValueError):
        return None


def places(environ: Mapping[str, str]) -> tuple[str, str]:
    """The data directory and the path of config.toml."""
    from rg_core import paths

    return paths.data_dir(environ), paths.config_file(environ)
