"""Every SQL statement with which the embedded store writes. Values are always parameters."""

from __future__ import annotations

RESOURCE_BY_NODE = "SELECT * FROM resource WHERE node_id = ?"
RESOURCE_BY_PLACE = "SELECT * FROM resource WHERE repository = ? AND number = ?"
RESOURCE_BY_ID = "SELECT * FROM resource WHERE id = ?"
ADD_RESOURCE = """
INSERT INTO resource (node_id, kind, repository, number, name, named_at, updated_at, pushed_at, fetched_at, title,
                      status, author, author_folded, labels, labels_folded, assignees_folded, milestone_folded,
                      created_at, comments)
VALUES (:node_id, :kind, :repository, :number, :name, :named_at, '', '', '', '', '', '', '', '[]', '', '', '', '', 0)"""
SET_NODE = "UPDATE resource SET node_id = ? WHERE id = ?"
SET_HEAD = """
UPDATE resource SET repository = :repository, number = :number, updated_at = :updated_at, pushed_at = :pushed_at,
    fetched_at = :fetched_at, title = :title, status = :status, author = :author, author_folded = :author_folded,
    labels = :labels, labels_folded = :labels_folded, assignees_folded = :assignees_folded,
    milestone_folded = :milestone_folded, milestone_number = :milestone_number, created_at = :created_at,
    comments = :comments, state = :state, deleted = 0, moved_to = NULL, kind = :kind
WHERE id = :id"""
SET_FETCHED = """
UPDATE resource SET fetched_at = max(fetched_at, :fetched_at), updated_at = max(updated_at, :updated_at),
    pushed_at = max(pushed_at, :pushed_at) WHERE id = :id"""
SET_DELETED = "UPDATE resource SET state = ?, deleted = 1 WHERE id = ?"
SET_MOVED = "UPDATE resource SET moved_to = ? WHERE id = ?"
SET_NAME = "UPDATE resource SET name = ?, named_at = ? WHERE id = ?"
PUT_NAME = """
INSERT INTO name VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET repository = excluded.repository
WHERE repository <> excluded.repository"""
LISTINGS_UNDER = "SELECT id, query, ordering, fetched_at FROM listing WHERE repository = ?"
MOVE_LISTING = "UPDATE listing SET repository = ? WHERE id = ?"
PUT_NAME_OF = """
INSERT INTO name SELECT ?, id FROM resource WHERE node_id = ? ON CONFLICT (name) DO UPDATE
SET repository = excluded.repository"""

STATE = "SELECT * FROM state WHERE id = ?"
STATE_ID = "SELECT id FROM state WHERE uid = ?"
FIRST_STATE = "SELECT id, valid_from FROM state WHERE resource = ? ORDER BY valid_from LIMIT 1"
ADD_STATE = """
INSERT INTO state (uid, resource, valid_from, valid_until, recorded_at, event_type, cause, address, comments, content)
VALUES (:uid, :resource, :valid_from, :valid_until, :recorded_at, :event_type, :cause, :address, :comments, :content)"""
END_STATE = "UPDATE state SET valid_until = ? WHERE id = ?"
SET_EVENT = "UPDATE state SET event_type = ? WHERE id = ?"
STATE_AT = "SELECT 1 FROM state WHERE resource = ? AND valid_from = ?"
CHAIN = "SELECT id, valid_from, valid_until FROM state WHERE resource = ? ORDER BY valid_from"

ADD_COMMENT = """
INSERT INTO comment (resource, node_id, author, created_at, updated_at, body, path, minimized)
VALUES (:resource, :node_id, :author, :created_at, :updated_at, :body, :path, :minimized)"""

DROP_LINKS = "DELETE FROM link WHERE source = ?"
ADD_LINK = "INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?)"
PUT_MOVE = """
INSERT INTO move VALUES (:old, :new, :node_id, :old_node_id) ON CONFLICT (old) DO UPDATE
SET new = excluded.new, node_id = excluded.node_id, old_node_id = coalesce(excluded.old_node_id, old_node_id)"""
MOVE_ONWARD = "SELECT new, node_id FROM move WHERE old_node_id = ?"
MOVES_TO = "SELECT old, old_node_id FROM move WHERE node_id = ?"

LISTING = "SELECT id, snapshot, fetched_at FROM listing WHERE repository = ? AND query = ? AND ordering = ?"
ADD_LISTING = """
INSERT INTO listing (repository, kind, query, ordering, snapshot, fetched_at)
VALUES (:repository, :kind, :query, :ordering, 0, '')"""
SET_LISTING = "UPDATE listing SET snapshot = ?, fetched_at = ? WHERE id = ?"
SNAPSHOT = "SELECT * FROM snapshot WHERE id = ?"
SNAPSHOT_ID = "SELECT id FROM snapshot WHERE uid = ?"
LATEST_SNAPSHOT = "SELECT id, fetched_at FROM snapshot WHERE listing = ? ORDER BY fetched_at DESC LIMIT 1"
ADD_SNAPSHOT = """
INSERT INTO snapshot (uid, listing, fetched_at, total_count, complete, member_count, sameness)
VALUES (:uid, :listing, :fetched_at, :total_count, :complete, :member_count, :sameness)"""
ADD_MEMBER = "INSERT INTO member VALUES (?, ?, ?, ?, ?)"
SET_MEMBER = "UPDATE member SET fetched_at = ? WHERE snapshot = ? AND position = ? AND fetched_at <> ?"
MEMBER_FACTS = """
SELECT r.id, r.state, r.node_id, r.number, r.title, r.status, p.name AS repository
FROM json_each(?) asked JOIN resource r ON r.node_id = asked.value LEFT JOIN resource p ON p.id = r.repository
WHERE r.state IS NOT NULL"""

TAKE_LEASE = """
INSERT INTO lease VALUES (:name, :holder, :until) ON CONFLICT (name) DO UPDATE SET holder = :holder, until = :until
WHERE holder = :holder OR until <= :now"""
RELEASE = "DELETE FROM lease WHERE name = ? AND holder = ?"

# -- forgetting

FORGET_CONTENT = (
    "DELETE FROM comment WHERE resource = ?",
    "DELETE FROM state WHERE resource = ?",
    "DELETE FROM link WHERE source = ?",
)
FORGET_RESOURCE = "DELETE FROM resource WHERE id = ?"
STUB_RESOURCE = """
UPDATE resource SET state = NULL, updated_at = '', pushed_at = '', fetched_at = '', deleted = 0 WHERE id = ?"""
FORGET_MOVES = "DELETE FROM move WHERE node_id = ? OR old_node_id = ?"
FORGET_NAMES = "DELETE FROM name WHERE repository = ?"
HAS_ITEMS = "SELECT 1 FROM resource WHERE repository = ? LIMIT 1"
SNAPSHOTS_WITH = "SELECT DISTINCT snapshot FROM member WHERE resource = ?"
MEMBERS = "SELECT position, resource, state, fetched_at FROM member WHERE snapshot = ? ORDER BY position"
DROP_MEMBERS = "DELETE FROM member WHERE snapshot = ?"
SHRINK_SNAPSHOT = "UPDATE snapshot SET member_count = ?, complete = 0, sameness = '' WHERE id = ?"
FORGET_LISTING = (
    "DELETE FROM member WHERE snapshot IN (SELECT id FROM snapshot WHERE listing = ?)",
    "DELETE FROM snapshot WHERE listing = ?",
    "DELETE FROM listing WHERE id = ?",
)
LISTINGS_AT = "SELECT id FROM listing WHERE repository = ? AND query = ?"
CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)"
