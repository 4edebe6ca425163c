"""Reading less than everything, and several at once, over the real server."""

from __future__ import annotations

from typing import Any

import pytest

from rg_core import paths
from rg_core.store.model import Batch, Listing, Member
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.mcp_server.rig import PATIENT, Rig
from tests.core.reading import samples


@pytest.fixture
def rig(remembered: dict[str, str]) -> Rig:
    return Rig(PATIENT, remembered)


def test_an_outline_what_is_found_and_some_comments(rig: Rig) -> None:
    with rig:
        rig.hello()
        text, failed = rig.resource(address="o/r#1", page="outline")
        assert not failed, text
        assert "Outline of it" in text
        text, failed = rig.resource(address="o/r#1", find="nosuchword")
        assert not failed, text
        assert "Nothing in its text" in text
        text, failed = rig.resource(address="o/r#1", page="1-2")
        assert not failed, text
        assert "omment" in text


def test_several_addresses_in_one_call(rig: Rig) -> None:
    with rig:
        rig.hello()
        text, failed = rig.resource(address=["o/r#1", "o/r", "o/r#404"])
        assert not failed, text
        assert "o/r#1 from memory" in text
        assert "Repository github:o/r from memory" in text
        assert "Not in memory (miss): github:o/r#404" in text
        assert len(text.encode()) <= 18_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"address": []}, "address is missing"),
        ({"address": ["o/r#1", 7]}, "address is missing"),
        ({"address": [f"o/r#{n}" for n in range(1, 12)]}, "at most 10"),
        ({"address": ["o/r#1", "o/r#2"], "page": 2}, "one at a time"),
        ({"address": "o/r#1", "page": "60-40"}, 'comments such as "40-60"'),
        ({"address": "o/r#1", "find": "x" * 501}, "at most 500 characters"),
        ({"address": "o/r#1", "find": 3}, "find is text"),
    ],
)
def test_wrong_arguments_get_an_error_that_helps(rig: Rig, arguments: dict[str, Any], said: str) -> None:
    with rig:
        rig.hello()
        text, failed = rig.resource(**arguments)
        assert failed
        assert said in text


def test_a_repository_that_is_not_stored_says_what_of_it_is(remembered: dict[str, str]) -> None:
    store = EmbeddedStore(paths.memory_file(remembered))
    item = samples.item(node_id="I_9", repository="x/y", repository_id="R_9", number=9)
    listing = Listing(
        "github:x/y/issues?state=open", "created-desc", (Member("I_9", samples.AT),), 40, False, samples.AT
    )
    store.write(Batch(samples.AT, items=[item], listings=[listing]))
    store.close()
    with Rig(PATIENT, remembered) as rig:
        rig.hello()
        text, failed = rig.resource(address="x/y")
        assert not failed, text
        assert "of it memory has 1 of its issues and pull requests, github:x/y/issues?state=open (the first 1)" in text
        text, failed = rig.resource(address="github:x/y/issues?state=open")
        assert not failed, text
        assert "It was fetched with a limit." in text
