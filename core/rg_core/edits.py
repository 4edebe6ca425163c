"""Edits to the user's files as data: what should be in a file, and how to know our own entry again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Syntax = Literal["json", "jsonc", "toml"]


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
class Item:
    """One element at the end of the array at key path `at`; its neighbours keep their index.

    `on_removal="leave_empty"` keeps the place of the element where the program counts positions (Codex's trust keys).
    """

    path: Path
    syntax: Syntax
    at: tuple[str, ...]
    value: Json
    ours: Ours
    on_removal: Literal["drop", "leave_empty"] = "drop"


@dataclass(frozen=True)
class Key:
    """One entry at key path `at` (the last part is its name); the keys in `user_owns` keep the user's value."""

    path: Path
    syntax: Syntax
    at: tuple[str, ...]
    value: Json
    ours: Ours
    user_owns: frozenset[str] = frozenset({"enabled", "disabled"})


Edit = OwnFile | Item | Key
