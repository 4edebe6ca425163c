"""Our commands as they stand in a harness's files: what the program would run for a tool call, and as MCP server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from rg_core.harness.edits import Item, Json, Key, Ours, OwnFile
from rg_core.harness.protocol import Install, Place
from rg_installer.apply import read
from rg_installer.harnesses import Harness
from rg_installer.json_text import Malformed
from rg_installer.ours import is_ours
from rg_installer.plan import value_of
from rg_installer.programs import ABSENT, ABSENT_FAST

HOOK = "rg-hook"
WINDOWS = ("powershell", "commandWindows")  # keys of a command that another one stands beside
ASKS_SERVER: Sequence[str] = ()


def hooks(harness: Harness, place: Place) -> list[Sequence[str]]:
    """Every different command for tool calls, as words to run; ASKS_SERVER for a hook that starts no process."""
    if not harness.probed:
        return []
    registered = harness.probed.probe().registered
    found: list[Sequence[str]] = []
    for commands in (ABSENT, ABSENT_FAST) if harness.fast else (ABSENT,):
        for edit in harness.install.edits(place, commands):
            if isinstance(edit, OwnFile):
                found += _in_own_file(harness, edit, registered, place)
            elif isinstance(edit, Item) and edit.at[-1] == registered:
                elements = value(edit)
                for element in elements if isinstance(elements, list) else ():
                    found += _commands(element, edit.ours, place)
    return [words for i, words in enumerate(found) if words not in found[:i]]


def server(install: Install, place: Place) -> tuple[Sequence[str], Mapping[str, str]] | None:
    """The MCP entry's command and what it adds to the environment; None if there is no entry of ours."""
    for edit in install.edits(place, ABSENT):
        if isinstance(edit, Key) and edit.ours.program == "rg-mcp":
            entry = value(edit)
            if isinstance(entry, Mapping) and is_ours(entry, edit.ours):
                command, arguments = entry.get("command"), entry.get("args", [])
                words = command if isinstance(command, list) else [command]
                words = [*words, *(arguments if isinstance(arguments, list) else [])]
                environ = entry.get("env") or entry.get("environment")
                added = environ if isinstance(environ, Mapping) else {}
                return [str(word) for word in words], {name: str(text) for name, text in added.items()}
    return None


def value(edit: Item | Key) -> Json:
    """What the file says at the place of an edit; None if nothing, or nothing that the program would read."""
    try:
        found = value_of(edit, read(edit.path))
    except Malformed:
        return None
    for key in edit.at:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _in_own_file(harness: Harness, edit: OwnFile, registered: str, place: Place) -> list[Sequence[str]]:
    text = (read(edit.path) or b"").decode("utf-8", "replace")
    if harness.own_language:
        words = harness.own_language.command_in(text)
        return [words] if words else []
    try:
        content: Json = json.loads(text)
    except (ValueError, RecursionError):
        return []
    ours = Ours(HOOK, (harness.name,))
    return [words for below in _below(content, registered) for words in _commands(below, ours, place)]


def _below(content: Json, registered: str) -> Iterator[Json]:
    """The values of every key of this name."""
    match content:
        case Mapping():
            for key, inner in content.items():
                if key == registered:
                    yield inner
                else:
                    yield from _below(inner, registered)
        case list():
            for inner in content:
                yield from _below(inner, registered)


def _commands(element: Json, ours: Ours, place: Place) -> Iterator[Sequence[str]]:
    """Our commands in one element, as the program of this platform runs them."""
    match element:
        case list():
            for inner in element:
                yield from _commands(inner, ours, place)
        case Mapping() if isinstance(nested := element.get("hooks"), list):
            yield from _commands(nested, ours, place)
        case Mapping() if is_ours(element, ours):
            if ours.program != HOOK:
                yield ASKS_SERVER
                return
            lines = {key: text for key, text in element.items() if isinstance(text, str) and is_ours(text, ours)}
            for_windows = [lines.pop(key) for key in WINDOWS if key in lines]
            if place.platform == "win32":
                line = [*for_windows, *lines.values()][0]
                yield ["powershell", "-NoProfile", "-Command", line]
            else:
                yield ["/bin/sh", "-c", *list(lines.values())[:1]]
