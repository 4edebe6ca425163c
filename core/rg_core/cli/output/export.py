"""What `rg-memory export --json` prints: how many records were written, in all and by their kind."""

from __future__ import annotations

from pydantic import RootModel


class Output(RootModel[dict[str, int]]):
    """`records` is the sum; the others are kinds of records."""
