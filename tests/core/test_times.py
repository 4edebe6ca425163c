"""Times: one way to write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rg_core import times


@given(st.integers(0, 253_402_300_799))
def test_a_written_time_is_read_back_and_sorts_as_text(seconds: int) -> None:
    text = times.written(seconds)
    assert times.seconds(text) == seconds
    assert times.instant(text) == text
    assert times.written(seconds + 1) > text or seconds == 253_402_300_799


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-04-15", "2026-04-15T00:00:00Z"),
        ("2026-04-15T02:00:00+02:00", "2026-04-15T00:00:00Z"),
        (" 0987-01-01T00:00:00.5Z ", "0987-01-01T00:00:00Z"),
    ],
)
def test_a_time_that_somebody_wrote(text: str, instant: str) -> None:
    assert times.instant(text) == instant


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "0001-01-01T00:00:00+01:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        times.instant(text)
