"""A home with an identity and a memory, for real server processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import set_values
from rg_core.store.model import Batch, Item, Listing, Member
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.reading import samples

ME = "me@example.org"
OPEN = "github:o/r/issues?state=open"


@pytest.fixture
def remembered(home: dict[str, str]) -> dict[str, str]:
    """The environment of a user whose memory holds o/r, its issue #1, pull request #2, and its open issues."""
    set_values(home, {"identity.user_id": ME})
    Path(paths.data_dir(home)).mkdir(parents=True, mode=0o700)
    store = EmbeddedStore(paths.memory_file(home))
    store.init()
    store.write(first_batch())
    store.close()
    return home


def first_batch() -> Batch:
    """What the memory holds at first."""
    items: list[Item] = [
        samples.item(body="the body of issue one", comments=(samples.comment(1, "a comment"),)),
        samples.item(kind="pull_request", number=2, node_id="PR_2", title="a change", base_ref="main"),
    ]
    members = (Member("I_1", samples.AT),)
    listing = Listing(OPEN, "created-desc", members, 1, True, samples.AT)
    return Batch(samples.AT, repositories=[samples.repository(readme="# O/R")], items=items, listings=[listing])
