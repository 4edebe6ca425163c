"""Dump and load: everything, histories included, on an empty store and beside what is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from rg_core.errors import UserError
from rg_core.store.model import Batch, Listing, Member
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, Truth, World, a_listing, a_repository, an_item, time_of

ADDRESS = "github:owner/repo/issues?state=all"


def lived(store: Store, seed: int) -> Truth:
    """Fill a store with a random history of items, moves and listings."""
    world, truth = World(seed, items=8), Truth()
    for _ in range(6):
        for _ in range(5):
            world.change()
        batch = world.fetch()
        place = world.random.choice(world.places)
        members = tuple(Member(item.node_id, batch.at) for item in batch.items if item.repository_id == place.node_id)
        listing = Listing(f"github:{place.name.lower()}/issues?state=all", "created-desc", members, 99, False, batch.at)
        store.write(replace(batch, listings=[listing]))
        truth.record(batch)
    return truth


@pytest.mark.parametrize("seed", range(5))
def test_a_loaded_store_is_the_dumped_one(seed: int, new_store: Callable[[], Store]) -> None:
    one, other = new_store(), new_store()
    truth = lived(one, seed)
    records = [json.loads(json.dumps(record)) for record in one.dump()]
    assert other.load(iter(records)) == len(records)
    assert comparable(other) == comparable(one)
    for address in truth.known_as:
        assert other.read(address) == one.read(address)
        assert other.history(address) == one.history(address)
    for id_ in one.state_ids("", 10_000):
        assert other.state(id_) == one.state(id_)
        assert other.snapshot(id_) == one.snapshot(id_)


def test_loading_again_changes_nothing(new_store: Callable[[], Store]) -> None:
    one, other = new_store(), new_store()
    lived(one, 3)
    records = list(one.dump())
    other.load(records)
    before = list(other.dump())
    other.load(records)
    assert list(other.dump()) == before
    one.load(records)
    assert list(one.dump()) == records


def test_loading_an_older_dump_beside_newer_states_joins_the_chains(new_store: Callable[[], Store]) -> None:
    one, other = new_store(), new_store()
    old = an_item(1)
    one.write(Batch(time_of(START + 2000), repositories=[a_repository()], items=[old], listings=[a_listing([old])]))
    new = an_item(1, title="new", updated_at=time_of(START + 5000), fetched_at=time_of(START + 6000))
    listing = a_listing([new], fetched_at=time_of(START + 6000))
    other.write(Batch(time_of(START + 6000), items=[new], listings=[listing]))
    other.load(one.dump())
    reading = other.read("github:owner/repo#1")
    assert reading
    assert reading.resource == new
    then = other.read("github:owner/repo#1", time_of(START + 3000))
    assert then
    assert then.resource == replace(old, fetched_at=time_of(START + 2000))
    first, second = other.history("github:owner/repo#1")
    assert first.valid_until == second.valid_from
    assert second.valid_until is None
    assert other.listing(ADDRESS, "created-desc") == (other.candidates("owner/repo", "issues")[0], (("I_1", AT),))
    assert len(other.candidates("owner/repo", "issues", time_of(START + 3000))) == 1


AT = time_of(START + 6000)


@pytest.mark.parametrize(
    "record",
    [{"record": "rg-memory", "format": 99}, {"record": "surprise"}, {}, {"record": "resource", "kind": "issue"}],
)
def test_what_is_no_export_is_refused(record: dict[str, object], store: Store) -> None:
    with pytest.raises(UserError, match="export"):
        store.load([record])


def comparable(store: Store) -> list[str]:
    """The records in an order that does not depend on which was stored first."""
    return sorted(json.dumps(record, sort_keys=True) for record in store.dump())
