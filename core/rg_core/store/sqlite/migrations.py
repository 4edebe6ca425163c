"""The embedded store's schema, as numbered migrations; each runs in one transaction together with its record.

A migration that has been released is never changed: a new one follows it.
"""

from __future__ import annotations

M001_RESOURCES = """
CREATE TABLE resource (            -- the narrow head of a resource: where it is, and its current values for lists
    id INTEGER PRIMARY KEY,
    node_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,            -- repository, issue, pull_request
    repository INTEGER,            -- of an item
    number INTEGER NOT NULL,       -- of an item; 0: a repository
    name TEXT NOT NULL,            -- of a repository, as GitHub spells it now
    named_at TEXT NOT NULL,        -- recorded time of that
    state INTEGER,                 -- the latest State; NULL: only the name of a repository is known
    deleted INTEGER NOT NULL DEFAULT 0,
    moved_to INTEGER,              -- the resource that a transferred item became
    updated_at TEXT NOT NULL,
    pushed_at TEXT NOT NULL,
    fetched_at TEXT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL,          -- open, closed, merged
    author TEXT NOT NULL,
    author_folded TEXT NOT NULL,
    labels TEXT NOT NULL,          -- JSON array, as GitHub spells them
    labels_folded TEXT NOT NULL,   -- rg_core.store.filters.words
    assignees_folded TEXT NOT NULL,
    milestone_folded TEXT NOT NULL,
    milestone_number INTEGER,
    created_at TEXT NOT NULL,
    comments INTEGER NOT NULL
);
CREATE INDEX resource_item ON resource (repository, number) WHERE repository IS NOT NULL;
CREATE INDEX resource_counts ON resource (kind, comments) WHERE state IS NOT NULL;
CREATE INDEX resource_moved_to ON resource (moved_to) WHERE moved_to IS NOT NULL;

CREATE TABLE name (                -- every name that a repository ever had, lower-case; the latest bearer has it
    name TEXT PRIMARY KEY,
    repository INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX name_of ON name (repository);

CREATE TABLE state (               -- immutable but for valid_until, event_type and cause, which are about the chain
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    resource INTEGER NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    recorded_at TEXT NOT NULL,
    event_type TEXT,
    cause TEXT,
    address TEXT NOT NULL,         -- as recorded
    comments TEXT NOT NULL,        -- JSON array of comment.id, in order
    content TEXT NOT NULL          -- JSON object without the comments
);
CREATE UNIQUE INDEX state_chain ON state (resource, valid_from);

CREATE TABLE comment (             -- one wording of one comment; immutable
    id INTEGER PRIMARY KEY,
    resource INTEGER NOT NULL,
    node_id TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    body TEXT NOT NULL,
    path TEXT,
    minimized TEXT
);
CREATE INDEX comment_of ON comment (resource);

CREATE TABLE link (                -- REFERENCES and CLOSES by name: an edge as soon as the other end is stored
    source INTEGER NOT NULL,
    type TEXT NOT NULL,
    repository TEXT NOT NULL,      -- lower-case owner/repo
    number INTEGER NOT NULL,       -- 0: the repository itself
    PRIMARY KEY (source, type, repository, number)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (repository, number);

CREATE TABLE move (                -- a former address
    old TEXT PRIMARY KEY,
    new TEXT NOT NULL,
    node_id TEXT NOT NULL,
    old_node_id TEXT
) WITHOUT ROWID;
CREATE INDEX move_node ON move (node_id);
CREATE INDEX move_old_node ON move (old_node_id);
"""

M002_LISTINGS = """
CREATE TABLE listing (
    id INTEGER PRIMARY KEY,
    repository TEXT NOT NULL,      -- lower-case owner/repo, or *
    kind TEXT NOT NULL,            -- issues, pulls
    query TEXT NOT NULL,           -- what follows the repository in the canonical key
    ordering TEXT NOT NULL,
    snapshot INTEGER NOT NULL,     -- the latest
    fetched_at TEXT NOT NULL,
    UNIQUE (repository, query, ordering)
);

CREATE TABLE snapshot (            -- immutable: what a listing answered from fetched_at on
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    listing INTEGER NOT NULL,
    fetched_at TEXT NOT NULL,
    total_count INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    member_count INTEGER NOT NULL,
    sameness TEXT NOT NULL         -- a digest of the answer without its time
);
CREATE INDEX snapshot_of ON snapshot (listing, fetched_at);

CREATE TABLE member (
    snapshot INTEGER NOT NULL,
    position INTEGER NOT NULL,
    resource INTEGER NOT NULL,
    state INTEGER NOT NULL,        -- the State known when the snapshot was recorded
    fetched_at TEXT NOT NULL,      -- when the answer came that put it there; moves when the same answer comes again
    PRIMARY KEY (snapshot, position)
) WITHOUT ROWID;
CREATE INDEX member_resource ON member (resource);
"""

M003_LEASES = """
CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until REAL NOT NULL            -- seconds since the epoch
) WITHOUT ROWID;
"""

M004_BROWSING = """
CREATE INDEX resource_updated ON resource (updated_at) WHERE state IS NOT NULL;
"""

M005_CHANGES = """
CREATE TABLE change (              -- resources that an index has to look at again, in order
    resource INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL
);
INSERT INTO change SELECT id, id FROM resource;
CREATE INDEX change_seq ON change (seq);
CREATE TRIGGER state_added AFTER INSERT ON state BEGIN
INSERT INTO change VALUES (new.resource, coalesce((SELECT max(seq) FROM change), 0) + 1)
ON CONFLICT (resource) DO UPDATE SET seq = excluded.seq; END;
CREATE TRIGGER state_removed AFTER DELETE ON state BEGIN
INSERT INTO change VALUES (old.resource, coalesce((SELECT max(seq) FROM change), 0) + 1)
ON CONFLICT (resource) DO UPDATE SET seq = excluded.seq; END;
CREATE TRIGGER resource_changed AFTER UPDATE OF updated_at, state, deleted, moved_to, node_id ON resource
WHEN (old.updated_at, old.state, old.deleted, old.moved_to, old.node_id)
    IS NOT (new.updated_at, new.state, new.deleted, new.moved_to, new.node_id) BEGIN
INSERT INTO change VALUES (new.id, coalesce((SELECT max(seq) FROM change), 0) + 1)
ON CONFLICT (resource) DO UPDATE SET seq = excluded.seq; END;
CREATE TRIGGER repository_renamed AFTER UPDATE OF name ON resource WHEN old.name <> new.name BEGIN
INSERT INTO change SELECT id, id + coalesce((SELECT max(seq) FROM change), 0) + 1 FROM resource
WHERE id = new.id OR repository = new.id ON CONFLICT (resource) DO UPDATE SET seq = excluded.seq; END;
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("001_resources", M001_RESOURCES),
    ("002_listings", M002_LISTINGS),
    ("003_leases", M003_LEASES),
    ("004_browsing", M004_BROWSING),
    ("005_changes", M005_CHANGES),
)
