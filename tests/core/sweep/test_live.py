"""One look at the real GitHub, by hand: `pytest -m live`; with GITHUB_LIVE_TOKEN over GraphQL, else over REST."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rg_core.github.client import Client
from rg_core.store.model import Item, Repository
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.sweep.run import sweep
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, Touch

KEYS = ("github:octocat/hello-world", "github:octocat/hello-world#1", "github:octocat/hello-world/pulls?state=closed")


@pytest.mark.live
def test_hello_world(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if "live" not in request.config.option.markexpr:
        pytest.skip("asks the live GitHub API: pytest -m live")
    log = TouchLog(str(tmp_path / "touches.db"))
    at = "2026-01-01T00:00:00Z"
    for key in KEYS:
        log.record([Touch(key, "me", key, "item", FETCHED, at, "s", "codex", limit=3 if "?" in key else None)])
    store = EmbeddedStore(str(tmp_path / "memory.db"))
    client = Client(token=os.environ.get("GITHUB_LIVE_TOKEN", ""))
    summary = sweep("me", log, store, client)
    assert summary.exit_code == 0
    repository, item = store.read(KEYS[0]), store.read(KEYS[1])
    assert repository is not None
    assert item is not None
    assert isinstance(repository.resource, Repository)
    assert repository.resource.name == "octocat/Hello-World"
    assert isinstance(item.resource, Item)
    assert item.resource.node_id.startswith(("I_", "PR_"))
