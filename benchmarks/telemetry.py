"""Telemetry at a heavy year: 20,000 recalls and 60,000 Touches.

    python -m benchmarks.telemetry [--recalls N]

Prints how long the panels of 30, 90 and 365 days take, what an event costs, and `resource` and `recall` with telemetry
beside both without it, in turns within one run. CPU time, which a busy machine lengthens less than waiting.
Bars: 30 days of panels under 1 s; `resource` and `recall` with telemetry at most 1.05x of without.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from rg_core import paths, times
from rg_core.config import load, set_values
from rg_core.mcp_server.tools import Memory
from rg_core.recall.own import OwnRecall
from rg_core.store.model import Batch, Comment, Item, Repository
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.telemetry.events import Caller, Candidate, Recall
from rg_core.telemetry.file import connect
from rg_core.telemetry.log import CANDIDATE, EVENT, EventLog
from rg_core.telemetry.panels import PanelScope, asking
from rg_core.touches.database import TouchLog

END = times.seconds(times.now())
WEIGHTS = json.dumps({"vec": 0, "lex": 2, "graph": 1, "temporal": 0.1})
TOUCHES = 3  # around a recall
AT = "2026-11-01T00:00:00Z"
BODY = "What happened, what was expected, and how to see it again.\n" * 20
WORDS = [f"{first}{second}" for first in ("tide", "harbor", "anchor", "pilot", "buoy") for second in
         ("table", "cache", "parser", "index", "queue", "retry", "socket", "merge")]  # fmt: skip
ITEMS = 3_000  # of the memory that is read
ROWS = 21  # candidates of a recall, on average


def fill(environ: dict[str, str], recalls: int) -> None:
    """A year of events: every third recall used, a session of ten recalls, 3,000 memories."""
    random = Random(12)
    set_values(environ, {"identity.user_id": "bench"})
    TouchLog(paths.outbox_file(environ)).record([])
    connect(paths.telemetry_file(environ), 5).close()
    events: list[Any] = []
    candidates: list[Any] = []
    touches: list[Any] = []
    reads: list[Any] = []
    said: list[Any] = []
    for number in range(recalls):
        at = END - 365 * times.DAY * (1 - number / recalls)
        name, session = f"r{number}", f"s{number // 10}"
        events.append(
            (
                name,
                "bench",
                times.written(at),
                "local",
                "github:o/r",
                "codex",
                "",
                "",
                session,
                "c",
                "",
                "why",
                random.choice(("decision", "other", "current_state")),
                None,
                1,
                10,
                40,
                4_000,
                5.0,
                "strong",
                WEIGHTS,
                60,
                180.0,
            )
        )
        chosen = random.sample(range(3_000), ROWS)
        for place, memory in enumerate(chosen, 1):
            candidates.append(
                (
                    name,
                    f"I_{memory}",
                    "issue",
                    f"github:o/r#{memory}",
                    "s",
                    place if place <= 10 else None,
                    2 / (60 + place),
                    None,
                    None,
                    place,
                    None,
                    None,
                    1 / place,
                    None,
                    3.0,
                    0,
                    None,
                    2_000,
                    5_000,
                    1,
                )
            )
        if number % 3 == 0:
            said.append(
                (
                    f"c{number}",
                    "bench",
                    times.written(at + 60),
                    name,
                    "",
                    f"I_{chosen[0]}",
                    f"github:o/r#{chosen[0]}",
                    session,
                    "codex",
                    "cited",
                    "agent",
                    "",
                )
            )
        for one in range(TOUCHES):
            kind = ("FETCHED", "CACHE_READ", "CACHE_READ")[one]
            hit = kind == "CACHE_READ" and random.random() < 0.8
            touch = f"t{number}-{one}"
            memory = chosen[one] if random.random() < 0.5 else random.randrange(3_000)
            when = times.written(at + 10 + one)
            touches.append(
                (
                    touch,
                    "bench",
                    f"github:o/r#{memory}",
                    "item",
                    kind,
                    when,
                    session,
                    "codex",
                    None,
                    "",
                    "resource",
                    "",
                    "",
                    "",
                    int(hit),
                    ("hit" if hit else "miss") if kind == "CACHE_READ" else "",
                    "resolved",
                    "",
                    0,
                )
            )
            if kind == "CACHE_READ":
                reads.append(
                    (
                        touch,
                        "bench",
                        when,
                        "github:o/r",
                        f"I_{memory}" if hit else "",
                        "",
                        1,
                        4_000,
                        2_000,
                        5_000,
                        1,
                        None,
                        "current" if hit else None,
                    )
                )
    with closing(sqlite3.connect(paths.telemetry_file(environ))) as db, db:
        marks = {"recall_event": len(EVENT), "recall_candidate": len(CANDIDATE), "read_event": 13, "citation_event": 12}
        for table, rows in zip(marks, (events, candidates, reads, said), strict=True):
            db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * marks[table])})", rows)
    with closing(sqlite3.connect(paths.outbox_file(environ))) as db, db:
        db.executemany(f"INSERT INTO touch VALUES ({','.join('?' * 19)}, 0)", touches)
        told = [(row[6], row[2], row[5]) for row in touches if row[4] == "FETCHED"]
        db.executemany("INSERT OR IGNORE INTO nudged VALUES (?, ?, ?)", told)


def panels(environ: dict[str, str], days: int) -> float:
    """Seconds that all panels of the last days take."""
    began = time.process_time()
    scope = PanelScope("bench", times.written(END - days * times.DAY), stored=3_000)
    with asking(paths.telemetry_file(environ), paths.outbox_file(environ), scope) as question:
        found = question.panels()
    assert found["unexplained"] == {"recalls": 0}
    return time.process_time() - began


def one_event(environ: dict[str, str]) -> float:
    """Milliseconds that the event of a recall with 21 candidates takes, on the connection that a server keeps open."""
    rows = tuple(
        Candidate(f"I_{n}", "issue", f"github:o/r#{n}", "s", n if n <= 10 else None, 1 / n, None, None, n, None, None,
                  1 / n, None, 3.0, False, None)
        for n in range(1, ROWS + 1)
    )  # fmt: skip
    recall = Recall("why", "other", None, 1, 10, ROWS, 4_000, 5.0, "strong", json.loads(WEIGHTS), 60, 180.0, rows)
    log, taken = EventLog(paths.telemetry_file(environ)), []
    for _ in range(300):
        began = time.process_time()
        assert log.recall(log.recall_id(), Caller("bench", "codex"), recall, times.now())
        taken.append((time.process_time() - began) * 1000)
    log.close()
    return statistics.median(taken)


def reader(directory: Path, enabled: bool) -> Memory:
    """A memory of ITEMS issues with two comments each, as the server's worker has it, with an index of them."""
    environ = {"HOME": str(directory), "XDG_CONFIG_HOME": str(directory / "c"), "XDG_DATA_HOME": str(directory / "d")}
    set_values(environ, {"identity.user_id": "bench", "telemetry.enabled": enabled})
    store = EmbeddedStore(paths.memory_file(environ))
    store.init()
    repository = Repository("R_1", "owner/repo", "", "readme", AT, AT, AT)
    store.write(Batch(AT, repositories=[repository], items=[issue(number) for number in range(1, ITEMS + 1)]))
    config = load(environ)
    own = OwnRecall(config, environ, str(directory), store)
    own.catch_up()
    own.close()
    store.close()
    return Memory(environ)


