"""Forgetting: what was forgotten is readable by no method; what others hold stays."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rg_core.address.model import Address
from rg_core.store.model import Batch, Move
from rg_core.store.protocol import Store
from tests.core.store.worlds import START, a_comment, a_listing, a_repository, an_item, time_of

ALL = "github:owner/repo/issues?state=all"
SECRET = "what must be forgotten"


def whole(store: Store) -> str:
    """Everything a store gives out, as text."""
    records = list(store.dump())
    ids = store.state_ids("", 1000)
    bodies = [(store.state(id_), store.snapshot(id_)) for id_ in ids]
    return json.dumps(records, ensure_ascii=False) + repr(bodies) + repr(store.complete("", 1000))


def fill(store: Store) -> None:
    first = an_item(1, title=SECRET, comments=(a_comment(1, body=SECRET),), labels=(SECRET,))
    items = [first, an_item(2), an_item(3)]
    store.write(Batch(time_of(START + 2000), repositories=[a_repository()], items=items, listings=[a_listing(items)]))
    edited = replace(first, body=SECRET, updated_at=time_of(START + 3000), fetched_at=time_of(START + 4000))
    store.write(Batch(time_of(START + 4000), items=[edited]))


def test_a_forgotten_item_is_nowhere(store: Store) -> None:
    fill(store)
    ids = [state.id for state in store.history("github:owner/repo#1")]
    assert SECRET in whole(store)
    assert store.forget(["github:owner/repo#1", "github:owner/repo#99"]) == 1
    assert SECRET not in whole(store)
    assert store.read("github:owner/repo#1") is None
    assert store.read("github:owner/repo#1", time_of(START + 2500)) is None
    assert store.history("github:owner/repo#1") == []
    assert [store.state(id_) for id_ in ids] == [None, None]
    assert store.versions(["I_1", "github:owner/repo#1"]) == {}
    assert store.counts() == {
        "repositories": 1, "issues": 2, "pull_requests": 0, "comments": 0, "states": 3, "listings": 1,
    }  # fmt: skip


def test_a_forgotten_item_leaves_its_listings_which_are_then_not_complete(store: Store) -> None:
    fill(store)
    store.forget(["github:owner/repo#1"])
    listing, members = store.listing(ALL, "created-desc") or pytest.fail("gone")
    assert [node_id for node_id, _ in members] == ["I_2", "I_3"]
    assert (listing.member_count, listing.total_count, listing.complete) == (2, 3, False)
    page = store.page(listing, Address.parse(ALL), 0, 1)
    assert (page.rows[0].number, page.count) == (2, 2)
    body = store.snapshot(listing.id)
    assert body
    assert [member["number"] for member in body.members] == [2, 3]
    assert not body.complete


def test_a_forgotten_item_can_be_learned_again(store: Store) -> None:
    fill(store)
    store.forget(["github:owner/repo#1"])
    store.write(Batch(time_of(START + 9000), items=[an_item(1)], listings=[a_listing([an_item(1), an_item(2)])]))
    assert store.read("github:owner/repo#1")
    assert len(store.history("github:owner/repo#1")) == 1


def test_a_forgotten_listing_leaves_its_members(store: Store) -> None:
    fill(store)
    store.write(Batch(time_of(START + 9000), listings=[a_listing([an_item(2)], order="best-match")]))
    snapshot = store.candidates("owner/repo", "issues")[0].id
    assert store.forget([ALL, ALL]) == 1
    assert store.candidates("owner/repo", "issues") == []
    assert store.candidates("owner/repo", "issues", time_of(START + 9000)) == []
    assert store.listing(ALL, "created-desc") is None
    assert store.snapshot(snapshot) is None
    assert store.read("github:owner/repo#2")


def test_a_forgotten_repository_leaves_its_items_and_its_name(store: Store) -> None:
    fill(store)
    assert store.forget(["github:owner/repo"]) == 1
    assert store.read("github:owner/repo") is None
    assert "# Readme" not in whole(store)
    reading = store.read("github:owner/repo#2")
    assert reading
    assert reading.resource == an_item(2)
    assert store.forget(["github:owner/repo"]) == 0


def test_what_was_transferred_is_forgotten_in_both_places(store: Store) -> None:
    fill(store)
    became = an_item(9, node_id="I_9", repository_id="R_2", repository="Other/Place", updated_at=time_of(START + 5000))
    move = Move("github:owner/repo#1", "github:other/place#9", "I_9", "I_1")
    store.write(Batch(time_of(START + 6000), items=[became], moves=[move]))
    assert store.forget(["github:owner/repo#1"]) == 1
    assert SECRET not in whole(store)
    assert store.read("github:other/place#9") is None
    assert store.read("github:owner/repo#1") is None
