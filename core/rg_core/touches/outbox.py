"""The hook's half of the local file of Touches: open it, read the settings row, look up, write once. Hot.

One SQLite file (paths.outbox_file), mode 0600 in a directory of mode 0700, in WAL mode with synchronous=NORMAL: what a
call has committed survives a kill -9 of any process. The other half, for commands, the Sweep and the MCP server, is
rg_core.touches.database. `_sqlite3` and `_blake2` are taken without their Python wrappers, which cost a hook 4 ms.

Tables: touch (one exploration of one address), known (addresses that memory holds, for the Nudge), nudged (which
session was told of which address), caller (who is about to read memory), settings (what the hook needs of config.toml).
"""

# ruff: noqa: S608 - every text put into a statement is our own; values are parameters

from __future__ import annotations

import os
from _blake2 import blake2b
from _sqlite3 import Connection, connect

from rg_core.record import record
from rg_core.touches.known import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rg_core.touches.touch import Touch

VERSION = 1  # PRAGMA user_version
BUSY = 0.2  # seconds a hook waits for another writer; below the hook's whole deadline
CANDIDATES = 200  # listings of one repository that a Nudge looks through
LONG_LOG = 256 * 1024  # bytes: some twenty hook calls; read in a tenth of a millisecond
_LEFT: list[Connection] = []  # connections that the end of the process closes: dropping the last name of one closes it
SCHEMA = """
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
"""
TOUCH_COLUMNS = (
    'id, user, address, kind, provenance, at, session, harness, "limit", "order", tool_name, tool_use_id, agent, '
    "agent_type, served_from_memory, outcome, status, reason, attempts"
)
KNOWN_COLUMNS = 'address, "order", fetched_at, updated_at, title, comments, member_count, total_count, complete'
INSERT_TOUCH = (
    f"INSERT OR IGNORE INTO touch ({TOUCH_COLUMNS}) SELECT {','.join('?' * 19)} "
    "WHERE NOT EXISTS (SELECT 1 FROM touch WHERE id = ? AND at >= ?)"
)
INSERT_CALLER = (  # the same call seen by two configurations is one caller
    "INSERT INTO caller SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?5 = '' OR NOT EXISTS "
    "(SELECT 1 FROM caller WHERE address = ?1 AND session = ?2 AND tool_use_id = ?5)"
)


@record
class Settings:
    """What the hook needs of config.toml. `stamp` tells which state of that file it was read from."""

    stamp: str
    user: str  # "" where nobody is configured: then nothing is recorded
    exclude_projects: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    sweep_auto: bool = False


@record
class Caller:
    """Who is about to read memory, as its hook event told."""

    address: str  # canonical key
    session: str
    harness: str
    tool_use_id: str = ""
    agent: str = ""
    agent_type: str = ""


def open_outbox(path: str, *, busy: float | None = None, trace: Callable[[str], object] | None = None) -> Connection:
    """Open the file, creating it and its directory first if need be; safe when many processes do so at once.

    Args:
        path: where the file is, as rg_core.paths.outbox_file says.
        busy: seconds to wait for another writer; a hook's own BUSY unless given.
        trace: is called with every statement that runs.

    Raises:
        OSError: if the file cannot be created.
        DatabaseError: if it cannot be opened or is not ours.
    """
    if not os.path.exists(path):
        _create(path)
    db: Connection = connect(path, timeout=BUSY if busy is None else busy, isolation_level=None)
    if trace is not None:
        db.set_trace_callback(trace)
    try:
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def let_go(db: Connection, path: str, *, ending: bool) -> None:
    """Close the file; in a process that is about to end, only when its write-ahead log has grown long.

    The last connection to close moves the log into the file, with two fsyncs. The log that a process leaves behind is
    read by the next to open the file, as after a kill -9: cheap while it is short, and never emptied if nobody closes.
    """
    if ending:
        try:
            if os.stat(path + "-wal").st_size < LONG_LOG:
                _LEFT.append(db)
                return
        except OSError:
            pass  # there is none
    db.close()


