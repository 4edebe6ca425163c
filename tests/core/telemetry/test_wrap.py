"""wrap: what happened in a session, and the counts that stay."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from rg_core import paths, times
from rg_core.cli.main import main
from rg_core.config import load
from rg_core.store import open_store
from rg_core.telemetry import tend
from rg_core.telemetry.panels import PanelScope
from rg_core.telemetry.wrap import keep_quiet
from tests.core.telemetry import facts, worlds

HERE = Path(__file__).parent
WRAPS = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))["harbor"]["wraps"]


@pytest.fixture
def harbor(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The world by hand, as this process's home."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    worlds.load(HERE / "harbor.jsonl", home)
    return home


@pytest.mark.parametrize("expected", WRAPS, ids=[row["session"] for row in WRAPS])
@pytest.mark.usefixtures("harbor")
def test_a_session_alone_is_as_in_the_panel(expected: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wrap", "--session", str(expected["session"]), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {name: printed[name] for name in expected} == expected
    assert printed["loaded"] > 0
    assert printed["floor"] <= printed["json"]


@pytest.mark.usefixtures("harbor")
def test_the_latest_session_is_meant_unless_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wrap"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("session          s8\n")
    assert main(["wrap", "--session", "b1"]) == 1  # another user's
    assert "nothing of yours" in capsys.readouterr().err


def test_counts_of_sessions_that_are_over_are_kept_once(harbor: dict[str, str]) -> None:
    files = (paths.telemetry_file(harbor), paths.outbox_file(harbor))
    scope = PanelScope("ada")
    late = "2026-11-02T00:59:59Z"  # s8 was active in the hour before
    first = keep_quiet(*files, scope, late)
    assert keep_quiet(*files, scope, late) == 0
    kept = {row["session"]: row for row in facts.rows(harbor, "session_wrap")}
    assert len(kept) == first
    assert "s8" not in kept
    assert kept.keys() > {row["session"] for row in WRAPS}
    for expected in WRAPS:
        row = kept[expected["session"]]
        counts = json.loads(row["facts"])
        if expected["session"] == "s1":  # which also said something of a recall before the world's time
            assert counts.pop("said") == {"cited": 4, "saved_rework": 1}
        assert counts == {name: expected[name] for name in counts}
        assert (row["user"], row["started"], row["ended"]) == ("ada", expected["started"], expected["ended"])
    assert kept["s2"]["harness"] == "codex"
    assert kept["s1"]["project"] == "github:tidewatch/harbor"
    assert keep_quiet(*files, scope, "2026-11-03T00:00:00Z") == 1  # and now s8


def test_a_sweep_keeps_the_session_that_was_last_active(home: dict[str, str]) -> None:
    """It often begins where a session ends, which is not quiet for an hour by then."""
    log = facts.begin(home)
    for number, session in ((1, "s1"), (2, "s2")):
        log.record([facts.touch(number, f"t{number}", times.now(ago=60 - number), session)])
        facts.note(home, f"raaaa{number}", facts.recall(number), facts.caller(session), times.now(ago=60 - number))
    with closing(open_store(load(home), home)) as store:
        tend.after_sweep(load(home), home, store)
    (row,) = facts.rows(home, "session_wrap")
    assert (row["session"], json.loads(row["facts"])["recalls"]) == ("s2", 1)
