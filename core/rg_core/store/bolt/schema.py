"""The constraints and indexes of the Bolt engine, as data, and how each server is told of them."""

from __future__ import annotations

UNIQUE = (
    ("Resource", "node_id"),
    ("Name", "name"),
    ("State", "id"),
    ("Comment", "id"),
    ("Awaited", "address"),
    ("Move", "old"),
    ("Listing", "key"),
    ("Snapshot", "id"),
    ("Lease", "name"),
    ("User", "user_id"),
    ("Session", "key"),
    ("Touch", "key"),
)
INDEXED = (
    ("Resource", "place"),
    ("Resource", "address"),
    ("Awaited", "repository"),
    ("Move", "node_id"),
    ("Move", "old_node_id"),
    ("Listing", "repository"),
    ("Touch", "user"),
    ("ToolCall", "tool_use_id"),  # actions-graph's: what a Touch was caused by
    ("Action", "tool_use_id"),
    ("Agent", "agent_id"),
)

# By server: the statements for a unique property, for an index, and what its error says of one that exists already.
# Memgraph's constraint makes no index, so it gets both; Neo4j's does.
SERVERS = {
    "neo4j": {
        "unique": [
            "CREATE CONSTRAINT rg_{label}_{property} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{property} IS UNIQUE",
        ],
        "index": ["CREATE INDEX rg_{label}_{property} IF NOT EXISTS FOR (n:{label}) ON (n.{property})"],
        "exists": "already exists",
    },
    "memgraph": {
        "unique": [
            "CREATE CONSTRAINT ON (n:{label}) ASSERT n.{property} IS UNIQUE",
            "CREATE INDEX ON :{label}({property})",
        ],
        "index": ["CREATE INDEX ON :{label}({property})"],
        "exists": "already exists",
    },
}


def server(agent: str) -> str:
    """Which of SERVERS calls itself `agent`; every server that is not Memgraph takes Neo4j's words."""
    return "memgraph" if "memgraph" in agent.lower() else "neo4j"


def statements(name: str) -> list[str]:
    """Every schema statement for one of SERVERS; each is harmless when run again."""
    words = SERVERS[name]
    return [
        text.format(label=label, property=property_)
        for kind, things in (("unique", UNIQUE), ("index", INDEXED))
        for label, property_ in things
        for text in words[kind]
    ]


def exists(name: str) -> str:
    """The words in an error of one of SERVERS that mean: it is there."""
    return str(SERVERS[name]["exists"])
