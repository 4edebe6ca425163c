"""Published files: whole, private, found by bisection as a search through all of them would."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.touches.known import TITLE, Known, as_row, look_up
from rg_core.touches.known import path as known_path
from rg_core.touches.published import LONGEST, RUN, Table, noted, publish, publish_table

AT = "2026-11-29T20:00:00Z"


def rows(path: str, prefix: str) -> list[str]:
    table = Table(path)
    try:
        return ["\t".join(cells) for cells in table.rows(prefix)]
    finally:
        table.close()


NAMES = st.text("ab/#?\u00e9\u4e2d", max_size=12) | st.text("ab", min_size=300, max_size=1000)


@settings(max_examples=300)
@given(st.sets(NAMES, max_size=60), st.lists(NAMES, max_size=8))
def test_what_is_found_is_what_begins_so(
    tmp_path_factory: pytest.TempPathFactory, lines: set[str], asked: list[str]
) -> None:
    path = str(tmp_path_factory.mktemp("table") / "hook" / "table")
    publish_table(path, lines, "note")
    assert noted(path) == "note"
    in_order = sorted((line for line in lines), key=str.encode)
    for prefix in [*asked, *(line[:3] for line in lines)]:
        assert rows(path, prefix) == [line for line in in_order if line.startswith(prefix)]


def test_every_row_of_a_large_table_is_found(tmp_path: Path) -> None:
    path, chance = str(tmp_path / "table"), random.Random(1)
    lines = sorted(f"{number:06}\t" + "x" * chance.randrange(0, 900) for number in range(20_000))
    publish_table(path, lines)
    for number in [0, 1, 19_998, 19_999, *chance.sample(range(20_000), 3_000)]:
        assert rows(path, f"{number:06}\t") == [lines[number]]
    assert rows(path, "020000\t") == []
    assert rows(path, "") == lines[: len(rows(path, ""))]
    assert sum(len(line) + 1 for line in rows(path, "")) > RUN - 8192


def test_a_row_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    publish_table(path, ["a" * LONGEST, "b" * (LONGEST - 1), "c"])
    assert rows(path, "") == ["b" * (LONGEST - 1), "c"]


@pytest.mark.parametrize("content", [b"", b"#2\tx\na\t\n", b"a\tb\n", b"#1", b"#1\t\n" + b"x" * 100_000, b"\0" * 9000])
def test_what_is_no_table_is_no_answer(tmp_path: Path, content: bytes) -> None:
    data = str(tmp_path)
    Path(known_path(data)).parent.mkdir()
    Path(known_path(data)).write_bytes(content)
    assert look_up(data, ["github:o/r#1"], [("github:o/r/issues?", "github:o/r/issues?state=open")]) == []


def test_publishing_replaces_the_whole_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "hook" / "text"
    publish(str(path), b"one")
    publish(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["text"]
    directory = tmp_path / "hook" / "taken"
    directory.mkdir()
    with pytest.raises(IsADirectoryError):
        publish(str(directory), b"three")
    assert sorted(os.listdir(path.parent)) == ["taken", "text"]


def test_a_title_is_cleaned_and_cut_when_it_is_published(tmp_path: Path) -> None:
    data = str(tmp_path)
    titles = ["a\tb\nc\x1b[31m", "x" * 500, "\u202ehidden"]
    publish_table(
        known_path(data), [as_row(Known(f"github:o/r#{n}", "", AT, AT, title)) for n, title in enumerate(titles)]
    )
    found = [look_up(data, [f"github:o/r#{n}"], [])[0].title for n in range(3)]
    assert found == ["a b c\ufffd[31m", "x" * (TITLE - 1) + "…", "\ufffdhidden"]


def test_of_many_candidates_the_freshest_are_looked_at(tmp_path: Path) -> None:
    data = str(tmp_path)
    listings = [
        Known(
            f"github:o/r/issues?label={n:03}&state=open", "created-desc", f"2026-01-01T00:{n // 60:02}:{n % 60:02}Z", ""
        )
        for n in range(500)
    ]
    publish_table(known_path(data), map(as_row, listings))
    found = look_up(data, [], [("github:o/r/issues?", "github:o/r/issues?state=open")])
    assert {row.address for row in found} == {row.address for row in listings[300:]}
