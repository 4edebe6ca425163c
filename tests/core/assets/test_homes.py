"""What goes to a server and what stays: with a second file in the server's place, which keeps the same contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.assets import installation
from rg_core.assets.errors import Refused
from rg_core.assets.store import Assets, Source
from rg_core.config import load, set_values
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets.people import ALICE, BOB, CLI, IMPORT, SKILL

PROJECT = {"visibility": "project"}
OF_DOCUMENTS = Source("wiki:docs", {"source_type": "documents", "source_ref": "docs"})


@pytest.fixture
def open_for(home: dict[str, str], tmp_path: Path) -> Iterator[Callable[[], Assets]]:
    """Opens alice's assets with a server, by what her configuration says."""
    made: list[Assets] = []
    set_values(home, {"identity.user_id": "alice", "projects.dirs": (f"harbor={tmp_path}",)})

    def opened() -> Assets:
        config = load(home)
        made.append(
            Assets(
                SqliteAssets(paths.assets_file(home)),
                SqliteAssets(str(tmp_path / "server.db")),
                may_widen=lambda asset: installation.may_widen(asset, config),
            )
        )
        return made[-1]

    yield opened
    for assets in made:
        assets.close()


def test_a_pseudonym_keeps_assets_on_this_machine(home: dict[str, str], open_for: Callable[[], Assets]) -> None:
    set_values(home, {"identity.pseudonym": True})
    assets = open_for()
    done = assets.register(ALICE, "skill", SKILL, CLI)
    with pytest.raises(Refused, match=r"identity\.pseudonym") as refused:
        assets.govern(ALICE, done.id, PROJECT, CLI)
    assert refused.value.word == "invalid"
    assert assets.get(ALICE, done.id).policy.visibility == "private"
    assert assets.audit(ALICE)[0].outcome == "invalid"


def test_what_is_made_of_private_documents_stays_until_their_project_is_shared(
    home: dict[str, str], open_for: Callable[[], Assets]
) -> None:
    done = open_for().register(ALICE, "llm_wiki", {"name": "docs"}, IMPORT, OF_DOCUMENTS)
    with pytest.raises(Refused, match=r"projects\.shared"):
        open_for().govern(ALICE, done.id, PROJECT, CLI)
    set_values(home, {"projects.shared": ("harbor",)})
    open_for().govern(ALICE, done.id, PROJECT, CLI)
    assert [asset.id for asset in open_for().readable(BOB)] == [done.id]


def test_a_server_without_an_asset_does_not_hide_the_one_that_is_here(open_for: Callable[[], Assets]) -> None:
    assets = open_for()
    done = assets.register(ALICE, "skill", SKILL, CLI, patch=PROJECT)
    assets.govern(ALICE, done.id, {"visibility": "private"}, CLI)
    assets.govern(ALICE, done.id, PROJECT, CLI)
    assets.revise(ALICE, done.id, {"body": "newer"}, CLI)
    assert [one.n for one in assets.history(ALICE, done.id)] == [1, 2, 3, 4]
    assert assets.get(BOB, done.id).head.content.body == "newer"
    assets.forget(ALICE, done.id, CLI)
    assert not assets.readable(ALICE)
