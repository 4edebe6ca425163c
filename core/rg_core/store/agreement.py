"""The index of known addresses and memory agree: what the index knows, memory answers.

The index is what a Nudge promises from. Names pass from one repository to another, and what is forgotten may have been
known under several: whoever changes what memory answers has the index looked through here. What somebody else
changed on a server is seen when it is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rg_core.address.model import ANY_REPOSITORY
from rg_core.store.protocol import Store
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known

LISTED: tuple[Literal["issues", "pulls"], ...] = ("issues", "pulls")
TOGETHER = 500  # keys of one question to the store


def names_of(store: Store, repositories: Iterable[str]) -> list[str]:
    """These lower-case names with every other one under which memory finds the same repositories."""
    found = dict.fromkeys(repositories)
    for name in list(found):
        if bearer := store.repository_named(name):
            found |= dict.fromkeys(bearer[1])
    return list(found)


def sift(store: Store, log: TouchLog, repositories: Iterable[str]) -> None:
    """Take out of the index whatever it knows under these names and memory does not answer.

    Of listings, those of searches over all repositories too, it knows what is left of them.
    """
    known = [row for name in repositories for row in log.known_under(name)]
    _sift_listings(store, log, known)
    _sift_resources(store, log, [address for address, order in known if not order])


def sift_forgotten(store: Store, log: TouchLog, repositories: Iterable[str]) -> None:
    """As `sift`, after something under these names was forgotten: transferred items led to it from other names too."""
    _sift_listings(store, log, [row for name in repositories for row in log.known_under(name)])
    _sift_resources(store, log, log.known_resources())


def _sift_resources(store: Store, log: TouchLog, keys: Sequence[str]) -> None:
    gone: list[str] = []
    for start in range(0, len(keys), TOGETHER):
        part = keys[start : start + TOGETHER]
        answered = store.versions(part)
        gone += [key for key in part if key not in answered]
    if gone:
        log.drop_known(gone)


def _sift_listings(store: Store, log: TouchLog, known: Iterable[tuple[str, str]]) -> None:
    everywhere = [(one.address, one.order) for kind in LISTED for one in store.candidates(ANY_REPOSITORY, kind)]
    _shrink(store, log, [*everywhere, *(row for row in known if row[1])])


def _shrink(store: Store, log: TouchLog, listings: Iterable[tuple[str, str]]) -> None:
    """Have the index know as much of these listings, by address and order, as memory has of them."""
    gone: list[str] = []
    kept: list[Known] = []
    for address, order in listings:
        found = store.listing(address, order)
        if found is None or not (found[0].complete or found[0].member_count):
            gone.append(address)
        else:
            one = found[0]
            kept.append(
                Known(address, order, one.fetched_at, "", "", 0, one.member_count, one.total_count, one.complete)
            )
    if gone:
        log.drop_known(gone)
    if kept:
        log.put_known(kept)


def missed(store: Store, log: TouchLog, key: str, repository: str) -> None:
    """Have the index follow a memory that others changed: it had promised a key that was asked for and missed."""
    if repository != ANY_REPOSITORY and any(address == key for address, _ in log.known_under(repository)):
        sift(store, log, [repository])
