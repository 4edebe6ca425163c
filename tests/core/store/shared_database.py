"""What else may be in a database: a graph of release 0.1, nodes of others, their constraints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rg_core.store.bolt.store import BoltStore

OLD = Path(__file__).parent / "data" / "bolt-0.1.json"  # a database as release 0.1's own code left it
FOREIGN = """
CREATE (:Resource {node_id: 'X_1', place: 3}), (:Repository {name: 'their/own'}), (:Repository {name: 'their/own'}),
    (:Issue {title: 'theirs', number: 1}), (:State {id: 'CA'}), (:State {id: 'CA'}), (:State {id: 7}),
    (:Comment {id: 7, node_id: 'C_1', created_at: 'then', author: 'x'}), (:Comment {id: 'same'}),
    (:Comment {id: 'same'}), (:Name {name: 'owner/repo'}), (:Name {name: 'owner/repo'}), (:Touch {user: 'ann'}),
    (:Touch {user: 'ann', key: ['a'], id: true}), (:Listing {key: 'k'}), (:Snapshot {id: 1}), (:Move {old: 'a'}),
    (:Lease {name: 'flat', until: 'May'}), (:Awaited {address: 'x'}), (:User {user_id: 'ann'}),
    (:Session {key: 'theirs'}), (:RgOther {name: 'theirs'})"""

BESIDE_OLD = """
CREATE (:Resource {node_id: 'X_1', place: 3}), (:Repository {name: 'their/own'}), (:Issue {title: 'theirs', number: 1}),
    (:State {id: 'CA'}), (:Comment {id: 7, node_id: 'C_1', created_at: 'then', author: 'x'}), (:Name {name: 'their'}),
    (:Touch {user: 'ann'}), (:Touch {user: 'ann', key: ['a'], id: true}), (:Listing {key: 'k'}), (:Snapshot {id: 1}),
    (:Move {old: 'a'}), (:Lease {name: 'flat', until: 'May'}), (:Awaited {address: 'x'}), (:User {user_id: 'theirs'}),
    (:Session {key: 'theirs'}), (:RgOther {name: 'theirs'})"""  # what fits beside the constraints of release 0.1


def rows(store: BoltStore, statement: str, **values: object) -> list[dict[str, Any]]:
    """What a statement returns, without anything of the engine."""
    return store.connection.write(lambda run: run(statement, **values))


def bare(store: BoltStore) -> None:
    """Take everything out of the database, also constraints and indexes."""
    rows(store, "MATCH (n) DETACH DELETE n")
    for kind, kinds in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
        for row in store.connection.told(f"SHOW {kinds} YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
            store.connection.define([f"DROP {kind} `{row['name']}` IF EXISTS"])


def old_graph(store: BoltStore) -> Mapping[str, Any]:
    """Fill the database with what release 0.1 left; what it read there."""
    graph: dict[str, Any] = json.loads(OLD.read_text("utf-8"))
    bare(store)
    store.connection.define(graph["schema"])
    for node in graph["nodes"]:
        labels = "".join(f":`{label}`" for label in node["labels"])
        rows(
            store, f"CREATE (n{labels}) SET n = $properties, n.made = $id", properties=node["properties"], id=node["id"]
        )
    for edge in graph["edges"]:
        rows(
            store,
            f"MATCH (a {{made: $a}}) MATCH (b {{made: $b}}) CREATE (a)-[r:`{edge['type']}`]->(b) SET r = $properties",
            a=edge["start"], b=edge["end"], properties=edge["properties"],
        )  # fmt: skip
    rows(store, "MATCH (n) SET n.made = null")
    expected: Mapping[str, Any] = graph["expected"]
    return expected


def others(store: BoltStore) -> list[tuple[list[str], dict[str, Any], int]]:
    """Everything in the database that has no label of ours, with the number of its edges."""
    found = rows(
        store,
        "MATCH (n) WHERE none(label IN labels(n) WHERE label STARTS WITH 'Rg' AND label <> 'RgOther') "
        "OPTIONAL MATCH (n)-[e]-() RETURN labels(n) AS labels, properties(n) AS properties, count(e) AS edges",
    )
    return sorted(((sorted(r["labels"]), r["properties"], r["edges"]) for r in found), key=repr)
