"""Cypher of the documents and notes that people share: an owner's (:RgDocument) and its States."""

from __future__ import annotations

LOCK = """
UNWIND $ids AS id MERGE (p:RgDocument {key: id}) SET p.taken = true"""
KNOWN = """
UNWIND $ids AS id MATCH (p:RgDocument {key: id}) OPTIONAL MATCH (p)-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState)
RETURN id, p.node_id AS node_id, collect(s.key) AS states"""
PUT = "UNWIND $rows AS row MATCH (p:RgDocument {key: row.key}) SET p += row.page"
ADD_STATES = """
UNWIND $rows AS row MATCH (p:RgDocument {key: row.page})
CREATE (p)-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState) SET s = row.state"""
SET_STATES = "UNWIND $rows AS row MATCH (s:RgDocumentState {key: row.key}) SET s.valid_until = row.until"
DROP_STATES = "UNWIND $ids AS id MATCH (s:RgDocumentState {key: id}) DETACH DELETE s"
DROP = """
UNWIND $ids AS id MATCH (p:RgDocument {key: id}) OPTIONAL MATCH (p)-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState)
DETACH DELETE s, p"""

NAMED = """
MATCH (p:RgDocument) WHERE p.project IN $projects AND $name IN p.names
RETURN DISTINCT p.address AS address, p.project AS project, p.deleted AS deleted ORDER BY deleted, address"""
AT = """
UNWIND $keys AS key MATCH (p:RgDocument {address: key}) WHERE p.project IN $projects
RETURN p.key AS key, p.node_id AS node_id, p.kind AS kind, p.address AS address, p.project AS project,
    p.names AS names, p.verified_at AS verified_at, p.state_id AS state_id ORDER BY verified_at DESC, key LIMIT 1"""
STATE_COLUMNS = """s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until, s.recorded_at AS recorded_at,
    s.event_type AS event_type, s.cause AS cause, s.address AS address, s.title AS title, s.body AS body,
    s.facts AS facts, s.edges AS edges"""
STATE_NOW = f"""
MATCH (p:RgDocument {{key: $key}})-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState) WHERE s.id = p.state_id
RETURN {STATE_COLUMNS}"""
STATE_THEN = f"""
MATCH (:RgDocument {{key: $key}})-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState) WHERE s.valid_from <= $as_of
RETURN {STATE_COLUMNS}
ORDER BY valid_from DESC LIMIT 1"""
HISTORY = """
MATCH (:RgDocument {key: $key})-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState)
RETURN s.id AS id, s.event_type AS event_type, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.cause AS cause ORDER BY valid_from"""
STATE = f"""
MATCH (s:RgDocumentState {{id: $id}}) MATCH (p:RgDocument)-[:HAS_DOCUMENT_STATE]->(s) WHERE p.project IN $projects
RETURN p.kind AS kind, p.node_id AS node_id, {STATE_COLUMNS} LIMIT 1"""

# -- for an index

HEADS = """
UNWIND $ids AS id MATCH (p:RgDocument {node_id: id})
RETURN p.node_id AS node_id, p.owner AS owner, p.kind AS kind, p.address AS address, p.project AS project,
    p.called AS called, p.verified_at AS verified_at, p.title AS title"""
CHAINS = """
UNWIND $ids AS id MATCH (:RgDocument {node_id: id})-[:HAS_DOCUMENT_STATE]->(s:RgDocumentState)
RETURN id AS node_id, s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until ORDER BY valid_from"""
TEXTS = """
UNWIND $ids AS id MATCH (s:RgDocumentState {id: id})
RETURN s.id AS id, s.title AS title, s.body AS body, s.edges AS edges"""
MISSING = """
MATCH (p:RgDocument) OPTIONAL MATCH (m:RgMemory {key: $prefix + p.node_id}) WITH p, m
WHERE m IS NULL OR m.state <> p.state_id RETURN p.node_id AS id"""
VERIFIED = """
UNWIND $keys AS key MATCH (p:RgDocument {address: key}) RETURN key AS address, max(p.verified_at) AS at"""
