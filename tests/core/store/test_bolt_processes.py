"""Many processes on one database, some of them killed all the time."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.config import Config, Identity, StoreConfig
from rg_core.store.check import faults
from rg_core.store.sharing import drain
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import RESOLVED
from tests.bolt_server import BoltServers

SECONDS = float(os.environ.get("RG_BOLT_SECONDS", "10"))  # a minute by hand
EVERY = float(os.environ.get("RG_BOLT_KILL_EVERY", "1"))
PATIENCE = 300.0  # seconds more, on a machine where starting a process takes long
PROCESSES = 8
ONCE = """
MATCH (n:RgResource) WITH n.place AS place, count(n) AS n WHERE n > 1 RETURN place, n
UNION MATCH (t:RgTouch) WITH t.key AS place, count(t) AS n WHERE n > 1 RETURN place, n
UNION MATCH (c:RgComment) WITH c.id AS place, count(c) AS n WHERE n > 1 RETURN place, n"""
OPEN = """
MATCH (n:RgResource)-[:HAS_STATE]->(s:RgState) WHERE s.valid_until IS NULL
WITH n, count(s) AS n_open WHERE n_open > 1 RETURN n.rg_key AS address, n_open"""
SHOWN = """
MATCH (n:RgResource:Issue)-[:HAS_STATE]->(s:RgState {id: n.state_id}) OPTIONAL MATCH (n)-[:HAS_COMMENT]->(c:RgComment)
WITH n, s, collect(c.id) AS shown WHERE size(shown) <> size(coalesce(s.comments, []))
    OR any(id IN shown WHERE NOT id IN s.comments)
RETURN n.rg_key AS address"""
EDGES = """
MATCH (n:RgResource:Issue) OPTIONAL MATCH (n)-[:REFERENCES|AWAITS]->(m) WITH n, count(m) AS edges
WHERE edges <> size(coalesce(n.references, [])) RETURN n.rg_key AS address, edges, n.references AS references"""
LATE = """
MATCH (w:RgAwaited)<-[:AWAITS]-() MATCH (n:RgResource {rg_key: w.address})
WHERE n.state_id IS NOT NULL RETURN n.rg_key AS address"""


@pytest.mark.bolt
def test_eight_processes_two_of_them_killed_again_and_again(bolt_servers: BoltServers, tmp_path: Path) -> None:
    server, seed = bolt_servers.server(), random.Random(1)
    store = bolt_servers.empty_store()
    store.init()
    workers: dict[int, subprocess.Popen[str]] = {}

    def start(number: int) -> None:
        arguments = json.dumps([f"user{number}", str(tmp_path / f"touches{number}.db"), *server])
        command = [sys.executable, "-m", "tests.core.store.bolt_worker", arguments]
        with (tmp_path / f"out{number}").open("w") as out, (tmp_path / f"errors{number}").open("a") as errors:
            workers[number] = subprocess.Popen(command, stdout=out, stderr=errors, text=True, cwd=Path.cwd())

    try:
        for number in range(PROCESSES):
            start(number)
        end, killed = time.monotonic() + SECONDS, 0
        while time.monotonic() < end or (killed < PROCESSES and time.monotonic() < end + PATIENCE):
            time.sleep(EVERY)
            assert [worker.poll() for worker in workers.values()] == [None] * PROCESSES, errors_in(tmp_path)
            at_work = [number for number in workers if done_by(tmp_path, number)]
            for number in seed.sample(at_work, min(2, len(at_work))):
                workers[number].kill()
                workers[number].wait()
                start(number)
                killed += 1
    finally:
        for worker in workers.values():
            worker.kill()
            worker.wait()
    assert errors_in(tmp_path) == ""
    assert killed >= PROCESSES
    with closing(store):
        for statement in (ONCE, OPEN, SHOWN, EDGES, LATE):
            assert store.ask(lambda run, text=statement: run(text)) == []  # type: ignore[misc]
        assert list(faults(store.dump())) == []
        for number in range(PROCESSES):
            user, log = f"user{number}", TouchLog(str(tmp_path / f"touches{number}.db"))
            config = Config("", Identity(user), store=StoreConfig(*server))
            drain(log, config, store)
            sent = {(touch.id, touch.status) for touch in store.touches_of(user).touches()}
            settled = [touch for touch in log.touches(user) if touch.status == RESOLVED]  # the others stay here
            assert sent == {(touch.id, touch.status) for touch in settled}


def done_by(directory: Path, number: int) -> bool:
    """Whether a process has done some work since it was started last: it says so by counting."""
    return (directory / f"out{number}").read_text().split()[-1:] not in ([], ["ready"])


def errors_in(directory: Path) -> str:
    """What the processes complained of."""
    return "".join(path.read_text() for path in sorted(directory.glob("errors*")))
