"""Engines stand alone: a further one is a package and a row, and nobody outside asks which one it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rg_core
import rg_core.store.bolt
import rg_core.store.sqlite
from rg_core import store as stores
from rg_core.config import Config, StoreConfig
from rg_core.store.protocol import Abilities

ENGINES: dict[str, stores.Engine] = {"sqlite": rg_core.store.sqlite, "bolt": rg_core.store.bolt}  # mypy compares
CORE = Path(rg_core.__file__).parent
NAMED = re.compile(r"\b(bolt|boltstore|embeddedstore|neo4j|memgraph|store\.sqlite)\b", re.IGNORECASE)
THIRD = """
from rg_core.store.protocol import Abilities
ADDRESS = "third://PLACE"
class Store:
    can = Abilities(shared=True)
    def __init__(self, where): self.where = where
def open_store(settings, environ, seconds):
    return Store(settings.url)
"""


def test_every_row_names_the_package_of_an_engine() -> None:
    assert set(stores.ENGINES.values()) == {engine.__name__ for engine in ENGINES.values()}  # type: ignore[attr-defined]


def test_a_third_engine_is_a_package_and_a_row(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "third_engine.py").write_text(THIRD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(stores.ENGINES, "third", "third_engine")
    store = stores.open_store(Config("config.toml", store=StoreConfig(url="third+s://there")), home)
    assert store.where == "third+s://there"
    assert store.can == Abilities(shared=True)
    assert "third://PLACE" in stores.addresses()


def test_nobody_outside_the_store_names_an_engine() -> None:
    found = [
        f"{path.relative_to(CORE)}:{number}: {line.strip()}"
        for path in CORE.rglob("*.py")
        if path.relative_to(CORE).parts[0] != "store"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if NAMED.search(line)
    ]
    assert found == []
