"""Recall as one process uses it: the user's documents and notes, the public content, and the index over both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rg_core.address.local import is_local
from rg_core.config import Config
from rg_core.documents.own import OwnTexts
from rg_core.documents.projects import projects
from rg_core.recall import fusion, vectors
from rg_core.recall.answer import Findings, Question
from rg_core.recall.indexing import INDEX_VERSION, Backlog, backlog, catch_up
from rg_core.recall.run import Setting, recall
from rg_core.recall.weights import weights_of
from rg_core.store import open_index
from rg_core.store.protocol import Store
from rg_core.store.search import Card, Feed

DOCUMENTS, MEMORY = "documents", "memory"  # the sources of the index


class OwnRecall:
    """The memories of the configured user on this machine."""

    def __init__(self, config: Config, environ: Mapping[str, str], directory: str, store: Store) -> None:
        """Nothing is opened yet. `store` holds the public content."""
        self.config = config
        self.texts = OwnTexts(config, environ, directory)
        self.index = open_index(environ, INDEX_VERSION)
        self.feeds: dict[str, Feed] = {DOCUMENTS: self.texts.store}
        self.notes: tuple[str, ...] = ()  # what every answer must say
        if store.can.feed:
            self.feeds[MEMORY] = store  # type: ignore[assignment]  # `can` says that it is one
        else:
            self.notes = ("What the server holds is not searched, only documents and notes of this machine.",)

    def catch_up(self, seconds: float | None = None, *, embed: bool = True) -> Backlog:
        """Bring the index up to date, for so long at most; what is left then."""
        return catch_up(self.index, self.feeds, seconds=seconds, embed=embed, prefixes=self.config.documents.prefixes)

    def backlog(self) -> Backlog:
        """What the index has not got yet."""
        return backlog(self.index, self.feeds)

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
            StoreUnavailable: when a file is away.
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
            notes=(*self.notes, *notes),
        )
        if embed and vectors.is_installed():
            setting = replace(setting, embed=vectors.embed)
        elif vectors.is_installed():
            setting = replace(setting, why_no_vectors="the model is still loading")
        return recall(question, setting)

    def close(self) -> None:
        """Close the files that are this object's own."""
        self.index.close()
        self.texts.close()

    def _verified(self, cards: Sequence[Card]) -> dict[str, str]:
        """When each of these was last seen to hold, by memory id."""
        user = self.texts.user
        found: dict[str, str] = {}
        for source, feed in self.feeds.items():
            mine = {card.address: card.memory_id for card in cards if is_local(card.address) == (source == DOCUMENTS)}
            found |= {mine[address]: at for address, at in feed.verified_at(user, list(mine)).items()}
        return found


def follow(config: Config, environ: Mapping[str, str], store: Store, *, embed: bool = True) -> None:
    """Bring the index up to date with what was just written or forgotten, if there is one.

    What is forgotten leaves it, and the bytes of its file, before this returns.

    Raises:
        StoreUnavailable: when a file is away.
    """
    own = OwnRecall(config, environ, "", store)
    try:
        if own.index.exists():
            own.catch_up(embed=embed)
    finally:
        own.close()
