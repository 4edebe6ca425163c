"""Wire forms -> what is stored."""

from __future__ import annotations

import pytest

from rg_core.github import content
from tests.github_standin.world import global_id, legacy_id


@pytest.mark.parametrize(
    ("actor", "name"),
    [
        (None, "ghost"),
        ({"__typename": "User", "login": "Octocat"}, "Octocat"),
        ({"__typename": "Bot", "login": "dependabot"}, "app/dependabot"),
        ({"type": "Bot", "login": "dependabot[bot]"}, "app/dependabot"),
        ({"__typename": "Mannequin", "login": "old-name"}, "old-name"),
    ],
)
def test_authors_have_one_form(actor: dict[str, str] | None, name: str) -> None:
    assert content.author(actor) == name


@pytest.mark.parametrize(
    ("legacy", "numbers", "expected"),
    [
        (legacy_id("Repository", 358664529), (358664529,), "R_kgDOFWDJUQ"),
        (legacy_id("Issue", 7), (5, 7), global_id("I", 5, 7)),
        ("I_kwDOAA9CQc4AD0JC", (5, 7), "I_kwDOAA9CQc4AD0JC"),
    ],
)
def test_legacy_ids_become_next_ones(legacy: str, numbers: tuple[int, ...], expected: str) -> None:
    kind = "Repository" if len(numbers) == 1 else "Issue"
    assert content.next_id(legacy, kind, *numbers) == expected


def test_mentions_are_urls_names_and_bare_numbers() -> None:
    text = "See #12, GH-3, acme/gears#4, https://github.com/acme/cogs/pull/5 and https://github.com/acme/nuts; not a#6."
    assert sorted(content.mentions([text], "Acme/Widgets")) == [
        "github:acme/cogs#5",
        "github:acme/gears#4",
        "github:acme/nuts",
        "github:acme/widgets#12",
        "github:acme/widgets#3",
    ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Closes #1", ["github:o/r#1"]),
        ("fixes: acme/Gears#2 and resolved https://github.com/a/b/issues/3", ["github:acme/gears#2", "github:a/b#3"]),
        ("This closes nothing, see #4", []),
    ],
)
def test_words_that_close(text: str, keys: list[str]) -> None:
    assert content.closing_words(text, "o/r") == keys
