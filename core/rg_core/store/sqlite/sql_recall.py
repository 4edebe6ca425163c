"""The schema of recall's index, and every statement on it. Values are always parameters.

`now` and `past` are full-text indexes without text of their own: the texts are in `piece`, compressed. An open State is
in `now`; when it ends it moves to `past`, so that the past costs the present nothing.
"""

from __future__ import annotations

TOKENIZE = "porter unicode61 remove_diacritics 2"

M001_INDEX = f"""
CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,          -- which store it is from
    row INTEGER NOT NULL,          -- its id there
    user TEXT NOT NULL,            -- "" for public content
    memory_id TEXT NOT NULL,
    address TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,           -- owner/repo, or the project
    number INTEGER NOT NULL,       -- of an issue or pull request; else 0
    title TEXT NOT NULL,
    UNIQUE (source, row)
);
CREATE INDEX memory_id ON memory (memory_id);
CREATE INDEX memory_number ON memory (number) WHERE number > 0;
CREATE INDEX memory_scope ON memory (scope, kind);
CREATE INDEX memory_user ON memory (user);

CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL,
    uid TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    updated_at TEXT NOT NULL,
    embedded INTEGER NOT NULL DEFAULT 0,
    UNIQUE (memory, uid)
);
CREATE INDEX version_bare ON version (valid_until IS NOT NULL) WHERE embedded = 0;

CREATE TABLE piece (               -- one row of full text
    id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL,
    version INTEGER NOT NULL,
    text BLOB NOT NULL             -- zlib of a JSON array: title, body, comments
);
CREATE INDEX piece_version ON piece (version);

CREATE TABLE edge (
    version INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    verb TEXT NOT NULL,
    scope TEXT NOT NULL,           -- the project whose names count; "" for a key; * for any project
    target TEXT NOT NULL,          -- a name or a key
    section TEXT NOT NULL,
    PRIMARY KEY (version, verb, scope, target)
) WITHOUT ROWID;
CREATE INDEX edge_source ON edge (memory);
CREATE INDEX edge_target ON edge (target);

CREATE TABLE name (
    memory INTEGER NOT NULL,
    scope TEXT NOT NULL,           -- a project, or "" for keys
    name TEXT NOT NULL,
    PRIMARY KEY (memory, scope, name)
) WITHOUT ROWID;
CREATE INDEX name_name ON name (name);

CREATE TABLE vector (              -- of one chunk: bytes, one signed number each
    id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX vector_version ON vector (version);

CREATE TABLE progress (            -- up to which change a source was read
    source TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE setting (             -- vectors: a counter that rises with every change; model: whose vectors they are
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE VIRTUAL TABLE now USING fts5(title, body, comments, content='', tokenize='{TOKENIZE}');
INSERT INTO now (now, rank) VALUES ('rank', 'bm25(5.0, 1.0, 1.0)');
CREATE VIRTUAL TABLE past USING fts5(title, body, comments, content='', tokenize='{TOKENIZE}');
INSERT INTO past (past, rank) VALUES ('rank', 'bm25(5.0, 1.0, 1.0)');
CREATE VIRTUAL TABLE now_word USING fts5vocab(now, 'row');
CREATE VIRTUAL TABLE past_word USING fts5vocab(past, 'row')
"""  # noqa: S608 - made of constants

MIGRATIONS = (("001_index", M001_INDEX),)

# -- writing

MEMORY_AT = "SELECT id FROM memory WHERE source = ? AND row = ?"
PUT_MEMORY = """
INSERT INTO memory (source, row, user, memory_id, address, kind, scope, number, title)
VALUES (:source, :row, :user, :memory_id, :address, :kind, :scope, :number, :title)
ON CONFLICT (source, row) DO UPDATE SET user = excluded.user, memory_id = excluded.memory_id,
    address = excluded.address, kind = excluded.kind, scope = excluded.scope, number = excluded.number,
    title = excluded.title RETURNING id"""
