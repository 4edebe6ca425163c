"""What each document builds on, in a sentence that a hook says at a prompt that names it (rg_core.touches.upstream).

Upstream of a document are what it REFERENCES, DEPENDS_ON, IMPLEMENTS or EXTENDS, and one hop further over the last
three; what was superseded is replaced by its successors. The nearest stand first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b

from rg_core.address.local import SUFFIXES
from rg_core.config import Config
from rg_core.documents.projects import projects
from rg_core.documents.sync import superseding
from rg_core.documents.tokens import HYPHENS, SPACED, name_of
from rg_core.store.documents import DocumentStore
from rg_core.store.texts import Page
from rg_core.touches import upstream
from rg_core.touches.published import cell, noted, publish, publish_table

BUILDS = ("DEPENDS_ON", "IMPLEMENTS", "EXTENDS")
UPSTREAM = (*BUILDS, "REFERENCES")
TITLE = 80  # characters
# Bytes of one sentence: two of the longest are what a prompt may be told.
SENTENCE = upstream.NOTE // 2 - 1

Edges = Mapping[str, Sequence[tuple[str, str]]]  # key -> (verb, key or name of the target)


def publish_upstream(store: DocumentStore, user: str, config: Config, data: str) -> None:
    """Publish what the user's documents build on, if what is published is not that already.

    Raises:
        StoreUnavailable: when the file of documents is away.
    """
    mine = projects(config)
    stand = [
        user,
        store.last_change(),
        config.documents.prefixes,
        [[one.name, one.directories] for one in mine.values()],
    ]
    state = blake2b(json.dumps(stand).encode(), digest_size=16).hexdigest()
    table, names = upstream.path(data), upstream.names_path(data)
    if noted(table) == state:
        return
    rows: list[str] = []
    for page, note in sentences(store, user):
        directories = mine[page.project].directories if page.project in mine else ("",)
        rows.append(upstream.note_row(user, page.address, note))
        rows += [
            upstream.name_row(user, name, directory, page.address)
            for name in (*page.names, page.path)
            for directory in directories
        ]
    try:
        if rows:
            publish(names, _names(config.documents.prefixes))
        publish_table(table, rows, state)
        if not rows:
            os.unlink(names)
    except FileNotFoundError:
        pass
    except OSError:  # better nothing said than what does not hold any more
        for path in (names, table):
            with suppress(OSError):
                os.unlink(path)


def sentences(store: DocumentStore, user: str) -> Iterator[tuple[Page, str]]:
    """The documents that build on something, each with what is said of it: one line of at most SENTENCE bytes."""
    pages = {key: page for key, page in store.pages(user).items() if page.kind == "document" and not page.deleted}
    successors: dict[str, list[str]] = {}
    for successor, predecessor, _, _ in superseding(store, user):
        if successor in pages:
            successors.setdefault(predecessor, []).append(successor)
    edges = _edges(store, user, pages)
    for key, page in pages.items():
        if targets := _upstream(key, edges, successors):
            yield page, _sentence(page, [(_called(target, pages), _titled(target, pages)) for target in targets])


def _edges(store: DocumentStore, user: str, pages: Mapping[str, Page]) -> Edges:
    """What each document builds on, as keys where that is stored and as names where it is not."""
    named = {(page.project, name): key for key, page in reversed(list(pages.items())) for name in page.names}
    edges: dict[str, list[tuple[str, str]]] = {}
    for key, project, edge, _ in store.edges(user):
        target = edge.target if edge.target in pages else named.get((project, edge.target), edge.target)
        if edge.verb in UPSTREAM and (target in pages or ":" not in target):  # GitHub's and what is gone have a colon
            edges.setdefault(key, []).append((edge.verb, target))
    return edges


def _upstream(key: str, edges: Edges, successors: Mapping[str, Sequence[str]]) -> list[str]:
    """What a document builds on, the nearest first."""
    near = [new for _, target in edges.get(key, ()) for new in _current(target, successors)]
    far = [
        new
        for one in dict.fromkeys(near)
        for verb, target in edges.get(one, ())
        if verb in BUILDS
        for new in _current(target, successors)
    ]
    return [target for target in dict.fromkeys([*near, *far]) if target != key]


def _current(target: str, successors: Mapping[str, Sequence[str]]) -> list[str]:
    """What has taken a document's place, in the end; itself where nothing has."""
    found, asked, seen = [], [target], {target}
    while asked:
        one = asked.pop(0)
        after = [new for new in successors.get(one, ()) if new not in seen]
        seen.update(after)
        asked += after
        if not successors.get(one):
            found.append(one)
    return found or [target]


def _sentence(page: Page, targets: Sequence[tuple[str, str]]) -> str:
    """The longest wording that fits: titles go first, the farthest before, and then the farthest targets."""
    own = cell(page.names[0] if page.names else page.path, 100)
    query = json.dumps({"query": f"{own} dependencies"}, ensure_ascii=False)

    def said(count: int, titled: int) -> str:
        things = [name + title * (at < titled) for at, (name, title) in enumerate(targets[:count])]
        more = f" and {len(targets) - count} more" if count < len(targets) else ""
        return f"{own} builds on {', '.join(things)}{more}. Read them before you plan a change to it: recall({query})."

    wordings = [said(len(targets), titled) for titled in range(len(targets), -1, -1)]
    wordings += [said(count, 0) for count in range(len(targets) - 1, 0, -1)]
    return next((one for one in wordings if len(one.encode()) <= SENTENCE), wordings[-1])


def _called(target: str, pages: Mapping[str, Page]) -> str:
    page = pages.get(target)
    return cell((page.names[0] if page.names else page.path) if page else target, 100)


def _titled(target: str, pages: Mapping[str, Page]) -> str:
    """A document's title as a quotation without its name, " " before it; "" where there is none."""
    page = pages.get(target)
    if page is None:
        return ""
    title = page.title
    first, _, rest = title.partition(" ")
    if name_of(first.rstrip(":"), [name.partition("-")[0] for name in page.names]):
        title = rest.lstrip(" -–—:")
    clean = cell(title, TITLE).replace('"', "'").replace("<", "‹").replace(">", "›")
    return f' "{clean}"' if clean else ""


def _names(prefixes: Sequence[str]) -> bytes:
    """The file `names`: of each prefix every way in which a payload may spell a name that begins with it."""
    spelled = [f"{prefix}{hyphen}0" for prefix in prefixes for hyphen in ("-", *map(chr, HYPHENS))]
    spelled += [f"{prefix}{gap}#0" for prefix in prefixes if prefix.upper() in SPACED for gap in ("", " ")]
    escaped = [json.dumps(text)[1:-1] for text in spelled]
    return "\n".join([" ".join(prefixes), *dict.fromkeys(spelled + escaped), *SUFFIXES]).encode()
