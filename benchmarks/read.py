"""Reads of memory at two sizes, and the start of rg-mcp.

    python -m benchmarks.read [--items N] [--keep DIR]

Prints ratios within one run beside the absolute times: a busy machine slows both sides of a ratio. Bars: a `resource`
hit p50 <= 2 ms, a page of 50 of 5,000 members <= 3 ms, both within 1.3x at one million items of what they take at ten
thousand; 100 States within 1.1x of one; initialize and server/discover within 3x of a bare Python's start.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import rg_core
from rg_core import paths
from rg_core.config import set_values
from rg_core.mcp_server.tools import Memory
from rg_core.store.model import Batch, Comment, Item, Listing, Member, Repository
from rg_core.store.sqlite.store import EmbeddedStore

AT = "2026-11-01T00:00:00Z"
BODY = "What happened, what was expected, and how to see it again.\n" * 20
LISTED = 5_000
STATES = 100
BATCH = 2_000
ROUNDS = 400


def items(repository: int, first: int, count: int) -> list[Item]:
    """Issues with a body of 1.2 kB and two comments."""
    name = f"owner/repo{repository}"
    return [
        Item(
            kind="issue", node_id=f"I_{repository}_{number}", repository_id=f"R_{repository}", repository=name,
            number=number, title=f"Something is wrong with part {number}", body=BODY, state="open", author="somebody",
            labels=("bug", f"part {number % 7}"), assignees=(), milestone=None, milestone_number=None,
            created_at=f"2026-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z", updated_at=AT,
            closed_at=None, fetched_at=AT,
            comments=tuple(Comment(f"C_{repository}_{number}_{n}", "other", AT, AT, "I see it. " * 15) for n in (1, 2)),
        )
        for number in range(first, first + count)
    ]  # fmt: skip


def fill(store: EmbeddedStore, count: int) -> None:
    """`count` items in repositories of 10,000; of the first, its first 5,000 as a listing; one item with 100 States."""
    for repository in range(-(-count // 10_000)):
        name = f"owner/repo{repository}"
        store.write(Batch(AT, repositories=[Repository(f"R_{repository}", name, "", "readme", AT, AT, AT)]))
        for first in range(1, min(10_000, count - repository * 10_000) + 1, BATCH):
            store.write(Batch(AT, items=items(repository, first, BATCH)))
    listed = tuple(Member(f"I_0_{number}", AT) for number in range(LISTED, 0, -1))
    address = "github:owner/repo0/issues?label=bug&state=open"
    store.write(Batch(AT, listings=[Listing(address, "created-desc", listed, LISTED, True, AT)]))
    (changing,) = items(0, 9_000, 1)
    for version in range(STATES):
        at = f"2026-11-02T{version // 60:02}:{version % 60:02}:00Z"
        store.write(Batch(at, items=[replace(changing, title=f"title {version}", updated_at=at, fetched_at=at)]))


class Side:
    """A memory of one size, read as the server's worker reads it: everything but the wire."""

    def __init__(self, directory: Path, count: int) -> None:
        self.environ = {
            "HOME": str(directory),
            "XDG_CONFIG_HOME": str(directory / "c"),
            "XDG_DATA_HOME": str(directory / "d"),
        }
        self.count = count
        if not os.path.exists(paths.memory_file(self.environ)):
            set_values(self.environ, {"identity.user_id": "bench"})
            began = time.perf_counter()
            store = EmbeddedStore(paths.memory_file(self.environ))
            store.init()
            fill(store, count)
            store.close()
            print(f"{count:>9} items stored in {time.perf_counter() - began:.0f} s")
        self.memory = Memory(self.environ)

    def ask(self, **arguments: Any) -> str:
        """The text of the tool's answer, its Cache Read recorded."""
        text, failed = self.memory.resource(arguments, "claude-code", {})
        assert not failed, text
        return text


