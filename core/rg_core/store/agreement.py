"""The index of known addresses and memory agree: what the index knows, memory answers.

The index is what a Nudge promises from. Names pass from one repository to another, and what is forgotten may have been
known under several: whoever changes what memory answers has the index looked through here. What somebody else
changed on a server is seen when it is missed.
"""

from __future__ import annotations

from collections.abc import Iterable

from rg_core.store.protocol import Store
from rg_core.touches.database import TouchLog

TOGETHER = 500  # keys of one question to the store


def names_of(store: Store, repositories: Iterable[str]) -> list[str]:
    """These lower-case names with every other one under which memory finds the same repositories."""
    found = dict.fromkeys(repositories)
    for name in list(found):
        if bearer := store.repository_named(name):
            found |= dict.fromkeys(bearer[1])
    return list(found)


def sift(store: Store, log: TouchLog, repositories: Iterable[str]) -> None:
    """Take out of the index whatever it knows under these names and memory does not answer."""
    for name in repositories:
        known = log.known_under(name)
        resources = [address for address, order in known if not order]
        gone = [address for address, order in known if order and store.listing(address, order) is None]
        for start in range(0, len(resources), TOGETHER):
            part = resources[start : start + TOGETHER]
            answered = store.versions(part)
            gone += [address for address in part if address not in answered]
        if gone:
            log.drop_known(gone)


def missed(store: Store, log: TouchLog, key: str, repository: str) -> None:
    """Have the index follow a memory that others changed: it had promised a key that was asked for and missed."""
    if any(address == key for address, _ in log.known_under(repository)):
        sift(store, log, [repository])
