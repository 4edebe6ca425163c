"""A Sweep killed at any moment has lost nothing; two Sweeps do not do the same work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.store.model import Item
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.sweep.alone import Busy, alone, lease_name
from rg_core.sweep.run import sweep
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, Touch
from tests.core.sweep.conftest import MakeBench
from tests.github_standin.samples import busy_world, small_world
from tests.github_standin.server import Standin

KEY = "github:acme/busy/issues?state=all"
COMMAND = [sys.executable, "-c", "from rg_core.cli.main import main; raise SystemExit(main(['sweep', '--json']))"]


def prepare(environ: dict[str, str], url: str, token: str) -> None:
    config = Path(paths.config_file(environ))
    config.parent.mkdir(parents=True, exist_ok=True)
    text = f'[identity]\nuser_id = "ada"\n[github]\ntoken = "{token}"\napi_url = "{url}"\n'
    config.write_text(text, encoding="utf-8")
    log = TouchLog(paths.outbox_file(environ))
    log.record([Touch("t1", "ada", KEY, "issues", FETCHED, "2026-11-29T21:00:00Z", "s", "claude_code")])


@pytest.mark.unmeasured
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_kill_at_any_moment(home: dict[str, str]) -> None:
    world = busy_world(200, 300)
    with Standin(world) as github:
        github.latency = (0.01, 0.0002)
        prepare(home, github.url, github.token)
        for moment in (0.35, 0.5, 0.6, 0.7, 0.8):
            process = subprocess.Popen(COMMAND, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            process.wait()
            _nothing_half_visible(home, world.repos["acme/busy"].things)
        done = subprocess.run(COMMAND, env=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    store = EmbeddedStore(paths.memory_file(home))
    assert store.counts()["issues"] == 200
    found = store.listing(KEY, "created-desc")
    assert found is not None
    assert (found[0].member_count, found[0].complete) == (200, True)
    store.close()
    assert [touch.status for touch in TouchLog(paths.outbox_file(home)).touches("ada")] == ["resolved"]


def _nothing_half_visible(home: dict[str, str], things: object) -> None:
    assert isinstance(things, dict)
    if not os.path.exists(paths.memory_file(home)):
        return
    store = EmbeddedStore(paths.memory_file(home))
    for number, thing in things.items():
        if (reading := store.read(f"github:acme/busy#{number}")) is not None:
            assert isinstance(reading.resource, Item)
            assert len(reading.resource.comments) == len(thing.comments)
    found = store.listing(KEY, "created-desc")
    assert found is None or found[0].member_count == 200
    store.close()


def test_what_was_committed_is_not_fetched_again(bench: MakeBench) -> None:
    made = bench(busy_world(200, 100))
    made.touch(KEY)
    made.standin.fail("unauthorized", skip=5, where="graphql")
    summary = made.sweep()
    assert summary.exit_code == 1
    assert "did not accept the token" in summary.problem
    stored = made.store.counts()["issues"]
    assert 25 <= stored < 200
    summary = made.sweep()
    assert (summary.fetched, summary.unchanged, summary.exit_code) == (200 - stored, stored, 0)


def test_a_lease_keeps_a_second_sweep_out(bench: MakeBench) -> None:
    made = bench(small_world())
    made.touch("github:acme/widgets#1")
    assert made.store.lease(lease_name("ada"), "somebody else", 60)
    client = made.client()
    with pytest.raises(Busy):
        sweep("ada", made.log, made.store, client, holder="me")
    client.close()
    made.store.release(lease_name("ada"), "somebody else")
    assert made.store.lease(lease_name("eve"), "somebody else", 60)
    assert made.sweep().resolved == 1
    assert made.store.lease(lease_name("ada"), "somebody else", 60)


def test_a_second_process_steps_back(home: dict[str, str]) -> None:
    with Standin(small_world()) as github, alone(home):
        prepare(home, github.url, github.token)
        done = subprocess.run(COMMAND, env=home, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "another sweep is running" in done.stderr
    assert json.loads(done.stdout)["resolved"] == 0
    assert github.asked == []


def test_touches_of_one_address_are_one_question(bench: MakeBench) -> None:
    made = bench(busy_world(60, 0))
    made.touch(KEY, limit=10)
    made.touch(KEY, limit=30)
    made.touch("github:acme/busy#60", "github:acme/busy#60")
    summary = made.sweep()
    assert (summary.resolved, summary.fetched, summary.requests) == (4, 30, 4)
    assert made.members(KEY) == list(range(60, 30, -1))


def test_the_summary_is_one_json_object(home: dict[str, str]) -> None:
    with Standin(busy_world(30, 10)) as github:
        prepare(home, github.url, github.token)
        done = subprocess.run(COMMAND, env=home, capture_output=True, text=True, check=False)
    summary = json.loads(done.stdout)
    assert summary.keys() >= {"resolved", "unresolved", "fetched", "unchanged", "requests", "points", "seconds"}
    assert (summary["resolved"], summary["fetched"], summary["requests"], done.stderr) == (1, 30, 3, "")
