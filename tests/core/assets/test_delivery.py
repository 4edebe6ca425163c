from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.assets import delivered, delivery, installation
from rg_core.assets.model import Identity
from rg_core.assets.store import Assets
from rg_core.config import load, set_values
from rg_core.store import open_asset_rows
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sqlite import assets as sqlite_assets
from tests.core.assets.people import ALICE, BOB, CLI, SKILL

NOW = "2026-12-01T00:00:00Z"


@pytest.fixture
def harbor(home: dict[str, str], tmp_path: Path) -> Path:
    """A directory of project harbor, whose user is alice and whose sessions are to be given their assets."""
    directory = tmp_path / "harbor"
    (directory / "src").mkdir(parents=True)
    configure(home, {"identity.user_id": "alice", "projects.dirs": (f"harbor={directory}",)})
    configure(home, {"assets.mcp": "read", "assets.deliver": True})
    return directory


def configure(home: Mapping[str, str], values: Mapping[str, str | bool | int | tuple[str, ...]]) -> None:
    set_values(home, values)


def given(home: Mapping[str, str], directory: Path, framework: str = "codex", agent: str = "") -> tuple[str, bool]:
    """What a session gets, and whether that was stale."""
    data, config = paths.data_dir(home), paths.config_file(home)
    return delivered.text_for(data, config, str(directory), framework, agent, installation.now())


def registered(home: Mapping[str, str], patch: Mapping[str, object], who: Identity = ALICE) -> str:
    with installation.opened(load(home), home) as assets:
        return assets.register(who, "skill", SKILL, CLI, patch=patch).id


BOUND = {"bindings": [{"target": "framework:codex"}]}


def test_session_gets_what_is_bound_to_it_and_nobody_else_does(home: dict[str, str], harbor: Path) -> None:
    key = registered(home, BOUND)
    text, stale = given(home, harbor / "src")
    assert SKILL["body"] in text
    assert f"[{key}]" in text
    assert not stale
    assert given(home, harbor, "cursor") == ("", False)
    assert given(home, harbor.parent) == ("", False)


def test_without_deliver_there_is_no_file(home: dict[str, str], harbor: Path) -> None:
    registered(home, BOUND)
    configure(home, {"assets.deliver": False})
    assert given(home, harbor) == ("", True)  # until somebody renders, nothing is shown
    installation.refresh(home)
    assert given(home, harbor) == ("", False)
    assert not Path(delivered.folder(paths.data_dir(home))).exists()


def test_a_changed_policy_is_in_force_at_once(home: dict[str, str], harbor: Path) -> None:
    key = registered(home, BOUND)
    with installation.opened(load(home), home) as assets:
        assets.govern(ALICE, key, {"status": "archived"}, CLI)
    assert given(home, harbor) == ("", False)


def test_text_is_withdrawn_before_a_change_is_committed(home: dict[str, str], harbor: Path) -> None:
    key = registered(home, BOUND)
    config = load(home)
    deliveries = delivery.Deliveries(config, home)
    local, _ = open_asset_rows(config, home)
    assets = Assets(local, changing=deliveries.withdraw)
    try:
        assets.forget(ALICE, key, CLI)  # and then the process is killed
        assert given(home, harbor) == ("", True)
    finally:
        assets.close()


def test_a_deny_of_every_agent_holds_for_names_that_nobody_wrote_down(home: dict[str, str], harbor: Path) -> None:
    deny = [{"effect": "deny", "subject": "agent:*", "rights": ["use"]}]
    registered(home, {**BOUND, "acl": deny})
    assert SKILL["body"] in given(home, harbor)[0]
    assert given(home, harbor, agent="somebody") == ("", False)


def test_a_named_agent_has_its_own_text(home: dict[str, str], harbor: Path) -> None:
    deny = [{"effect": "deny", "subject": "agent:intern/é", "rights": ["read"]}]
    registered(home, {**BOUND, "acl": deny})
    assert given(home, harbor, agent="intern/é") == ("", False)
    assert SKILL["body"] in given(home, harbor, agent="reviewer")[0]


@pytest.mark.parametrize("anybody", ["framework:codex", "agent:*"])
def test_a_named_agent_is_denied_what_others_have_by_an_entry(home: dict[str, str], harbor: Path, anybody: str) -> None:
    acl = [{"effect": "allow", "subject": anybody, "rights": ["use"]},
           {"effect": "deny", "subject": "agent:intern", "rights": ["read"]}]  # fmt: skip
    registered(home, {**BOUND, "acl": acl}, BOB)
    assert SKILL["body"] in given(home, harbor, agent="reviewer")[0]
    assert given(home, harbor, agent="intern") == ("", False)


@pytest.mark.parametrize("name", ["é" * 200, "A" * 200])
def test_a_long_name_is_a_name_like_others(home: dict[str, str], harbor: Path, name: str) -> None:
    registered(home, {**BOUND, "acl": [{"effect": "deny", "subject": f"agent:{name}", "rights": ["read"]}]})
    assert given(home, harbor, agent=name) == ("", False)
    assert SKILL["body"] in given(home, harbor, agent=name[1:])[0]


@pytest.mark.parametrize("name", ["e\u0301t\u00e9", " \u00e9t\u00e9\n"])
def test_an_agent_is_known_however_its_name_is_written(home: dict[str, str], harbor: Path, name: str) -> None:
    registered(home, {**BOUND, "acl": [{"effect": "deny", "subject": "agent:\u00e9t\u00e9", "rights": ["read"]}]})
    assert given(home, harbor, agent=name) == ("", False)


def test_nothing_is_rendered_while_a_change_is_not_committed(
    home: dict[str, str], harbor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = registered(home, BOUND)
    monkeypatch.setattr(sqlite_assets, "BUSY_SECONDS", 0.1)
    local, _ = open_asset_rows(load(home), home)
    withdraw = delivery.Deliveries(load(home), home).withdraw

    def meanwhile(project: str) -> None:
        withdraw(project)
        with pytest.raises(StoreUnavailable):
            installation.refresh(home)

    assets = Assets(local, changing=meanwhile)
    try:
        assets.govern(ALICE, key, {"status": "archived"}, CLI)
        assert given(home, harbor) == ("", True)
    finally:
        assets.close()


def test_an_expired_asset_is_not_shown_and_the_file_is_stale(home: dict[str, str], harbor: Path) -> None:
    registered(home, {**BOUND, "expires_at": "2026-12-31T00:00:00Z"})
    data, config = paths.data_dir(home), paths.config_file(home)
    before = delivered.text_for(data, config, str(harbor), "codex", "", "2026-12-30T23:59:59Z")
    after = delivered.text_for(data, config, str(harbor), "codex", "", "2026-12-31T00:00:00Z")
    assert SKILL["body"] in before[0]
    assert after == ("", True)


def test_a_harness_without_a_place_for_it_gets_summaries_for_its_instructions(
    home: dict[str, str], harbor: Path
) -> None:
    registered(home, {"bindings": [{"target": "framework:grok", "mode": "direct"}]})
    text, _ = given(home, harbor, "grok")
    assert SKILL["description"] in text
    assert SKILL["body"] not in text


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_files_are_for_their_owner_alone(home: dict[str, str], harbor: Path) -> None:
    registered(home, BOUND)
    folder = Path(delivered.folder(paths.data_dir(home)))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 6
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "harbor")} == {0o700}
