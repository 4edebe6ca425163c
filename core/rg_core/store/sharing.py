"""How a user's Touches get into a shared memory: this machine's file is the outbox of whoever is away from it.

The Sweep of this machine works from that file; the shared memory has those that are about public content, from every
machine of the user. Where Touches were sent to is remembered beside the file, so that forgetting can tell what it did
not reach.
"""

from __future__ import annotations

import os

from rg_core import files
from rg_core.config import Config
from rg_core.store.protocol import SharedTouches, Store
from rg_core.touches.database import TouchLog

BATCH = 200  # Touches in one transaction
SENT_TO = "sent-to"  # beside the file of Touches: a line for each shared memory that has some of them


def shared_touches(config: Config, store: Store) -> SharedTouches | None:
    """The user's Touches in a shared memory; None where they stay on this machine.

    Raises:
        UserError: if they belong there and there is no identity.
    """
    if config.store.touches != "graph" or not store.can.touches:
        return None
    return store.touches_of(config.require_user())


def drain(log: TouchLog, config: Config, store: Store) -> int:
    """Send what a shared memory was not told yet of the user's Touches, and join them; how many were sent.

    Each arrives once, whoever else drains the same file and wherever this is killed: a Touch is marked as sent after
    the memory has it, and sent again it is the same Touch. What is forgotten meanwhile does not come back. What the
    user's former names made is the user's afterwards, here and there.

    Raises:
        UserError: if Touches belong there and there is no identity.
        StoreUnavailable: if memory is away; what was not sent stays in the local file.
    """
    log.adopt(config.user, config.former)
    shared = shared_touches(config, store)
    if shared is None:
        return 0
    shared.adopt(config.former)
    count = 0
    while log.unsent(config.user, 1):
        _remember(log, store.where)
        batch = shared.record_some(lambda: log.unsent(config.user, BATCH))
        log.mark_sent(batch)
        count += len(batch)
    shared.join()
    return count


def sent_to(log: TouchLog) -> list[str]:
    """The shared memories that have Touches of this machine."""
    try:
        with open(_list_of(log), encoding="utf-8") as file:
            return file.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


def forgot(log: TouchLog, where: str) -> None:
    """A shared memory has none of this machine's Touches any more."""
    if where in (places := sent_to(log)):
        _write(log, [place for place in places if place != where])


def _remember(log: TouchLog, where: str) -> None:
    if where not in (places := sent_to(log)):
        _write(log, [*places, where])


def _write(log: TouchLog, places: list[str]) -> None:
    files.write(_list_of(log), "".join(f"{place}\n" for place in places).encode())


def _list_of(log: TouchLog) -> str:
    return os.path.join(os.path.dirname(log.path), SENT_TO)
