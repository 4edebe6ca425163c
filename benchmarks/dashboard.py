"""The dashboard at a heavy year: 20,000 recalls, 60,000 Touches, 10,000 stored issues.

    python -m benchmarks.dashboard [--recalls N]

Prints the time from the command to its first page, which may say that it counts, and to the counted one, with the CPU
time of the process, which a busy machine lengthens less; what the page is made of, and what an installation has for it
alone. Bars: the Memory page under 100 KB, the first one under 2 s; a list of stored items under 50 ms; at most 2 MB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

import rg_core.dashboard
from benchmarks.telemetry import fill, issue
from rg_core import paths
from rg_core.dashboard import pages
from rg_core.dashboard.facts import Source
from rg_core.dashboard.stored import Asked
from rg_core.store.model import Batch, Repository
from rg_core.store.sqlite.store import EmbeddedStore

AT = "2026-11-01T00:00:00Z"
ITEMS = 10_000
COMMAND = [sys.executable, "-c", "import sys; from rg_core.cli.main import main; sys.exit(main())", "dashboard"]
OURS_ALONE = ("jinja2", "markupsafe")  # what no other part of rg-memory brings


def store(environ: dict[str, str]) -> None:
    """10,000 issues of one repository."""
    memory = EmbeddedStore(paths.memory_file(environ))
    memory.init()
    memory.write(Batch(AT, repositories=[Repository("R_1", "owner/repo", "", "readme", AT, AT, AT)]))
    for first in range(1, ITEMS + 1, 2_000):
        memory.write(Batch(AT, items=[issue(number) for number in range(first, first + 2_000)]))
    memory.close()


def first_page(environ: dict[str, str], query: str) -> tuple[float, float, int]:
    """From the command's start to the last byte of its Memory page: seconds, seconds of CPU, and the page's bytes."""
    began, before = time.perf_counter(), os.times()
    process = subprocess.Popen([*COMMAND, "--no-open"], env=environ, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        with urlopen(process.stdout.readline().strip() + query, timeout=60) as answer:
            size = len(answer.read())
        seconds = time.perf_counter() - began
    finally:
        process.terminate()
        process.communicate()
    after = os.times()
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system, size


def cpu(call: Callable[[], Any], rounds: int = 5) -> float:
    """Median milliseconds of this process, after a first call."""
    call()
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        taken.append((time.process_time() - began) * 1000)
    return median(taken)


def installed() -> float:
    """Megabytes."""
    files = [Path(str(file.locate())) for name in OURS_ALONE for file in distribution(name).files or ()]
    files += Path(rg_core.dashboard.__file__).parent.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        environ = os.environ | {
            "HOME": directory,
            "XDG_CONFIG_HOME": f"{directory}/c",
            "XDG_DATA_HOME": f"{directory}/d",
        }
        fill(environ, options.recalls)
        store(environ)
        source, frame = Source(environ), pages.Frame("/token", "bench")
        print(f"{options.recalls} recalls, {ITEMS} stored issues; load {os.getloadavg()[0]:.1f}")
        for days in (30, 365):
            for what, query in (("first", ""), ("counted", "&renewed=1")):
                seconds, busy, size = min(first_page(environ, f"?days={days}{query}") for _ in range(3))
                print(f"{days:>3} days, {what} page: {seconds:.2f} s, {busy:.2f} s of CPU, {size / 1000:.0f} KB")
        facts = source.memory(30, "", "")
        print(f"facts of 30 days: {cpu(lambda: source.memory(30, '', '')):.0f} ms of CPU")
        print(f"page of them:     {cpu(lambda: pages.memory_page(frame, facts)):.0f} ms of CPU")
        print(f"a list of stored: {cpu(lambda: pages.view_page(frame, source.stored(Asked(), '', ''))):.0f} ms of CPU")
        print(f"one issue:        {cpu(lambda: source.item('github:owner/repo#7', '')):.0f} ms of CPU")
        print(f"200 events:       {cpu(lambda: source.events('', '', '')):.0f} ms of CPU")
        print(f"installed for it alone: {installed():.2f} MB")


if __name__ == "__main__":
    main()