def identify(*parts: str) -> str:
    """An id from the parts of an event: 32 hexadecimal digits, the same in every process."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))  # lengths, so that ("ab", "c") is not ("a", "bc")
        digest.update(data)
    return digest.hexdigest()


def read_settings(db: Connection) -> Settings | None:
    """The settings row, or None before the first call."""
    row = db.execute("SELECT stamp, user, exclude_projects, exclude_tools, sweep_auto FROM settings").fetchone()
    if row is None:
        return None
    stamp, user, projects, tools, sweep_auto = row
    return Settings(stamp, user, _lines(projects), _lines(tools), bool(sweep_auto))


def write_settings(db: Connection, settings: Settings) -> None:
    """Replace the settings row."""
    db.execute(
        "INSERT OR REPLACE INTO settings VALUES (1, ?, ?, ?, ?, ?)",
        (
            settings.stamp,
            settings.user,
            "\n".join(settings.exclude_projects),
            "\n".join(settings.exclude_tools),
            int(settings.sweep_auto),
        ),
    )


def look_up(db: Connection, keys: Sequence[str], listings: Sequence[tuple[str, str]]) -> list[Known]:
    """What memory holds, in one statement: these repositories and items, and listings that might answer a question.

    Args:
        db: the open file.
        keys: canonical keys of repositories and items.
        listings: a prefix of listing keys, up to and with the "?", e.g. github:owner/repo/issues?, and the
            question's own key. Others than that one are candidates only when they are complete.
    """
    if not keys and not listings:
        return []
    where = [f"address IN ({','.join('?' * len(keys))})"] if keys else []
    where += ["(address >= ? AND address < ? AND (complete OR address = ?))"] * len(listings)
    bounds = [bound for prefix, key in listings for bound in (prefix, prefix[:-1] + "@", key)]  # "@" follows "?"
    rows = db.execute(
        f"SELECT {KNOWN_COLUMNS} FROM known WHERE {' OR '.join(where)} ORDER BY rowid DESC LIMIT {CANDIDATES}",
        (*keys, *bounds),
    ).fetchall()
    return [Known(*row) for row in rows]


def write(
    db: Connection,
    touches: Iterable[Touch] = (),
    *,
    earlier: Mapping[str, tuple[str, str]] | None = None,
    nudge: tuple[str, Sequence[str]] = ("", ()),
    caller: Caller | None = None,
    at: str = "",
) -> frozenset[str]:
    """Record an event in one transaction; on disk, for any kill -9, when this returns.

    Args:
        db: the open file.
        touches: what was explored; a Touch whose id is there already changes nothing.
        earlier: by id of a Touch, another id and a time: where that one is there since that time, it is this Touch.
        nudge: a session and the addresses it would be told of.
        caller: whose read of memory comes next.
        at: now.

    Returns:
        The addresses of `nudge` that this session was not told of before, by any process.

    Raises:
        DatabaseError: if nothing could be written (locked for longer than the busy time, full disk, broken file).
    """
    session, addresses = nudge
    fresh = set()
    db.execute("BEGIN IMMEDIATE")
    try:
        for touch in touches:
            db.execute(INSERT_TOUCH, touch_row(touch) + (earlier or {}).get(touch.id, ("", "")))
        for address in addresses:
            if db.execute("INSERT OR IGNORE INTO nudged VALUES (?, ?, ?)", (session, address, at)).rowcount:
                fresh.add(address)
        if caller is not None:
            who = (caller.address, caller.session, caller.agent, caller.agent_type, caller.tool_use_id, caller.harness)
            db.execute(INSERT_CALLER, (*who, at))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return frozenset(fresh)


def touch_row(touch: Touch) -> tuple[str | int | None, ...]:
    """A Touch as the values of TOUCH_COLUMNS."""
    return tuple(getattr(touch, name) for name in type(touch).__annotations__)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _create(path: str) -> None:
    """Build the file aside and link it into place: the first whole file wins, and nobody sees a half-made one.

    Setting WAL mode on a file that others open at the same moment fails now and then despite the busy timeout.
    """
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    aside = f"{path}.{os.getpid()}.new"
    os.close(os.open(aside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    try:
        db: Connection = connect(aside, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        finally:
            db.close()
        _place(aside, path)
    finally:
        for leftover in (aside, aside + "-wal", aside + "-shm"):
            if os.path.exists(leftover):
                os.unlink(leftover)


def _place(aside: str, path: str) -> None:
    try:
        os.link(aside, path)
    except FileExistsError:
        pass  # another process was first; its file is as good
    except OSError:  # a file system without hard links
        if not os.path.exists(path):
            os.rename(aside, path)
