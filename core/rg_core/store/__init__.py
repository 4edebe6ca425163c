"""Where memory lives: one Store protocol (rg_core.store.protocol) and its engines, each a package of its own.

An engine is one package below this one and one row of ENGINES. Nobody else names it: what it can do is asked of the
open Store (`Store.can`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from rg_core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.config import Config, StoreConfig
    from rg_core.store.asset_rows import AssetRows, LocalRows
    from rg_core.store.documents import DocumentStore
    from rg_core.store.protocol import Store
    from rg_core.store.search import Index

LOCAL = ""  # the scheme of no address at all: this machine's own memory
SECONDS = 10.0
ENGINES = {LOCAL: "rg_core.store.sqlite", "bolt": "rg_core.store.bolt", "neo4j": "rg_core.store.bolt"}


class Engine(Protocol):
    """What the package of an engine has."""

    ADDRESS: str  # what an address of it looks like, for a person; "" where it needs none

    def open_store(self, settings: StoreConfig, environ: Mapping[str, str], seconds: float) -> Store:
        """A Store at `settings.url`, not connected yet, whose readers are left waiting for so long.

        Raises:
            UserError: if the url cannot be one of this engine, or what it needs is not installed.
        """
        ...

    def open_asset_rows(self, settings: StoreConfig, environ: Mapping[str, str]) -> AssetRows:
        """The engine's assets, not connected yet; of this machine's own engine they are LocalRows, open.

        Raises:
            UserError, StoreUnavailable: as `open_store`, and if it cannot be opened.
        """
        ...


def open_store(config: Config, environ: Mapping[str, str], seconds: float = SECONDS) -> Store:
    """The configured Store, not connected yet: at the address of `[store] url`, or else this machine's own.

    Args:
        config: says where it is.
        environ: says where this machine's data is.
        seconds: how long a reader may be left waiting; a person waits for a server that just started.

    Raises:
        UserError: if the url cannot be one of a store, or what it needs is not installed.
    """
    return _configured(config).open_store(config.store, environ, seconds)


def open_asset_rows(config: Config, environ: Mapping[str, str]) -> tuple[LocalRows, AssetRows | None]:
    """The engines of governed assets: this machine's own, and the one at the address of `[store] url`, if there is one.

    Raises:
        UserError: as `open_store`.
        StoreUnavailable: if the local file cannot be opened.
    """
    server = _configured(config).open_asset_rows(config.store, environ) if config.store.url else None
    return cast("LocalRows", _engine(ENGINES[LOCAL]).open_asset_rows(config.store, environ)), server


def open_documents(environ: Mapping[str, str]) -> DocumentStore:
    """The user's own documents and notes: on this machine, whichever engine holds what is public."""
    return cast("DocumentStore", import_module(ENGINES[LOCAL]).open_documents(environ))


def open_index(environ: Mapping[str, str], version: int) -> Index:
    """The index that recall searches on this machine, whichever engine holds what is public."""
    return cast("Index", import_module(ENGINES[LOCAL]).open_index(environ, version))


def addresses() -> list[str]:
    """What addresses of stores look like, one a kind of server."""
    engines = [_engine(name) for name in dict.fromkeys(ENGINES.values())]
    return [engine.ADDRESS for engine in engines if engine.ADDRESS]


def _configured(config: Config) -> Engine:
    url = config.store.url
    scheme = url.partition(":")[0].partition("+")[0] if url else LOCAL
    if scheme not in ENGINES or (url and scheme == LOCAL):
        raise UserError(f"[store] url must be like {', or '.join(addresses())}")
    return _engine(ENGINES[scheme])


def _engine(name: str) -> Engine:
    return cast("Engine", import_module(name))
