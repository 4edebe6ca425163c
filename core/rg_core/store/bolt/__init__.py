"""The server engine: Neo4j or Memgraph over Bolt, one memory for a team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rg_core.config import StoreConfig
    from rg_core.store.asset_rows import AssetRows
    from rg_core.store.protocol import Store

ADDRESS = "bolt://HOST:7687 (neo4j:// for a cluster; +s: TLS, +ssc: TLS with a certificate of its own)"


def open_store(settings: StoreConfig, environ: Mapping[str, str], seconds: float) -> Store:
    """The Store on the server of `settings.url`."""
    from rg_core.store.bolt.store import BoltStore

    return BoltStore(settings.url, settings.user, settings.password, settings.database, seconds)


def open_asset_rows(settings: StoreConfig, environ: Mapping[str, str]) -> AssetRows:
    """The shared assets on the server of `settings.url`."""
    from rg_core.store.bolt.assets import BoltAssets
    from rg_core.store.bolt.connection import Connection

    return BoltAssets(Connection(settings.url, settings.user, settings.password, settings.database))
