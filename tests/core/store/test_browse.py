"""What is stored, a page at a time: against the same question answered in Python over what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rg_core.store.model import Batch, Entry, Item, Selection
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, a_listing, a_repository, an_item, time_of

STATES = ("open", "closed", "merged")
LABELS = ("bug", "Good First Issue", "perf")


def some_items() -> list[Item]:
    """Forty items of two repositories; many share their time, as items of one release do."""
    found = []
    for number in range(1, 41):
        name, node_id = (("Owner/Repo", "R_1"), ("b/Other", "R_2"))[number % 2]
        found.append(an_item(
            number, node_id=f"I_{number}", repository=name, repository_id=node_id,
            kind="pull_request" if number % 3 == 0 else "issue",
            state=STATES[number % 2 if number % 3 else 2], labels=LABELS[: number % 4], title=f"title {number}",
            updated_at=time_of(START + number // 5), fetched_at=time_of(START + 100 + number),
        ))  # fmt: skip
    return found


def expected(items: list[Item], wanted: Selection) -> list[str]:
    fitting = [
        item for item in items
        if wanted.kind in ("", item.kind) and wanted.state in ("", item.state)
        and wanted.repository.lower() in ("", item.repository.lower())
        and (not wanted.label or wanted.label.lower() in [label.lower() for label in item.labels])
    ]  # fmt: skip
    fitting.sort(key=lambda item: (item.updated_at, item.repository.lower(), item.number), reverse=True)
    return [item.address for item in fitting]


def paged(store: Store, wanted: Selection, size: int) -> list[Entry]:
    found: list[Entry] = []
    while page := store.browse(wanted, size, found[-1] if found else None):
        found += page
    return found


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    wanted=st.builds(
        Selection, st.sampled_from(("", "issue", "pull_request")), st.sampled_from(("", "owner/repo", "b/other")),
        st.sampled_from(("", *STATES)), st.sampled_from(("", "BUG", "good first issue", "none")),
    ),
    size=st.integers(1, 50),
)  # fmt: skip
def test_pages_are_the_whole_in_order(new_store: Callable[[], Store], wanted: Selection, size: int) -> None:
    store = STORES.get(new_store) or STORES.setdefault(new_store, new_store())
    items = some_items()
    if not store.repositories():
        store.write(Batch(time_of(START + 500), items=items))
    assert [entry.address for entry in paged(store, wanted, size)] == expected(items, wanted)


STORES: dict[Callable[[], Store], Store] = {}  # one an engine, for all examples


def test_an_entry_says_what_is_stored(store: Store) -> None:
    item = some_items()[2]
    store.write(Batch(time_of(START + 500), items=[item], repositories=[a_repository()]))
    entries = {entry.kind: entry for entry in store.browse(Selection(), 10)}
    assert entries["pull_request"] == Entry(
        item.address, "pull_request", item.title, item.state, item.labels, item.author, item.updated_at,
        item.fetched_at, len(item.comments),
    )  # fmt: skip
    assert entries["repository"].address == a_repository().address
    assert store.browse(Selection(kind="repository"), 10) == [entries["repository"]]


def test_a_repository_counts_its_items(store: Store) -> None:
    store.write(Batch(time_of(START + 500), items=some_items()[:25]))
    assert list(store.repositories().items()) == [("b/other", 13), ("owner/repo", 12)]


def test_items_are_counted_by_state_and_label(store: Store) -> None:
    items = some_items()
    items[0] = replace(items[0], labels=("BUG",))
    store.write(Batch(time_of(START + 500), items=items, repositories=[a_repository()]))
    found = store.facets(2)
    states = Counter(item.state for item in items)
    assert list(found.states.items()) == sorted(states.items(), key=lambda pair: (-pair[1], pair[0]))
    assert [(label.lower(), count) for label, count in found.labels.items()] == [("bug", 30), ("good first issue", 20)]
    for state, count in found.states.items():
        assert len(store.browse(Selection(state=state), 100)) == count  # type: ignore[arg-type]
    for label, count in found.labels.items():
        assert len(store.browse(Selection(label=label), 100)) == count


def test_an_item_knows_the_listings_that_have_it(store: Store) -> None:
    first, second = an_item(1), an_item(2)
    store.write(Batch(time_of(START + 500), items=[first, second],
                      listings=[a_listing([first, second]), a_listing([second], "label=bug&state=open")]))  # fmt: skip
    every, bugs = "github:owner/repo/issues?state=all", "github:owner/repo/issues?label=bug&state=open"
    assert [(found.address, found.member_count) for found in store.listings_with(second.address)] == [
        (bugs, 1), (every, 2)
    ]  # fmt: skip
    assert [found.address for found in store.listings_with(first.address)] == [every]
    later = time_of(START + 9000)
    store.write(Batch(later, listings=[a_listing([first], fetched_at=later)]))
    assert [found.address for found in store.listings_with(second.address)] == [bugs]
    assert store.listings_with("github:owner/repo#99") == []
