"""Wikis: folders of Markdown, and what memory has of GitHub by address.

A page that memory keeps anyway, a synced document or a State of GitHub, is referred to by its immutable URI and not
copied: there is one store of pages.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from rg_core.address.local import doc_key
from rg_core.assets.imports.pages import Parsed, name_of, parse, resolved
from rg_core.assets.imports.run import Taken, Unreadable, key_path
from rg_core.assets.store import Source
from rg_core.documents import history, scan
from rg_core.documents.projects import Project
from rg_core.errors import UserError
from rg_core.harness.tool_names import STATE_URI
from rg_core.secret import replaced
from rg_core.store.asset_rows import LinkRow, PageRow, Parts
from rg_core.store.documents import DocumentStore
from rg_core.store.model import Item, Reading
from rg_core.store.texts import Document

PAGES = 5_000
OUTLINE = 64 * 1024  # bytes
DEAD, LEFT_OUT = 50, 20  # that are named


def folder(source: str, project: Project, documents: DocumentStore, user: str) -> Taken:
    """The wiki of a folder: what Git tracks of it, without Git what stands in no dot folder.

    Args:
        source: the folder.
        project: whose directory the source's key is relative to.
        documents: whose States pages refer to where the project's documents are synced.
        user: whose documents.

    Raises:
        UserError: for what is no folder.
    """
    if not os.path.isdir(source):
        raise UserError(f"{source} is not a directory; name a folder of Markdown, or an address such as owner/repo#123")
    base = os.path.realpath(source)
    inside = key_path(project, base)
    name = "".join(letter for letter in os.path.basename(base) if letter.isprintable())[:80].strip() or "wiki"
    provenance = {"source_type": "wiki", "source_ref": inside}
    try:
        commit = history.head(base)
        found, left_out = scan.files(
            base, ".", "" if inside.startswith(".") else inside, (), (), repository=commit is not None
        )
        if not found:
            raise Unreadable("there is no Markdown that Git tracks in it" if commit else "there is no Markdown in it")
        if len(found) > PAGES:
            raise Unreadable(f"it holds more than {PAGES:,} pages; import a part of it")
    except (Unreadable, UserError, OSError) as error:
        return Taken("llm_wiki", name, Source(f"wiki:{inside}", provenance), error=str(error))
    warnings = [f"{count} left out: {scan.WHY_NOT[why]}" for why, count in left_out.items()]
    pages: list[PageRow] = []
    parsed: dict[str, Parsed] = {}
    for file in found:
        path = os.path.relpath(file.absolute, base).replace(os.sep, "/")
        try:
            text = scan.read(file)
        except ValueError as error:
            warnings.append(f"{path[:200]} left out: {scan.WHY_NOT[str(error)]}")
            continue
        parsed[path] = parse(text, path)
        state = _state(documents.read(user, doc_key(project.name, file.path)), text)
        if state:
            provenance["source_type"] = "documents"
        body = "" if state else replaced(text)
        digest = hashlib.sha256((text if state else body).encode()).hexdigest()
        pages.append(PageRow(path, replaced(parsed[path].title), digest, body, STATE_URI + state if state else path))
    if commit:
        provenance["commit"] = commit
    links = _links(parsed)
    source_row = Source(f"wiki:{inside}", provenance, Parts(pages=pages, links=links))
    return Taken("llm_wiki", name, source_row, _content(name, pages, parsed, links), warnings[:LEFT_OUT])


def stored(address: str, readings: Mapping[str, Reading | None], why: str = "") -> Taken:
    """The wiki of what memory has at an address: of a listing its items, each a State that is cited.

    Args:
        address: its canonical key.
        readings: by address; None for what memory does not have. Empty where it does not have the address at all.
        why: says more of that.
    """
    source = Source(f"wiki:{address}", {"source_type": "github", "source_ref": address})
    pages = []
    for one, reading in readings.items():
        if reading is not None and not isinstance(reading.resource, Document):
            resource = reading.resource
            title = resource.title if isinstance(resource, Item) else one
            digest = hashlib.sha256(reading.state_id.encode()).hexdigest()
            pages.append(PageRow(one, " ".join(title.split())[:300], digest, "", STATE_URI + reading.state_id))
    if not pages or len(pages) > PAGES:
        said = f"more than {PAGES:,} pages; narrow it" if pages else f"not in memory{why and f' ({why})'}"
        fetch = f"rg-memory reverify {shlex.quote(address.partition(':')[2] or address)} && rg-memory sweep"
        todo = "" if pages else f"; fetch it: {fetch}"
        return Taken("llm_wiki", address[:80], source, error=said + todo)
    missing = len(readings) - len(pages)
    warnings = [f"{missing} of the listing are not in memory and left out"] if missing else []
    content = _content(address[:80], pages, {}, [])
    return Taken("llm_wiki", address[:80], Source(source.key, source.provenance, Parts(pages=pages)), content, warnings)


def _state(reading: Reading | None, text: str) -> str:
    """The State in which a synced document says just this; "" if there is none."""
    if reading is None or reading.valid_until or not isinstance(reading.resource, Document):
        return ""
    return reading.state_id if reading.resource.text == text else ""


def _links(parsed: Mapping[str, Parsed]) -> list[LinkRow]:
    paths = list(parsed)
    names = {name_of(parsed[path].title): path for path in reversed(paths)}
    names |= {name_of(path): path for path in reversed(paths)}
    found = {(path, target): ok for path, page in parsed.items() for target, ok in resolved(path, page, names, paths)}
    return [LinkRow(path, target, int(ok)) for (path, target), ok in found.items() if path != target]


def _content(name: str, pages: list[PageRow], parsed: Mapping[str, Parsed], links: list[LinkRow]) -> dict[str, Any]:
    """The content: an outline with citations, page by page."""
    dead = [link for link in links if not link.found]
    lines = [line for page in pages for line in _outline(page, parsed.get(page.path))]
    if dead:
        lines += ["", "Dead links:", *(f"- {link.source} -> {link.target}" for link in dead[:DEAD])]
    titles = ", ".join(page.title for page in pages[:20])
    counted = f"{len(pages)} page{'s' if len(pages) != 1 else ''}"
    return {
        "name": name,
        "description": _fitting([f"{counted}: {titles}"], 1_000, lambda left: ""),
        "summary": _fitting([f"{counted}. {titles}"], 2_000, lambda left: ""),
        "body": replaced(_fitting(lines, OUTLINE, lambda left: f"… and {left} lines more")) + "\n",
        "payload": {"pages": len(pages), "dead_links": len(dead)},
    }


def _outline(page: PageRow, parsed: Parsed | None) -> list[str]:
    citation = f" ({page.citation})" if page.citation != page.path else ""
    told = [f"- {page.path}: {page.title}{citation}"]
    told += [
        f"{'  ' * heading.level}- {heading.text} ({page.path}#{heading.anchor})"
        for heading in (parsed.headings if parsed else ())
        if heading.level <= 3 and heading.text != page.title
    ]
    return told


def _fitting(lines: list[str], most: int, more: Callable[[int], str]) -> str:
    """As many lines as fit; of a first one that does not fit, its beginning."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode()) + 1
        if size > most:
            kept = "\n".join(lines[:number]) or line[: most // 4] + "…"
            rest = more(len(lines) - number)
            return f"{kept}\n{rest}" if rest else kept
    return "\n".join(lines)
