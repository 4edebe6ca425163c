"""How well recall finds what is meant, on public corpora: nDCG@10 per set of questions.

    python -m benchmarks.corpora CLONE...

Clones of ethereum/EIPs, ethereum/ERCs, python/peps, kubernetes/enhancements, and, with their branch gh-pages,
tlswg/draft-ietf-tls-esni, quicwg/multipath, oauth-wg/oauth-v2-1 and ietf-wg-masque/draft-ietf-masque-connect-udp; which
is which is told by the commits they have. Questions are those of tests/core/recall/cases.jsonl: paraphrases (written),
and titles of pull requests that ask for the issue they close (natural). Beside each figure stands the one that the
weights were chosen with. Bar: at most .01 below it.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.archives import TRACKERS, Clones, documents, tracker
from rg_core.recall import vectors
from rg_core.recall.answer import Question
from rg_core.recall.folding import chunks, pieces
from rg_core.recall.run import Setting, recall
from rg_core.store.search import Indexed, VersionText
from rg_core.store.sqlite.recall import RecallIndex
from rg_core.store.texts import FeedEntry, FeedVersion

CASES = Path(__file__).parents[1] / "tests" / "core" / "recall" / "cases.jsonl"
MEASURED = {("written", "with vectors"): 0.722, ("natural", "with vectors"): 0.633,
            ("written", "without"): 0.694, ("natural", "without"): 0.622}  # fmt: skip
NOW = datetime(2026, 12, 1, tzinfo=UTC)
BATCH = 256
NOISE = re.compile(
    r"\b(?:fix(?:es|ed)?|clos(?:es|ed)?|resolv(?:es|ed)?)\b[:\s]*#\d+|#\d+|\b\d+\b|\bissues?\b", re.IGNORECASE
)
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def day(text: str) -> str:
    """A date as memory writes times; the middle of the decade before where there is none."""
    if found := re.search(r"\d{4}-\d{2}-\d{2}", text):
        return f"{found[0]}T00:00:00Z"
    if found := re.search(r"(\d{1,2})-([A-Z][a-z]{2})[a-z]*-(\d{4})", text):
        return f"{found[3]}-{MONTHS.index(found[2]) // 3 + 1:02}-{int(found[1]):02}T00:00:00Z"
    return "2015-01-01T00:00:00Z"


def indexed(row: int, kind: str, name: str, at: str, text: VersionText, title: str) -> Indexed:
    """A memory of one State."""
    entry = FeedEntry(row, row, "", name, name, kind, "corpus", title, at, (), (FeedVersion(text.id, at, None, at),))
    return Indexed(entry, {text.id: text})


def of_documents(clones: Clones, corpus: str) -> tuple[list[Indexed], dict[str, str]]:
    """The memories of a corpus of documents."""
    found = []
    for row, (name, at, title, text) in enumerate(documents(clones, corpus), 1):
        rows = pieces("document", title, text, "")
        found.append(indexed(row, "document", f"{name}/{row}", day(at), VersionText(f"s{row}", rows, ()), title))
    return found, {}


def of_trackers(clones: Clones) -> tuple[list[Indexed], dict[str, str]]:
    """The issues and pull requests of all trackers, and their titles by name."""
    found: list[Indexed] = []
    titles: dict[str, str] = {}
    for tracker_name in TRACKERS:
        for item in tracker(clones, tracker_name):
            name = f"{tracker_name}#{item.number}"
            titles[name] = item.title
            rows = pieces(item.kind, item.title, item.body, "\n".join(one.body for one in item.comments))
            text = VersionText(f"s{len(found) + 1}", rows, ())
            found.append(indexed(len(found) + 1, item.kind, name, item.updated_at, text, item.title))
    return found, titles


def fill(index: RecallIndex, memories: Sequence[Indexed]) -> None:
    """Index memories, with vectors where the extra is installed."""
    for start in range(0, len(memories), BATCH):
        index.put("corpus", memories[start : start + BATCH])
    if not vectors.is_installed():
        return
    index.use_model(vectors.MODEL)
    while bare := index.bare(BATCH):
        index.put_vectors((one, vectors.packed(vectors.embed(chunks(one.pieces)))) for one in bare)


def gain(found: Sequence[str], wanted: Sequence[str]) -> float:
    """nDCG@10: what is wanted counts 1, less the further down it stands."""
    best = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), 10)))
    return sum(1 / math.log2(place + 2) for place, name in enumerate(found[:10]) if name in wanted) / best


def questions(row: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """What a row asks: its words, or the title of a pull request without what names the issue."""
    return row["query"] if "query" in row else NOISE.sub(" ", titles[row["query_of"]]).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("clones", metavar="CLONE", type=Path, nargs="+")
    clones = Clones(parser.parse_args().clones)
    rows = [
        row for row in map(json.loads, CASES.read_text("utf-8").splitlines()) if row["kind"] in ("recall", "natural")
    ]
    gains: dict[tuple[str, str], list[float]] = {}
    for corpus in ("eips", "peps", "keps", "threads"):
        try:
            memories, titles = of_trackers(clones) if corpus == "threads" else of_documents(clones, corpus)
        except LookupError as error:
            print(f"{corpus}: left out, {error}")
            continue
        with tempfile.TemporaryDirectory() as directory:
            index = RecallIndex(f"{directory}/recall.db")
            fill(index, memories)
            print(f"{corpus}: {len(memories):,} memories")
            settings = {"without": Setting("bench", [index], NOW, legs=("lex", "graph"), prefixes=())}
            if vectors.is_installed():
                settings["with vectors"] = Setting("bench", [index], NOW, embed=vectors.embed, prefixes=())
            for row in rows:
                if row["corpus"] != corpus:
                    continue
                set_ = "written" if row["kind"] == "recall" else "natural"
                for name, setting in settings.items():
                    answer = recall(Question(questions(row, titles), limit=12), setting)
                    found = [one.memory_id.partition("/")[0] for one in answer.results]
                    found = [one for one in dict.fromkeys(found) if one != row.get("query_of")]
                    value = gain(found, row["expected"])
                    gains.setdefault((set_, name), []).append(value)
                    gains.setdefault((f"  {corpus}", name), []).append(value)
            index.close()
    for (set_, name), values in sorted(
        gains.items(), key=lambda pair: pair[0][0].strip() not in ("written", "natural")
    ):
        before = MEASURED.get((set_, name))
        beside = f"  measured {before:.3f} ({sum(values) / len(values) - before:+.3f}; bar -.010)" if before else ""
        print(f"{set_:10} {name:13} {sum(values) / len(values):.3f}  ({len(values)} questions){beside}")


if __name__ == "__main__":
    main()
