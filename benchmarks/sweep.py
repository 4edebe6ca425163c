"""The Sweep against a stand-in of GitHub with real-like latency: 300 ms a request and 10 ms a returned item.

Prints requests, points, seconds and peak memory of: 686 issues with 875 comments; a refresh after 20 of them changed;
50 single items; and whether an item with 150 comments and a pull request with 250 files came whole.
`python benchmarks/sweep.py [--latency SECONDS] [--per-item SECONDS]`
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.github_standin.samples import busy_world, long_world  # noqa: E402
from tests.github_standin.server import Standin  # noqa: E402

from rg_core import paths  # noqa: E402
from rg_core.address.model import Address  # noqa: E402
from rg_core.store.model import Item  # noqa: E402
from rg_core.store.sqlite.store import EmbeddedStore  # noqa: E402
from rg_core.touches.database import TouchLog  # noqa: E402
from rg_core.touches.touch import FETCHED, Touch  # noqa: E402

CHILD = """
import json, resource, sys
from rg_core.cli.main import main
code = main(["sweep", "--json"])
print(json.dumps({"code": code, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
BARS = {
    "first fetch of 686 issues, 875 comments": ("graphql", 45),
    "refresh, 20 of 686 changed": ("graphql", 9),
    "50 single items": ("graphql", 5),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--latency", type=float, default=0.3)
    options.add_argument("--per-item", type=float, default=0.01)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as home, Standin(busy_world()) as github:
        github.latency = (asked.latency, asked.per_item)
        environ = prepare(home, github)
        issues = "github:acme/busy/issues?state=all"
        first = measure("first fetch of 686 issues, 875 comments", environ, github, [issues])
        for thing in list(github.world.repos["acme/busy"].things.values())[:20]:
            thing.comment("One more.")
        again = measure("refresh, 20 of 686 changed", environ, github, [issues])
        print(f"  refresh / first fetch: {again['requests'] / first['requests']:.2f} of the requests, "
              f"{again['seconds'] / first['seconds']:.2f} of the time")  # fmt: skip
    with tempfile.TemporaryDirectory() as home, Standin(busy_world(50, 60)) as github:
        github.latency = (asked.latency, asked.per_item)
        environ = prepare(home, github)
        measure("50 single items", environ, github, [f"github:acme/busy#{n}" for n in range(1, 51)])
    with tempfile.TemporaryDirectory() as home, Standin(long_world()) as github:
        github.latency = (asked.latency, asked.per_item)
        environ = prepare(home, github)
        measure("long items", environ, github, ["github:acme/long#59", "github:acme/long#60"])
        store = EmbeddedStore(paths.memory_file(environ))
        talk, change = (store.read(f"github:acme/long#{number}") for number in (59, 60))
        assert talk is not None
        assert change is not None
        assert isinstance(talk.resource, Item)
        assert isinstance(change.resource, Item)
        print(f"  whole: {len(talk.resource.comments)} of 150 comments, {len(change.resource.files)} of 250 files")


def prepare(home: str, github: Standin) -> dict[str, str]:
    environ = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data"}
    config = Path(paths.config_file(environ))
    config.parent.mkdir(parents=True)
    text = f'[identity]\nuser_id = "ada"\n[github]\ntoken = "{github.token}"\napi_url = "{github.url}"\n'
    config.write_text(text, encoding="utf-8")
    return environ


def measure(name: str, environ: dict[str, str], github: Standin, keys: list[str]) -> dict[str, float]:
    log = TouchLog(paths.outbox_file(environ))
    for key in keys:
        kind = Address.parse(key).kind
        at = "2026-11-29T21:00:00Z"
        number = len(log.touches("ada"))
        log.record([Touch(f"{name}{number}", "ada", key, kind, FETCHED, at, "s", "claude_code")])
    github.asked.clear()
    done = subprocess.run([sys.executable, "-c", CHILD], env=environ, capture_output=True, text=True, check=True)
    summary, process = (json.loads(line) for line in done.stdout.splitlines())
    counted = github.graphql_requests
    bar = f" (bar {BARS[name][1]})" if name in BARS else ""
    print(f"{name}: {counted} GraphQL requests{bar}, {summary['requests']} in all, {summary['points']} points, "
          f"{summary['seconds']:.1f} s, peak {process['peak_mb']:.0f} MB (bar 120), "
          f"{summary['fetched']} fetched, {summary['unchanged']} unchanged")  # fmt: skip
    return {"requests": summary["requests"], "seconds": summary["seconds"]}


if __name__ == "__main__":
    main()
