"""A user's own documents and notes, as one process uses them: whose they are, where it stands, the open file."""

from __future__ import annotations

from collections.abc import Mapping

from rg_core import paths
from rg_core.config import Config
from rg_core.documents.find import is_name, key_named
from rg_core.documents.upstream import publish_upstream
from rg_core.store import open_documents


class OwnTexts:
    """The documents and notes of the configured user. `directory` says which project's names come first."""

    def __init__(self, config: Config, environ: Mapping[str, str], directory: str) -> None:
        """Nothing is opened yet."""
        self.config, self.environ, self.directory = config, environ, directory
        self.store = open_documents(environ)

    @property
    def user(self) -> str:
        """Whose they are.

        Raises:
            UserError: without an identity.
        """
        return self.config.require_user()

    def concerns(self, argument: str) -> bool:
        """Whether an argument is a document's or a note's key or name, rather than something on GitHub."""
        return is_name(argument, self.config.documents.prefixes)

    def key(self, argument: str) -> str:
        """The key of the stored document or note that an argument means.

        Raises:
            UserError: if there is none; names what is near.
        """
        return key_named(self.store, self.user, self.config, argument, self.directory)

    def publish(self) -> None:
        """Let hooks know what the documents build on; to be called when documents have changed.

        Raises:
            UserError: without an identity.
            StoreUnavailable: when the file is away.
        """
        publish_upstream(self.store, self.user, self.config, paths.data_dir(self.environ))

    def close(self) -> None:
        """Close the file."""
        self.store.close()
