"""Every SQL statement with which the embedded store reads. Values are always parameters."""

from __future__ import annotations

REPOSITORY_NAMED = "SELECT r.* FROM name n JOIN resource r ON r.id = n.repository WHERE n.name = ?"
NAMES_OF = "SELECT other.name FROM name n JOIN name other ON other.repository = n.repository WHERE n.name = ?"
BY_ID = "SELECT * FROM resource WHERE id = ?"
BY_NODE = "SELECT * FROM resource WHERE node_id = ?"
BY_NODES = """
SELECT r.node_id, r.updated_at, r.fetched_at FROM json_each(?) asked JOIN resource r ON r.node_id = asked.value
WHERE r.state IS NOT NULL"""
MOVED = "SELECT new, node_id FROM move WHERE old = ?"
PREDECESSOR = "SELECT * FROM resource WHERE moved_to = ? LIMIT 1"

STATE = "SELECT * FROM state WHERE id = ?"
STATE_THEN = "SELECT * FROM state WHERE resource = ? AND valid_from <= ? ORDER BY valid_from DESC LIMIT 1"
STATE_BY_UID = "SELECT s.*, r.kind FROM state s JOIN resource r ON r.id = s.resource WHERE s.uid = ?"
COMMENTS = """
SELECT c.id, c.node_id, c.author, c.created_at, c.updated_at, c.body, c.path, c.minimized
FROM json_each(?) wanted CROSS JOIN comment c ON c.id = wanted.value ORDER BY wanted.key"""
HISTORY = """
SELECT uid, event_type, valid_from, valid_until, recorded_at, cause FROM state WHERE resource = ? ORDER BY valid_from"""

LINKS_FROM = "SELECT type, repository, number FROM link WHERE source = ?"
LINKS_TO = """
SELECT l.type, r.id FROM link l JOIN resource r ON r.id = l.source
WHERE l.repository IN (SELECT value FROM json_each(?)) AND l.number = ?"""

LISTING = """
SELECT s.id AS snapshot, s.uid, l.query, l.repository, l.ordering, s.member_count, s.total_count, s.complete,
       l.fetched_at
FROM listing l JOIN snapshot s ON s.id = l.snapshot
WHERE l.repository IN (SELECT value FROM json_each(?)) AND l.query = ? AND l.ordering = ?
ORDER BY l.fetched_at DESC LIMIT 1"""
CANDIDATES = """
SELECT s.uid, l.query, l.ordering, s.member_count, s.total_count, s.complete, l.fetched_at
FROM listing l JOIN snapshot s ON s.id = l.snapshot
WHERE l.repository IN (SELECT value FROM json_each(?)) AND l.kind = ?
ORDER BY l.fetched_at DESC, l.query, l.ordering"""
CANDIDATES_THEN = """
SELECT s.uid, l.query, l.ordering, s.member_count, s.total_count, s.complete, s.fetched_at
FROM listing l JOIN snapshot s ON s.id =
    (SELECT id FROM snapshot WHERE listing = l.id AND fetched_at <= ? ORDER BY fetched_at DESC, id DESC LIMIT 1)
WHERE l.repository IN (SELECT value FROM json_each(?)) AND l.kind = ?
ORDER BY s.fetched_at DESC, l.query, l.ordering"""
LISTINGS_WITH = """
SELECT s.uid, l.repository, l.query, l.ordering, s.member_count, s.total_count, s.complete, l.fetched_at
FROM member m JOIN snapshot s ON s.id = m.snapshot JOIN listing l ON l.id = s.listing AND l.snapshot = s.id
WHERE m.resource = ? ORDER BY l.repository, l.query, l.ordering"""
LISTED_SINCE = """
SELECT min(s.fetched_at) FROM listing l JOIN snapshot s ON s.listing = l.id
WHERE l.repository IN (SELECT value FROM json_each(?)) AND l.query = ?"""
MEMBERS = """
SELECT r.node_id, m.fetched_at FROM member m JOIN resource r ON r.id = m.resource
WHERE m.snapshot = ? ORDER BY m.position"""
SNAPSHOT = """
SELECT s.*, l.repository, l.query, l.ordering FROM snapshot s JOIN listing l ON l.id = s.listing WHERE s.uid = ?"""
SNAPSHOT_MEMBERS = """
SELECT s.address, s.content FROM member m JOIN state s ON s.id = m.state WHERE m.snapshot = ? ORDER BY m.position"""

# -- pages of a listing. A page by position touches only its own rows; a question of its own looks once at every
# member's narrow head (or, as of a time, at its State then), and assembles only the page's rows.

ROWS = """
SELECT r.node_id, r.number, r.title, r.status, r.labels, r.updated_at, r.comments, r.kind, r.author,
    (SELECT name FROM resource WHERE id = r.repository) AS repository """
