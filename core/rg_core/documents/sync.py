"""Carrying out a plan: States from Git's history and the files, in batches that survive a kill.

Everything here can be done twice: what a batch has written is skipped when it comes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rg_core import times
from rg_core.address.local import doc_key
from rg_core.documents import history, scan, versions
from rg_core.documents.parse import Parsed, parse
from rg_core.documents.plan import PagePlan, Plan
from rg_core.store.documents import DocumentStore
from rg_core.store.states import digest
from rg_core.store.texts import Document, PageWrite, TextEdge, TextVersion

BATCH = 50  # documents of one transaction


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts are read."""

    prefixes: Sequence[str]
    front_matter: bool


def apply(
    store: DocumentStore,
    user: str,
    plan: Plan,
    settings: Settings,
    now: datetime,
    *,
    unasked: bool = False,
    step: Callable[[], None] = lambda: None,
) -> None:
    """Write what a plan says. `unasked`: nobody has reviewed its edges, so they are kept for whoever looks later.

    Raises:
        NoGit: if Git ends before it has answered; what was written stays, and the next sync does the rest.
        StoreUnavailable: when the file is away.
    """
    at = times.stamp(now)
    for start in range(0, len(plan.pages), BATCH):
        pages = plan.pages[start : start + BATCH]
        texts = _blobs(pages)
        writes = [_write(store, user, page, texts, settings, at) for page in pages]
        mine = {page.address for page in pages}
        store.write(user, writes, at, [edge for edge in plan.edges if unasked and edge.address in mine])
        step()
    store.delete(user, plan.gone, at)
    if unasked and plan.gone:
        store.write(user, (), at, [edge for edge in plan.edges if edge.address in plan.gone])
    if plan.touched:
        store.verified(user, plan.touched, at)
    if not unasked:
        store.seen(user, plan.seen, at)
    for root in plan.roots:
        store.put_root(user, root)
    if not plan.is_empty:
        _supersede(store, user, at)


def superseding(store: DocumentStore, user: str) -> Iterator[tuple[str, str, TextEdge, str]]:
    """Every SUPERSEDES edge between two documents: successor, predecessor, the edge, and the State that draws it."""
    for key, project, edge, state in store.edges(user):
        if edge.verb in ("SUPERSEDES", "SUPERSEDED_BY"):
            for other in resolve(store, user, edge.target, project):
                pair = (key, other) if edge.verb == "SUPERSEDES" else (other, key)
                yield *pair, edge, state


def resolve(store: DocumentStore, user: str, target: str, project: str) -> list[str]:
    """The keys of the documents of a project that a name or a key means."""
    if store.read(user, target):
        return [target]
    return [key for key, owner in store.named(user, target) if owner == project]


def _supersede(store: DocumentStore, user: str, at: str) -> None:
    """Give what another document supersedes a State that says so, once."""
    for _, predecessor, edge, state in list(superseding(store, user)):
        reading = store.read(user, predecessor)
        if reading is None or reading.valid_until or store.was_superseded(user, predecessor):
            continue
        old = reading.resource
        assert isinstance(old, Document)
        version = TextVersion(
            edge.created_at, "superseded", state, old.address, old.title, old.text, old.facts, old.edges
        )
        page = store.pages(user, old.project)[old.address]
        store.write(
            user,
            [PageWrite(old.address, "document", old.project, page.path, old.node_id, old.names, (version,),
                       mtime=page.mtime, size=page.size)],
            at,
        )  # fmt: skip


def _write(
    store: DocumentStore, user: str, page: PagePlan, texts: Mapping[str, str], settings: Settings, at: str
) -> PageWrite:
    """A document with the States that it has not got yet."""
    stored = store.read(user, page.former or page.address)
    before: Parsed | None = None
    text, path, began = None, "", ""
    if stored and isinstance(stored.resource, Document):
        path = (page.former or page.address).partition("/")[2]
        text, began = stored.resource.text, stored.valid_from
        before = _parsed(text, page, path, settings)
    gone = stored is not None and stored.valid_until is not None
    made = []
    last = [(None, min(times.written(page.mtime / 1e9), at), page.path, page.text)]
    for cause, seen, where, wording in [*_committed(page, texts), *last]:
        if wording == text and where == path and not gone:
            continue
        parsed = _parsed(wording, page, where, settings)
        event = versions.event(before, parsed, moved=where != path) if before else None
        began = versions.began(seen, before, began, parsed, at)
        facts = {"version": parsed.version, "status": parsed.status, "date": parsed.date}
        made.append(
            TextVersion(began, event, cause, doc_key(page.project, where), parsed.title, wording, facts, parsed.edges)
        )
        before, text, path, gone = parsed, wording, where, False
    return PageWrite(
        page.address, "document", page.project, page.path, f"D_{digest('document', user, page.address, at)[:16]}",
        page.parsed.names, tuple(made), page.former, page.mtime, page.size,
    )  # fmt: skip


def _committed(page: PagePlan, texts: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """What a document said in its commits: commit, author date, path in the project, text."""
    for commit in page.commits:
        if commit.blob in texts:
            yield (
                commit.id,
                times.written(commit.at),
                page.inside + commit.path,
                texts[commit.blob],
            )


def _blobs(pages: Sequence[PagePlan]) -> dict[str, str]:
    """The texts of the commits of some documents; what is no text is left out."""
    texts = {}
    for base in dict.fromkeys(page.base for page in pages):
        ids = dict.fromkeys(commit.blob for page in pages if page.base == base for commit in page.commits)
        if not ids:
            continue
        for blob, data in history.blobs(base, list(ids), scan.LARGEST):
            try:
                texts[blob] = scan.decode(data)
            except ValueError:
                continue
    return texts


def _parsed(text: str, page: PagePlan, path: str, settings: Settings) -> Parsed:
    if text == page.text and path == page.path:
        return page.parsed
    return parse(text, page.project, path, settings.prefixes, front_edges=settings.front_matter)
