"""Which engine a configuration opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import Config, StoreConfig
from rg_core.errors import UserError
from rg_core.store import open_store
from rg_core.store.sqlite.store import EmbeddedStore


def test_without_a_url_it_is_the_file_in_the_data_directory(home: dict[str, str]) -> None:
    store = open_store(Config("config.toml"), home)
    assert isinstance(store, EmbeddedStore)
    assert store.path == paths.memory_file(home)
    assert not Path(store.path).exists()
    store.init()
    store.close()
    assert Path(store.path).exists()


def test_with_a_url_it_is_that_server(home: dict[str, str]) -> None:
    pytest.importorskip("neo4j")
    store = open_store(Config("config.toml", store=StoreConfig(url="bolt://localhost:1")), home)
    assert not isinstance(store, EmbeddedStore)
    store.close()


def test_a_url_of_no_bolt_server_is_said(home: dict[str, str]) -> None:
    with pytest.raises(UserError, match="bolt://"):
        open_store(Config("config.toml", store=StoreConfig(url="http://localhost")), home)
