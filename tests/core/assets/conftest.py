from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rg_core.assets.store import Assets
from rg_core.store.sqlite.assets import SqliteAssets


@pytest.fixture
def open_assets(tmp_path: Path) -> Iterator[Callable[[], Assets]]:
    """Opens the same local file, as often as it is called."""
    opened: list[Assets] = []

    def make() -> Assets:
        opened.append(Assets(SqliteAssets(str(tmp_path / "data" / "assets.db"))))
        return opened[-1]

    yield make
    for assets in opened:
        assets.close()


@pytest.fixture
def assets(open_assets: Callable[[], Assets]) -> Assets:
    """The assets of a new, empty local file."""
    return open_assets()
