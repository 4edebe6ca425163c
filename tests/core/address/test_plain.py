"""The two readers of bash agree: whatever the quick one reads, the whole one reads to the same tree."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core.address.shell import plain
from rg_core.address.shell.bash import Reader

CASES = sorted((Path(__file__).parent / "cases").glob("*.jsonl"))
ROWS = [json.loads(line) for path in CASES for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
LINES = [
    row["input"]["command"]
    for row in ROWS
    if isinstance(row.get("input"), dict) and isinstance(row["input"].get("command"), str)
]
PIECES = st.sampled_from(
    [
        *"|&;><#!}{()*?[~= \t\n", "'", '"', "`", "\\", "||", "&&", ";;", "|&", "2>&1", ">>", "&>", ">&", ">&-", "1>x",
        ">|", "gh", "issue", "view", "12", "-R", "o/r", "--json", "'a b'", '"c d"', "''", "o/r#5", "if", "then", "time",
        "in", "$x", "\\\n", "A=1", "a=b", "é", "\u2003", "\r\n", "\0", "  ",
    ]
)  # fmt: skip


def agree(line: str) -> bool:
    """Whether the quick reader reads it; then as the whole one does."""
    quick = plain.read(line)
    if quick is None:
        return False
    reader = Reader(line)
    assert (reader.script(), reader.trouble) == (quick, ""), line
    return True


def test_lines_of_the_cases() -> None:
    assert sum(map(agree, LINES)) > len(LINES) // 3


@pytest.mark.unmeasured
@settings(max_examples=3000)
@given(st.lists(PIECES, max_size=12), st.sampled_from(["", " "]))
def test_lines_of_pieces(pieces: list[str], between: str) -> None:
    agree(between.join(pieces))


@settings(max_examples=500)
@given(st.sampled_from(LINES), st.floats(0, 1), PIECES)
def test_real_lines_with_something_put_in(line: str, place: float, piece: str) -> None:
    at = int(place * len(line))
    agree(line[:at] + piece + line[at:])


@pytest.mark.parametrize(
    "line",
    [
        "gh issue view 12 -R o/r",
        "gh issue view 12 -R o/r --comments 2>&1 | head -100",
        "cd /tmp && gh pr view 5 || true",
        'gh issue list -R o/r --label "good first issue" --json number,title',
        "curl -s 'https://api.github.com/repos/a/b?x=1'",
        "gh pr view 5 -R o/r >out.txt; cat out.txt\necho done",
    ],
)
def test_everyday_lines_are_read_by_the_quick_one(line: str) -> None:
    assert agree(line)
