"""What the documents that a prompt names build on: looked up, never computed (rg_core.touches.upstream). Hot."""

from __future__ import annotations

import os

from rg_core import paths
from rg_core.address.local import DOC, SUFFIXES
from rg_core.touches.events import tell
from rg_core.touches.upstream import NOTE, TOLD, Notes, names_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 3  # documents of a prompt
TRIED = 30  # names and paths of a prompt
LONGEST = 200_000  # characters of a prompt that are read
APART = {ord(letter): " " for letter in "\"'`<>()[]{},;|“”‘’、。「」"}
BEHIND = ".:!?…"


def names_in(text: str, data: str) -> list[str]:
    """The names and paths of Markdown files that a prompt holds, each once, at most TRIED."""
    try:
        with open(names_path(data), encoding="utf-8") as file:
            prefixes = file.readline().split()
    except (OSError, ValueError):
        return []
    from rg_core.documents import tokens

    text = text[:LONGEST]
    return list(dict.fromkeys([*_first(tokens.names(text, prefixes)), *_first(_files(text))]))[:TRIED]


def upstream(names: Sequence[str], data: str, user: str, session: str, cwd: str, at: str) -> str:
    """What the documents of these names build on, a line each, of which this session was not told yet; "" for nothing.

    Raises:
        OSError, ValueError: if nothing is published.
    """
    here = os.path.realpath(cwd or paths.here() or os.sep)
    said: list[str] = []
    notes = Notes(data, user)
    try:
        for key in dict.fromkeys(_meant(notes, name, here) for name in names):
            note = notes.of(key) if key else ""
            fits = len("\n".join([*said, note]).encode()) <= NOTE
            if note and fits and tell(data, user, session, TOLD + key, at):
                said.append(note)
            if len(said) == MOST:
                break
    finally:
        notes.close()
    return "\n".join(said)


def _meant(notes: Notes, name: str, here: str) -> str:
    """The key that a name means; "" for none."""
    if name.startswith(DOC):
        return name
    if not name.lower().endswith(SUFFIXES):
        return notes.named(name, here)
    file = os.path.realpath(os.path.join(here, os.path.expanduser(name)))
    return notes.at(file) or notes.named(name.removeprefix("./"), here)


def _files(text: str) -> Iterator[str]:
    for word in text.translate(APART).split():
        name = word.lstrip("@").partition("#")[0].rstrip(BEHIND)
        before, _, line = name.rpartition(":")
        name = before if line.isdigit() else name
        if name.lower().endswith(SUFFIXES):
            yield name


def _first(names: Iterator[str]) -> list[str]:
    found: dict[str, None] = {}
    for name in names:
        found[name] = None
        if len(found) == TRIED:
            break
    return list(found)
