"""Many processes on one embedded store, some of them killed: nothing acknowledged is lost, nothing is half visible."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.address.model import Address
from rg_core.store.model import Item
from rg_core.store.sqlite.store import EmbeddedStore

ROOT = Path(__file__).parents[3]
LISTING = "github:owner/repo{}/issues?state=all"

# One process: writes pairs of items of its own repository, each pair and their listing in one batch with one stamp,
# and says so after each. Its items change in every batch.
WRITER = """
import sys
from dataclasses import replace
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.store.model import Batch, Listing, Member
from tests.core.store.worlds import START, a_comment, an_item, time_of
path, who, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = EmbeddedStore(path)
for stamp in range(first, first + count):
    at = time_of(START + stamp)
    comments = tuple(a_comment(k, body=f"{stamp} {k}") for k in range(5))
    pair = [an_item(n, node_id=f"I_{who}_{n}", repository_id=f"R_{who}", repository=f"Owner/Repo{who}",
                    title=str(stamp), body="x" * 4000, updated_at=at, fetched_at=at, comments=comments) for n in (1, 2)]
    members = tuple(Member(item.node_id, at) for item in pair)
    store.write(Batch(at, items=pair, listings=[Listing(f"github:owner/repo{who}/issues?state=all", "created-desc",
                                                        members, stamp, False, at)]))
    print(stamp, flush=True)
"""
BULK = """
import sys, time
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.store.model import Batch
from tests.core.store.worlds import START, an_item, time_of
store = EmbeddedStore(sys.argv[1])
for first in range(1, 4001, 200):
    numbers = range(first, first + 200)
    items = [an_item(n, node_id=f"B_{n}", repository_id="R_bulk", repository="Owner/Bulk") for n in numbers]
    store.write(Batch(time_of(START), items=items))
    time.sleep(0.005)
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def stamps(store: EmbeddedStore, who: int) -> set[str]:
    """The stamps that a reader sees on one writer's pair, by every way of reading; one, if nothing is half visible."""
    listing = store.candidates(f"owner/repo{who}", "issues")
    if not listing:
        return set()
    page = store.page(listing[0], Address.parse(LISTING.format(who)), 0, 9)
    assert page.count == 2
    assert [row.comments for row in page.rows] == [5, 5]
    return {row.title for row in page.rows}


def whole(store: EmbeddedStore, who: int) -> int:
    """The stamp that both items of a writer have, each with the comments of that stamp, and its listing too."""
    found = set()
    for number in (1, 2):
        reading = store.read(f"github:owner/repo{who}#{number}")
        assert reading
        item = reading.resource
        assert isinstance(item, Item)
        found.add(item.title)
        assert [comment.body for comment in item.comments] == [f"{item.title} {n}" for n in range(5)]
    [stamp] = found
    [listing] = store.candidates(f"owner/repo{who}", "issues")
    assert listing.total_count == int(stamp)
    return int(stamp)


@pytest.mark.unmeasured
def test_what_was_acknowledged_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    path, chance, acknowledged = str(tmp_path / "memory.db"), random.Random(1), dict.fromkeys(range(3), 0)
    for _ in range(6):
        running = {who: start(WRITER, path, who, last + 1, 100_000) for who, last in acknowledged.items()}
        for process in running.values():
            assert process.stdout
            process.stdout.readline()  # all of them are writing
        time.sleep(chance.uniform(0.05, 0.4))
        for process in running.values():
            process.kill()
        for who, process in running.items():
            lines = [line for line in process.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
            acknowledged[who] = max([acknowledged[who] + 1, *map(int, lines)])
        with closing(EmbeddedStore(path)) as store:
            assert store.damage() == []
            for who, last in acknowledged.items():
                stored = whole(store, who)
                assert stored in (last, last + 1)  # one more may be stored that was not acknowledged any more
                acknowledged[who] = stored
                assert len(store.history(f"github:owner/repo{who}#1")) == stored
    assert sum(acknowledged.values()) > 100


@pytest.mark.unmeasured
def test_many_writers_beside_a_reader_and_a_bulk_writer(tmp_path: Path) -> None:
    path, count = str(tmp_path / "memory.db"), 60
    running = [start(WRITER, path, who, 1, count) for who in range(4)] + [start(BULK, path)]
    looks = 0
    with closing(EmbeddedStore(path)) as store:
        while any(process.poll() is None for process in running):
            for who in range(4):
                assert len(stamps(store, who)) <= 1
                looks += 1
        assert [process.wait() for process in running] == [0] * 5
        for process in running:
            process.communicate()
        for who in range(4):
            assert whole(store, who) == count
            assert len(store.history(f"github:owner/repo{who}#2")) == count
        assert store.counts()["issues"] == 4008
        assert store.damage() == []
    assert looks > 100


def test_a_lease_is_taken_by_one_of_many(tmp_path: Path) -> None:
    take = (
        "import sys; from rg_core.store.sqlite.store import EmbeddedStore; "
        "print(EmbeddedStore(sys.argv[1]).lease('sweep', sys.argv[2], 60))"
    )
    with closing(EmbeddedStore(str(tmp_path / "memory.db"))) as store:
        store.init()
    running = [start(take, tmp_path / "memory.db", who) for who in range(6)]
    assert sorted(process.communicate()[0].strip() for process in running) == ["False"] * 5 + ["True"]
