"""What an index on the server is made from: the queue of what changed, and what is stored now of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rg_core.address.model import key_of, place
from rg_core.store.bolt import cypher
from rg_core.store.bolt import cypher_search as search
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import load_states
from rg_core.store.bolt.links import target_row
from rg_core.store.indexed import text_of
from rg_core.store.texts import FeedEntry, FeedText, FeedVersion

Row = Mapping[str, Any]


def changes(run: Run, index: str, limit: int) -> list[FeedEntry]:
    """What is in the queue of an index; `seq` is the token of its turn, and what is gone has no kind."""
    tokens = {row["subject"]: row["token"] for row in run(search.CHANGES, name=index, most=limit)}
    heads = {row["node_id"]: row for row in run(search.FEED, ids=sorted(tokens))} if tokens else {}
    chains: dict[str, list[Row]] = {node_id: [] for node_id in heads}
    names: dict[str, list[str]] = {}
    if heads:
        for row in run(cypher.CHAINS, ids=sorted(heads)):
            chains[row["node_id"]].append(row)
        for row in run(cypher.NAMES_BELOW, ids=sorted({head["repository"] for head in heads.values()})):
            names.setdefault(row["id"], []).append(row["name"])
    return [
        _entry(heads[id_], token, chains[id_], names.get(heads[id_]["repository"], ()))
        if id_ in heads and chains[id_]
        else FeedEntry(token, token, "", id_, "", "", "", "", "")
        for id_, token in tokens.items()
    ]


def texts(run: Run, ids: Sequence[str]) -> dict[str, FeedText]:
    """The texts of States by their ids; those that are gone meanwhile are missing."""
    return {id_: text_of(row["content"]) for id_, row in load_states(run, ids).items()} if ids else {}


def verified_at(run: Run, addresses: Sequence[str]) -> dict[str, str]:
    """When what is at these addresses was last fetched."""
    rows = [target_row(address) for address in addresses if place(address)[0]]
    return {row["address"]: row["at"] for row in run(search.VERIFIED, rows=rows)} if rows else {}


def _entry(head: Row, token: int, chain: Sequence[Row], names: Sequence[str]) -> FeedEntry:
    number = head["number"] or 0
    address = key_of(head["name"], number)
    keys = [("", address), *(("", key_of(name, number)) for name in names)]
    return FeedEntry(
        token, token, "", head["node_id"], address, head["kind"], place(address)[0], head["title"] or head["name"],
        head["fetched_at"], tuple(dict.fromkeys(keys)), tuple(_version(head, state) for state in chain),
    )  # fmt: skip


def _version(head: Row, state: Row) -> FeedVersion:
    """A State; the latest is as old as the resource's own time says, which moves without a new State."""
    updated_at = state["valid_from"]
    if state["id"] == head["state_id"]:
        updated_at = head["updated_at"]
        if head["kind"] == "repository":
            updated_at = max(updated_at, head["pushed_at"] or "")
    return FeedVersion(state["id"], state["valid_from"], state["valid_until"], updated_at)
