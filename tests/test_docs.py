"""What a user can set or call is in the README or in docs/commands.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from rg_core.cli.main import COMMANDS
from rg_core.config import KEYS

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("key", KEYS)
def test_every_config_key_is_in_the_readme(key: str) -> None:
    assert f"`{key}`" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert f"\n## rg-memory {command}\n" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