VERSIONS_OF = "SELECT id, uid, valid_until FROM version WHERE memory = ?"
UIDS_AT = "SELECT v.uid FROM version v JOIN memory m ON m.id = v.memory WHERE m.source = ? AND m.row = ?"
ADD_VERSION = """
INSERT INTO version (memory, uid, valid_from, valid_until, updated_at) VALUES (?, ?, ?, ?, ?) RETURNING id"""
SET_VERSION = "UPDATE version SET valid_from = ?, valid_until = ?, updated_at = ? WHERE id = ?"
ADD_PIECE = "INSERT INTO piece (memory, version, text) VALUES (?, ?, ?) RETURNING id"
PIECES_OF = "SELECT id, text FROM piece WHERE version = ? ORDER BY id"
ADD_TEXT = {
    "now": "INSERT INTO now (rowid, title, body, comments) VALUES (?, ?, ?, ?)",
    "past": "INSERT INTO past (rowid, title, body, comments) VALUES (?, ?, ?, ?)",
}
DROP_TEXT = {
    "now": "INSERT INTO now (now, rowid, title, body, comments) VALUES ('delete', ?, ?, ?, ?)",
    "past": "INSERT INTO past (past, rowid, title, body, comments) VALUES ('delete', ?, ?, ?, ?)",
}
ADD_EDGE = "INSERT OR IGNORE INTO edge VALUES (?, ?, ?, ?, ?, ?)"
DROP_NAMES = "DELETE FROM name WHERE memory = ?"
ADD_NAME = "INSERT OR IGNORE INTO name VALUES (?, ?, ?)"
DROP_VERSION = (
    "DELETE FROM piece WHERE version = ?",
    "DELETE FROM edge WHERE version = ?",
    "DELETE FROM vector WHERE version = ?",
    "DELETE FROM version WHERE id = ?",
)
DROP_MEMORY = "DELETE FROM memory WHERE id = ?"
OPTIMIZE = ("INSERT INTO now (now) VALUES ('optimize')", "INSERT INTO past (past) VALUES ('optimize')")
CHECKPOINT = "PRAGMA wal_checkpoint(TRUNCATE)"
PROGRESS = "SELECT seq FROM progress WHERE source = ?"
SET_PROGRESS = "INSERT INTO progress VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET seq = excluded.seq"

SETTING = "SELECT value FROM setting WHERE name = ?"
SET_SETTING = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
BARE = """
SELECT v.id, v.memory, m.kind FROM version v JOIN memory m ON m.id = v.memory
WHERE v.embedded = 0 ORDER BY v.valid_until IS NOT NULL, v.id LIMIT ?"""
BARE_LEFT = "SELECT count(*) FROM version WHERE embedded = 0"
ADD_VECTOR = "INSERT INTO vector (memory, version, data) VALUES (?, ?, ?)"
SET_EMBEDDED = "UPDATE version SET embedded = 1 WHERE id = ?"
DROP_VECTORS = ("DELETE FROM vector", "UPDATE version SET embedded = 0")

# -- asking; {scope} is the condition below, {valid} says which States count. CROSS JOIN: in the order written, which
# begins with what is asked for; the planner would rather begin with everything that a user may see.

FOUND = """
SELECT p.id AS piece, m.memory_id, bm25(now, 5.0, 1.0, 1.0) AS score FROM now CROSS JOIN piece p ON p.id = now.rowid
CROSS JOIN version v ON v.id = p.version CROSS JOIN memory m ON m.id = p.memory
WHERE now MATCH :match AND {scope} AND {valid} ORDER BY score LIMIT :limit"""
SCORED = {
    "now": "SELECT rowid AS id, rank * :now{place} AS score FROM now WHERE now MATCH :match{place}",
    "past": "SELECT rowid AS id, rank * :past{place} AS score FROM past WHERE past MATCH :match{place}",
}
FOUND_THEN = """
SELECT p.id AS piece, m.memory_id, sum(found.score) AS score FROM ({parts}) found CROSS JOIN piece p ON p.id = found.id
CROSS JOIN version v ON v.id = p.version CROSS JOIN memory m ON m.id = p.memory
WHERE {scope} AND {valid} GROUP BY p.id ORDER BY score LIMIT :limit"""
SIZE = {"now": "SELECT count(*) FROM now_docsize", "past": "SELECT count(*) FROM past_docsize"}
# Not ORDER BY rank: that sorts everything within FTS5, and takes a third longer than a sorter that knows the limit.
FOUND_WHOLE = """
SELECT rowid AS piece, bm25(now, 5.0, 1.0, 1.0) AS score FROM now WHERE now MATCH :match ORDER BY score LIMIT :limit"""
HAS_TERM = "SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
ROWS = "SELECT max(id) FROM piece"
WORD = "SELECT doc FROM {table}_word WHERE term = ?"
MEMORIES_OF_PIECES = """
SELECT p.id AS piece, m.memory_id FROM json_each(?) wanted CROSS JOIN piece p ON p.id = wanted.value
CROSS JOIN memory m ON m.id = p.memory"""
# Two ends of an index: what a user or nobody owns lies between, and is not looked at.
OTHERS = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM memory WHERE user > '' AND user < :user)
    OR EXISTS (SELECT 1 FROM memory WHERE user > :user)"""

SCOPE = """m.user IN ('', :user)
    AND (:kinds = '[]' OR m.kind IN (SELECT value FROM json_each(:kinds)))
    AND (:repository = '' OR (m.scope = :repository AND m.kind NOT IN ('document', 'note')))
    AND (:project = '' OR (m.scope = :project AND m.kind IN ('document', 'note')))"""
OPEN = "v.valid_until IS NULL"
THEN = "v.valid_from <= :as_of AND (v.valid_until IS NULL OR v.valid_until > :as_of)"

CARDS = """
SELECT m.memory_id, m.address, m.kind, m.scope, m.title, v.uid, v.updated_at, m.id, v.id AS version
FROM json_each(:ids) wanted CROSS JOIN memory m ON m.memory_id = wanted.value CROSS JOIN version v ON v.memory = m.id
WHERE {scope} AND {valid}"""
FIRST_PIECE = "SELECT text FROM piece WHERE version = ? ORDER BY id LIMIT 1"
PIECES_IN = """
SELECT m.memory_id, p.text FROM json_each(:ids) wanted CROSS JOIN memory m ON m.memory_id = wanted.value
CROSS JOIN version v ON v.memory = m.id CROSS JOIN piece p ON p.version = v.id
WHERE {scope} AND {valid} ORDER BY wanted.key, p.id"""

NAMED = """
SELECT wanted.key AS place, m.id, m.memory_id, m.address,
    (SELECT min(l.name) FROM name l WHERE l.memory = m.id AND l.scope <> '') AS label