def issue(number: int) -> Item:
    """One that speaks of some of WORDS, and of the issue before it."""
    words = " ".join(Random(number).choices(WORDS, k=12))
    return Item(
        kind="issue", node_id=f"I_{number}", repository_id="R_1", repository="owner/repo", number=number,
        title=f"The {words[:40]} is wrong", body=f"{BODY}{words}. See #{max(1, number - 1)}.", state="open",
        author="somebody", labels=("bug",), assignees=(), milestone=None, milestone_number=None, created_at=AT,
        updated_at=AT, closed_at=None, fetched_at=AT,
        comments=tuple(Comment(f"C_{number}_{n}", "other", AT, AT, "I see it. " * 15) for n in (1, 2)),
    )  # fmt: skip


def in_turns(on: Memory, off: Memory, rounds: int, ask: Callable[[Memory, int], tuple[str, bool]]) -> str:
    """Milliseconds of a call with and without telemetry, of the thread that answers; asked in turns.

    What telemetry adds is the median of what it adds to a pair, whose two calls a busy machine slows alike.
    """
    added, without = [], []
    for number in range(rounds + 20):
        taken = {}
        for memory in (on, off) if number % 2 else (off, on):
            began = time.thread_time()
            _, failed = ask(memory, number)
            taken[memory] = (time.thread_time() - began) * 1000
            assert not failed
        if number >= 20:
            added.append(taken[on] - taken[off])
            without.append(taken[off])
    more, base = statistics.median(added), statistics.median(without)
    return f"adds {more:.3f} ms to {base:.2f} ms: {1 + more / base:.3f}x"


def resource(memory: Memory, number: int) -> tuple[str, bool]:
    """A hit."""
    text, failed = memory.resource({"address": "owner/repo#1"}, "claude-code", {})
    assert "(hit)" in text
    return text, failed


def recall(memory: Memory, number: int) -> tuple[str, bool]:
    """Ten results of dozens of candidates."""
    query = " ".join(Random(number).choices(WORDS, k=4))
    return memory.recall({"query": f"why does the {query} fail"}, "claude-code", {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        environ = {"HOME": directory, "XDG_CONFIG_HOME": f"{directory}/c", "XDG_DATA_HOME": f"{directory}/d"}
        fill(environ, options.recalls)
        megabytes = os.path.getsize(paths.telemetry_file(environ)) / 1e6
        print(f"{options.recalls} recalls, {options.recalls * TOUCHES} Touches: {megabytes:.0f} MB")
        for days in (30, 90, 365):
            print(f"panels of {days:>3} days: {min(panels(environ, days) for _ in range(3)):.2f} s of CPU")
        print(f"the event of a recall: {one_event(environ):.2f} ms")
        sides = [Path(directory) / name for name in ("on", "off")]
        on, off = map(reader, sides, (True, False))
        print(f"telemetry of a resource {in_turns(on, off, 2_000, resource)}")
        print(f"telemetry of a recall {in_turns(on, off, 400, recall)}")


if __name__ == "__main__":
    main()
