"""Which entries of a user's file are ours: told by the words of their commands, never by a substring or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rg_core.harness.edits import Json, Ours

_WORD = re.compile(r"[^\s'\"`;&|()<>{}\[\],]+")
_SEPARATOR = re.compile(r"[\\/]")


def is_ours(entry: Json, ours: Ours) -> bool:
    """Whether a command in the entry runs our program with the arguments of this or an earlier release."""
    words = list(_words(entry))
    return any(
        _SEPARATOR.split(word)[-1].removesuffix(".exe") == ours.program
        and any(tuple(words[i + 1 : i + 1 + len(form)]) == form for form in (ours.arguments, *ours.before))
        for i, word in enumerate(words)
    )


def handlers(entry: Json) -> Sequence[Json]:
    """The commands of a hook group (`{"matcher": ..., "hooks": [...]}`), or the entry itself where it is flat."""
    if isinstance(entry, Mapping) and isinstance(nested := entry.get("hooks"), list) and nested:
        return nested
    return [entry]


def share(entry: Json, ours: Ours) -> list[int]:
    """The indexes of our commands in the entry; as long as `handlers(entry)` when the whole entry is ours."""
    return [i for i, handler in enumerate(handlers(entry)) if is_ours(handler, ours)]


def _words(entry: Json) -> Iterator[str]:
    match entry:
        case str(text):
            yield from _WORD.findall(text)
        case Mapping():
            for value in entry.values():
                yield from _words(value)
        case list():
            for value in entry:
                yield from _words(value)
