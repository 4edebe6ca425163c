"""How the embedded store shows what is stored, a page at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from rg_core.address.model import place
from rg_core.store.filters import fold, word
from rg_core.store.model import Entry, Facets, Selection
from rg_core.store.sqlite import sql_read
from rg_core.store.states import address_of

LAST = "9999"  # sorts after every time


def browse(db: sqlite3.Connection, selection: Selection, limit: int, after: Entry | None) -> Sequence[Entry]:
    """What is stored, latest change first."""
    name, number = place(after.address) if after else ("", 0)
    values = {
        "updated_at": after.updated_at if after else LAST, "name": name, "number": number, "limit": limit,
        "kind": selection.kind, "status": selection.state, "named": selection.repository.lower(),
        "label": word(fold(selection.label)) if selection.label else "",
    }  # fmt: skip
    return [
        Entry(
            address_of({**row, "name": row["repository"]}), row["kind"], row["title"], row["status"],
            tuple(json.loads(row["labels"])), row["author"], row["updated_at"], row["fetched_at"], row["comments"],
        )
        for row in map(dict, db.execute(sql_read.BROWSE, values))
    ]  # fmt: skip


def repositories(db: sqlite3.Connection) -> Mapping[str, int]:
    """How many items of each repository are stored."""
    return {row["name"]: row["items"] for row in db.execute(sql_read.REPOSITORY_COUNTS)}


def facets(db: sqlite3.Connection, most: int) -> Facets:
    """How many items are in each state and have each label."""
    states, labels = db.execute(sql_read.STATE_COUNTS), db.execute(sql_read.LABEL_COUNTS, (most,))
    return Facets({row["value"]: row["items"] for row in states}, {row["value"]: row["items"] for row in labels})
