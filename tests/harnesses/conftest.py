"""`pytest tests/harnesses --update-expected` writes the expectations beside the captures; the diff is the review."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-expected", action="store_true", help="write what the adapters make of the captures")


@pytest.fixture
def update_expected(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-expected", default=False))
