"""Two States of one resource, compared as a person reads them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from rg_core.reading.render import blocks
from rg_core.store.model import Reading

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
    for block in blocks(resource):
        yield from block.split("\n")
        yield ""
