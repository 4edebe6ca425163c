"""The server engine: Neo4j or Memgraph over Bolt."""
