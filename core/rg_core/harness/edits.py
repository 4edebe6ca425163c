"""Edits to the user's files as data: what should be in a file, and how to know our own entry again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Syntax = Literal["json", "json_bom", "json_comments", "jsonc", "toml"]
"""What the program that owns the file accepts: strict JSON; strict JSON, also after a byte order mark (Claude Code);
JSON whose comments are cut out by a naive pattern (Cursor's hooks.json); JSON with comments and commas; TOML."""


@dataclass(frozen=True)
class Ours:
    """How an entry is known as ours: a command in it runs this program with these first arguments.

    Compared by tokens: among the words of any string in the entry, one whose last path component is `program`,
    followed by `arguments`. Never a substring, never a marker key (Claude Code strips unknown keys), never a comment.
    `before` holds the argument lists that earlier releases wrote, so that an upgrade replaces them.
    """

    program: str
    arguments: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class OwnFile:
    """A whole file of ours; one that lacks `marker` is somebody else's and is refused."""

    path: Path
    text: str
    marker: str


@dataclass(frozen=True)
class NewFile:
    """What a JSON file that does not exist yet must hold besides our entries (a version, a schema)."""

    path: Path
    syntax: Syntax
    value: Mapping[str, Json]


@dataclass(frozen=True)
class Item:
    """One element at the end of the array at key path `at`; its neighbours keep their index.

    `on_removal="leave_empty"` keeps the place of the element where the program counts positions (Codex's trust keys).
    `only_existing`: only where the array is there already, because creating it would change what the program does.
    """

    path: Path
    syntax: Syntax
    at: tuple[str, ...]
    value: Json
    ours: Ours
    on_removal: Literal["drop", "leave_empty"] = "drop"
    only_existing: bool = False


@dataclass(frozen=True)
class Key:
    """One entry at key path `at` (the last part is its name); the keys in `user_owns` keep the user's value.

    `optional`: left out, not refused, where the user's file holds something else on the path.
    """

    path: Path
    syntax: Syntax
    at: tuple[str, ...]
    value: Json
    ours: Ours
    user_owns: frozenset[str] = frozenset({"enabled", "disabled"})
    optional: bool = False


@dataclass(frozen=True)
class Absent:
    """No element of ours in the arrays below key path `at`, other than those named in `apart_from`.

    An earlier release may have registered events that this one does not.
    """

    path: Path
    syntax: Syntax
    at: tuple[str, ...]
    ours: Ours
    apart_from: frozenset[str]
    on_removal: Literal["drop", "leave_empty"] = "drop"


Edit = OwnFile | NewFile | Item | Key | Absent
