"""Recall as one process uses it: the user's documents and notes, the public content, and the index over both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from rg_core.config import Config
from rg_core.documents.own import OwnTexts
from rg_core.documents.projects import projects
from rg_core.recall import fusion, vectors
from rg_core.recall.answer import Findings, Question
from rg_core.recall.indexing import INDEX_VERSION, Backlog, backlog, catch_up
from rg_core.recall.run import Setting, recall
from rg_core.recall.weights import weights_of
from rg_core.store import open_index
from rg_core.store.protocol import Store, StoreUnavailable
from rg_core.store.search import Card, Feed, Searchable, SharedIndex

T = TypeVar("T")
DOCUMENTS, MEMORY = "documents", "memory"  # the sources of the index
NOT_BEGUN = "its index is not begun yet; rg-memory sweep builds it"


class OwnRecall:
    """The memories of the configured user: on this machine, and on the server where there is one."""

    def __init__(self, config: Config, environ: Mapping[str, str], directory: str, store: Store) -> None:
        """Nothing is opened yet. `store` holds the public content."""
        self.config = config
        self.texts = OwnTexts(config, environ, directory)
        self.index = open_index(environ, INDEX_VERSION)
        self.feeds: dict[str, Feed] = {DOCUMENTS: self.texts.store}
        self.shared: SharedIndex | None = None
        self.away = ""  # why the server is not searched
        if store.can.feed:
            self.feeds[MEMORY] = store  # type: ignore[assignment]  # `can` says that it is one
        if store.can.text:
            self.shared = store.index(INDEX_VERSION)

    def catch_up(
        self, seconds: float | None = None, *, embed: bool = True, shared_seconds: float | None = None
    ) -> Backlog:
        """Bring the indexes up to date, each for so long at most; what is left then.

        A server that is away, or cannot be searched, is left out until the next time; answers say so.

        Args:
            seconds: for the index on this machine.
            embed: whether to give States their vectors, too.
            shared_seconds: for the index on the server; 0 only looks at what is left.
        """
        prefixes = self.config.documents.prefixes
        left = catch_up(self.index, self.feeds, seconds=seconds, embed=embed, prefixes=prefixes)
        return left + self._shared(lambda shared: self._follow(shared, shared_seconds, embed=embed), Backlog())

    def backlog(self) -> Backlog:
        """What the indexes have not got yet."""
        left = backlog(self.index, self.feeds)
        return left + self._shared(
            lambda shared: backlog(shared, {MEMORY: shared}) if shared.exists() else Backlog(), Backlog()
        )

    def ask(
        self,
        question: Question,
        *,
        now: datetime | None = None,
        legs: Sequence[str] = fusion.FINDING,
        embed: bool = True,
        notes: Sequence[str] = (),
    ) -> Findings:
        """Answer a question from what is indexed. `embed`: whether the model may be used, which takes time to load.

        Raises:
            UserError: without an identity.
            StoreUnavailable: when a file is away; of a server the answer says so.
        """
        setting = Setting(
            self.texts.user,
            [self.index],
            now or datetime.now(UTC),
            weights=weights_of(self.config.recall),
            prefixes=self.config.documents.prefixes,
            projects=list(projects(self.config)),
            legs=legs,
            verified=self._verified,
            notes=notes,
        )
        if embed and vectors.is_installed():
            setting = replace(setting, embed=vectors.embed)
        elif vectors.is_installed():
            setting = replace(setting, why_no_vectors=vectors.LOADING)
        return self.over(lambda places: recall(question, self._over(setting, places)))

    def over(self, work: Callable[[Sequence[Searchable]], T]) -> T:
        """What `work` makes of all that is searched: with the server's index, or without it where it is away."""
        if self.shared and not self.away:
            try:
                if self.shared.exists():
                    return work([self.index, self.shared])
                self.away = NOT_BEGUN
            except StoreUnavailable as error:
                self.away = str(error)
        return work([self.index])

    def close(self) -> None:
        """Close the files that are this object's own."""
        self.index.close()
        self.texts.close()

    def _over(self, setting: Setting, places: Sequence[Searchable]) -> Setting:
        notes = setting.notes
        if self.shared and len(places) == 1:
            notes = (f"What the server holds is not searched: {self.away}", *notes)
        return replace(setting, searched=places, notes=notes)

    def _follow(self, shared: SharedIndex, seconds: float | None, *, embed: bool) -> Backlog:
        if seconds == 0:
            return Backlog(shared.changes_left(0)) if shared.exists() else Backlog()
        shared.begin()
        prefixes = self.config.documents.prefixes
        return catch_up(shared, {MEMORY: shared}, seconds=seconds, embed=embed, prefixes=prefixes)

    def _shared(self, work: Callable[[SharedIndex], T], otherwise: T) -> T:
        """What `work` makes of the server's index; `otherwise` where there is none, or it is away."""
        if self.shared is None:
            return otherwise
        try:
            self.away = ""
            return work(self.shared)
        except StoreUnavailable as error:
            self.away = str(error)
            return otherwise

    def _verified(self, cards: Sequence[Card]) -> dict[str, str]:
        """When each of these was last seen to hold, by memory id."""
        found: dict[str, str] = {}
        for feed in (*self.feeds.values(), *([self.shared] if self.shared and not self.away else [])):
            left = {card.address: card.memory_id for card in cards if card.memory_id not in found}
            found |= {left[address]: at for address, at in feed.verified_at(self.texts.user, list(left)).items()}
        return found


def follow(config: Config, environ: Mapping[str, str], store: Store, *, embed: bool = True) -> None:
    """Bring the index on this machine up to date with what was just written or forgotten, if there is one.

    What is forgotten leaves it, and the bytes of its file, before this returns; a server's index it left already.

    Raises:
        StoreUnavailable: when a file is away.
    """
    own = OwnRecall(config, environ, "", store)
    try:
        if own.index.exists():
            catch_up(own.index, own.feeds, embed=embed, prefixes=config.documents.prefixes)
    finally:
        own.close()
