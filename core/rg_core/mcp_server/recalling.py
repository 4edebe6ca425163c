"""The tools `recall` and `remember` of one MCP connection. Knows no SDK; what is counted is the caller's business."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rg_core import paths
from rg_core.config import Config
from rg_core.documents.notes import NewNote, canonical, remember
from rg_core.documents.own import OwnTexts
from rg_core.documents.projects import project_of
from rg_core.errors import UserError
from rg_core.harness.tool_names import STATE_URI
from rg_core.mcp_server.keeper import Keeper
from rg_core.recall.answer import Findings, Question
from rg_core.recall.asking import question
from rg_core.recall.indexing import building
from rg_core.recall.own import OwnRecall
from rg_core.store.protocol import Store

PATIENCE = 0.8  # seconds that a recall waits for an index that is behind, or a model that loads
UNCHANGED = 0.05  # ... and for the look at documents where everything was in step
AT_ONCE = 0.2  # seconds of indexing within the call itself
STATES = 100
REMEMBER_TAKES = ("text", "about", "kind", "replaces")


class Recalling:
    """What a connection needs to search; opened at first use, anew when the configuration changes."""

    def __init__(self, environ: Mapping[str, str], step: Callable[[], None]) -> None:
        """`step` is called while something goes on, for whoever watches."""
        self.environ, self.step = environ, step
        self.keeper = Keeper(environ)
        self._own: OwnRecall | None = None
        self._config: Config | None = None

    def recall(self, config: Config, store: Store, arguments: Mapping[str, Any]) -> Findings:
        """The answer to a call of `recall`.

        Raises:
            UserError: for an argument that is wrong.
            StoreUnavailable: when a file is away.
        """
        asked = question(arguments)
        own = self._opened(config, store)
        self.keeper.start()
        self.keeper.wait(UNCHANGED, self.step)
        left = own.catch_up(AT_ONCE, embed=False, shared_seconds=0)
        self.step()
        if left.changes or not self.keeper.model_ready:
            self.keeper.wait(PATIENCE, self.step)
            left = own.backlog()
        return own.ask(asked, embed=self.keeper.model_ready, notes=building(left))

    def states(self, config: Config, store: Store, query: str) -> Sequence[tuple[str, str]]:
        """The States whose words answer a query best, by their URIs, with what they say there. Counts nothing.

        Raises:
            StoreUnavailable: when a file is away.
        """
        own = self._opened(config, store)
        own.catch_up(AT_ONCE, embed=False)
        found = own.ask(Question(query, limit=STATES), legs=("lex",), embed=False).results
        return [(STATE_URI + one.state_id, one.snippet) for one in found]

    def remember(self, config: Config, arguments: Mapping[str, Any], author: str) -> str:
        """The key of the note that a call of `remember` keeps.

        Raises:
            UserError: for an argument that is wrong, a secret, or where notes are off.
        """
        if config.documents.notes == "off":
            raise UserError("notes are off on this machine (documents.notes)")
        if unknown := sorted(arguments.keys() - set(REMEMBER_TAKES)):
            raise UserError(f"unknown argument {str(unknown[0])[:60]!r}; remember takes {', '.join(REMEMBER_TAKES)}")
        values = {name: arguments.get(name) for name in REMEMBER_TAKES}
        if not isinstance(values["text"], str):
            raise UserError("text is missing; give what to remember")
        for name in ("kind", "replaces"):
            if not isinstance(values[name] or "", str):
                raise UserError(f"{name} is a text")
        texts = OwnTexts(config, self.environ, paths.here())
        try:
            project = project_of(config, paths.here())
            note = NewNote(
                values["text"], _about(values["about"], config), values["kind"] or "fact",
                project.name if project else "", values["replaces"] or "", author, config.documents.prefixes,
            )  # fmt: skip
            key = remember(texts.store, texts.user, note, datetime.now(UTC))
            if config.store.url and project and project.shared:
                self.keeper.start()  # which sends it
            return key
        finally:
            texts.close()

    def close(self) -> None:
        """Close the files."""
        own, self._own = self._own, None
        if own:
            own.close()

    def _opened(self, config: Config, store: Store) -> OwnRecall:
        if self._own is None or self._config != config:
            self.close()
            self._own, self._config = OwnRecall(config, self.environ, paths.here(), store), config
        return self._own


def _about(given: Any, config: Config) -> tuple[str, ...]:
    words = [given] if isinstance(given, str) else [] if given is None else given
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UserError('about is a list of names or addresses, such as ["SPEC-054", "owner/repo#12"]')
    targets = {word: canonical(word, config.documents.prefixes) for word in words}
    for word, target in targets.items():
        if target is None:
            raise UserError(f"{word[:200]!r} is no name and no address; give SPEC-054, owner/repo#12 or a doc: key")
    return tuple(target for target in targets.values() if target)
