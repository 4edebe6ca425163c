"""One of many processes on one database: `python -m tests.core.store.bolt_worker JSON` works until it is killed.

Everything of a version of an item says which version it is, and a listing is the items turned round by its version: so
whatever is read half is seen.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import replace

from rg_core.address.model import Address
from rg_core.config import Config, Identity, StoreConfig
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch, Item, Listing, Member
from rg_core.store.sharing import drain
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, RESOLVED, Touch
from tests.core.store.worlds import a_comment, an_item, time_of

ITEMS = 30
LISTING = "github:owner/repo/issues?state=all"


def version_of(item: Item) -> str:
    """The version that every part of an item says.

    Raises:
        AssertionError: if its parts are of several versions, or some are missing.
    """
    version = item.title
    count = int(version) % 7
    assert item.body == version, (item.title, item.body)
    assert [comment.body for comment in item.comments] == [version] * count, (version, item.comments)
    assert item.references == tuple(f"github:owner/repo#{n}" for n in range(1, count)), (version, item.references)
    return version


def an_answer(number: int, version: int) -> Item:
    """What GitHub says of an item at a version."""
    count, at = version % 7, time_of(1_800_000_000 + version // 1000)
    comments = tuple(a_comment(number * 100 + n, body=str(version), updated_at=at) for n in range(count))
    return replace(
        an_item(number, title=str(version), body=str(version), updated_at=at, fetched_at=at, comments=comments),
        references=tuple(f"github:owner/repo#{n}" for n in range(1, count)),
    )


def turned(version: int) -> list[int]:
    """The numbers of the items in the order that the listing has at a version."""
    first = version % ITEMS
    return [(first + n) % ITEMS + 1 for n in range(ITEMS)]


def write(store: BoltStore, seed: random.Random) -> None:
    """Store some items and the listing, as a Sweep does."""
    version = time.time_ns() // 1_000_000 - 1_790_000_000_000
    numbers = seed.sample(range(1, ITEMS + 1), seed.randint(1, 8))
    items = [an_answer(number, version) for number in numbers]
    store.write(Batch(at=items[0].fetched_at, items=items))
    if len(store.versions([f"I_{number}" for number in range(1, ITEMS + 1)])) == ITEMS:
        at = items[0].fetched_at
        members = tuple(Member(f"I_{number}", at) for number in turned(version))
        store.write(Batch(at=at, listings=[Listing(LISTING, "created-desc", members, ITEMS, True, at)]))


def read(store: BoltStore, seed: random.Random) -> None:
    """Read an item and the listing, and see that they are whole."""
    reading = store.read(f"github:owner/repo#{seed.randint(1, ITEMS)}")
    if reading:
        assert isinstance(reading.resource, Item)
        version_of(reading.resource)
    for listing in store.candidates("owner/repo", "issues"):
        page = store.page(listing, Address.parse(LISTING), 0, ITEMS)
        numbers = [row.number for row in page.rows]
        assert numbers == turned(numbers[0] - 1), numbers


def main() -> None:
    """Work until killed."""
    name, path, url, user, password = json.loads(sys.argv[1])
    config = Config("", Identity(name), store=StoreConfig(url, user, password))
    store, log, seed = BoltStore(url, user, password, read_seconds=60), TouchLog(path), random.Random()
    print("ready", flush=True)
    done = 0
    while True:
        touch = Touch(f"{name} {time.time_ns()}", name, f"github:owner/repo#{seed.randint(1, ITEMS)}", "item", FETCHED,
                      time_of(1_800_000_000), f"session of {name}", "codex")  # fmt: skip
        log.record([touch])
        write(store, seed)
        read(store, seed)
        log.settle([touch.id], RESOLVED)
        drain(log, config, store)
        done += 1
        print(done, flush=True)


if __name__ == "__main__":
    main()
