"""A user's own documents and notes, as one process uses them: whose they are, where it stands, the open file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rg_core import paths
from rg_core.config import Config
from rg_core.documents.find import is_name, key_named, key_of_team
from rg_core.documents.projects import projects
from rg_core.documents.upstream import publish_upstream
from rg_core.errors import UserError
from rg_core.store import SECONDS, open_documents, open_store
from rg_core.store.documents import SharedDocuments
from rg_core.store.model import Reading, StateFacts
from rg_core.store.protocol import Store, StoreUnavailable


@dataclass(frozen=True, slots=True)
class FoundText:
    """A document or a note: on this machine, or shared by somebody on the server."""

    key: str
    read: Callable[[str | None], Reading | None]  # as it was at a time; None: as it is
    history: Callable[[], Sequence[StateFacts]]


class OwnTexts:
    """The documents and notes of the configured user. `directory` says which project's names come first."""

    def __init__(self, config: Config, environ: Mapping[str, str], directory: str, seconds: float = SECONDS) -> None:
        """Nothing is opened yet. `seconds`: how long a server may be waited for."""
        self.config, self.environ, self.directory = config, environ, directory
        self.store = open_documents(environ)
        self._seconds = seconds
        self._server: Store | None = None

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

    def found(self, argument: str) -> FoundText:
        """The document or note that an argument means: the user's own, else one that somebody of the project shares.

        Raises:
            UserError: if there is none; names what is near.
        """
        try:
            key = self.key(argument)
        except UserError as error:
            if (there := self._shared()) is None:
                raise
            try:
                shared = key_of_team(there, self.config, argument, self.directory)
            except StoreUnavailable as away:
                raise UserError(f"{error}; what others share could not be asked: {away}") from away
            if shared is None:
                raise
            return FoundText(shared, lambda as_of: there.read(shared, as_of), lambda: there.history(shared))
        user = self.user
        return FoundText(key, lambda as_of: self.store.read(user, key, as_of), lambda: self.store.history(user, key))

    def state(self, id_: str) -> Mapping[str, object] | None:
        """The immutable body of a State, of the user's own or of what somebody of a project shares.

        Raises:
            StoreUnavailable: when the file or the server is away.
        """
        if own := self.store.state(self.user, id_):
            return own
        there = self._shared()
        return there.state(id_) if there else None

    def publish(self) -> None:
        """Let hooks know what the documents build on; to be called when documents have changed.

        Raises:
            UserError: without an identity.
            StoreUnavailable: when the file is away.
        """
        publish_upstream(self.store, self.user, self.config, paths.data_dir(self.environ))

    def close(self) -> None:
        """Close the file, and the connection where there is one."""
        self.store.close()
        server, self._server = self._server, None
        if server:
            server.close()

    def _shared(self) -> SharedDocuments | None:
        """What people share of the user's projects; None without a server, a project or an identity."""
        mine = list(projects(self.config))
        if not (self.config.store.url and mine and self.config.user):
            return None
        if self._server is None:
            self._server = open_store(self.config, self.environ, self._seconds)
        return self._server.documents_of(mine) if self._server.can.documents else None
