"""The statements of the embedded engine for assets. Every value is a parameter; every text put in is our own."""

# ruff: noqa: S608

from __future__ import annotations

from rg_core.store import asset_texts
from rg_core.store.asset_rows import AssetRow, AuditRow, VersionRow

TABLES = (
    """CREATE TABLE asset (id TEXT PRIMARY KEY, project TEXT NOT NULL, type TEXT NOT NULL, source_key TEXT NOT NULL,
  created_at TEXT NOT NULL, head INTEGER NOT NULL, effective INTEGER, UNIQUE (project, type, source_key))""",
    """CREATE TABLE content (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL,
  summary TEXT, labels TEXT NOT NULL, payload TEXT NOT NULL, body TEXT)""",
    """CREATE TABLE version (asset TEXT NOT NULL, n INTEGER NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL,
  via TEXT NOT NULL, act TEXT NOT NULL, status TEXT NOT NULL, content TEXT NOT NULL, owner TEXT NOT NULL,
  visibility TEXT NOT NULL, teams TEXT NOT NULL, acl TEXT NOT NULL, bindings TEXT NOT NULL, priority INTEGER NOT NULL,
  confidence INTEGER NOT NULL, expires_at TEXT, follow INTEGER NOT NULL, provenance TEXT NOT NULL, note TEXT,
  PRIMARY KEY (asset, n)) WITHOUT ROWID""",
    "CREATE INDEX version_content ON version (content)",
    """CREATE TABLE page (content TEXT NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL, sha256 TEXT NOT NULL,
  body TEXT NOT NULL, citation TEXT NOT NULL, PRIMARY KEY (content, path))""",
    "CREATE TABLE page_link (content TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, "
    "found INTEGER NOT NULL)",
    "CREATE INDEX page_link_content ON page_link (content)",
    """CREATE TABLE symbol (content TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, qualname TEXT NOT NULL,
  kind TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (content, id))
  WITHOUT ROWID""",
    "CREATE INDEX symbol_name ON symbol (content, name)",
    "CREATE INDEX symbol_qualname ON symbol (content, qualname)",
    """CREATE TABLE call (content TEXT NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
  line INTEGER NOT NULL, how TEXT NOT NULL)""",
    "CREATE INDEX call_target ON call (content, target)",
    "CREATE INDEX call_source ON call (content, source)",
    "CREATE TABLE maybe (content TEXT NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL)",
    "CREATE INDEX maybe_name ON maybe (content, name)",
    """CREATE TABLE parsed (blob TEXT NOT NULL, extractor TEXT NOT NULL, result BLOB NOT NULL,
  PRIMARY KEY (blob, extractor)) WITHOUT ROWID""",
    """CREATE TABLE audit (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL,
  task TEXT NOT NULL, framework TEXT NOT NULL, project TEXT NOT NULL, via TEXT NOT NULL, op TEXT NOT NULL,
  asset TEXT NOT NULL, n INTEGER NOT NULL, outcome TEXT NOT NULL, detail TEXT NOT NULL)""",
    "CREATE INDEX audit_project ON audit (project, seq)",
    asset_texts.TABLE,
    "CREATE TABLE forgetting (asset TEXT PRIMARY KEY)",  # what `forget` removes in this very transaction
    *(
        f"CREATE TRIGGER {table}_never_changes BEFORE UPDATE ON {table} BEGIN "
        f"SELECT RAISE(ABORT, '{table} rows never change'); END"
        for table in ("version", "content", "audit")
    ),
    "CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows stay'); END",
    """CREATE TRIGGER version_stays BEFORE DELETE ON version
  WHEN NOT EXISTS (SELECT 1 FROM forgetting WHERE asset = OLD.asset)
  BEGIN SELECT RAISE(ABORT, 'versions go with their asset only'); END""",
    """CREATE TRIGGER content_stays BEFORE DELETE ON content
  WHEN NOT EXISTS (SELECT 1 FROM forgetting) OR EXISTS (SELECT 1 FROM version WHERE content = OLD.id)
  BEGIN SELECT RAISE(ABORT, 'contents go with their asset only'); END""",
)
LISTS = ("CREATE INDEX content_listed ON content (id, name, description, summary, labels)",)  # pass by bodies
GRAPHS = (  # one part a file of a code graph, by what it says: versions share those of files that say the same
    *(f"DROP INDEX {name}" for name in ("symbol_name", "symbol_qualname", "call_target", "call_source", "maybe_name")),
    *(f"ALTER TABLE {name} RENAME TO old_{name}" for name in ("symbol", "call", "maybe")),
    "CREATE TABLE part (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)",
    """CREATE TABLE content_part (content TEXT NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (content, part))
  WITHOUT ROWID""",
    "CREATE INDEX content_part_part ON content_part (part)",
    """CREATE TABLE symbol (part INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, qualname TEXT NOT NULL,
  kind TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (id, part))
  WITHOUT ROWID""",
    "CREATE INDEX symbol_part ON symbol (part)",
    "CREATE INDEX symbol_name ON symbol (name)",
    "CREATE INDEX symbol_qualname ON symbol (qualname)",
    """CREATE TABLE call (part INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
  line INTEGER NOT NULL, how TEXT NOT NULL)""",
    "CREATE INDEX call_part ON call (part)",
    "CREATE INDEX call_target ON call (target)",
    "CREATE INDEX call_source ON call (source)",
    "CREATE TABLE maybe (part INTEGER NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL)",
    "CREATE INDEX maybe_part ON maybe (part)",
    "CREATE INDEX maybe_name ON maybe (name)",
    "INSERT INTO part (id) SELECT DISTINCT content FROM old_symbol",
    "INSERT INTO content_part SELECT id, number FROM part",
    "INSERT INTO symbol SELECT number, o.id, name, qualname, kind, path, line, last "
    "FROM old_symbol o JOIN part p ON p.id = o.content",
    "INSERT INTO call SELECT number, source, target, line, how FROM old_call o JOIN part p ON p.id = o.content",
    "INSERT INTO maybe SELECT number, source, name, line FROM old_maybe o JOIN part p ON p.id = o.content",
    *(f"DROP TABLE old_{name}" for name in ("symbol", "call", "maybe")),
)
LEAVING = (
    "CREATE TABLE leaving (asset TEXT PRIMARY KEY) WITHOUT ROWID",  # what is still to be taken off the server
    "CREATE INDEX page_citation ON page (citation)",
)
SCHEMAS = (TABLES, LISTS, GRAPHS, LEAVING)  # what each version of the schema adds to the one before it
PARTS = ("page", "page_link", "content_part")
ROWS = ("symbol", "call", "maybe")  # of a part


