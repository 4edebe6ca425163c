"""The embedded engine: one SQLite file in the data directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rg_core import paths

if TYPE_CHECKING:
    from rg_core.config import StoreConfig
    from rg_core.store.asset_rows import LocalRows
    from rg_core.store.documents import DocumentStore
    from rg_core.store.protocol import Store
    from rg_core.store.search import Index

ADDRESS = ""


def open_store(settings: StoreConfig, environ: Mapping[str, str], seconds: float) -> Store:
    """The Store in the file of `environ`'s data directory."""
    from rg_core.store.sqlite.store import EmbeddedStore

    return EmbeddedStore(paths.memory_file(environ), seconds)


def open_documents(environ: Mapping[str, str]) -> DocumentStore:
    """The documents and notes in a file of their own in `environ`'s data directory."""
    from rg_core.store.sqlite.documents import LocalDocuments

    return LocalDocuments(paths.documents_file(environ))


def open_index(environ: Mapping[str, str], version: int) -> Index:
    """The index of recall in a file of its own in `environ`'s data directory."""
    from rg_core.store.sqlite.recall import RecallIndex

    return RecallIndex(paths.recall_file(environ, version))


def open_asset_rows(settings: StoreConfig, environ: Mapping[str, str]) -> LocalRows:
    """The assets in the file of `environ`'s data directory."""
    from rg_core.store.sqlite.assets import SqliteAssets

    return SqliteAssets(paths.assets_file(environ))
