"""How the embedded store completes addresses and ids from their beginning."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rg_core.address.model import ANY_REPOSITORY, begun, key_of, listing_key
from rg_core.store.sqlite import sql_read

BEYOND = "\U0010ffff"  # sorts after everything that an address or id can go on with


def addresses(db: sqlite3.Connection, prefix: str, limit: int) -> Sequence[str]:
    """Stored addresses that begin with prefix: by repository, each followed by its items and listings."""
    text = begun(prefix)
    if text is None:
        return []
    name, hash_sign, digits = text.partition("#")
    if hash_sign:
        return [key_of(name, number) for number in _numbers(db, name, digits, limit)]
    owner, _, rest = text.partition("/")
    repository, slash, query = rest.partition("/")
    if slash:  # within the listings of one repository
        return _listings(db, f"{owner}/{repository}", f"/{query}", limit)
    found: list[str] = []
    for row in db.execute(sql_read.NAMES_FROM, (text, text + BEYOND, limit)).fetchall():
        found += [key_of(row["name"])] if row["stored"] else []
        found += [key_of(row["name"], number) for number in _numbers(db, row["name"], "", limit)]
        found += _listings(db, row["name"], "", limit)
        if len(found) >= limit:
            break
    if ANY_REPOSITORY.startswith(owner):
        found += _listings(db, ANY_REPOSITORY, f"/{rest}" if "/" in text else "", limit)
    return found[:limit]


def ids(db: sqlite3.Connection, prefix: str, limit: int) -> Sequence[str]:
    """Ids of States and listing snapshots that begin with prefix, in order."""
    span = (prefix, prefix + BEYOND, limit)
    found = [row["uid"] for statement in (sql_read.STATE_IDS, sql_read.SNAPSHOT_IDS)
             for row in db.execute(statement, span)]  # fmt: skip
    return sorted(found)[:limit]


def _numbers(db: sqlite3.Connection, name: str, digits: str, limit: int) -> list[int]:
    if digits and not (digits.isascii() and digits.isdigit()):
        return []
    return [row["number"] for row in db.execute(sql_read.NUMBERS_OF, (name, digits + "*", limit))]


def _listings(db: sqlite3.Connection, repository: str, query: str, limit: int) -> list[str]:
    rows = db.execute(sql_read.LISTINGS_OF, (repository, query, query + BEYOND, limit))
    return [listing_key(repository, row["query"]) for row in rows]
