"""The made-up world of `--demo`: every panel of the Memory page has something to show, and nothing of it stays."""

from __future__ import annotations

import os

import pytest

from rg_core.dashboard.facts import Source
from rg_core.dashboard.world import made_up
from rg_core.telemetry.panels import SINGLE


def test_the_demo_shows_every_panel_and_is_gone_afterwards(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in set(os.environ) - set(home):
        monkeypatch.delenv(name)
    with made_up() as environ:
        facts = Source(environ).memory(90, "", "")
        place = environ["HOME"]
        assert os.path.isdir(place)
    panels = facts.panels
    assert [name for name, rows in panels.items() if name not in SINGLE and not rows] == []
    assert panels["unexplained"] == {"recalls": 0}
    assert all(sum(row[key] for row in panels["reads"]) for key in ("hit", "subsumed", "miss", "fetched", "prompted"))
    assert all(sum(row[key] for row in panels["nudges"]) for key in ("followed", "fetched_anyway", "no_more"))
    assert all(sum(row[key] for row in panels["stale"]) for key in ("stale", "checked", "outdated"))
    assert 0 < panels["tokens"]["floor"] < panels["tokens"]["json"]
    assert facts.trouble == []
    assert {"nudge", "read", "recall"} <= {mark for session in facts.sessions for mark in session.events}
    assert not os.path.exists(place)
