"""Sending what is in shared projects to a server, and taking it back: `projects.shared`.

What a server has is compared with what it should have, so running it again, after a kill too, changes nothing. What may
be there is remembered before it is sent: it can be taken back also after the choice, or the server, is another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rg_core.config import Config
from rg_core.store.documents import DocumentStore
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.store.states import digest
from rg_core.store.texts import Page

BATCH = 20  # pages with their chains in one transaction
DAY = 10  # characters of a time: of a page that only holds still a server is told once a day


@dataclass(frozen=True, slots=True)
class Shared:
    """What a run of `share` did; `problem`: why it could not, in words."""

    sent: int = 0
    taken_back: int = 0
    problem: str = ""


def share(texts: DocumentStore, config: Config, store: Store) -> Shared:
    """Have a server hold the documents and notes of the user's shared projects as they are now, and no others.

    Raises:
        UserError: without an identity.
        StoreUnavailable: if this machine's file is away.
    """
    user = config.require_user()
    before = texts.sent(user, store.where)
    if not store.can.documents or not (config.projects.shared or before):
        return Shared()
    wanted = {key: page for project in config.projects.shared for key, page in texts.pages(user, project).items()}
    gone = sorted(before.keys() - wanted.keys())
    changed = {key: _digest(page) for key, page in wanted.items() if before.get(key) != _digest(page)}
    there = store.documents_of(())
    sent = 0
    try:
        if gone:
            there.drop(user, gone)
            texts.drop_sent(user, store.where, gone)
        for keys in _batches(changed):
            texts.mark_sent(user, store.where, dict.fromkeys(keys, ""))
            there.put(user, texts.whole(user, keys))
            texts.mark_sent(user, store.where, {key: changed[key] for key in keys})
            sent += len(keys)
    except StoreUnavailable as error:
        return Shared(sent, problem=f"what you share is not brought up to date: {error}")
    return Shared(sent, len(gone))


def still_at(texts: DocumentStore, user: str, keys: Iterable[str] | None = None) -> list[str]:
    """The servers that may still have something of the user's at these keys, or at any."""
    wanted = None if keys is None else set(keys)
    return [place for place in texts.sent_to(user) if wanted is None or not wanted.isdisjoint(texts.sent(user, place))]


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    waiting = sorted(keys)
    for start in range(0, len(waiting), BATCH):
        yield waiting[start : start + BATCH]


def _digest(page: Page) -> str:
    return digest(page.node_id, page.names, page.deleted, page.verified_at[:DAY], page.state_id)
