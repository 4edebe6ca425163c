"""What was written is looked at again by every version of the index that there is on the server.

Whoever writes leaves a note in the same transaction, so none is lost wherever a process ends; without an index there is
nothing to note. What is forgotten leaves every index at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from rg_core.store.bolt import cypher_search as cypher
from rg_core.store.bolt.connection import Run


def changed(run: Run, ids: Iterable[str]) -> None:
    """Resources, by node_id, are not what they were."""
    if wanted := sorted(set(ids)):
        run(cypher.CHANGED, ids=wanted, token=_token())


def renamed(run: Run, repository: str) -> None:
    """A repository is called otherwise, or under one more name, and so is everything in it."""
    run(cypher.CHANGED, ids=[repository], token=_token())
    run(cypher.CHANGED_BELOW, ids=[repository], token=_token())


def forgotten(run: Run, ids: Iterable[str]) -> None:
    """Memories leave every version of the index, and nobody looks at them again."""
    gone = sorted(set(ids))
    run(cypher.FORGET_CHANGES, ids=gone)  # first: whoever indexes them right now is waited for
    run(cypher.DROP_MEMORIES, ids=gone, key="")


def _token() -> int:
    """Tells one change from the next: who indexes what was read before must not take the later one for done."""
    return random.getrandbits(53)
