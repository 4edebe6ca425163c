-- A file of Touches as release 0.1 made it.
BEGIN;
CREATE TABLE touch (
    id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, address TEXT NOT NULL, kind TEXT NOT NULL, provenance TEXT NOT NULL,
    at TEXT NOT NULL, session TEXT NOT NULL, harness TEXT NOT NULL, "limit" INTEGER, "order" TEXT NOT NULL,
    tool_name TEXT NOT NULL, tool_use_id TEXT NOT NULL, agent TEXT NOT NULL, agent_type TEXT NOT NULL,
    served_from_memory INTEGER NOT NULL, outcome TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, sent INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX touch_waiting ON touch (user) WHERE status = 'pending' OR reason = 'rate_limited';
CREATE INDEX touch_unsent ON touch (user) WHERE sent = 0;
CREATE TABLE known (
    address TEXT NOT NULL, "order" TEXT NOT NULL, fetched_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    title TEXT NOT NULL, comments INTEGER NOT NULL, member_count INTEGER NOT NULL, total_count INTEGER NOT NULL,
    complete INTEGER NOT NULL, UNIQUE (address, "order")
);
CREATE TABLE nudged (session TEXT, address TEXT, at TEXT NOT NULL, PRIMARY KEY (session, address)) WITHOUT ROWID;
CREATE TABLE caller (
    address TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, agent_type TEXT NOT NULL,
    tool_use_id TEXT NOT NULL, harness TEXT NOT NULL, at TEXT NOT NULL
);
CREATE TABLE settings (
    id INTEGER PRIMARY KEY CHECK (id = 1), stamp TEXT NOT NULL, user TEXT NOT NULL, exclude_projects TEXT NOT NULL,
    exclude_tools TEXT NOT NULL, sweep_auto INTEGER NOT NULL
);
PRAGMA user_version = 1;
INSERT INTO touch VALUES ('t1', 'ann', 'github:o/r#1', 'item', 'FETCHED', '2026-01-01T00:00:00Z', 's', 'claude_code', NULL, '', 'Bash', 'use', '', '', 0, '', 'pending', '', 0, 0);
INSERT INTO known VALUES ('github:o/r#1', '', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'A title', 1, 0, 0, 1);
INSERT INTO nudged VALUES ('s', 'github:o/r#1', '2026-01-01T00:00:00Z');
INSERT INTO caller VALUES ('github:o/r#1', 's', 'agent', 'kind', 'use', 'claude_code', '2026-01-01T00:00:00Z');
INSERT INTO settings VALUES (1, 'stamp', 'ann', '', '', 0);
COMMIT;
