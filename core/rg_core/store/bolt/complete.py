"""How the Bolt engine completes addresses and ids from their beginning."""

from __future__ import annotations

from collections.abc import Sequence

from rg_core.address.model import GITHUB, begun, key_of, listing_key
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run


def addresses(run: Run, prefix: str, limit: int) -> Sequence[str]:
    """Stored addresses that begin with prefix: by repository, each followed by its items and listings."""
    text = begun(prefix)
    if text is None:
        return []
    name, hash_sign, digits = text.partition("#")
    if hash_sign:
        return [key_of(name, number) for number in _numbers(run, name, digits, limit)]
    found: list[str] = []
    for row in run(cypher.NAMES_FROM, scheme=GITHUB, prefix=text, most=limit):
        if len(found) >= limit:
            break
        found += [key_of(row["name"])] if row["stored"] else []
        found += [key_of(row["name"], number) for number in _numbers(run, row["name"], "", limit)]
        found += _listings(run, row["name"], "", limit)
    owner, _, rest = text.partition("/")
    repository, slash, question = rest.partition("/")
    if slash:  # within one repository's listings
        found += _listings(run, f"{owner}/{repository}", f"/{question}", limit)
    elif owner == "*" or ("*".startswith(owner) and not rest):
        found += _listings(run, "*", f"/{rest}" if owner == "*" else "", limit)
    return found[:limit]


def ids(run: Run, prefix: str, limit: int) -> Sequence[str]:
    """Ids of States and listing snapshots that begin with prefix, in order."""
    found = [row["id"] for statement in (cypher.STATE_IDS, cypher.SNAPSHOT_IDS)
             for row in run(statement, prefix=prefix, most=limit)]  # fmt: skip
    return sorted(found)[:limit]


def _numbers(run: Run, name: str, digits: str, limit: int) -> list[int]:
    if digits and not (digits.isascii() and digits.isdigit()):
        return []
    return [row["number"] for row in run(cypher.NUMBERS_OF, name=name, digits=digits, most=limit)]


def _listings(run: Run, name: str, prefix: str, limit: int) -> list[str]:
    rows = run(cypher.LISTINGS_OF, name=name, prefix=prefix, most=limit)
    return [listing_key(name, row["question"]) for row in rows]
