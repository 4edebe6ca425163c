"""What the commands that change documents, notes or projects say of those that are shared on a server."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing

from rg_core import paths
from rg_core.cli.screen import warn
from rg_core.config import Config
from rg_core.documents.share import Shared, share, still_at
from rg_core.store import open_documents, open_store
from rg_core.store.documents import DocumentStore
from rg_core.store.protocol import Store

TAKE_BACK = "set [store] url to it and run: rg-memory documents sync"


def bring_up_to_date(config: Config) -> Shared:
    """Have the server hold what is shared now, and nothing else; a server that is away is a warning."""
    if not config.user or not os.path.exists(paths.documents_file(os.environ)):
        return Shared()
    with closing(open_documents(os.environ)) as texts, closing(open_store(config, os.environ)) as store:
        return told(texts, config, store)


def told(texts: DocumentStore, config: Config, store: Store) -> Shared:
    """The same over what is open already."""
    done = share(texts, config, store)
    if done.problem:
        warn(f"{done.problem}; the next sync or sweep goes on with it")
    return done


def not_taken_back(texts: DocumentStore, config: Config, store: Store, keys: Iterable[str] | None = None) -> list[str]:
    """The servers that still have something at these keys, or at any; each is a warning that says what helps."""
    places = still_at(texts, config.require_user(), keys)
    for place in places:
        help_text = "run this again once it answers" if place == store.where else TAKE_BACK
        warn(f"what was shared on {place} is still there; {help_text}")
    return places


def summary(done: Shared) -> str:
    """What was sent and taken back, in a sentence; "" where nothing was."""
    said = [f"{done.sent:,} sent to the server"] if done.sent else []
    said += [f"{done.taken_back:,} taken back from it"] if done.taken_back else []
    return f"documents and notes that you share: {', '.join(said)}" if said else ""