def _columns(alias: str, names: tuple[str, ...]) -> str:
    return ", ".join(f"{alias}.{name}" for name in names)


CONTENT = ("id", "name", "description", "summary", "labels", "payload", "body")


def _content(alias: str) -> str:
    return _columns(alias, CONTENT)


HEAD = ("status", "at", "content", "owner", "visibility", "teams", "acl", "bindings", "priority", "confidence",
        "expires_at", "follow")  # fmt: skip
TEXTS = ("name", "description", "summary", "labels")
JOINED = (
    "FROM asset a JOIN version h ON h.asset = a.id AND h.n = a.head JOIN content hc {index} ON hc.id = h.content "
    "LEFT JOIN version e ON e.asset = a.id AND e.n = a.effective AND e.n <> a.head "
    "LEFT JOIN content ec {index} ON ec.id = e.content"
)
LOAD = (
    f"SELECT {_columns('a', ('id', 'type', 'head', 'effective'))}, {_columns('h', HEAD)}, {_columns('hc', TEXTS)}, "
    f"e.at, e.content, {_columns('ec', TEXTS)} {JOINED.format(index='INDEXED BY content_listed')} WHERE a.project = ?"
)
LISTED = f"{LOAD} AND a.id = ?"
GET = (
    f"SELECT {_columns('a', AssetRow._fields)}, {_columns('h', VersionRow._fields)}, {_content('hc')}, "
    f"{_columns('e', VersionRow._fields)}, {_content('ec')} {JOINED.format(index='')} WHERE a.id = ?"
)
VERSIONS = (
    f"SELECT {_columns('v', VersionRow._fields)}, {_content('c')} FROM version v "
    "JOIN content c ON c.id = v.content WHERE v.asset = ? ORDER BY v.n"
)
PUT_ASSET = (
    "INSERT INTO asset VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (id) DO UPDATE SET head = excluded.head, effective = excluded.effective"
)
ADD_VERSION = f"INSERT INTO version VALUES ({','.join('?' * len(VersionRow._fields))})"
ADD_CONTENT = f"INSERT OR IGNORE INTO content VALUES ({','.join('?' * len(CONTENT))})"
ADD_PAGE = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?)"
ADD_LINK = "INSERT INTO page_link VALUES (?, ?, ?, ?)"
ADD_SYMBOL = "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
ADD_CALL = "INSERT INTO call VALUES (?, ?, ?, ?, ?)"
ADD_MAYBE = "INSERT INTO maybe VALUES (?, ?, ?, ?)"
ADD_AUDIT = f"INSERT INTO audit ({', '.join(AuditRow._fields)}) VALUES ({','.join('?' * len(AuditRow._fields))})"
AUDIT = f"SELECT {', '.join(AuditRow._fields)} FROM audit WHERE project = ? AND at >= ? ORDER BY seq DESC"
ORPHANS = (
    "SELECT content FROM version WHERE asset = ?1 AND content NOT IN (SELECT content FROM version WHERE asset <> ?1)"
)
CITING = """SELECT content, path, title, sha256, '', citation FROM page
WHERE citation IN (SELECT value FROM json_each(?)) AND content IN (SELECT value FROM json_each(?))
ORDER BY content, path"""
ADD_PART = "INSERT OR IGNORE INTO part (id) VALUES (?)"
ADD_CONTENT_PART = "INSERT OR IGNORE INTO content_part SELECT ?, number FROM part WHERE id = ?"
PARTS_OF = "SELECT p.number, p.id FROM content_part c JOIN part p ON p.number = c.part WHERE c.content = ?"
LONE_PARTS = "SELECT number FROM part WHERE NOT EXISTS (SELECT 1 FROM content_part WHERE part = number)"
IN_CONTENT = "JOIN content_part p ON p.content = ? AND p.part = "
_SYMBOL = "s.id, s.name, s.qualname, s.kind, s.path, s.line, s.last"
SYMBOLS = f"SELECT {_SYMBOL} FROM symbol s {IN_CONTENT} s.part WHERE s.{{field}} = ? ORDER BY s.path, s.line"
CALLERS = f"""SELECT {_SYMBOL}, c.line, c.how FROM call c {IN_CONTENT} c.part
JOIN symbol s ON s.id = c.source AND s.part = c.part WHERE c.target = ? ORDER BY s.path, c.line"""
CALLEES = f"""SELECT {_SYMBOL}, c.line, c.how FROM call c {IN_CONTENT} c.part
JOIN symbol s ON s.id = c.target JOIN content_part q ON q.content = p.content AND q.part = s.part
WHERE c.source = ? ORDER BY c.line, s.path"""
MAYBES = f"SELECT count(*) FROM maybe m {IN_CONTENT} m.part WHERE m.name = ?"
