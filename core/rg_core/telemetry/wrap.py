"""What happened in a session: computed from its events, and kept as counts, so that trends outlive the events."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os.path import exists

from rg_core import times
from rg_core.telemetry.file import BATCH, PAUSE, joined
from rg_core.telemetry.panels import NEVER, PanelScope, SessionFacts, Tables, asking
from rg_core.transaction import transaction

BUSY = 2.0
QUIET = 3_600  # seconds after which a session counts as over

LATEST = """
SELECT session FROM (SELECT session, at, rowid FROM touches.touch WHERE user = :user AND session <> ''
    UNION ALL SELECT session, at, rowid FROM recall_event WHERE user = :user AND session <> '')
ORDER BY at DESC, rowid DESC LIMIT 1
"""
# Sessions that are over and not wrapped as they ended, and when the first of them began.
OVER = """
WITH active AS (SELECT session, min(at) AS started, max(at) AS ended FROM (
        SELECT session, at FROM touches.touch WHERE user = :user AND session <> ''
        UNION ALL SELECT session, at FROM recall_event WHERE user = :user AND session <> '') GROUP BY session)
SELECT a.session, a.started FROM active a LEFT JOIN session_wrap w ON w.user = :user AND w.session = a.session
WHERE a.ended < :quiet AND w.ended IS NOT a.ended ORDER BY a.started
"""
WHOSE = """
SELECT coalesce((SELECT harness FROM (SELECT harness, at FROM recall_event WHERE user = :user AND session = :session
    UNION ALL SELECT harness, at FROM touches.touch WHERE user = :user AND session = :session)
    ORDER BY at DESC LIMIT 1), '') AS harness,
  coalesce((SELECT project FROM (SELECT project, at FROM recall_event WHERE user = :user AND session = :session
    UNION ALL SELECT v.project, v.at FROM read_event v JOIN touches.touch t ON t.id = v.touch_id
        WHERE t.user = :user AND t.session = :session) ORDER BY at DESC LIMIT 1), '') AS project
"""
KEEP = """
INSERT OR REPLACE INTO session_wrap (user, session, harness, project, started, ended, facts)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
COUNTS = ("recalls", "used", "said", "hits", "misses", "fetched", "nudges", "followed", "requests")


@dataclass(frozen=True, slots=True)
class Wrap:
    """One session: what happened, and its bytes loaded and kept out (from the text alone to GitHub's JSON)."""

    facts: SessionFacts
    loaded: int
    floor: int
    json: int

    def as_json(self) -> dict[str, object]:
        """As `rg-memory wrap --json` prints it."""
        return {**self.facts, "loaded": self.loaded, "floor": self.floor, "json": self.json}


def wrap(telemetry: str, touches: str, scope: PanelScope, session: str = "") -> Wrap | None:
    """A session of the asking user, the one that was last active unless named; None if there is none.

    `scope` says who asks, and the declared numbers; its time and its narrowing are left aside.

    Raises:
        UserError: if a file cannot be used.
    """
    if not session:
        with joined(telemetry, touches, BUSY) as db:
            row = db.execute(LATEST, {"user": scope.user}).fetchone()
        if row is None:
            return None
        session = row[0]
    own = replace(scope, since="", until=NEVER, harness=None, agent_type=None, project=None, session=session)
    with asking(telemetry, touches, own) as tables:
        return next((_wrap(tables, facts) for facts in tables.wraps()), None)


def keep(telemetry: str, touches: str, scope: PanelScope, session: str = "") -> None:
    """Keep the counts of one session, as of now: the one that was last active unless named.

    Raises:
        UserError: if a file cannot be used.
    """
    if exists(telemetry) and (found := wrap(telemetry, touches, scope, session)):
        _keep(telemetry, touches, scope.user, [found.facts])


def keep_quiet(telemetry: str, touches: str, scope: PanelScope, now: str) -> int:
    """Keep the counts of every session that has been quiet for an hour and is not kept yet; how many there were.

    Raises:
        UserError: if a file cannot be used.
    """
    if not exists(telemetry):
        return 0
    quiet = times.written(times.seconds(now) - QUIET)
    with joined(telemetry, touches, BUSY) as db:
        over = db.execute(OVER, {"user": scope.user, "quiet": quiet}).fetchall()
    if not over:
        return 0
    wanted = {session for session, _ in over}
    own = replace(scope, since=over[0][1], until=NEVER, harness=None, agent_type=None, project=None, session=None)
    with asking(telemetry, touches, own) as tables:
        found = [facts for facts in tables.wraps() if facts["session"] in wanted]
    _keep(telemetry, touches, scope.user, found)
    return len(found)


def _wrap(tables: Tables, facts: SessionFacts) -> Wrap:
    tokens = tables.tokens()
    loaded = tokens["recalled"] + tokens["served"] + tokens["overhead"]
    return Wrap(facts, loaded, tokens["floor"], tokens["json"])


def _keep(telemetry: str, touches: str, user: str, found: Iterable[SessionFacts]) -> None:
    waiting = list(found)
    with joined(telemetry, touches, BUSY) as db:
        for start in range(0, len(waiting), BATCH):
            with transaction(db):
                for facts in waiting[start : start + BATCH]:
                    whose = db.execute(WHOSE, {"user": user, "session": facts["session"]}).fetchone()
                    counts = json.dumps({name: facts[name] for name in COUNTS})  # type: ignore[literal-required]
                    db.execute(KEEP, (user, facts["session"], *whose, facts["started"], facts["ended"], counts))
            time.sleep(PAUSE)
