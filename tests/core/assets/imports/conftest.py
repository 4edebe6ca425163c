from __future__ import annotations

from tests.core.assets.test_commands import harbor, run

__all__ = ["harbor", "run"]
