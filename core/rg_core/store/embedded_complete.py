"""How the embedded store completes addresses and ids from their beginning."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rg_core.store import sql_read

BEYOND = "\U0010ffff"  # sorts after everything that an address or id can go on with
PREFIX = "github:"


def addresses(db: sqlite3.Connection, prefix: str, limit: int) -> Sequence[str]:
    """Stored addresses that begin with prefix: by repository, each followed by its items and listings."""
    if not prefix.startswith(PREFIX):
        prefix = PREFIX if PREFIX.startswith(prefix) else "-"
    text = prefix.removeprefix(PREFIX)
    name, hash_sign, digits = text.partition("#")
    if prefix == "-":
        return []
    if hash_sign:
        return [f"{PREFIX}{name}#{number}" for number in _numbers(db, name, digits, limit)]
    found: list[str] = []
    for row in db.execute(sql_read.NAMES_FROM, (text, text + BEYOND, limit)).fetchall():
        if len(found) >= limit:
            break
        found += [PREFIX + row["name"]] if row["stored"] else []
        found += [f"{PREFIX}{row['name']}#{number}" for number in _numbers(db, row["name"], "", limit)]
        found += [f"{PREFIX}{row['name']}{query['query']}" for query in
                  db.execute(sql_read.LISTINGS_OF, (row["name"], "", BEYOND, limit))]  # fmt: skip
    owner, _, rest = text.partition("/")
    repository, slash, query_text = rest.partition("/")
    if slash:  # within one repository's listings
        span = (f"{owner}/{repository}", f"/{query_text}", f"/{query_text}{BEYOND}", limit)
        found += [f"{PREFIX}{span[0]}{query['query']}" for query in db.execute(sql_read.LISTINGS_OF, span)]
    elif ("*".startswith(owner) and not rest) or owner == "*":
        begin = "/" + rest if owner == "*" else ""
        span = ("*", begin, begin + BEYOND, limit)
        found += [f"{PREFIX}*{query['query']}" for query in db.execute(sql_read.LISTINGS_OF, span)]
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
