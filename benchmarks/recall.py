"""Recall at two sizes, with vectors and without, beside a plain FTS5 query of the same words in the same index.

    python -m benchmarks.recall [--items N ...] [--keep DIR]

An item is an issue of 300 words, as a row of a document has, out of a vocabulary in which, as in a language, few words
make up most of a text; with one vector where the extra is installed. Each question is asked in turns with its words as
one plain query, OR-ed, the best ten; printed are the medians of CPU times and of the ratios, and what an item takes in
the file.
Bars: at most 3x of the plain query with vectors and without, at ten thousand and at a million; 30 ms without vectors
at ten thousand.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate, islice
from pathlib import Path
from random import Random

from rg_core.recall import vectors
from rg_core.recall.answer import Findings, Question
from rg_core.recall.run import Setting, recall
from rg_core.recall.terms import terms
from rg_core.store.search import Indexed, PieceText, VersionText
from rg_core.store.sqlite.lexical import quoted
from rg_core.store.sqlite.recall import RecallIndex
from rg_core.store.texts import FeedEntry, FeedVersion

WORDS, VOCABULARY = 300, 50_000
PASSAGE, PASSAGES = 20, 100_000  # words of the passages that texts are put together from, to be made quickly
BATCH = 5_000
QUESTIONS = 30
ROUNDS = 7
PLAIN = "SELECT rowid, rank FROM now WHERE now MATCH ? ORDER BY rank LIMIT 10"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
SYLLABLES = [a + b for a in "bcdfghjklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]


class Language:
    """Words whose frequency falls with their rank, as those of texts do (Zipf)."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        naming = Random(0)
        self.words = ["".join(naming.choices(SYLLABLES, k=2 + rank % 3)) + str(rank % 10) for rank in range(VOCABULARY)]
        self._frequent = frozenset(self.words[:100])
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))

    def text(self, count: int) -> str:
        """A text of so many words."""
        return " ".join(self._random.choices(self.words, cum_weights=self._weights, k=count))

    def questions(self) -> list[str]:
        """Questions of six words, which are as frequent as those of texts but for the hundred most frequent ones."""
        return [" ".join(self._meaning(6)) for _ in range(QUESTIONS)]

    def _meaning(self, count: int) -> list[str]:
        words = (word for word in self.text(count * 20).split() if word not in self._frequent)
        return list(islice(words, count))


def entries(count: int) -> Iterator[Indexed]:
    """Issues of repositories of ten thousand."""
    language, choose = Language(1), Random(1)
    passages = [language.text(PASSAGE) for _ in range(PASSAGES)]
    for number in range(1, count + 1):
        scope = f"owner/repo{number // 10_000}"
        at = f"2026-{1 + number % 11:02}-01T00:00:00Z"
        key = f"github:{scope}#{number}"
        *title, body = " ".join(choose.choices(passages, k=WORDS // PASSAGE)).split(" ", 5)
        entry = FeedEntry(
            number, number, "", f"I_{number}", key, "issue", scope, " ".join(title), at, (("", key),),
            (FeedVersion(f"s{number}", at, None, at),),
        )  # fmt: skip
        yield Indexed(entry, {f"s{number}": VersionText(f"s{number}", (PieceText(" ".join(title), body),), ())})


def fill(index: RecallIndex, count: int) -> float:
    """The CPU seconds of indexing so many items, vectors aside."""
    began = time.process_time()
    batch: list[Indexed] = []
    for one in entries(count):
        batch.append(one)
        if len(batch) == BATCH or one.entry.row == count:
            index.put("benchmark", batch)
            batch = []
    return time.process_time() - began


def add_vectors(index: RecallIndex) -> None:
    """A vector for each item: of no meaning, which costs a search what one with meaning does."""
    import numpy as np

    random = np.random.default_rng(1)
    index.use_model(vectors.MODEL)
    while bare := index.bare(BATCH):
        made = random.standard_normal((len(bare), vectors.SIZE)).astype(np.float32)
        packed = vectors.packed(made / np.linalg.norm(made, axis=1, keepdims=True))
        index.put_vectors((one, [data]) for one, data in zip(bare, packed, strict=True))


def stored(index: RecallIndex) -> int:
    """Bytes of the file, and of what waits to be taken into it."""
    return sum(file.stat().st_size for file in Path(index.path).parent.glob("recall.db*") if file.suffix != ".db-shm")


def timed(ask: Callable[[], object]) -> float:
    """CPU milliseconds."""
    began = time.process_time()
    ask()
    return (time.process_time() - began) * 1000


def measured(index: RecallIndex, setting: Setting, questions: Sequence[str]) -> tuple[float, float, float]:
    """Median milliseconds of recall and of the plain query, and the median of their ratios."""

    def asked(query: str) -> Findings:
        return recall(Question(query), setting)

    with closing(sqlite3.connect(index.path)) as plain:
        mine, theirs, ratios = [], [], []
        for query in questions:
            asked(query)  # what is loaded once is loaded
        for query in questions:
            match = " OR ".join(quoted(term.text) for term in terms(query))
            pairs = [
                (timed(lambda: asked(query)), timed(lambda: plain.execute(PLAIN, (match,)).fetchall()))  # noqa: B023
                for _ in range(ROUNDS)
            ]
            took, base = (statistics.median(column) for column in zip(*pairs, strict=True))
            mine.append(took)
            theirs.append(base)
            ratios.append(took / base)
    return statistics.median(mine), statistics.median(theirs), statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--keep", type=Path, help="where the indexes stay, and are found again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        before: dict[str, float] = {}
        for count in options.items:
            directory = (options.keep or Path(scratch)) / str(count)
            directory.mkdir(parents=True, exist_ok=True)
            index = RecallIndex(str(directory / "recall.db"))
            took = fill(index, count) if index.progress("benchmark") < count else 0.0
            size = stored(index)
            print(
                f"{count:,} items: {size / count:,.0f} bytes each" + (f", {took / count * 1e6:,.0f} us" if took else "")
            )
            settings = {"without vectors": Setting("bench", [index], NOW, legs=("lex", "graph"))}
            if vectors.is_installed():
                add_vectors(index)
                print(f"  with vectors {stored(index) / count:,.0f} bytes each")
                settings["with vectors"] = Setting("bench", [index], NOW, embed=vectors.embed)
            for name, setting in settings.items():
                mine, theirs, ratio = measured(index, setting, Language(2).questions())
                growth = f", {mine / before[name]:.1f}x of the size before" if name in before else ""
                before[name] = mine
                print(f"  {name:16} {mine:7.1f} ms  plain FTS5 {theirs:7.1f} ms  {ratio:5.2f}x (bar 3x){growth}")
            index.close()


if __name__ == "__main__":
    main()
