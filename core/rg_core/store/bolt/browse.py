"""How the Bolt engine shows what is stored, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rg_core.address.model import place
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.read import current_names
from rg_core.store.filters import fold
from rg_core.store.model import Entry, Facets, Selection
from rg_core.store.states import address_of

LAST = "9999"  # sorts after every time


def browse(run: Run, selection: Selection, limit: int, after: Entry | None) -> Sequence[Entry]:
    """What is stored, latest change first."""
    name, number = place(after.address) if after else ("", 0)
    rows = run(
        cypher.BROWSE, updated_at=after.updated_at if after else LAST, name=name, number=number, most=limit,
        kind=selection.kind, state=selection.state, label=f"label:{fold(selection.label)}" if selection.label else "",
        names=current_names(run, selection.repository.lower()) if selection.repository else [],
    )  # fmt: skip
    return [
        Entry(
            address_of({**row, "name": row["repository"]}), row["kind"], row["title"] or "", row["state"] or "",
            tuple(row["labels"] or ()), row["author"] or "", row["updated_at"], row["fetched_at"], row["comments"] or 0,
        )
        for row in rows
    ]  # fmt: skip


def repositories(run: Run) -> Mapping[str, int]:
    """How many items of each repository are stored."""
    return {row["name"]: row["items"] for row in run(cypher.REPOSITORY_COUNTS)}


def facets(run: Run, most: int) -> Facets:
    """How many items are in each state and have each label."""
    states, labels = run(cypher.STATE_COUNTS), run(cypher.LABEL_COUNTS, most=most)
    return Facets({row["value"]: row["items"] for row in states}, {row["value"]: row["items"] for row in labels})
