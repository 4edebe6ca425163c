-- The tables of telemetry.db. Times are whole seconds in UTC; addresses and memory ids are opaque text here.

CREATE TABLE recall_event (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, at TEXT NOT NULL, store TEXT NOT NULL, project TEXT NOT NULL,
    harness TEXT NOT NULL, agent TEXT NOT NULL, agent_type TEXT NOT NULL, session TEXT NOT NULL,
    connection TEXT NOT NULL, tool_use_id TEXT NOT NULL, query TEXT NOT NULL, query_class TEXT NOT NULL,
    as_of TEXT, page INTEGER NOT NULL, result_count INTEGER NOT NULL, candidate_count INTEGER NOT NULL,
    payload_bytes INTEGER NOT NULL, took_ms REAL NOT NULL, match TEXT NOT NULL CHECK (match IN ('strong', 'weak')),
    weights TEXT NOT NULL, rrf_k INTEGER NOT NULL, half_life_days REAL NOT NULL
);
CREATE INDEX recall_event_of ON recall_event (user, at);
CREATE INDEX recall_event_session ON recall_event (session);
CREATE TABLE recall_candidate (
    recall_id TEXT NOT NULL, memory_id TEXT NOT NULL, kind TEXT NOT NULL, address TEXT NOT NULL, state_id TEXT NOT NULL,
    position INTEGER, score REAL NOT NULL, named INTEGER,
    vec_rank INTEGER, lex_rank INTEGER, graph_rank INTEGER, vec_z REAL, lex_z REAL, graph_z REAL,
    age_days REAL NOT NULL, superseded INTEGER NOT NULL, superseded_by TEXT,
    floor_bytes INTEGER NOT NULL, json_bytes INTEGER NOT NULL, requests INTEGER NOT NULL, PRIMARY KEY (recall_id, memory_id)
) WITHOUT ROWID;
CREATE TABLE read_event (
    touch_id TEXT PRIMARY KEY, user TEXT NOT NULL, at TEXT NOT NULL, project TEXT NOT NULL, memory_id TEXT NOT NULL,
    state_id TEXT NOT NULL, page INTEGER NOT NULL, payload_bytes INTEGER NOT NULL, floor_bytes INTEGER NOT NULL,
    json_bytes INTEGER NOT NULL, requests INTEGER NOT NULL, verified_at TEXT, verdict TEXT
);
CREATE INDEX read_event_unsettled ON read_event (memory_id) WHERE verdict IS NULL;
CREATE TABLE citation_event (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, at TEXT NOT NULL, recall_id TEXT NOT NULL, touch_id TEXT NOT NULL,
    memory_id TEXT NOT NULL, address TEXT NOT NULL, session TEXT NOT NULL, harness TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('cited', 'dismissed', 'flagged_stale', 'rewrote', 'saved_rework')),
    given_by TEXT NOT NULL CHECK (given_by IN ('agent', 'user', 'sweep')), note TEXT NOT NULL,
    CHECK ((recall_id = '') <> (touch_id = '')), UNIQUE (recall_id, touch_id, memory_id, kind)
);
CREATE INDEX citation_event_memory ON citation_event (memory_id);
CREATE TABLE session_wrap (user TEXT, session TEXT, harness TEXT, project TEXT, started TEXT, ended TEXT, facts TEXT,
    PRIMARY KEY (user, session)) WITHOUT ROWID;

-- What no event tells, one row: bytes of our catalogue and instructions in a session, and of one Nudge on average.
CREATE TABLE declared (tools_bytes INTEGER NOT NULL, nudge_bytes INTEGER NOT NULL);
