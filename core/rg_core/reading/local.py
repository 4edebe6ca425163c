"""Questions about the user's own documents and notes: the counterpart of rg_core.reading.query for doc: and note:."""

from __future__ import annotations

from collections.abc import Sequence

from rg_core.documents.own import OwnTexts
from rg_core.errors import UserError
from rg_core.reading.query import Answer
from rg_core.store.model import StateFacts
from rg_core.store.texts import Document


def local_answer(texts: OwnTexts, argument: str, as_of: str | None = None) -> Answer:
    """What memory has at a key of a document or a note, or at a name such as SPEC-054.

    A name means the document of the project that the caller's directory is in, or of the one project that has it. A
    miss names what is near.
    """
    argument = argument.strip()
    try:
        found = texts.found(argument)
    except UserError as error:
        if not texts.config.user:
            raise
        return Answer("miss", argument, "document", as_of=as_of, why=str(error))
    reading = found.read(as_of)
    if reading is None:
        since = found.history()[0].valid_from
        return Answer("miss", found.key, "document", as_of=as_of, why=f"not known before {since}")
    assert isinstance(reading.resource, Document)
    return Answer("hit", found.key, reading.resource.kind, None, as_of, reading, superseded=reading.superseded)


def local_causes(chain: Sequence[StateFacts]) -> dict[str, str]:
    """What made the States of a document, in words: a commit, or the State that superseded it."""
    words = {"superseded": "by version"}
    return {facts.cause: f"{words.get(facts.event_type or '', 'commit')} {facts.cause[:12]}"
            for facts in chain if facts.cause}  # fmt: skip
