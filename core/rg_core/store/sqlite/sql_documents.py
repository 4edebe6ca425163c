"""The schema of the file of documents and notes, and every statement on it. Values are always parameters."""

from __future__ import annotations

M001_PAGES = """
CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    key TEXT NOT NULL,             -- doc:PROJECT/PATH, note:PROJECT/ID
    kind TEXT NOT NULL,            -- document, note
    project TEXT NOT NULL,         -- "" for a note of no project
    path TEXT NOT NULL,
    node_id TEXT NOT NULL UNIQUE,
    state INTEGER,                 -- the latest
    deleted INTEGER NOT NULL DEFAULT 0,
    verified_at TEXT NOT NULL,
    mtime INTEGER NOT NULL,        -- nanoseconds
    size INTEGER NOT NULL,
    UNIQUE (user, key)
);

CREATE TABLE state (               -- immutable but for valid_until
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    page INTEGER NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    recorded_at TEXT NOT NULL,
    event_type TEXT,
    cause TEXT,
    key TEXT NOT NULL,             -- as recorded
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    facts TEXT NOT NULL            -- JSON object of texts
);
CREATE UNIQUE INDEX state_chain ON state (page, valid_from);

CREATE TABLE edge (
    state INTEGER NOT NULL,
    verb TEXT NOT NULL,
    target TEXT NOT NULL,          -- a name or a key
    section TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (state, verb, target)
) WITHOUT ROWID;

CREATE TABLE name (                -- by which texts speak of a page: its names, and keys that it had
    user TEXT NOT NULL,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    page INTEGER NOT NULL,
    PRIMARY KEY (user, project, name, page)
) WITHOUT ROWID;
CREATE INDEX name_of ON name (page);

CREATE TABLE root (
    user TEXT NOT NULL,
    path TEXT NOT NULL,
    project TEXT NOT NULL,
    directory TEXT NOT NULL,       -- of the project: the paths in keys are relative to it
    globs TEXT NOT NULL,           -- JSON array
    history INTEGER NOT NULL,
    head TEXT NOT NULL,            -- the commit up to which its history was read
    PRIMARY KEY (user, path)
) WITHOUT ROWID;

CREATE TABLE unseen (              -- edges that a sync changed by itself, until somebody looks
    id INTEGER PRIMARY KEY,
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    sign TEXT NOT NULL,
    verb TEXT NOT NULL,
    target TEXT NOT NULL,
    section TEXT NOT NULL
);

CREATE TABLE change (              -- what an index has to look at again, in order
    page INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL
);
CREATE INDEX change_seq ON change (seq)
"""

M002_SENT = """
CREATE TABLE sent (                -- what a server has, or may have, of a user's pages
    user TEXT NOT NULL,
    place TEXT NOT NULL,           -- its address
    key TEXT NOT NULL,
    digest TEXT NOT NULL,          -- of what was sent; "" until that was finished
    PRIMARY KEY (user, place, key)
) WITHOUT ROWID
"""

MIGRATIONS = (("001_pages", M001_PAGES), ("002_sent", M002_SENT))

SENT = "SELECT key, digest FROM sent WHERE user = ? AND place = ?"
SENT_TO = "SELECT DISTINCT place FROM sent WHERE user = ? ORDER BY place"
MARK_SENT = "INSERT INTO sent VALUES (?, ?, ?, ?) ON CONFLICT (user, place, key) DO UPDATE SET digest = excluded.digest"
DROP_SENT = "DELETE FROM sent WHERE user = ? AND place = ? AND key = ?"

CHANGED = """
INSERT INTO change VALUES (?, coalesce((SELECT max(seq) FROM change), 0) + 1)
ON CONFLICT (page) DO UPDATE SET seq = excluded.seq"""
CHANGES = "SELECT page, seq FROM change WHERE seq > ? ORDER BY seq LIMIT ?"
LAST_CHANGE = "SELECT coalesce(max(seq), 0) FROM change"
CHANGES_LEFT = "SELECT count(*) FROM change WHERE seq > ?"

PAGE = "SELECT * FROM page WHERE user = ? AND key = ?"
PAGE_BY_ID = "SELECT * FROM page WHERE id = ?"
PAGE_FORMERLY = """
SELECT p.* FROM name n JOIN page p ON p.id = n.page WHERE n.user = ? AND n.project = '' AND n.name = ?
ORDER BY p.id DESC LIMIT 1"""
ADD_PAGE = """
INSERT INTO page (user, key, kind, project, path, node_id, verified_at, mtime, size)
VALUES (:user, :key, :kind, :project, :path, :node_id, :at, :mtime, :size)"""
SET_PAGE = """
UPDATE page SET key = :key, project = :project, path = :path, state = :state, deleted = 0, verified_at = :at,
    mtime = :mtime, size = :size WHERE id = :id"""
