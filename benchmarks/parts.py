"""Bytes of an answer in part beside the whole, per issue and pull request of public trackers, by number of comments.

    python -m benchmarks.parts ARCHIVE...

An ARCHIVE is the `archive.json` that some repositories keep in their branch gh-pages. Compared are the outline, the
outline with one `find`, all pages of the whole, and what `gh` prints of the same; the find is for the rarest word of
the title. Bar: over 20 comments, outline and find at most a fifth of the whole.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.archives import items
from rg_core.reading import parts
from rg_core.reading.query import Answer
from rg_core.reading.render import blocks, paginate, render
from rg_core.store.model import Item, Reading

CLASSES = ((0, 0), (1, 5), (6, 20), (21, 50), (51, 10_000))  # comments
WORD = re.compile(r"\w{4,}")


def gh(item: Item) -> str:
    """What `gh issue view` and `gh issue view --comments` print to a program."""
    head = {
        "title": item.title, "state": item.state.upper(), "author": item.author, "labels": ", ".join(item.labels),
        "comments": str(len(item.comments)), "assignees": ", ".join(item.assignees), "projects": "", "milestone": "",
        "number": str(item.number),
    }  # fmt: skip
    said = "".join(
        f"author:\t{one.author}\nassociation:\tnone\nedited:\tfalse\nstatus:\tnone\n--\n{one.body}\n--\n"
        for one in item.comments
    )
    return "".join(f"{name}:\t{value}\n" for name, value in head.items()) + f"--\n{item.body}\n--\n{said}"


def sizes(item: Item, common: Counter[str]) -> tuple[int, int, int, int]:
    """Bytes: outline, outline and one find, whole, gh."""
    reading = Reading(item, "s" * 40, item.updated_at, None, item.updated_at, False)
    answer = Answer("hit", item.address, item.kind, reading=reading)
    word = min(WORD.findall(item.title.lower()) or [item.title], key=lambda one: (common[one], one))
    outline = len(parts.render_part(answer, parts.outline(item)).encode())
    find = len(parts.render_part(answer, parts.matching(item, word)).encode())
    pages = len(paginate(blocks(item)))
    whole = sum(len(render(answer, page).encode()) for page in range(1, pages + 1))
    return outline, outline + find, whole, len(gh(item).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("archives", metavar="ARCHIVE", type=Path, nargs="+")
    found: list[Item] = []
    for archive in parser.parse_args().archives:
        found += items(json.loads(archive.read_text("utf-8")))
    common = Counter(word for item in found for word in set(WORD.findall(item.title.lower())))
    print(f"{len(found):,} issues and pull requests; median bytes of each, and of its share of the whole")
    print(f"{'comments':>9} {'items':>6} {'outline':>8} {'+ find':>8} {'whole':>8} {'gh':>8}   + find / whole")
    for least, most in CLASSES:
        some = [item for item in found if least <= len(item.comments) <= most]
        if some:
            _tell(
                f"{least}-{most}" if most < CLASSES[-1][1] else f"over {least - 1}",
                [sizes(one, common) for one in some],
            )
    _tell("over 20", [sizes(one, common) for one in found if len(one.comments) > 20], bar=" (bar .20)")


def _tell(name: str, rows: Sequence[tuple[int, int, int, int]], bar: str = "") -> None:
    columns = [statistics.median(column) for column in zip(*rows, strict=True)]
    share = [row[1] / row[2] for row in rows]
    total = sum(row[1] for row in rows) / sum(row[2] for row in rows)
    worst = sorted(share)[int(len(share) * 0.95)]
    print(
        f"{name:>9} {len(rows):6} " + " ".join(f"{column:8,.0f}" for column in columns)
        + f"   {statistics.median(share):.3f} median, {worst:.3f} at 95 %, {total:.3f} of all bytes{bar}"
    )  # fmt: skip


if __name__ == "__main__":
    main()
