"""Code graphs: the code of the commit at HEAD, read through Git, never from the working tree; nothing is run."""

from __future__ import annotations

import hashlib
import importlib
import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rg_core import border
from rg_core.assets.imports.code.languages import LANGUAGES, TITLES, language_of
from rg_core.assets.imports.code.reading import Cache, Reading, read
from rg_core.assets.imports.run import Taken, Unreadable, key_path
from rg_core.assets.store import Source
from rg_core.documents import history
from rg_core.documents.projects import Project
from rg_core.errors import UserError
from rg_core.store.asset_rows import Parts, SymbolRow

LARGEST = 1 << 20  # bytes of a file
OUTLINE = 8 * 1024  # bytes
VENDORED = frozenset({"vendor", "_vendor", "vendored", "third_party", "node_modules", "site-packages", "dist", "build"})


def graph(source: str, project: Project, cache: Cache, *, keep: bool = True) -> Taken:
    """The code graph of a directory of a Git repository.

    Args:
        source: the directory.
        project: whose directory the source's key is relative to.
        cache: what was read before.
        keep: whether what is read now is kept.

    Raises:
        UserError: for what is no directory, or without the extra that reads code.
    """
    if not os.path.isdir(source):
        raise UserError(f"{source} is not a directory; name one of a Git repository")
    try:
        for grammar in ("tree_sitter", *(one for language in LANGUAGES for one in language.grammars)):
            importlib.import_module(grammar)
    except ImportError:
        raise UserError("code is read with tree-sitter; pip install 'rg-memory[code]'") from None
    inside = key_path(project, source)
    name = "".join(letter for letter in os.path.basename(os.path.realpath(source)) if letter.isprintable())[:80]
    name = name or "code"
    provenance = {"source_type": "code", "source_ref": inside}
    try:
        commit = history.head(source)
        if not commit:
            raise Unreadable("there is no commit in it; a code graph is that of a commit")
        key = hashlib.sha256(f"{project.name}\0{inside}".encode()).hexdigest()
        reading = reading_of(source, key, cache, keep=keep)
        if not any(file.part for file in reading.files.values()):
            raise Unreadable(f"there is no {_listed(TITLES.values(), 'or')} in its commit at HEAD")
    except (Unreadable, UserError) as error:
        return Taken("code_graph", name, Source(f"code:{inside}", provenance), error=str(error))
    provenance["commit"] = commit
    parts = Parts(files=[reading.file_part(path) for path, file in sorted(reading.files.items()) if file.part])
    return Taken("code_graph", name, Source(f"code:{inside}", provenance, parts), content(name, reading))


def reading_of(directory: str, key: str, cache: Cache, *, keep: bool) -> Reading:
    """What is read of the commit at HEAD: every language's files, but for large, vendored and generated ones.

    Raises:
        NoGit: if Git cannot tell.
    """
    files, manifests = {}, {}
    names = {name for language in LANGUAGES for name in language.manifests}
    for entry in history.git(directory, "ls-tree", "-r", "-z", "-l", "HEAD").split(b"\0"):
        facts, _, named = entry.partition(b"\t")
        fields = facts.split()
        path = named.decode("utf-8", "replace")
        if len(fields) != 4 or not fields[0].startswith(b"100") or not fields[3].isdigit() or int(fields[3]) > LARGEST:
            continue  # no plain file, or one that a partial clone does not have, or too large
        if not VENDORED.isdisjoint(path.split("/")):
            continue
        if posixpath.basename(path) in names:
            manifests[path] = fields[2].decode()
        elif (language := language_of(path)) and not path.endswith(language.generated):
            files[path] = fields[2].decode()
    return read(key, files, manifests, lambda ids: history.blobs(directory, ids, LARGEST), cache, keep=keep)


def content(name: str, reading: Reading) -> dict[str, Any]:
    """The content: an outline of what is called most, by file."""
    written = {path: file for path, file in reading.files.items() if file.part}
    languages = Counter(language for path in written if (language := _language_name(path)))
    symbols, calls, maybe = (sum(file.counts[place] for file in written.values()) for place in range(3))
    counted = {"files": len(written), "symbols": symbols, "calls": calls, "maybe": maybe}
    names = _listed([TITLES[one] for one in sorted(languages, key=lambda one: (-languages[one], one))], "and")
    told = (f"{len(written):,} files of {names}, {symbols:,} symbols, {calls:,} resolved calls, "
            f"{maybe:,} known by name only")  # fmt: skip
    return {
        "name": name,
        "description": f"Code graph of {name}: {told}.",
        "summary": f"{told}. Ask symbol, callers, callees or impact of a name.",
        "body": outline(reading),
        "labels": sorted(languages),
        "payload": {"languages": dict(sorted(languages.items())), **counted},
    }


def outline(reading: Reading) -> str:
    """The definitions with most callers, as many as fit."""
    lines: list[str] = []
    size = 0
    for symbol, count in _ranked(reading):
        place = border.line(f"{symbol.path}:{symbol.line}")  # Git lets a path have line ends
        line = f"- {symbol.qualname} ({symbol.kind}, {place}): {count} caller{'s' * (count != 1)}\n"
        size += len(line.encode())
        if size > OUTLINE:
            break
        lines.append(line)
    return "".join(lines)


def _ranked(reading: Reading) -> Iterator[tuple[SymbolRow, int]]:
    """The definitions by number of callers, path and line; only files that are reached are loaded."""
    callers: Counter[int] = Counter()
    homes: dict[int, str] = {}
    for file in reading.files.values():
        for home, number, count in file.called:
            callers[number] += count
            homes[number] = home
    by_count: dict[int, dict[str, set[int]]] = {}
    for number, count in callers.items():
        by_count.setdefault(count, {}).setdefault(homes[number], set()).add(number)
    loaded: dict[str, list[SymbolRow]] = {}

    def symbols(path: str) -> list[SymbolRow]:
        if path not in loaded:
            rows = reading.file_part(path).load().symbols
            loaded[path] = sorted((row for row in rows if row.kind != "module"), key=lambda row: row.line)
        return loaded[path]

    for count, paths in sorted(by_count.items(), reverse=True):
        for path, numbers in sorted(paths.items()):
            yield from ((symbol, count) for symbol in symbols(path) if symbol.id in numbers)
    for path in sorted(path for path, file in reading.files.items() if file.part):
        yield from ((symbol, 0) for symbol in symbols(path) if symbol.id not in callers)


def _language_name(path: str) -> str:
    language = language_of(path)
    return next((name for ending, name in language.suffixes.items() if path.endswith(ending)), "") if language else ""


def _listed(names: Iterable[str], last: str) -> str:
    *most, final = names
    return f"{', '.join(most)} {last} {final}" if most else final