SET_VERIFIED = "UPDATE page SET verified_at = ?, mtime = ?, size = ? WHERE user = ? AND key = ?"
REVERIFY = "UPDATE page SET verified_at = ? WHERE user = ? AND key = ?"
SET_DELETED = "UPDATE page SET state = ?, deleted = 1 WHERE id = ?"
HEADS = """
SELECT p.*, s.uid, s.title, s.valid_from, s.facts FROM page p JOIN state s ON s.id = p.state
WHERE p.user = :user AND (:project IS NULL OR p.project = :project) ORDER BY p.key"""
HEAD = HEADS.replace("ORDER BY", "AND p.key = :key ORDER BY")

STATE = "SELECT * FROM state WHERE id = ?"
STATE_THEN = "SELECT * FROM state WHERE page = ? AND valid_from <= ? ORDER BY valid_from DESC LIMIT 1"
STATE_BY_UID = """
SELECT s.*, p.kind, p.node_id, p.project FROM state s JOIN page p ON p.id = s.page WHERE s.uid = ? AND p.user = ?"""
TEXT_BY_UID = "SELECT * FROM state WHERE uid = ?"
CHAIN = "SELECT * FROM state WHERE page = ? ORDER BY valid_from"
ADD_STATE = """
INSERT INTO state (uid, page, valid_from, valid_until, recorded_at, event_type, cause, key, title, text, facts)
VALUES (:uid, :page, :valid_from, :valid_until, :recorded_at, :event_type, :cause, :key, :title, :text, :facts)"""
END_STATE = "UPDATE state SET valid_until = ? WHERE id = ?"
CAUSED = "SELECT 1 FROM state WHERE page = ? AND cause = ? LIMIT 1"

EDGES = "SELECT verb, target, section, created_at FROM edge WHERE state = ? ORDER BY verb, target"
ADD_EDGE = "INSERT OR IGNORE INTO edge VALUES (?, ?, ?, ?, ?)"
OPEN_EDGES = """
SELECT p.key, p.project, e.verb, e.target, e.section, e.created_at, s.uid FROM page p
JOIN state s ON s.id = p.state JOIN edge e ON e.state = p.state
WHERE p.user = :user AND p.deleted = 0 ORDER BY p.key, e.verb, e.target"""
WAS_SUPERSEDED = "SELECT 1 FROM state WHERE page = ? AND event_type = 'superseded' LIMIT 1"

DROP_NAMES = "DELETE FROM name WHERE page = ? AND project <> ''"
ADD_NAME = "INSERT OR IGNORE INTO name VALUES (?, ?, ?, ?)"
NAMED = """
SELECT p.key, n.project FROM name n JOIN page p ON p.id = n.page
WHERE n.user = ? AND n.name = ? AND n.project <> '' ORDER BY p.deleted, p.key"""
NAMES_OF = "SELECT name FROM name WHERE page = ? AND project <> '' ORDER BY name"
NAMES_BY_PAGE = "SELECT page, name FROM name WHERE user = ? AND project <> '' ORDER BY page, name"
ALL_NAMES = "SELECT DISTINCT name FROM name WHERE user = ? AND project <> '' ORDER BY name"
NAME_ROWS = "SELECT project, name FROM name WHERE page = ?"

ROOTS = "SELECT * FROM root WHERE user = ? ORDER BY path"
PUT_ROOT = """
INSERT INTO root VALUES (:user, :path, :project, :directory, :globs, :history, :head)
ON CONFLICT (user, path) DO UPDATE SET project = excluded.project, directory = excluded.directory,
    globs = excluded.globs, history = excluded.history, head = excluded.head"""
DROP_ROOT = "DELETE FROM root WHERE user = ? AND path = ?"

ADD_UNSEEN = "INSERT INTO unseen (user, key, sign, verb, target, section) VALUES (?, ?, ?, ?, ?, ?)"
UNSEEN = "SELECT key, sign, verb, target, section FROM unseen WHERE user = ? ORDER BY id LIMIT 1000"
DROP_UNSEEN = "DELETE FROM unseen WHERE user = ?"
DROP_UNSEEN_OF = "DELETE FROM unseen WHERE user = ? AND (key = ? OR target = ?)"

FORGET = (
    "DELETE FROM edge WHERE state IN (SELECT id FROM state WHERE page = ?)",
    "DELETE FROM state WHERE page = ?",
    "DELETE FROM name WHERE page = ?",
    "DELETE FROM page WHERE id = ?",
)
KEYS_FROM = "SELECT key FROM page WHERE user = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?"
COUNTS = "SELECT kind, count(*) AS n FROM page WHERE user = ? AND deleted = 0 GROUP BY kind"
CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)"
