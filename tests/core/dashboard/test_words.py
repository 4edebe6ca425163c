"""Numbers and times as a person reads them."""

from __future__ import annotations

import pytest

from rg_core.dashboard import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (940, "940"), (999.4, "999"), (1_000, "1.0 k"), (12_400, "12.4 k"), (99_949, "99.9 k"),
        (99_950, "100 k"), (317_200, "317 k"), (999_499, "999 k"), (999_500, "1.0 M"), (1_340_000, "1.3 M"),
        (-12_400, "-12.4 k"),
    ],
)  # fmt: skip
def test_a_number_has_at_most_four_places(value: float, text: str) -> None:
    assert words.number(value) == text


def test_a_token_is_four_bytes() -> None:
    assert words.tokens(4_000) == "1.0 k"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "–"), (0, 4, "0 of 4"), (3, 4, "3 of 4"), (4, 5, "80%"), (1, 3_000, "0%"), (9, 9, "100%")],
)
def test_a_share_of_few_is_shown_as_counts(part: int, whole: int, text: str) -> None:
    assert words.share(part, whole) == text


def test_small_numbers_are_words() -> None:
    assert [words.spelled(n) for n in (0, 1, 10, 11, 1_200)] == ["No", "One", "Ten", "11", "1,200"]


@pytest.mark.parametrize(
    ("since", "until", "text"),
    [
        ("2026-10-20T00:00:00Z", "2026-12-01T00:00:00Z", "20 October to 30 November 2026"),
        ("2025-12-03T00:00:00Z", "2026-01-02T00:00:00Z", "3 December 2025 to 1 January 2026"),
    ],
)
def test_a_span_names_its_last_day(since: str, until: str, text: str) -> None:
    assert words.span(since, until) == text


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("2026-11-30T12:00:00Z", "today"), ("2026-11-29T11:00:00Z", "1 day ago"),
        ("2026-10-31T00:00:00Z", "30 days ago"),
        ("2026-06-01T00:00:00Z", "6 months ago"), ("2023-01-01T00:00:00Z", "3 years ago"),
    ],
)  # fmt: skip
def test_how_long_ago(at: str, text: str) -> None:
    assert words.ago(at, "2026-11-30T13:00:00Z") == text
