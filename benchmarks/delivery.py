"""What it costs a session's start to be given its assets: rg-hook with a rendered text of 1,600 tokens, and without.

    python -m benchmarks.delivery [--rounds N]

Whole processes in turn, so that a busy machine shows on both. Bar: 1.1x.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

from rg_core.assets import installation
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Identity
from rg_core.config import load, set_values

CLI = Setting("cli", "2026-12-01T00:00:00Z")
HOOK = Path(sysconfig.get_path("scripts")) / "rg-hook"
BODY = "What we do, in which order, and how to see that it is done.\n" * 60


def home(directory: Path, *, deliver: bool) -> dict[str, str]:
    """An environment whose directory is a project with one skill for the harness."""
    environ = {"HOME": str(directory), "PATH": os.environ["PATH"]}
    set_values(environ, {"identity.user_id": "alice", "projects.dirs": (f"harbor={directory}",), "assets.mcp": "read"})
    set_values(environ, {"assets.deliver": deliver})
    content = {"name": "release", "description": "Releases.", "body": BODY}
    with installation.opened(load(environ), environ) as assets:
        bindings = [{"target": "framework:claude_code"}]
        assets.register(Identity("alice", "harbor"), "skill", content, CLI, patch={"bindings": bindings})
    return environ


def start(environ: dict[str, str]) -> tuple[float, str]:
    """Seconds of one session start, and the answer."""
    payload = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": environ["HOME"]}
    begun = time.perf_counter()
    done = subprocess.run(
        [HOOK, "claude_code"], input=json.dumps(payload), env=environ, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - begun, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as directory:
        places = []
        for name, deliver in (("with", True), ("without", False)):
            (Path(directory) / name).mkdir()
            places.append(home(Path(directory) / name, deliver=deliver))
        answers = [start(environ)[1] for environ in places]
        assert [("in which order" in answer) for answer in answers] == [True, False]
        spent: list[list[float]] = [[], []]
        for _ in range(rounds):
            for times, environ in zip(spent, places, strict=True):
                times.append(start(environ)[0])
        given, bare = (statistics.median(times) for times in spent)
        pairs = statistics.median(one / other for one, other in zip(*spent, strict=True))
        print(f"session start with delivery {given * 1000:.1f} ms, without {bare * 1000:.1f} ms: {pairs:.2f}x in pairs")


if __name__ == "__main__":
    main()
