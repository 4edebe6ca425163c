from __future__ import annotations

import pytest

from tests.core.assets.test_commands import harbor, run

__all__ = ["harbor", "run"]


@pytest.fixture(autouse=True)
def own_homes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Harnesses are below HOME, which is the test's."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GROK_HOME", "CURSOR_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
