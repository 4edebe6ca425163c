"""What an index on the server is made from: the queue of what changed, and what is stored now of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rg_core.address.model import key_of, place
from rg_core.store.bolt import cypher
from rg_core.store.bolt import cypher_documents as pages
from rg_core.store.bolt import cypher_search as search
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import load_states
from rg_core.store.bolt.links import target_row
from rg_core.store.indexed import text_of
from rg_core.store.texts import FeedEntry, FeedText, FeedVersion, TextEdge

Row = Mapping[str, Any]


def changes(run: Run, index: str, limit: int) -> list[FeedEntry]:
    """What is in the queue of an index; `seq` is the token of its turn, and what is gone has no kind."""
    tokens = {row["subject"]: row["token"] for row in _whole(run(search.CHANGES, name=index, most=limit), "subject")}
    rows = _whole(run(search.FEED, ids=sorted(tokens)), "node_id", "kind", "name", "repository") if tokens else []
    heads = {row["node_id"]: row for row in rows}
    chains: dict[str, list[Row]] = {node_id: [] for node_id in heads}
    names: dict[str, list[str]] = {}
    if heads:
        for row in _whole(run(cypher.CHAINS, ids=sorted(heads)), "id", "valid_from"):
            chains[row["node_id"]].append(row)
        for row in _whole(run(cypher.NAMES_BELOW, ids=sorted({head["repository"] for head in heads.values()})), "name"):
            names.setdefault(row["id"], []).append(row["name"])
    found = {
        id_: _entry(head, tokens[id_], chains[id_], names.get(head["repository"], ())) for id_, head in heads.items()
    } | _pages(run, {id_: token for id_, token in tokens.items() if id_ not in heads})
    return [found.get(id_) or FeedEntry(token, token, "", id_, "", "", "", "", "") for id_, token in tokens.items()]


def texts(run: Run, ids: Sequence[str]) -> dict[str, FeedText]:
    """The texts of States by their ids; those that are gone meanwhile are missing."""
    if not ids:
        return {}
    found = {id_: text_of(row["content"]) for id_, row in load_states(run, ids).items()}
    if left := [id_ for id_ in ids if id_ not in found]:
        for row in _whole(run(pages.TEXTS, ids=left), "id", "title", "body", "edges"):
            found[row["id"]] = FeedText(row["title"], row["body"], edges=edges_of(row))
    return found


def verified_at(run: Run, addresses: Sequence[str]) -> dict[str, str]:
    """When what is at these addresses was last fetched, or seen to hold."""
    rows = [target_row(address) for address in addresses if place(address)[0]]
    found = {row["address"]: row["at"] for row in run(search.VERIFIED, rows=rows)} if rows else {}
    if own := [address for address in addresses if address not in found]:
        found |= {row["address"]: row["at"] for row in run(pages.VERIFIED, keys=own)}
    return found


def _whole(rows: Iterable[Row], *names: str) -> list[Row]:
    """Rows of nodes that were there: one that others delete between its match and its reading has no properties.

    Whoever deletes sees to the index, or leaves a change. (Neo4j's default isolation is read committed.)
    """
    return [row for row in rows if all(row[name] is not None for name in names)]


def _pages(run: Run, tokens: Mapping[str, int]) -> dict[str, FeedEntry]:
    """Those of these that are documents and notes which somebody shares."""
    heads = _whole(run(pages.HEADS, ids=sorted(tokens)), "node_id", "kind", "address", "called") if tokens else []
    chains: dict[str, list[FeedVersion]] = {head["node_id"]: [] for head in heads}
    for row in _whole(run(pages.CHAINS, ids=sorted(chains)) if chains else (), "id", "valid_from"):
        version = FeedVersion(row["id"], row["valid_from"], row["valid_until"], row["valid_from"])
        chains[row["node_id"]].append(version)
    return {
        head["node_id"]: FeedEntry(
            tokens[head["node_id"]], tokens[head["node_id"]], head["owner"], head["node_id"], head["address"],
            head["kind"], head["project"], head["title"], head["verified_at"],
            (*((project, name) for project, name in json.loads(head["called"])), ("", head["address"])),
            tuple(chains[head["node_id"]]),
        )
        for head in heads
    }  # fmt: skip


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


def edges_of(row: Row) -> tuple[TextEdge, ...]:
    """The edges that a State of a document draws."""
    return tuple(TextEdge(*edge) for edge in json.loads(row["edges"]))
