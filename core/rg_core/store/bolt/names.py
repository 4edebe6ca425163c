"""Under which names the Bolt engine finds a repository, and what becomes of one that loses a name to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rg_core.address.model import key_of, listing_key
from rg_core.store import states
from rg_core.store.bolt import changes, cypher, links
from rg_core.store.bolt.connection import Run


def put_name(run: Run, node_id: str, name: str, at: str, old: str) -> None:
    """Have a repository be called `name`, if it is called otherwise, and be found under its former name."""
    run(cypher.LOCK, ids=[node_id])
    head = run(cypher.HEADS, ids=[node_id])[0]
    if head["name"] is None or head["named_at"] <= at:  # else an answer told it later
        if (head["name"] or "").lower() != name:
            set_name(run, node_id, name, at)
        give_name(run, node_id, name, at)
    give_name(run, node_id, old, at)


def set_name(run: Run, node_id: str, name: str, at: str) -> None:
    """Have a repository, and its items, be called so since this time."""
    address = key_of(name)
    run(cypher.SET_NAMES, rows=[{"node_id": node_id, "name": name, "named_at": at, "address": address}])
    run(cypher.RENAME_ITEMS, id=node_id, address=address, name=name)
    changes.renamed(run, node_id)


def give_name(run: Run, node_id: str, name: str, at: str) -> None:
    """Have the repository be found under this lower-case name, unless one that was seen later is."""
    bearers = run(cypher.NAMES, names=[name])
    if bearers and (bearers[0]["bears"] or "").lower() == name and bearers[0]["named_at"] > at:
        return
    if bearers and bearers[0]["repository"] == node_id:
        return
    run(cypher.PUT_NAMES, rows=[{"name": name, "repository": node_id}])
    if bearers:
        set_aside(run, bearers[0]["repository"], name)
    links.resolve_below(run, [name])
    changes.renamed(run, node_id)


def set_aside(run: Run, node_id: str, name: str) -> None:
    """Have a repository that lost this name, and its listings, be found under another one of it, or a made-up one."""
    heads = run(cypher.HEADS, ids=[node_id])
    if not heads:
        return
    head = heads[0]
    others = [row["name"] for row in run(cypher.NAMES_BELOW, ids=[node_id])]
    own = (head["name"] or "").lower()
    changes.renamed(run, node_id)
    aside = own if own in others else next(iter(others), "")
    if not aside:
        aside = states.name_aside(name, node_id)
        run(cypher.PUT_NAMES, rows=[{"name": aside, "repository": node_id}])
    if own == name:
        set_name(run, node_id, aside, head["named_at"])
    for listing in run(cypher.LISTINGS_UNDER, name=name):
        _move_listing(run, listing, aside)


def _move_listing(run: Run, listing: Mapping[str, Any], aside: str) -> None:
    """Keep a listing under another name; of two answers to one question the fresher."""
    address = listing_key(aside, listing["question"])
    key = f"{address} {listing['ordering']}"
    twins = run(cypher.LISTING_HEAD, key=key)
    if twins and twins[0]["fetched_at"]:
        staler = key if twins[0]["fetched_at"] < listing["fetched_at"] else listing["key"]
        run(cypher.DROP_LISTING, key=staler)
        if staler == listing["key"]:
            return
    run(cypher.MOVE_LISTING, old=listing["key"], key=key, address=address, name=aside)
