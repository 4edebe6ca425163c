"""Our entries in a JSON text: put in, brought up to date, taken out; each step changes one thing and reads anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rg_core.harness.edits import Absent, Item, Json, Key
from rg_installer import spans
from rg_installer.json_text import Malformed, Text, add, box, holds, locate, parse, put
from rg_installer.memo import Memo
from rg_installer.ours import handlers, is_ours, share

PLACEHOLDER: Json = {"hooks": []}  # keeps the index of what follows where a program counts positions


def edited(edit: Item | Key | Absent, before: bytes, memo: Memo, *, wanted: bool) -> bytes:
    """The file with, or without, the entry.

    Raises:
        Malformed: the program would not read the file, the path leads elsewhere, or the name is taken by another.
    """
    step: Callable[[Text], str | None]
    if isinstance(edit, Absent):
        step = lambda text: _nowhere(text, edit, memo)  # noqa: E731 - one of five alike
    elif isinstance(edit, Item):
        step = (lambda text: _item_in(text, edit, memo)) if wanted else (lambda text: _item_out(text, edit, memo))
    else:
        step = (lambda text: _key_in(text, edit, memo)) if wanted else (lambda text: _key_out(text, edit, memo))
    text = parse(before, edit.syntax)
    while (after := step(text)) is not None:
        text = parse((text.mark + after).encode("utf-8", "surrogatepass"), edit.syntax)
    return (text.mark + text.text).encode("utf-8", "surrogatepass")


def _item_in(text: Text, edit: Item, memo: Memo) -> str | None:
    offset, missing = locate(text, edit.at)
    if missing:
        return None if edit.only_existing else _grown(text, edit, [edit.value], memo)
    elements = _array(text, edit.at)
    shared = [i for i, element in enumerate(elements) if 0 < len(share(element, edit.ours)) < len(handlers(element))]
    if any(_says(elements[i], edit) for i in shared):
        return None
    if shared:
        return _out_of_group(text, edit, shared[-1])
    mine = [i for i, element in enumerate(elements) if share(element, edit.ours)]
    if len(mine) > 1:
        return _drop(text, edit, mine[-1], memo)
    if mine:
        place = box(text, offset).parts[mine[0]].value
        return None if elements[mine[0]] == edit.value else put(text, place, edit.value)
    return _grown(text, edit, edit.value, memo)


def _item_out(text: Text, edit: Item, memo: Memo) -> str | None:
    if not isinstance(holds(text, edit.at), list):
        return None
    elements = _array(text, edit.at)
    for i in reversed(range(len(elements))):
        if found := share(elements[i], edit.ours):
            whole = len(found) == len(handlers(elements[i]))
            return _drop(text, edit, i, memo) if whole else _out_of_group(text, edit, i)
    return None


def _key_in(text: Text, edit: Key, memo: Memo) -> str | None:
    try:
        offset, missing = locate(text, edit.at)
    except Malformed:
        if edit.optional:
            return None
        raise
    if missing:
        return _grown(text, edit, edit.value, memo)
    there = holds(text, edit.at)
    if there == edit.value or (edit.optional and not is_ours(there, edit.ours)):
        return None
    if not is_ours(there, edit.ours) or not isinstance(there, Mapping) or not isinstance(edit.value, Mapping):
        raise Malformed(f"{'.'.join(edit.at)} is there already and is not ours; rename or remove that entry")
    parts = {part.key: part for part in box(text, offset).parts}
    for key, value in edit.value.items():
        if key not in there:
            return add(text, offset, key, value)
        if there[key] != value and key not in edit.user_owns:
            return put(text, parts[key].value, value)
    return None


def _key_out(text: Text, edit: Key, memo: Memo) -> str | None:
    there = holds(text, edit.at)
    if there is None or not (there == edit.value or is_ours(there, edit.ours)):
        return None
    offset, _ = locate(text, edit.at[:-1])
    keys = [part.key for part in box(text, offset).parts]
    return _taken_out(text, edit, edit.at[:-1], keys.index(edit.at[-1]), memo)


def elsewhere(value: Json, edit: Absent) -> Sequence[Item]:
    """The places where an element of ours may be left, as items to be taken out."""
    for key in edit.at:
        value = value.get(key) if isinstance(value, Mapping) else None
    names = [name for name in value if name not in edit.apart_from] if isinstance(value, Mapping) else []
    return [Item(edit.path, edit.syntax, (*edit.at, name), None, edit.ours, edit.on_removal) for name in names]


def _nowhere(text: Text, edit: Absent, memo: Memo) -> str | None:
    steps = (_item_out(text, item, memo) for item in elsewhere(text.value, edit))
    return next((after for after in steps if after is not None), None)


def _grown(text: Text, edit: Item | Key, value: Json, memo: Memo) -> str:
    """Add the value at the edit's path, with the objects on the way that are missing."""
    offset, missing = locate(text, edit.at)
    at = edit.at[: len(edit.at) - len(missing)]
    inside = box(text, offset)
    if not inside.parts:
        memo.was_empty(edit.path, at, text.text[inside.open + 1 : inside.close])
    for key in reversed(missing[1:]):
        value = {key: value}
    return add(text, offset, missing[0] if missing else None, value)


def _drop(text: Text, edit: Item, index: int, memo: Memo) -> str:
    parts = box(text, locate(text, edit.at)[0]).parts
    if edit.on_removal == "leave_empty" and index < len(parts) - 1:
        return put(text, parts[index].value, PLACEHOLDER)
    return _taken_out(text, edit, edit.at, index, memo)


def _out_of_group(text: Text, edit: Item, index: int) -> str:
    """Take our command out of a group that the user put a command of their own into."""
    group = box(text, locate(text, edit.at)[0]).parts[index]
    hooks = next(part for part in box(text, group.value).parts if part.key == "hooks")
    ours = share(_array(text, edit.at)[index], edit.ours)
    return spans.removed(text.text, box(text, hooks.value), ours[-1])


def _taken_out(text: Text, edit: Item | Key, at: tuple[str, ...], index: int, memo: Memo) -> str:
    """Take an element out, and with it the containers above that only we needed."""
    while True:
        inside = box(text, locate(text, at)[0])
        if len(inside.parts) > 1:
            return spans.removed(text.text, inside, index)
        known = memo.inside(edit.path, at)
        if known is not None or not at or not spans.lonely(text.text, inside):
            return spans.emptied(text.text, inside, known)
        at, name = at[:-1], at[-1]
        index = [part.key for part in box(text, locate(text, at)[0]).parts].index(name)


def _says(element: Json, edit: Item) -> bool:
    """Whether a shared group holds our command as we would write it, under our matcher."""
    if not isinstance(element, Mapping) or not isinstance(edit.value, Mapping):
        return False
    ours = [handlers(element)[i] for i in share(element, edit.ours)]
    return {**element, "hooks": ours} == edit.value


def _array(text: Text, at: tuple[str, ...]) -> Sequence[Json]:
    elements = holds(text, at)
    if not isinstance(elements, list):
        raise Malformed(f"{'.'.join(at)} is not a list")
    return elements