BY_POSITION = (
    ROWS
    + """FROM member m CROSS JOIN resource r ON r.id = m.resource
WHERE m.snapshot = :snapshot AND m.position >= :first AND m.position < :last ORDER BY m.position"""
)
CHOSEN = ROWS + """FROM json_each(:chosen) wanted CROSS JOIN resource r ON r.id = wanted.value ORDER BY wanted.key"""
MATCHING = """
SELECT r.id FROM member m CROSS JOIN resource r ON r.id = m.resource WHERE m.snapshot = :snapshot"""
FILTERS = {
    "open": "r.status = 'open'",
    "closed": "r.status = 'closed'",
    "merged": "r.status = 'merged'",
    "closed or merged": "r.status IN ('closed', 'merged')",
    "label": "instr(r.labels_folded, {}) > 0",
    "author": "r.author_folded = {}",
    "assignee": "instr(r.assignees_folded, {}) > 0",
    "milestone": "r.milestone_folded = {}",
    "milestone number": "r.milestone_number = {}",
}
ORDERS = {
    "created-desc": "r.created_at DESC, r.number DESC",
    "created-asc": "r.created_at, r.number",
    "updated-desc": "r.updated_at DESC, r.number DESC",
    "updated-asc": "r.updated_at, r.number",
    "comments-desc": "r.comments DESC, r.number DESC",
    "comments-asc": "r.comments, r.number",
}
BY_PLACE = "m.position"
MEMBERS_THEN = """
SELECT r.node_id, s.address, s.content, r.updated_at, s.id = r.state AS latest,
    (SELECT count(*) FROM json_each(s.comments) j CROSS JOIN comment c ON c.id = j.value
     WHERE c.created_at <= :as_of) AS comments
FROM member m CROSS JOIN resource r ON r.id = m.resource
CROSS JOIN state s ON s.resource = r.id AND s.valid_from =
    (SELECT max(valid_from) FROM state WHERE resource = r.id AND valid_from <= :as_of)
WHERE m.snapshot = :snapshot AND m.position >= :first AND m.position < :last ORDER BY m.position"""

# -- what is stored, latest change first; a page begins after the last row of the one before

BROWSE = """
SELECT r.kind, r.number, r.title, r.status, r.labels, r.author, r.updated_at, r.fetched_at, r.comments,
    coalesce(p.name, r.name) AS repository
FROM resource r INDEXED BY resource_updated LEFT JOIN resource p ON p.id = r.repository
WHERE r.state IS NOT NULL AND r.moved_to IS NULL AND r.updated_at <= :updated_at
    AND (r.updated_at, lower(coalesce(p.name, r.name)), r.number) < (:updated_at, :name, :number)
    AND (:kind = '' OR r.kind = :kind) AND (:status = '' OR r.status = :status)
    AND (:label = '' OR instr(r.labels_folded, :label) > 0)
    AND (:named = '' OR coalesce(r.repository, r.id) = (SELECT repository FROM name WHERE name = :named))
ORDER BY r.updated_at DESC, lower(coalesce(p.name, r.name)) DESC, r.number DESC LIMIT :limit"""
REPOSITORY_COUNTS = """
SELECT lower(p.name) AS name, count(*) AS items FROM resource r JOIN resource p ON p.id = r.repository
WHERE r.state IS NOT NULL AND r.moved_to IS NULL GROUP BY p.id ORDER BY items DESC, name"""

STATE_COUNTS = """
SELECT status AS value, count(*) AS items FROM resource
WHERE state IS NOT NULL AND moved_to IS NULL AND status <> '' GROUP BY status ORDER BY items DESC, value"""
LABEL_COUNTS = """
SELECT min(l.value) AS value, count(*) AS items FROM resource r, json_each(r.labels) l
WHERE r.state IS NOT NULL AND r.moved_to IS NULL GROUP BY lower(l.value) ORDER BY items DESC, value LIMIT ?"""

# -- completion: ranges of an index, [:first, :beyond)

NAMES_FROM = """
SELECT n.name, r.state IS NOT NULL AS stored FROM name n JOIN resource r ON r.id = n.repository
WHERE n.name >= ? AND n.name < ? AND lower(r.name) = n.name ORDER BY n.name LIMIT ?"""
NUMBERS_OF = """
SELECT r.number FROM name n CROSS JOIN resource r ON r.repository = n.repository
WHERE n.name = ? AND r.state IS NOT NULL AND CAST(r.number AS TEXT) GLOB ? ORDER BY r.number LIMIT ?"""
LISTINGS_OF = """
SELECT DISTINCT query FROM listing WHERE repository = ? AND query >= ? AND query < ? ORDER BY query LIMIT ?"""
STATE_IDS = "SELECT uid FROM state WHERE uid >= ? AND uid < ? ORDER BY uid LIMIT ?"
SNAPSHOT_IDS = "SELECT uid FROM snapshot WHERE uid >= ? AND uid < ? ORDER BY uid LIMIT ?"

# -- the whole

INTEGRITY = "PRAGMA integrity_check"
KINDS = "SELECT kind, count(*) AS n, sum(comments) AS comments FROM resource WHERE state IS NOT NULL GROUP BY kind"
COUNT_STATES = "SELECT count(*) FROM state"
COUNT_LISTINGS = "SELECT count(*) FROM listing"
RESOURCES_AFTER = "SELECT * FROM resource WHERE node_id > ? ORDER BY node_id LIMIT ?"
REPOSITORIES = "SELECT * FROM resource WHERE kind = 'repository' ORDER BY node_id"
NAMES = "SELECT name FROM name WHERE repository = ? ORDER BY name"
STATES_OF = "SELECT * FROM state WHERE resource = ? ORDER BY valid_from"
MOVES = "SELECT old, new, node_id, old_node_id FROM move ORDER BY old"
LISTINGS = "SELECT * FROM listing ORDER BY repository, query, ordering"
SNAPSHOTS_OF = """
SELECT s.* FROM snapshot s JOIN listing l ON l.id = s.listing WHERE l.id = ?
ORDER BY s.fetched_at, l.snapshot = s.id, s.uid"""
DUMPED_MEMBERS = """
SELECT r.node_id, s.uid, m.fetched_at FROM member m JOIN resource r ON r.id = m.resource
JOIN state s ON s.id = m.state WHERE m.snapshot = ? ORDER BY m.position"""

# -- what changed, for an index

CHANGES = "SELECT resource, seq FROM change WHERE seq > ? ORDER BY seq LIMIT ?"
CHANGES_LEFT = "SELECT count(*) FROM change WHERE seq > ?"
CHAIN = "SELECT id, uid, valid_from, valid_until, content FROM state WHERE resource = ? ORDER BY valid_from"
