"""A plan is computed from edits and file contents, shown, and only then applied; taking back is the same, unwanted."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from rg_core.errors import UserError
from rg_core.harness.edits import Absent, Edit, Item, Json, Key, NewFile, OwnFile
from rg_installer import json_edit, json_text, toml_edit, toml_text
from rg_installer.json_text import Malformed
from rg_installer.memo import Memo
from rg_installer.ours import is_ours, share

Read = Callable[[Path], bytes | None]
Objection = Callable[[Path, Json], str | None]


class Refused(UserError):
    """A file cannot be edited safely; the message says which, why and what to do. Nothing was changed."""


@dataclass(frozen=True)
class Change:
    """One file: its bytes as they are and as they shall be; None where there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    def diff(self) -> str:
        """The change as a unified diff."""
        sides = (self.before, self.after)
        old, new = ((side or b"").decode("utf-8", "replace").splitlines(keepends=True) for side in sides)
        was, becomes = (str(self.path) if side is not None else "/dev/null" for side in sides)
        lines = difflib.unified_diff(old, new, was, becomes)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def plan(
    edits: Iterable[Edit], read: Read, memo: Memo, objection: Objection = lambda *_: None, *, wanted: bool = True
) -> list[Change]:
    """The changes that bring the files to hold (or no longer hold) the edits; [] when nothing is to be done.

    `memo` gains what must be remembered for taking back, and is used and emptied when taking back.

    Raises:
        Refused: a file is one that its program would not read, or something of the user's is in the way.
    """
    # What should be nowhere goes first, so that it is not behind something when positions count.
    edits = sorted(edits if wanted else reversed(list(edits)), key=lambda edit: not isinstance(edit, Absent))
    here = any(_there(edit, read) for edit in edits if not _rule(edit))
    if wanted and not here:
        _arrive(edits, read, memo)
    first: dict[Path, bytes | None] = {}
    now: dict[Path, bytes | None] = {}
    for edit in edits:
        if edit.path not in first:
            first[edit.path] = now[edit.path] = read(edit.path)
            if wanted:
                _object(edit, first[edit.path], objection)
        if _rule(edit) and (memo.is_theirs(edit.path, edit.at) or not (wanted or here)):
            continue
        try:
            now[edit.path] = _edited(edit, now[edit.path], memo, wanted=wanted)
        except Malformed as error:
            raise Refused(_advice(edit.path, str(error))) from None
    changes = [Change(path, first[path], after) for path, after in now.items() if first[path] != after]
    for change in changes:
        _verify(change, [edit for edit in edits if edit.path == change.path], objection if wanted else None)
    if not wanted:
        for path in now:
            memo.forget(path)
    return changes


def value_of(edit: Item | Key | NewFile | Absent, raw: bytes | None) -> Json:
    """What a file says, as its program would read it; {} for one that is missing or blank.

    Raises:
        Malformed: the program would not read it.
    """
    if raw is None or _blank(raw):
        return {}
    return toml_text.value(raw) if edit.syntax == "toml" else json_text.parse(raw, edit.syntax).value


def _arrive(edits: Sequence[Edit], read: Read, memo: Memo) -> None:
    """Begin with a harness that has nothing of ours: what it says as we would say it is the user's and stays so."""
    for edit in edits:
        memo.forget(edit.path)
    for edit in edits:
        if _rule(edit) and _there(edit, read):
            memo.was_there(edit.path, edit.at)


def _rule(edit: Edit) -> TypeGuard[Item | Key]:
    """Whether it names our tool only, e.g. to allow it, which a user may have done before us in the same words."""
    return isinstance(edit, Item | Key) and isinstance(edit.value, str)


def _there(edit: Edit, read: Read) -> bool:
    """Whether the file holds what the edit puts there, in this release's form or an older one."""
    raw = read(edit.path)
    if raw is None or isinstance(edit, NewFile | Absent):
        return False
    if isinstance(edit, OwnFile):
        return edit.marker.encode() in raw
    try:
        value = value_of(edit, raw)
    except Malformed:
        return False
    for key in edit.at:
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(edit, Key):
        return value == edit.value or is_ours(value, edit.ours)
    return isinstance(value, list) and any(share(element, edit.ours) for element in value)


def _edited(edit: Edit, before: bytes | None, memo: Memo, *, wanted: bool) -> bytes | None:
    match edit:
        case OwnFile():
            return _own(edit, before, memo, wanted=wanted)
        case NewFile():
            return _new(edit, before, memo, wanted=wanted)
        case Absent():
            return before if before is None or _blank(before) else json_edit.edited(edit, before, memo, wanted=wanted)
        case Item() | Key():
            if before is None or _blank(before):
                if not wanted or (isinstance(edit, Item) and edit.only_existing):
                    return before
                before = _begun(edit.path, before, memo, b"" if edit.syntax == "toml" else b"{}\n")
            engine = toml_edit if edit.syntax == "toml" else json_edit
            after = engine.edited(edit, before, memo, wanted=wanted)
            return after if wanted else _unless_ours(edit, after, memo, {})


