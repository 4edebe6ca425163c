"""The constraints and indexes of the Bolt engine, as data, and how each server is told and asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

UNIQUE = (
    ("RgResource", "rg_id"),
    ("RgName", "name"),
    ("RgState", "id"),
    ("RgComment", "id"),
    ("RgAwaited", "address"),
    ("RgMove", "old"),
    ("RgListing", "key"),
    ("RgSnapshot", "id"),
    ("RgLease", "name"),
    ("RgTouch", "key"),
    ("RgStore", "name"),
    ("RgIndex", "name"),
    ("RgChange", "key"),
    ("RgMemory", "key"),
    ("RgVersion", "key"),
    ("RgDocument", "key"),
    ("RgDocumentState", "key"),
)
INDEXED = (
    ("RgResource", "place"),
    ("RgResource", "rg_key"),
    ("RgResource", "kind"),
    ("RgAwaited", "repository"),
    ("RgMove", "node_id"),
    ("RgMove", "old_node_id"),
    ("RgListing", "repository"),
    ("RgTouch", "user"),
    ("RgTouch", "awaits"),
    ("RgChange", "index"),
    ("RgChange", "subject"),
    ("RgMemory", "index"),
    ("RgMemory", "memory_id"),
    ("RgMemory", "numbered"),
    ("RgVersion", "bare"),
    ("RgCall", "name"),
    ("RgMention", "target"),
    ("RgDocument", "address"),
    ("RgDocument", "node_id"),
    ("RgDocumentState", "id"),
    ("Session", "session_id"),  # the family's: what Touches are in and were caused by
    ("ForgottenSession", "session_id"),
    ("ToolCall", "tool_use_id"),
    ("Action", "tool_use_id"),
    ("Agent", "agent_id"),
)
PUBLIC = {  # the labels that others may use too, and ours beside them
    "Resource": "RgResource", "Repository": "RgResource", "Issue": "RgResource", "PullRequest": "RgResource",
    "State": "RgState", "Comment": "RgComment", "Listing": "RgListing", "Touch": "RgTouch",
}  # fmt: skip
OURS_IN_01 = (  # the unique and the indexed properties of release 0.1
    (
        ("Resource", "node_id"), ("Name", "name"), ("State", "id"), ("Comment", "id"), ("Awaited", "address"),
        ("Move", "old"), ("Listing", "key"), ("Snapshot", "id"), ("Lease", "name"), ("User", "user_id"),
        ("Session", "key"), ("Touch", "key"),
    ),
    (
        ("Resource", "place"), ("Resource", "address"), ("Awaited", "repository"), ("Move", "node_id"),
        ("Move", "old_node_id"), ("Listing", "repository"), ("Touch", "user"),
    ),
)  # fmt: skip

# By server: the statements that make and drop a unique property and an index, and those that tell what is there.
# Memgraph's constraint makes no index, so it gets both; Neo4j's does.
SERVERS: Mapping[str, Mapping[str, Any]] = {
    "neo4j": {
        "unique": [
            "CREATE CONSTRAINT rg_{label}_{property} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{property} IS UNIQUE",
        ],
        "index": ["CREATE INDEX rg_{label}_{property} IF NOT EXISTS FOR (n:{label}) ON (n.{property})"],
        "drop unique": ["DROP CONSTRAINT rg_{label}_{property} IF EXISTS"],
        "drop index": ["DROP INDEX rg_{label}_{property} IF EXISTS"],
        "constraints": "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties",
        "indexes": "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint",
    },
    "memgraph": {
        "unique": [
            "CREATE CONSTRAINT ON (n:{label}) ASSERT n.{property} IS UNIQUE",
            "CREATE INDEX ON :{label}({property})",
        ],
        "index": ["CREATE INDEX ON :{label}({property})"],
        "drop unique": [
            "DROP CONSTRAINT ON (n:{label}) ASSERT n.{property} IS UNIQUE",
            "DROP INDEX ON :{label}({property})",
        ],
        "drop index": ["DROP INDEX ON :{label}({property})"],
        "constraints": "SHOW CONSTRAINT INFO",
        "indexes": "SHOW INDEX INFO",
    },
}

Place = tuple[str, str]  # a label and a property


class Schema(NamedTuple):
    """The unique properties and the indexes of a database, each with its name; "" where a server gives none."""

    unique: Mapping[Place, str]
    indexed: Mapping[Place, str]  # plain indexes; not those of constraints

    @property
    def missing(self) -> list[Place]:
        """The unique properties that are not."""
        return [place for place in UNIQUE if place not in self.unique]

    @property
    def slow(self) -> list[Place]:
        """The properties without the index that they want."""
        return [place for place in INDEXED if place not in self.indexed and place not in self.unique]

    @property
    def old(self) -> bool:
        """Whether release 0.1's are there."""
        ours = {f"rg_{label}_{name}" for places in OURS_IN_01 for label, name in places}
        return not ours.isdisjoint([*self.unique.values(), *self.indexed.values()])

    def in_the_way(self) -> list[tuple[Place, str]]:
        """The plain indexes where a unique property must be: a server that gives names has one or the other."""
        return [(place, self.indexed[place]) for place in self.missing if self.indexed.get(place)]


def server(agent: str) -> str:
    """Which of SERVERS calls itself `agent`; every server that is not Memgraph takes Neo4j's words."""
    return "memgraph" if "memgraph" in agent.lower() else "neo4j"


def found(constraints: Sequence[Mapping[str, Any]], indexes: Sequence[Mapping[str, Any]]) -> Schema:
    """What the rows of "constraints" and "indexes" say, of either server; only of single properties of nodes."""
    unique: dict[Place, str] = {}
    for row in constraints:
        if "constraint type" in row:  # Memgraph
            properties, label, kind = _listed(row["properties"]), row["label"], row["constraint type"]
        else:
            properties, label, kind = row["properties"], (row["labelsOrTypes"] or [""])[0], row["type"]
        if len(properties) == 1 and kind.lower() in ("unique", "uniqueness", "node_property_uniqueness", "node_key"):
            unique[label, properties[0]] = row.get("name", "")
    indexed: dict[Place, str] = {}
    for row in indexes:
        if "index type" in row:  # Memgraph
            properties, label, kind, owner = _listed(row["property"]), row["label"], "RANGE", None
        else:
            properties, label = row["properties"] or [], (row["labelsOrTypes"] or [""])[0]
            kind, owner = row["type"], row["owningConstraint"]
        if len(properties) == 1 and kind == "RANGE" and not owner:
            indexed[label, properties[0]] = row.get("name", "")
    return Schema(unique, indexed)


def statements(name: str, kind: str, places: Sequence[Place]) -> list[str]:
    """The schema statements of a kind ("unique", "index", "drop unique", "drop index") for one of SERVERS."""
    return [text.format(label=label, property=property_) for label, property_ in places for text in SERVERS[name][kind]]


def _listed(value: object) -> list[str]:
    """Memgraph gives one name, or a list of them."""
    return [str(part) for part in value] if isinstance(value, list | tuple | set) else [str(value)] if value else []
