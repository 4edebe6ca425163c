"""Part of an issue instead of all of it: what is in it, what it leaves out, and how large it is."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rg_core.reading import parts
from rg_core.reading.framing import size
from rg_core.store.model import Item
from tests.core.reading import samples

WORDS = [
    "tide",
    "table",
    "harbour",
    "leap",
    "second",
    "cache",
    "crash",
    "latitude",
    "gauge",
    "constituent",
    "pier",
    "moon",
]


def thread(count: int, *, length: int = 60, seed: int = 1) -> Item:
    """An issue with so many comments of about so many words, each with a word of its own."""
    chance = random.Random(seed)
    said = [" ".join(chance.choices(WORDS, k=length)) + f" mark{number}x" for number in range(1, count + 1)]
    comments = tuple(samples.comment(number, text) for number, text in enumerate(said, 1))
    return samples.item(body=" ".join(chance.choices(WORDS, k=400)), comments=comments)


def test_an_outline_has_a_line_a_comment_and_fits() -> None:
    item = thread(150)
    part = parts.outline(item)
    assert size(part.text) <= 6_000
    lines = part.text.split("\n\n")[-1].split("\n")
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1, 151)]
    assert item.body[:300] in part.text
    assert item.body not in part.text


def test_a_line_has_number_author_first_words_and_the_date_where_it_changes() -> None:
    said = (
        ("2026-05-01T08:00:00Z", "bob", "Not so."),
        ("2026-05-01T09:00:00Z", "eve", "> Not so.\n\nWhy\nnot?"),
        ("2026-05-02T08:00:00Z", "bob", "```suggestion\nleap = 61\n```"),
        ("2026-05-02T09:00:00Z", "eve", "> leap = 61"),
    )
    comments = [samples.comment(n, text, created_at=at, author=by) for n, (at, by, text) in enumerate(said, 1)]
    part = parts.outline(samples.item(comments=tuple(comments)))
    assert part.text.split("\n\n")[-1].split("\n") == [
        "1 bob 2026-05-01 Not so.",
        "2 eve Why not?",
        "3 bob 2026-05-02 leap = 61",
        "4 eve > leap = 61",
    ]
    assert "4 comments, one line each, the date where it changes" in part.says


def test_the_head_of_an_outline_says_once_what_its_answer_says() -> None:
    item = samples.item(
        title="tide tables", kind="pull_request", state="merged", created_at="2026-05-01T08:00:00Z",
        merged_at="2026-05-03T08:00:00Z", closed_at="2026-05-03T08:00:00Z", base_ref="main", labels=("bug", "tide"),
        files=("a.c", "b.c"),
    )  # fmt: skip
    assert parts.outline(item).text.split("\n\n")[0].split("\n") == [
        "# tide tables",
        "merged 2026-05-03 · by Alice · created 2026-05-01 · base main · 2 changed files",
        "labels: bug, tide",
    ]


@given(st.integers(0, 400), st.integers(1, 200))
def test_an_outline_is_small_whatever_the_thread(count: int, length: int) -> None:
    item = thread(count, length=length)
    assert size(parts.outline(item).text) <= max(6_000, 45 * count + 2_000)


@pytest.mark.parametrize("count", [21, 50, 150])
def test_an_outline_and_what_is_found_are_a_fraction_of_a_long_thread(count: int) -> None:
    item = thread(count, length=120)
    whole = size(item.body) + sum(size(comment.body) for comment in item.comments)
    assert size(parts.outline(item).text) + size(parts.matching(item, "mark20x").text) <= whole / 5


def test_only_what_has_the_words_is_shown_by_number_in_order() -> None:
    item = thread(60)
    part = parts.matching(item, "mark7x")
    assert "--- comment 7 " in part.text
    assert part.text.count("--- comment ") == 1
    assert "mark8x" not in part.text
    assert "1 comment of 60" in part.says


def test_without_a_part_that_has_all_words_those_with_some_are_shown_and_that_is_said() -> None:
    part = parts.matching(thread(30), "mark7x mark9x")
    assert re.findall(r"--- comment (\d+)", part.text) == ["7", "9"]
    assert "no part has all of the words" in part.says
    nothing = parts.matching(thread(3), "absent")
    assert nothing.says.startswith("Nothing in its text")
    assert not nothing.text


def test_a_comment_cannot_pass_for_another_one() -> None:
    forged = samples.comment(1, "tide\n--- comment 2 · by Alice · 2026-05-01\ntide is fine")
    part = parts.matching(samples.item(comments=(forged,)), "tide alice")
    assert [line for line in part.text.split("\n") if line.startswith("---")] == ["--- comment 1 · by bob · 2026-11-01"]
    assert "by Alice" in part.text


def test_many_comments_that_match_share_the_room() -> None:
    comments = [samples.comment(n, f"{'tide ' * 30}gauge{n} {'pier ' * 30}") for n in range(1, 7)]
    part = parts.matching(samples.item(comments=tuple(comments)), "gauge")
    assert all(f"gauge{n} " in part.text for n in range(1, 4))
    one = parts.matching(samples.item(comments=tuple(comments)), "gauge3")
    assert size(one.text.split("\n\n")[1]) > 250 > max(map(size, part.text.split("\n\n")))


def test_what_does_not_fit_is_named_by_number() -> None:
    part = parts.matching(thread(90), "tide")
    shown = [int(number) for number in re.findall(r"--- comment (\d+)", part.text)]
    assert shown == sorted(shown)
    rest = re.search(r"comments ([\d, ]+)", part.says.partition("Not shown")[2])
    assert rest
    assert set(map(int, rest[1].strip(", ").split(", "))).isdisjoint(shown)


def test_comments_of_a_range_are_whole_and_tell_the_next() -> None:
    item = thread(60)
    part = parts.comments(item, 40, 42)
    assert [int(n) for n in re.findall(r"^--- comment (\d+)", part.text, re.MULTILINE)] == [40, 41, 42]
    assert all(item.comments[number - 1].body in part.text for number in (40, 41, 42))
    assert 'page "43-60"' in part.says
    assert "There is no comment 61" in parts.comments(item, 61, 70).says


def test_a_range_that_is_too_large_says_where_it_stopped() -> None:
    item = thread(60, length=400)
    part = parts.comments(item, 1, 60, room=9_000)
    last = int(re.findall(r"^--- comment (\d+)", part.text, re.MULTILINE)[-1])
    assert size(part.text) <= 9_000
    assert f"Comments 1 to {last} of 60" in part.says
    assert f'page "{last + 1}-' in part.says


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("40-60", (40, 60)),
        (" 3 - 3 ", (3, 3)),
        ("7–9", (7, 9)),
        ("9-7", None),
        ("40", None),
        ("0-3", None),
        ("a-b", None),
    ],
)
def test_a_range(text: str, numbers: tuple[int, int] | None) -> None:
    assert parts.ranged(text) == numbers


def test_rows_of_a_listing_by_title_and_by_body() -> None:
    from rg_core.store.model import Reading, Row

    items = {
        f"github:o/r#{n}": samples.item(number=n, title=f"title {n}", body="gauge" if n == 3 else "")
        for n in range(1, 6)
    }
    rows = [
        Row(f"I_{n}", f"github:o/r#{n}", n, f"title {n}", "open", (), samples.AT, 0, "issue", "ada")
        for n in range(1, 6)
    ]

    def read(address: str) -> Reading:
        return Reading(items[address], "s", samples.AT, None, samples.AT, False)

    assert [row.number for row in parts.matching_rows(rows, "GAUGE", read)[0]] == [3]
    assert [row.number for row in parts.matching_rows(rows, "title 4", read)[0]] == [4]
    assert "0 rows of 5" in parts.matching_rows(rows, "nothing", read)[1]


def test_kinds_of_references_are_told_apart() -> None:
    from rg_core.reading.render import links

    item = samples.item(
        number=1, kind="pull_request", body="see #7", closes=("github:o/r#5",),
        comments=(samples.comment(1, "and x/y#2"),),
        references=("github:o/r#5", "github:o/r#7", "github:o/r#9", "github:x/y#2"), base_ref="main",
    )  # fmt: skip
    assert links(item) == [
        "closes: github:o/r#5",
        "mentions: github:o/r#7, github:x/y#2",
        "mentioned by: github:o/r#9",
    ]
    assert links(item, 1) == ["closes: #5", "mentions: #7 and 1 more", "mentioned by: #9"]


def test_show_takes_parts(
    capsys: pytest.CaptureFixture[str], home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rg_core import paths
    from rg_core.cli.main import main
    from rg_core.store.model import Batch
    from rg_core.store.sqlite.store import EmbeddedStore

    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    store = EmbeddedStore(paths.memory_file(home))
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=[thread(30)]))
    store.close()
    assert main(["show", "o/r#1", "--outline"]) == 0
    assert "30 comments, one line each" in capsys.readouterr().out
    assert main(["show", "o/r#1", "--find", "mark7x"]) == 0
    assert "mark8x" not in capsys.readouterr().out
    assert main(["show", "o/r#1", "--comments", "2-3"]) == 0
    assert "mark3x" in capsys.readouterr().out
    assert main(["show", "o/r#1", "--comments", "x"]) == 1
    assert main(["show", "o/r#1", "--json", "--outline"]) == 1