def _own(edit: OwnFile, before: bytes | None, memo: Memo, *, wanted: bool) -> bytes | None:
    if before is not None and edit.marker.encode() not in before:
        if not wanted:
            return before
        raise Refused(_advice(edit.path, f"it is not ours: it lacks {edit.marker!r}; move it away"))
    if wanted and before is None:
        memo.created.add(str(edit.path))
    return edit.text.encode() if wanted else None


def _new(edit: NewFile, before: bytes | None, memo: Memo, *, wanted: bool) -> bytes | None:
    if not wanted:
        return None if before is None else _unless_ours(edit, before, memo, edit.value)
    if before is None or _blank(before):
        return _begun(edit.path, before, memo, (json_text.dump(edit.value, "", "\n", "  ") + "\n").encode())
    return before


def _begun(path: Path, before: bytes | None, memo: Memo, start: bytes) -> bytes:
    if before is None:
        memo.created.add(str(path))
    elif before:
        memo.blank[str(path)] = before.decode("utf-8", "replace")
    else:
        memo.blank[str(path)] = ""
    return start


def _unless_ours(edit: Item | Key | NewFile, after: bytes, memo: Memo, rest: Json) -> bytes | None:
    """Give back "no file" or the blank file that was there, once nothing but what we began with is left."""
    path = str(edit.path)
    if path not in memo.created and path not in memo.blank:
        return after
    if value_of(edit, after) != rest or b"//" in after.replace(b"://", b"") or b"#" in after:
        return after  # a comment of the user's is reason enough to keep the file
    return None if path in memo.created else memo.blank[path].encode()


def _object(edit: Edit, raw: bytes | None, objection: Objection) -> None:
    if isinstance(edit, OwnFile) or raw is None or _blank(raw):
        return
    try:
        reason = objection(edit.path, value_of(edit, raw))
    except Malformed as error:
        raise Refused(_advice(edit.path, str(error))) from None
    if reason:
        raise Refused(_advice(edit.path, reason))


def _verify(change: Change, edits: Sequence[Edit], objection: Objection | None) -> None:
    """Prove before anything is written that the program will read the file and that nothing else in it moved."""
    texts = [edit for edit in edits if not isinstance(edit, OwnFile)]
    if not texts or change.after is None:
        return
    try:
        before, after = value_of(texts[0], change.before), value_of(texts[0], change.after)
        reason = objection(change.path, after) if objection else None
    except Malformed as error:
        reason = str(error)
    else:
        if reason is None and _rest(before, texts) != _rest(after, texts):
            reason = "another entry would have changed"
    if reason:
        raise Refused(f"{change.path}: left untouched, because the edit would spoil it ({reason}); please report this")


def _rest(value: Json, edits: Sequence[Item | Key | NewFile | Absent]) -> Json:
    """What a file says apart from our entries and from the containers that only they need."""
    for edit in edits:
        if isinstance(edit, NewFile):
            if isinstance(value, Mapping):
                value = {key: inner for key, inner in value.items() if key not in edit.value}
        elif isinstance(edit, Absent):
            for item in json_edit.elsewhere(value, edit):
                value = _without(value, item.at, item)
        else:
            value = _without(value, edit.at, edit)
    return value


def _without(value: Json, at: tuple[str, ...], edit: Item | Key) -> Json:
    if not at:
        return [_theirs(e, edit) for e in value if _theirs(e, edit)] if isinstance(value, list) else value
    if not isinstance(value, Mapping) or at[0] not in value:
        return value
    if isinstance(edit, Key) and len(at) == 1:
        return {key: inner for key, inner in value.items() if key != at[0]}
    changed = {**value, at[0]: _without(value[at[0]], at[1:], edit)}
    return {key: inner for key, inner in changed.items() if key != at[0] or inner not in ({}, [])}


def _theirs(element: Json, edit: Item | Key) -> Json:
    """An element without our commands; None if nothing is left of it."""
    found = share(element, edit.ours)
    if element == json_edit.PLACEHOLDER:
        return None
    if not found or not isinstance(element, Mapping) or not isinstance(hooks := element.get("hooks"), list):
        return None if found else element
    left = [hook for i, hook in enumerate(hooks) if i not in found]
    return {**element, "hooks": left} if left else None


def _blank(raw: bytes) -> bool:
    return not raw.removeprefix(b"\xef\xbb\xbf").strip()


def _advice(path: Path, reason: str) -> str:
    return f"{path}: {reason}. Nothing was changed. Put this right and run rg-install again."
