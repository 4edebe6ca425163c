"""What agents will ask, asked of a server beforehand, so that the first call is answered within its deadline.

A server plans each kind of question once, when it first comes: after its start for longer than a call may wait. The
driver is imported on the way. Nothing is recorded, and nobody waits for this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Literal

from rg_core import paths
from rg_core.address.model import key_of, listing_key, place
from rg_core.config import Config, load
from rg_core.documents.projects import projects
from rg_core.errors import UserError
from rg_core.reading.query import answer
from rg_core.recall import vectors
from rg_core.recall.answer import Question
from rg_core.recall.own import OwnRecall
from rg_core.store import open_store
from rg_core.store.model import Entry, Selection
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.store.search import Scope

KINDS: tuple[Literal["issue", "pull_request", "repository"], ...] = ("issue", "pull_request", "repository")
PATIENCE = 60.0  # seconds for one question
NOTHING = "rg-memory/nothing"  # a repository that is looked for everywhere before it is said not to be stored


def warm(environ: Mapping[str, str]) -> None:
    """Ask a server of this configuration what a call of `resource` or `recall` asks; best effort."""
    with suppress(UserError, StoreUnavailable):
        config = load(environ)
        if config.store.url and config.user:
            with closing(open_store(config, environ, PATIENCE)) as store:
                entries = [entry for kind in KINDS for entry in store.browse(Selection(kind), 1)]
                _read(store, entries)
                _search(config, environ, store, entries)


def _read(store: Store, entries: Sequence[Entry]) -> None:
    listings = [one for entry in entries[:1] for one in store.candidates(place(entry.address)[0], "issues")]
    stored = [*(entry.address for entry in entries), *(listing.address for listing in listings[:1])]
    for address in (*stored, key_of(NOTHING, 1), listing_key(NOTHING, "issues?state=open")):
        answer(store, address)
    for entry in entries:
        store.history(entry.address)
        store.edges(entry.address)
    if store.can.documents:
        shared = store.documents_of([NOTHING])
        shared.named(NOTHING)
        shared.read(NOTHING)


def _search(config: Config, environ: Mapping[str, str], store: Store, entries: Sequence[Entry]) -> None:
    own = OwnRecall(config, environ, paths.here(), store)
    try:
        own.backlog()
        named = [" ".join(entry.address for entry in entries[:count]) for count in (1, len(entries))]
        for words in ("nothing", *named):  # a plan is made for lists of about one length
            own.ask(Question(f"what depends on {words}"), embed=False)
        if own.shared and vectors.is_installed():
            scope = Scope(own.texts.user, projects=tuple(projects(config)))
            own.shared.similar([1.0] * vectors.SIZE, vectors.MODEL, scope, 1)
    finally:
        own.close()
