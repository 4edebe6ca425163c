"""How a user's Touches get into a shared memory: this machine's file is the outbox of whoever is away from it.

The Sweep of this machine works from that file; the shared memory has the same Touches, from every machine of the user.
"""

from __future__ import annotations

from rg_core.config import Config
from rg_core.store.protocol import SharedTouches, Store
from rg_core.touches.database import TouchLog

BATCH = 200  # Touches in one transaction


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
    the memory has it, and sent again it is the same Touch. What is forgotten meanwhile does not come back.

    Raises:
        UserError: if Touches belong there and there is no identity.
        StoreUnavailable: if memory is away; what was not sent stays in the local file.
    """
    shared = shared_touches(config, store)
    if shared is None:
        return 0
    count = 0
    while log.unsent(config.user, 1):
        batch = shared.record_some(lambda: log.unsent(config.user, BATCH))
        log.mark_sent(batch)
        count += len(batch)
    shared.join()
    return count
