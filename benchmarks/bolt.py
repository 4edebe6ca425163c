"""The Bolt engine against the same driver writing the same rows in bare UNWIND batches, and the time of a read.

    python benchmarks/bolt.py            10,000 items with 15,000 comments, on the test server (make bolt-deps)
    python benchmarks/bolt.py 2000       fewer items

The baseline writes the rows that the engine left on the server - items, States, comments and the edges between them -
with one statement for each kind, and does nothing else: no look at what is stored, no names, no references. Both write
into an empty database with the engine's constraints, 200 items a transaction.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests import bolt_server

from rg_core.address.model import Address
from rg_core.store.bolt.store import BoltStore
from rg_core.store.model import Batch, Comment, Item, Listing, Member, Repository

BATCH = 200
ROUNDS = 3
AT = "2026-01-01T00:00:00Z"
TEXT = "The parser leaks memory when a document is closed while it is still being read by another thread. " * 8
ROWS = {  # statement that reads the rows an engine left -> statement that writes them again
    "MATCH (n:Issue) RETURN n.rg_id AS item, properties(n) AS row": """
UNWIND $rows AS row MATCH (p:RgResource {rg_id: row.row.repository_id})
MERGE (n:RgResource:Resource:Issue {rg_id: row.item}) SET n += row.row MERGE (p)-[:HAS_ISSUE]->(n)""",
    "MATCH (n:Issue)-[:HAS_STATE]->(s) RETURN n.rg_id AS item, properties(s) AS row": """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.item})
MERGE (s:RgState:State {id: row.row.id}) SET s += row.row MERGE (n)-[:HAS_STATE]->(s)""",
    "MATCH (n:Issue)-[:HAS_COMMENT]->(c) RETURN n.rg_id AS item, properties(c) AS row": """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.item})
MERGE (c:RgComment:Comment {id: row.row.id}) SET c += row.row MERGE (n)-[:HAS_COMMENT]->(c)""",
}
Rows = list[list[tuple[str, list[dict[str, Any]]]]]  # of each batch: statement and rows


def an_item(number: int) -> Item:
    """An issue with a body of 800 characters and one or two comments of as many."""
    comments = tuple(
        Comment(f"C_{number}_{n}", "somebody", AT, AT, f"{number} {n} {TEXT}") for n in range(1 + number % 2)
    )
    return Item(
        kind="issue", node_id=f"I_{number}", repository_id="R_1", repository="owner/repo", number=number,
        title=f"Leak number {number}", body=f"{number} {TEXT}", state="open", author="somebody", labels=("bug", "perf"),
        assignees=("anybody",), milestone="v1", milestone_number=1, created_at=AT, updated_at=AT, closed_at=None,
        fetched_at=AT, comments=comments,
    )  # fmt: skip


def engine(store: BoltStore, items: Sequence[Item]) -> None:
    """Write with the engine."""
    store.write(Batch(at=AT, repositories=[Repository("R_1", "owner/repo", "", "", AT, AT, AT)]))
    for start in range(0, len(items), BATCH):
        store.write(Batch(at=AT, items=items[start : start + BATCH]))


def left(store: BoltStore, items: Sequence[Item]) -> Rows:
    """The rows that are on the server, in the engine's batches."""
    place = {item.node_id: number // BATCH for number, item in enumerate(items)}
    batches: Rows = [[] for _ in range(1 + max(place.values()))]
    for reading, writing in ROWS.items():
        kind: list[list[dict[str, Any]]] = [[] for _ in batches]
        for found in store.connection.write(partial(_run, reading)):
            kind[place[found["item"]]].append({"item": found["item"], "row": found["row"]})
        for batch, rows in zip(batches, kind, strict=True):
            batch.append((writing, rows))
    return batches


def _run(statement: str, run: Callable[..., Any]) -> Any:
    return run(statement)


def bare(store: BoltStore, batches: Rows) -> None:
    """Write the rows again."""
    store.connection.write(lambda run: run("MERGE (:RgResource:Resource:Repository {rg_id: 'R_1'})"))
    for batch in batches:

        def work(run: Callable[..., Any], batch: Any = batch) -> None:
            for statement, rows in batch:
                run(statement, rows=rows)

        store.connection.write(work)


def seconds(work: Callable[[], None], store: BoltStore) -> float:
    """How long `work` takes in an empty database."""
    empty(store)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def empty(store: BoltStore) -> None:
    """Remove every node, some at a time."""
    some = "MATCH (n) WITH n LIMIT 10000 DETACH DELETE n RETURN count(*) AS n"
    while store.connection.write(lambda run: run(some))[0]["n"]:
        pass


def reads(store: BoltStore, count: int) -> None:
    """Print the time of what `resource` asks of the store for an item and for a page of a listing."""
    members = tuple(Member(f"I_{number}", AT) for number in range(1, min(5000, count) + 1))
    listing = Listing("github:owner/repo/issues?state=all", "created-desc", members, len(members), True, AT)
    store.write(Batch(at=AT, listings=[listing]))
    question = Address.parse(listing.address)
    stored = store.candidates("owner/repo", "issues")[0]
    kinds: dict[str, Callable[[int], object]] = {
        "an item": lambda n: store.read(f"github:owner/repo#{1 + n * 37 % count}"),
        "a page of 50": lambda n: store.page(stored, question, n * 50 % len(members), 50),
    }
    for name, read in kinds.items():
        times = []
        for n in range(300):
            began = time.perf_counter()
            assert read(n)
            times.append((time.perf_counter() - began) * 1000)
        p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        print(f"read {name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms (bar: p50 <= 10 ms)")


def main() -> int:
    """Measure and print ratios."""
    if why := bolt_server.missing():
        print(f"skipped: {why}")
        return 0
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    items = [an_item(number) for number in range(1, count + 1)]
    with bolt_server.running() as server:
        store = BoltStore(server.url, server.user, server.password)
        store.init()
        engine(store, items)
        rows = left(store, items)
        seconds(lambda: bare(store, rows), store)  # both warm: the server compiles statements, and itself
        ratios = []
        for _ in range(ROUNDS):
            base = seconds(lambda: bare(store, rows), store)
            ours = seconds(lambda: engine(store, items), store)
            ratios.append(ours / base)
            print(f"{count} items, {sum(len(item.comments) for item in items)} comments: "
                  f"{ours:.2f} s, bare batches {base:.2f} s, ratio {ours / base:.2f}")  # fmt: skip
        print(f"store: ratio {statistics.median(ratios):.2f} (bar: 1.5)")
        reads(store, count)
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
