"""Nothing of an asset that may not be read is in any answer: random worlds, and a walk through every public method.

RG_WORLDS says how many worlds; a few hundred unless it is set.
"""

from __future__ import annotations

import inspect
import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets.code import QUESTIONS
from rg_core.assets.errors import Refused
from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.manifest import About
from rg_core.assets.model import Identity
from rg_core.assets.reader import AssetReader
from rg_core.assets.store import Assets, Source
from rg_core.cli.assets.common import row, whole
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets import worlds
from tests.core.assets.people import AGENT, CLI, IMPORT, NOW

WORLDS = int(os.environ.get("RG_WORLDS", "300"))


def told(act: Callable[[], object]) -> str:
    """Everything that an act says, or the text of its refusal."""
    try:
        return repr(act())
    except Refused as error:
        return f"{error.word} {error}"


def answers(assets: Assets, who: Identity, ids: list[str]) -> Iterator[str]:
    """What this identity gets to see, by every way there is."""
    yield json.dumps([row(asset) for asset in assets.readable(who)])
    for unbound in ("all", "relevant", "none"):
        loadout = assets.loadout(who, LoadoutRequest(NOW, "release", 32768, unbound=unbound))
        yield json.dumps(loadout.json()) + loadout.text()
    if who.agent:
        yield json.dumps(assets.manifest(who, LoadoutRequest(NOW), About(who.agent, content=True)))
    yield repr(assets.search(who, " ".join(["release", *map(worlds.mark, ids)])))
    yield repr(assets.agents(who))
    yield repr([one for one in assets.audit(who) if one.user != who.user])
    for key in ids:
        yield told(lambda key=key: whole(assets.get(who, key), who)).replace(key, "")  # type: ignore[misc]
        yield told(lambda key=key: assets.history(who, key)).replace(key, "")  # type: ignore[misc]
        yield told(lambda key=key: assets.pages(who, key)).replace(key, "")  # type: ignore[misc]
        yield told(lambda key=key: assets.page(who, key, f"{worlds.mark(key)}.md")).replace(key, "")  # type: ignore[misc]


def test_no_byte_of_what_may_not_be_read_is_in_any_answer(tmp_path: Path) -> None:
    local = SqliteAssets(str(tmp_path / "assets.db"))
    assets = Assets(local)
    hidden = shown = 0
    for seed in range(WORLDS):
        chance = random.Random(seed)
        project = f"w{seed}"
        policies = worlds.fill(local, chance, project)
        who = worlds.people(chance, project)
        secret = {key for key, policy in policies.items() if not worlds.may_read(policy, who)}
        hidden, shown = hidden + len(secret), shown + len(policies) - len(secret)
        texts = list(answers(assets, who, sorted(policies)))
        for key in secret:
            assert not [text for text in texts if worlds.mark(key) in text or key in text], (seed, key)
        seen = texts[0]
        assert all(key in seen for key in policies if key not in secret), seed
        stranger = replace(who, project=f"w{seed + 1}")
        for text in answers(assets, stranger, sorted(policies)) if seed % 10 == 0 else ():
            assert not [key for key in policies if worlds.mark(key) in text or key in text], seed
    assets.close()
    assert hidden > WORLDS / 2
    assert shown > WORLDS / 2


STRANGER = Identity("mallory", "harbor", ("core",), ("lead",), "reviewer", "t", "codex")
OWNER = Identity("ann", "harbor")


@pytest.fixture
def private(tmp_path: Path) -> Iterator[tuple[Assets, str]]:
    """A store with one private asset, and its id."""
    assets = Assets(SqliteAssets(str(tmp_path / "assets.db")))
    content = {"name": "zebra", "description": "zebra", "body": "zebra", "labels": ["zebra"]}
    done = assets.register(OWNER, "skill", content, CLI, patch={"bindings": [{"target": "agent:reviewer"}]})
    yield assets, done.id
    assets.close()


WALK: dict[str, Callable[[Assets, str], Any]] = {
    "register": lambda assets, key: assets.register(STRANGER, "skill", {"name": "zebra1"}, CLI),
    "foresee": lambda assets, key: assets.foresee(
        STRANGER, "skill", {"name": "zebra1"}, CLI, Source("hand:ann:zebra", {})
    ),
    "revise": lambda assets, key: assets.revise(STRANGER, key, {"body": "x"}, CLI),
    "govern": lambda assets, key: assets.govern(STRANGER, key, {"status": "archived"}, CLI),
    "fail": lambda assets, key: assets.fail(STRANGER, "skill", "x", Source("hand:ann:zebra", {}), IMPORT, "gone"),
    "forget": lambda assets, key: assets.forget(STRANGER, key, CLI),
    "readable": lambda assets, key: assets.readable(STRANGER),
    "get": lambda assets, key: assets.get(STRANGER, key),
    "rights": lambda assets, key: assets.rights(STRANGER, key),
    "editable": lambda assets, key: assets.editable(STRANGER, key),
    "history": lambda assets, key: assets.history(STRANGER, key),
    "loadout": lambda assets, key: assets.loadout(STRANGER, LoadoutRequest(NOW, "zebra", unbound="all")).json(),
    "manifest": lambda assets, key: assets.manifest(STRANGER, LoadoutRequest(NOW), About("reviewer")),
    "agents": lambda assets, key: assets.agents(STRANGER),
    "search": lambda assets, key: assets.search(STRANGER, "zebra"),
    "pages": lambda assets, key: assets.pages(STRANGER, key),
    "page": lambda assets, key: assets.page(STRANGER, key, "zebra"),
    "ask_code": lambda assets, key: [assets.ask_code(STRANGER, key, question, "zebra") for question in QUESTIONS],
    "audit": lambda assets, key: assets.audit(STRANGER),
    "audited": lambda assets, key: _audited(assets, key),
    "parsed": lambda assets, key: assets.parsed("x", [key]),
    "keep_parsed": lambda assets, key: assets.keep_parsed("x", {key: b""}),
    "unchanging": lambda assets, key: _unchanging(assets),
    "close": lambda assets, key: None,
}


def _audited(assets: Assets, key: str) -> object:
    with assets.audited(STRANGER, AGENT, "get", key):
        return assets.get(STRANGER, key)
    return None


def _unchanging(assets: Assets) -> object:
    with assets.unchanging() as given:
        return given


def test_the_walk_knows_every_public_method() -> None:
    public = {name for name, _ in inspect.getmembers(Assets, inspect.isfunction) if not name.startswith("_")}
    assert public == set(WALK)
    assert issubclass(Assets, AssetReader)


@pytest.mark.parametrize("method", WALK)
def test_a_stranger_gets_nothing_by_any_method(private: tuple[Assets, str], method: str) -> None:
    assets, key = private
    text = told(lambda: WALK[method](assets, key))
    assert "zebra" not in text.replace("zebra1", "")
    assert key not in text.replace(f"{key[:80]!r} that you may read", "")
    kept = assets.get(OWNER, key)
    assert (kept.head.n, kept.head.status, kept.head.content.body) == (1, "approved", "zebra")
