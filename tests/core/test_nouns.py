"""A number and its noun."""

import pytest

from rg_core.nouns import counted


@pytest.mark.parametrize(
    ("count", "plural", "said"),
    [
        (1, "repositories", "1 repository"),
        (0, "issues", "0 issues"),
        (1, "pull_requests", "1 pull request"),
        (1, "addresses", "1 address"),
        (1, "issues", "1 issue"),
        (0, "sessions", "0 sessions"),
        (1234, "sessions", "1,234 sessions"),
    ],
)
def test_n08_one_is_not_many(count: int, plural: str, said: str) -> None:
    assert counted(count, plural) == said
