"""Random histories: what memory reads at any instant equals what was recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

import pytest

from rg_core.store.protocol import Store
from tests.core.store.worlds import Truth, World, time_of

HISTORIES = int(os.environ.get("RG_HISTORIES", "120"))
BATCH = 20  # histories in one test, so that a failure names a small range


def play(world: World, truth: Truth, store: Store, rounds: int = 8) -> None:
    for _ in range(rounds):
        for _ in range(world.random.randint(0, 6)):
            world.change()
        batch = world.fetch()
        store.write(batch)
        truth.record(batch)


@pytest.mark.parametrize("first", range(0, HISTORIES, BATCH))
def test_every_address_reads_at_every_instant_as_it_was_recorded(first: int, new_store: Callable[[], Store]) -> None:
    for seed in range(first, min(first + BATCH, HISTORIES)):
        world, truth, store = World(seed), Truth(), new_store()
        play(world, truth, store)
        instants = [*sorted(truth.instants), time_of(world.now + 10**6), time_of(0)]
        for address in truth.known_as:
            reading = store.read(address)
            assert (reading and reading.resource) == truth.now(address), (seed, address)
            for instant in world.random.sample(instants, min(len(instants), 12)):
                reading = store.read(address, instant)
                assert (reading and reading.resource) == truth.then(address, instant), (seed, address, instant)
            check_chain(store, address)


def check_chain(store: Store, address: str) -> None:
    """One open State at most, no gap, no circle, source time always forwards."""
    chain = store.history(address)
    for state, following in pairwise(chain):
        assert state.valid_until == following.valid_from
        assert state.valid_from < following.valid_from
        assert following.event_type is not None
    assert len({state.id for state in chain}) == len(chain)
    if chain:
        assert chain[0].event_type is None
        assert (chain[-1].valid_until is None) == (chain[-1].event_type != "deleted")


def test_every_state_of_a_history_is_the_body_that_was_read_then(store: Store) -> None:
    world, truth = World(7), Truth()
    play(world, truth, store, rounds=12)
    for address in truth.known_as:
        for facts in store.history(address):
            body, reading = store.state(facts.id), store.read(address, facts.valid_from)
            assert body
            assert reading
            assert reading.state_id == facts.id
            assert body.recorded_at == facts.recorded_at
            assert body.address == reading.resource.address
