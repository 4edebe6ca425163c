"""Random histories: what memory reads at any instant equals what was recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from rg_core.address.model import Address
from rg_core.store.model import Listing, Member
from rg_core.store.protocol import Store
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.store.worlds import Truth, World, time_of

HISTORIES = int(os.environ.get("RG_HISTORIES", "120"))
EVERY = 1 if "RG_HISTORIES" in os.environ else 5  # on a server, where each takes a second, of those one in EVERY
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
    seed, last = first, min(first + BATCH, HISTORIES)
    while seed < last:
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
        seed += 1 if isinstance(store, EmbeddedStore) else EVERY


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


@pytest.mark.parametrize("seed", range(10))
def test_listings_answer_at_every_instant_with_the_members_and_states_of_then(seed: int, store: Store) -> None:
    world, truth = World(seed, repositories=1, items=6), Truth()
    answers: list[tuple[str, list[str]]] = []
    for _ in range(8):
        for _ in range(world.random.randint(0, 5)):
            world.change()
        batch = world.fetch()
        named = f"github:{world.places[0].name.lower()}/issues?state=all"
        members = [item.node_id for item in batch.items]
        listing = Listing(named, "created-desc", tuple(Member(id_, batch.at) for id_ in members), 99, False, batch.at)
        store.write(replace(batch, listings=[listing]))
        truth.record(batch)
        answers.append((batch.at, members))
    question = Address("issues", world.places[0].name, state="all")
    for instant in world.random.sample(sorted(truth.instants), 15):
        known = [members for at, members in answers if at <= instant]
        found = store.candidates(question.repository, "issues", instant)
        assert bool(found) == bool(known)
        if known:
            rows = store.page(found[0], question, 0, 100, instant).rows
            assert [row.node_id for row in rows] == known[-1]
            for row in rows:
                item = truth.then(row.address, instant)
                assert item
                assert (row.title, row.state, row.labels, row.comments) == (
                    item.title, item.state, item.labels, len(item.comments),
                )  # fmt: skip
