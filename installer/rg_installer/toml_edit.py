"""Our tables and array elements in a TOML text: whole lines are added at the end and cut out again, none is reprinted.

tomllib reads the text before and after; an edit that would not parse, or that the form of a table forbids, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rg_core.harness.edits import Item, Json, Key
from rg_installer import spans
from rg_installer.json_text import Malformed
from rg_installer.memo import Memo
from rg_installer.ours import is_ours
from rg_installer.toml_text import Statement, array, dump, name, statements, value


def edited(edit: Item | Key, before: bytes, memo: Memo, *, wanted: bool) -> bytes:
    """The file with, or without, the entry.

    Raises:
        Malformed: not TOML, or our entry's place is taken or written in a form that text cannot be added to.
    """
    there = _at(value(before), edit.at)
    text = before.decode("utf-8")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    if isinstance(edit, Key):
        after = _key_in(text, edit, there) if wanted else _key_out(text, edit, there)
    else:
        after = _item_in(text, edit, there, memo) if wanted else _item_out(text, edit, there, memo)
    if after == text:
        return before
    try:
        result = value((mark + after).encode())
    except Malformed:
        result = {}
    if (edit.value in (_at(result, edit.at) or []) if isinstance(edit, Item) else _holds(result, edit)) != wanted:
        if isinstance(edit, Key) and edit.optional:
            return before
        raise Malformed(f"{'.'.join(edit.at[:-1])} is written in a form that cannot be added to; write it as [tables]")
    return (mark + after).encode()


def _key_in(text: str, edit: Key, there: Any) -> str:
    assert isinstance(edit.value, Mapping)
    if there is None:
        return _appended(text, [f"[{'.'.join(map(name, edit.at))}]", *_lines(edit.value)])
    if edit.optional and not is_ours(there, edit.ours) and _missing(edit, there):
        return text
    if not isinstance(there, Mapping) or not (is_ours(there, edit.ours) or not _missing(edit, there)):
        raise Malformed(f"{'.'.join(edit.at)} is there already and is not ours; rename or remove that entry")
    for key in _missing(edit, there):
        found = [s for s in statements(text) if s.path[: len(edit.at) + 1] == (*edit.at, key)]
        if not found:
            text = _line_added(text, edit.at, f"{name(key)} = {dump(edit.value[key])}")
        elif len(found) == 1 and found[0].kind == "pair" and len(found[0].path) == len(edit.at) + 1:
            text = text[: found[0].value] + dump(edit.value[key]) + text[found[0].value_end :]
        else:
            text = _line_added(_cut(text, found), edit.at, f"{name(key)} = {dump(edit.value[key])}")
    return text


def _key_out(text: str, edit: Key, there: Any) -> str:
    if there is None or not (is_ours(there, edit.ours) or there == edit.value):
        return text
    return _cut(text, [s for s in statements(text) if s.path[: len(edit.at)] == edit.at])


def _item_in(text: str, edit: Item, there: Any, memo: Memo) -> str:
    if there is None:
        if edit.only_existing:
            return text
        line = f"{name(edit.at[-1])} = {dump([edit.value])}"
        header = _header(text, edit.at[:-1])
        if header is None:
            return _appended(text, [f"[{'.'.join(map(name, edit.at[:-1]))}]", line])
        if not _body(text, header):
            memo.was_empty(edit.path, edit.at[:-1], "")
        return _line_added(text, edit.at[:-1], line)
    if not isinstance(there, list):
        raise Malformed(f"{'.'.join(edit.at)} is not a list")
    if any(is_ours(element, edit.ours) for element in there):
        return text
    pair = _pair(text, edit.at)
    if pair is None:
        return text
    box = array(text, pair.value, pair.value_end)
    if not box.parts:
        memo.was_empty(edit.path, edit.at, text[box.open + 1 : box.close])
    return spans.added(text, box, lambda _: dump(edit.value), eol=_eol(text), unit="  ")


def _item_out(text: str, edit: Item, there: Any, memo: Memo) -> str:
    pair = _pair(text, edit.at)
    if not isinstance(there, list) or pair is None:
        return text
    for i in reversed(range(len(there))):
        if not is_ours(there[i], edit.ours):
            continue
        box = array(text, pair.value, pair.value_end)
        if len(box.parts) > 1:
            text = spans.removed(text, box, i)
            pair = _pair(text, edit.at)
            assert pair is not None
            continue
        known = memo.inside(edit.path, edit.at)
        if known is not None or not spans.lonely(text, box):
            return spans.emptied(text, box, known)
        text = _cut(text, [pair])
        header = _header(text, edit.at[:-1])
        if header and not _body(text, header) and memo.inside(edit.path, edit.at[:-1]) is None:
            text = _cut(text, [header])
        return text
    return text


def _missing(edit: Key, there: Any) -> list[str]:
    """The keys of ours that are not as they should be, apart from those that the user may set."""
    assert isinstance(edit.value, Mapping)
    if not isinstance(there, Mapping):
        return list(edit.value)
    return [k for k, v in edit.value.items() if k not in there or (there[k] != v and k not in edit.user_owns)]


def _holds(parsed: Mapping[str, Json], edit: Key) -> bool:
    there = _at(parsed, edit.at)
    return there is not None and not _missing(edit, there)


def _at(parsed: Any, at: Sequence[str]) -> Any:
    for key in at:
        parsed = parsed.get(key) if isinstance(parsed, Mapping) else None
    return parsed


def _lines(table: Mapping[str, Json]) -> list[str]:
    return [f"{name(key)} = {dump(inner)}" for key, inner in table.items()]


def _appended(text: str, lines: Sequence[str]) -> str:
    """The text with a block at its end, behind one blank line; with a final line end only if there was one."""
    eol = _eol(text)
    block = eol.join(lines)
    if not text:
        return block + eol
    return f"{text}{eol}{block}{eol}" if text.endswith("\n") else f"{text}{eol}{eol}{block}"


def _line_added(text: str, table: tuple[str, ...], line: str) -> str:
    """The text with one more line at the end of a table's own assignments."""
    header = _header(text, table)
    if header is None:
        raise Malformed(f"{'.'.join(table)} is written in a form that cannot be added to; write it as [tables]")
    last = [header, *_body(text, header)][-1]
    eol = _eol(text)
    if text[: last.end].endswith("\n"):
        return text[: last.end] + line + eol + text[last.end :]
    return text + eol + line


def _cut(text: str, found: Sequence[Statement]) -> str:
    """The text without these statements, and without the blank line that set a table of ours apart."""
    for statement in reversed(found):
        before, after = text[: statement.start], text[statement.end :]
        unended = not after and not text.endswith("\n")
        for _ in range((statement.kind == "table" and _blank_line(before)) + unended):
            before = before[: -len("\r\n")] if before.endswith("\r\n") else before.removesuffix("\n")
        text = before + after
    return text


def _blank_line(before: str) -> bool:
    flat = before.replace("\r\n", "\n")
    return flat == "\n" or flat.endswith("\n\n")


def _header(text: str, table: tuple[str, ...]) -> Statement | None:
    return next((s for s in statements(text) if s.kind == "table" and s.path == table), None)


def _body(text: str, header: Statement) -> list[Statement]:
    """The assignments between a header and the next one."""
    following = [s for s in statements(text) if s.start > header.start]
    stop = next((s.start for s in following if s.kind != "pair"), len(text))
    return [s for s in following if s.start < stop]


def _pair(text: str, at: tuple[str, ...]) -> Statement | None:
    return next((s for s in statements(text) if s.kind == "pair" and s.path == at), None)


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