FROM json_each(:names) wanted CROSS JOIN name n ON n.name = wanted.value CROSS JOIN memory m ON m.id = n.memory
CROSS JOIN version v ON v.memory = m.id WHERE {scope} AND {valid} ORDER BY wanted.key, m.address"""
CALLED = """
SELECT DISTINCT n.scope, n.name FROM json_each(:ids) wanted CROSS JOIN memory m ON m.memory_id = wanted.value
CROSS JOIN name n ON n.memory = m.id WHERE m.user IN ('', :user)"""
NUMBERED = """
SELECT DISTINCT m.id, m.memory_id, m.address, NULL AS label FROM memory m CROSS JOIN version v ON v.memory = m.id
WHERE m.number = :number AND {scope} AND {valid} ORDER BY m.address LIMIT 20"""

SPOKEN_OF = """
SELECT DISTINCT wanted.key AS place, e.target, e.scope FROM json_each(:names) wanted
CROSS JOIN edge e ON e.target = wanted.value CROSS JOIN version v ON v.id = e.version
CROSS JOIN memory m ON m.id = e.memory
WHERE m.user IN ('', :user) AND {valid} ORDER BY wanted.key, e.scope"""
SINCE = """
SELECT min(v.valid_from) FROM version v CROSS JOIN memory m ON m.id = v.memory WHERE m.user IN ('', ?)"""

EDGES_FROM = """
SELECT m.id AS source, e.verb, e.scope, e.target FROM json_each(:nodes) wanted
CROSS JOIN memory m ON m.memory_id = wanted.value CROSS JOIN edge e ON e.memory = m.id
CROSS JOIN version v ON v.id = e.version
WHERE m.user IN ('', :user) AND {valid} LIMIT 20000"""
EDGES_TO = """
SELECT m.id AS source, e.verb, e.scope, e.target FROM json_each(:nodes) wanted
CROSS JOIN memory t ON t.memory_id = wanted.value CROSS JOIN name n ON n.memory = t.id
CROSS JOIN edge e ON e.target = n.name
CROSS JOIN version v ON v.id = e.version CROSS JOIN memory m ON m.id = e.memory
WHERE (e.scope = n.scope OR (e.scope = '*' AND n.scope <> '')) AND m.user IN ('', :user) AND {valid} LIMIT 20000"""
EDGES_TO_NAME = """
SELECT m.id AS source, e.verb, e.scope, e.target FROM json_each(:nodes) wanted
CROSS JOIN edge e ON e.target = wanted.value
CROSS JOIN version v ON v.id = e.version CROSS JOIN memory m ON m.id = e.memory
WHERE m.user IN ('', :user) AND {valid} LIMIT 20000"""
NODES = """
SELECT m.id, m.memory_id, m.address, (SELECT min(l.name) FROM name l WHERE l.memory = m.id AND l.scope <> '') AS label
FROM json_each(?) wanted CROSS JOIN memory m ON m.id = wanted.value"""
TARGETS = """
SELECT wanted.value AS target, n.scope, m.id, m.memory_id, m.address,
    (SELECT min(l.name) FROM name l WHERE l.memory = m.id AND l.scope <> '') AS label
FROM json_each(:targets) wanted CROSS JOIN name n ON n.name = wanted.value CROSS JOIN memory m ON m.id = n.memory
WHERE m.user IN ('', :user)"""

VECTORS = """
SELECT m.memory_id, t.data FROM vector t CROSS JOIN version v ON v.id = t.version CROSS JOIN memory m ON m.id = t.memory
WHERE {valid} AND {scope} ORDER BY t.id"""

COUNTS = "SELECT (SELECT count(*) FROM memory), (SELECT count(*) FROM version), (SELECT count(*) FROM vector)"
