"""Where memory lives: one Store protocol, an embedded engine (SQLite) and a Bolt engine (Neo4j, Memgraph)."""

from __future__ import annotations

TYPE_CHECKING = False  # the hook imports rg_core.touches.known, and so this: no `typing` here
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rg_core.config import Config
    from rg_core.store.protocol import Store


def open_store(config: Config, environ: Mapping[str, str]) -> Store:
    """The configured Store, not connected yet: the server of `[store] url`, or else the file in the data directory.

    Raises:
        UserError: if the url cannot be one of a Bolt server, or what it needs is not installed.
    """
    if config.store.url:
        from rg_core.store.bolt.store import BoltStore

        return BoltStore(config.store.url, config.store.user, config.store.password, config.store.database)
    from rg_core import paths
    from rg_core.store.sqlite.store import EmbeddedStore

    return EmbeddedStore(paths.memory_file(environ))
