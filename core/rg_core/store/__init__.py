"""Where memory lives: one Store protocol, an embedded engine (SQLite) and a Bolt engine (Neo4j, Memgraph)."""
