"""Two States of one resource, compared as a person reads them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from rg_core.reading.render import item_blocks, repository_blocks
from rg_core.store.model import Item, Reading

CONTEXT = 2  # unchanged lines around a change


def diff(older: Reading, newer: Reading) -> str:
    """A unified diff of everything that is shown of the two; "" if that is the same."""
    return "\n".join(
        unified_diff(
            list(_lines(older)),
            list(_lines(newer)),
            f"{older.resource.address} of {older.valid_from}",
            f"{newer.resource.address} of {newer.valid_from}",
            n=CONTEXT,
            lineterm="",
        )
    )


def _lines(reading: Reading) -> Iterator[str]:
    resource = reading.resource
    yield resource.address
    blocks = item_blocks(resource) if isinstance(resource, Item) else repository_blocks(resource)
    for block in blocks:
        yield from block.split("\n")
        yield ""