def interleaved(works: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Milliseconds of each work, taken in turns so that a busy machine disturbs all alike."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 20):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if number >= 20:
                taken[name].append((time.perf_counter() - began) * 1000)
    return taken


def p50(times: list[float]) -> float:
    return statistics.median(times)


def reads(small: Side, large: Side) -> Iterator[str]:
    hit, page = {"address": "owner/repo0#77"}, {"address": "github:owner/repo0/issues?label=bug&state=open", "page": 51}
    assert "(hit)" in small.ask(**hit)
    assert "Rows 2501 to 2550 of 5000" in large.ask(**page)
    taken = interleaved({
        "hit small": lambda: small.ask(**hit), "hit large": lambda: large.ask(**hit),
        "page small": lambda: small.ask(**page), "page large": lambda: large.ask(**page),
    })  # fmt: skip
    taken |= interleaved({  # apart: whatever comes after a large page pays for it
        "100 states": lambda: small.ask(address="owner/repo0#9000"),
        "one state": lambda: small.ask(address="owner/repo0#9001"),
    })  # fmt: skip
    for what, bar in (("hit", 2.0), ("page", 3.0)):
        few, many = p50(taken[f"{what} small"]), p50(taken[f"{what} large"])
        yield (
            f"{what:<5} p50 {few:.2f} ms at {small.count}, {many:.2f} ms at {large.count} (bar {bar} ms): "
            f"ratio {many / few:.2f} (bar 1.3)"
        )
    one, hundred = p50(taken["one state"]), p50(taken["100 states"])
    yield f"100 States {hundred:.2f} ms, one {one:.2f} ms: ratio {hundred / one:.2f} (bar 1.1)"


def started(command: list[str], request: dict[str, Any] | None, environ: dict[str, str]) -> Callable[[], None]:
    """Start a process, send it a request if there is one, wait for a line, end it."""
    sent = json.dumps(request).encode() + b"\n" if request else b""

    def work() -> None:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(sent)
            process.stdin.flush()
            assert process.stdout.readline()
            process.stdin.close()

    return work


def starts(side: Side) -> Iterator[str]:
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    client = {"name": "bench", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    call = {"name": "resource", "arguments": {"address": "owner/repo0#77"}, "_meta": envelope}
    server = [str(Path(sys.executable).with_name("rg-mcp"))]
    environ = side.environ | {"PATH": os.environ["PATH"]}
    with tempfile.TemporaryDirectory() as fresh:  # as a first start after installation finds it: not compiled
        shutil.copytree(Path(rg_core.__file__).parent, Path(fresh) / "rg_core", ignore=shutil.ignore_patterns("*.pyc"))
        first = [sys.executable, "-B", "-c", "from rg_core.mcp_server import main; main()"]
        works = {
            "bare": started([sys.executable, "-c", "print()"], None, environ),
            "initialize": started(server, request("initialize", hello), environ),
            "discover": started(server, request("server/discover", {"_meta": envelope}), environ),
            "first start": started(first, request("initialize", hello), environ | {"PYTHONPATH": fresh}),
            "first call": started(server, request("tools/call", call), environ),
        }
        taken = {name: p50(times) for name, times in interleaved(works, rounds=20).items()}
    bare = taken["bare"]
    for name in ("initialize", "discover", "first start"):
        yield f"{name:<11} {taken[name]:.0f} ms, bare Python {bare:.0f} ms: ratio {taken[name] / bare:.2f} (bar 3)"
    yield f"first call  {taken['first call']:.0f} ms: ratio {taken['first call'] / bare:.1f}"


def request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000, help="stored items of the large memory")
    parser.add_argument("--keep", type=Path, help="keep the two memories there, and use them again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = options.keep or Path(temporary)
        small, large = Side(place / "small", 10_000), Side(place / f"large-{options.items}", options.items)
        for line in (*reads(small, large), *starts(small)):
            print(line)


if __name__ == "__main__":
    main()
