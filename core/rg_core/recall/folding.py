"""How text becomes rows of full text and chunks to embed. Pure.

The tokenizer knows neither Chinese, Japanese or Korean words nor the parts of camelCase: both are added behind the text
when a row is written, and asked for in the same way. A change here is a new INDEX_VERSION (rg_core.recall.indexing).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rg_core.store.search import PieceText

ROW_WORDS = 300  # of a document in one row of full text
CHUNK_WORDS = 150  # in one chunk to embed, the title aside
MOST_CHUNKS = 8
ADDED = "\n\x1e"  # what stands behind it in a row was added by folding
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
CAMEL = re.compile(r"[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z][A-Za-z0-9]*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
LONGEST_WORD = 200  # characters; longer is no word


def folded(text: str) -> str:
    """A text with what the tokenizer would not find in it behind it."""
    added = [*bigrams(text), *(part for word in CAMEL.findall(text) for part in parts(word))]
    return f"{text}{ADDED}{' '.join(dict.fromkeys(added))}" if added else text


def unfolded(text: str) -> str:
    """The text as it was."""
    return text.partition(ADDED)[0]


def bigrams(text: str) -> Iterator[str]:
    """Each two neighbouring characters of what is written without blanks; a single one alone."""
    for run in CJK.findall(text):
        yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))


def parts(word: str) -> list[str]:
    """The parts of a camelCase word, those of one letter aside."""
    found = PART.findall(word) if len(word) <= LONGEST_WORD else []
    return [part for part in found if len(part) > 1] if len(found) > 1 else []


def pieces(kind: str, title: str, body: str, comments: str) -> tuple[PieceText, ...]:
    """The rows of a State: of a document one for every 300 words; of an issue or pull request, or a note, one alone."""
    if kind in ("issue", "pull_request", "note"):
        return (PieceText(folded(title), folded(body), folded(comments)),)
    head = folded(title)
    return tuple(PieceText(head, folded(part)) for part in windows(body, ROW_WORDS)) or (PieceText(head, ""),)


def chunks(rows: Sequence[PieceText]) -> list[str]:
    """The chunks of a State to embed: 150 words each with the title in front, the first eight."""
    if not rows:
        return []
    title = unfolded(rows[0].title)
    text = "\n".join(f"{unfolded(row.body)}\n{unfolded(row.comments)}" for row in rows)
    found: list[str] = []
    for part in windows(text, CHUNK_WORDS):
        found.append(f"{title}\n{part}")
        if len(found) == MOST_CHUNKS:
            break
    return found or [title]


def windows(text: str, words: int) -> Iterator[str]:
    """The text in parts of so many words, as they stand there."""
    start, count = 0, 0
    for match in re.finditer(r"\S+", text):
        count += 1
        if count == words:
            yield text[start : match.end()]
            start, count = match.end(), 0
    if rest := text[start:].strip():
        yield rest
