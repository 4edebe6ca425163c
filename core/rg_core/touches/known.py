"""The index of known addresses: what memory holds, as far as a Nudge needs to know. Hot.

The table `known` of the file of Touches is where it is kept (rg_core.touches.database); the hook reads it as a
published table (rg_core.touches.published), whose rows begin with the address and a tab.
"""

from __future__ import annotations

import os

from rg_core.record import record
from rg_core.touches.published import Table, cell, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TITLE = 80  # characters
ADDRESS = 200  # characters: a longer one is not named to a model
CANDIDATES = 200  # listings of one repository that a Nudge looks through


@record
class Known:
    """One row of the index, kept current by the Sweep."""

    address: str
    order: str  # of a listing; "" otherwise
    fetched_at: str
    updated_at: str  # the source's; "" for listings
    title: str = ""
    comments: int = 0
    member_count: int = 0
    total_count: int = 0
    complete: bool = True


def path(data: str) -> str:
    """The published index, below the data directory."""
    return os.path.join(folder(data), "known")


def as_row(known: Known) -> str:
    """A row of the published index."""
    numbers = (known.comments, known.member_count, known.total_count, int(known.complete))
    cells = (known.address, known.order, known.fetched_at, known.updated_at, cell(known.title, TITLE))
    return "\t".join([*cells, *map(str, numbers)])


def look_up(data: str, keys: Sequence[str], listings: Sequence[tuple[str, str]]) -> list[Known]:
    """What memory holds: these repositories and items, and listings that might answer a question.

    Args:
        data: the data directory.
        keys: canonical keys of repositories and items.
        listings: a prefix of listing keys, up to and with the "?", e.g. github:owner/repo/issues?, and the
            question's own key. Others than that one are candidates only when they are complete.
    """
    try:
        table = Table(path(data))
    except (OSError, ValueError):
        return []
    try:
        found = [row for key in keys for row in _known(table, key + "\t")]
        for prefix, own in listings:
            usable = [row for row in _known(table, prefix) if row.complete or row.address == own]
            usable.sort(key=lambda row: row.fetched_at, reverse=True)
            found += usable[:CANDIDATES]
    finally:
        table.close()
    return found


def _known(table: Table, prefix: str) -> Iterator[Known]:
    for cells in table.rows(prefix):
        if len(cells) == 9:
            comments, members, total, complete = map(int, cells[5:])
            address, order, fetched_at, updated_at, title = cells[:5]
            yield Known(address, order, fetched_at, updated_at, title, comments, members, total, bool(complete))
