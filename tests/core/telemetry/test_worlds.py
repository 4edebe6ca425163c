"""A world by hand gives the values that were computed without SQL and without recall's function."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rg_core import paths
from rg_core.cli.main import main
from rg_core.telemetry.forget import forget_address
from rg_core.telemetry.panels import PanelScope, asking
from tests.core.telemetry import random_world, worlds
from tests.core.telemetry.second import Second

HERE = Path(__file__).parent
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def close(value: Any) -> Any:
    """The value with its floats as pytest's approximations."""
    if isinstance(value, dict):
        return {name: close(part) for name, part in value.items()}
    if isinstance(value, list):
        return [close(part) for part in value]
    return pytest.approx(value, abs=0.000002) if isinstance(value, float) else value


@pytest.mark.parametrize("name", EXPECTED)
def test_panels_of_a_world_by_sql(name: str, home: dict[str, str]) -> None:
    scope = worlds.load(HERE / f"{name}.jsonl", home)
    asked = PanelScope(**{key: value for key, value in scope.items() if key != "table"})
    with asking(paths.telemetry_file(home), paths.outbox_file(home), asked) as question:
        assert question.panels() == close(EXPECTED[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_panels_of_a_world_by_command(
    name: str, home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, home[variable])
    scope = worlds.load(HERE / f"{name}.jsonl", home)
    assert main(["stats", "--json", "--since", scope["since"], "--until", scope["until"]]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {panel: printed[panel] for panel in EXPECTED[name]} == close(EXPECTED[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_the_second_computation_gives_the_values_of_a_world_by_hand(name: str) -> None:
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert close(Second(rows).panels()) == EXPECTED[name]


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_panels_of_a_random_world_equal_a_second_computation(seed: int) -> None:
    rows = random_world.make(Random(seed))
    with tempfile.TemporaryDirectory() as directory:
        environ = {"HOME": directory, "XDG_DATA_HOME": directory, "XDG_CONFIG_HOME": directory}
        scope = worlds.store(rows, environ, memory=False)
        asked = PanelScope(**{key: value for key, value in scope.items() if key != "table"})
        with asking(paths.telemetry_file(environ), paths.outbox_file(environ), asked) as question:
            assert question.panels() == close(Second(rows).panels())


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.sampled_from(("ada", None)))
def test_a_world_that_forgot_an_address_is_one_that_never_had_it(seed: int, whose: str | None) -> None:
    """Of one user, or of everybody; the Touches stay, and recalls that lost a result keep their counts."""
    rows = random_world.make(Random(seed))
    address = f"github:o/r#{seed % 5}"
    with tempfile.TemporaryDirectory() as directory:
        environ = {"HOME": directory, "XDG_DATA_HOME": directory, "XDG_CONFIG_HOME": directory}
        scope = worlds.store(rows, environ, memory=False)
        files = paths.telemetry_file(environ), paths.outbox_file(environ)
        forget_address(*files, whose, address)
        for user in ("ada", "bob"):
            asked = {key: value for key, value in scope.items() if key != "table"} | {"user": user}
            with asking(*files, PanelScope(**asked)) as question:
                left = [
                    row if row["table"] != "scope" else row | {"user": user} for row in without(rows, whose, address)
                ]
                assert question.panels() == close(Second(left).panels())


def without(rows: list[dict[str, Any]], whose: str | None, address: str) -> list[dict[str, Any]]:
    """The rows of a world in which a user (None: nobody at all) was never served what is at an address."""
    events = {row["id"]: row for row in rows if row["table"] in ("touch", "recall_event")}
    read = {row["touch_id"] for row in rows if row["table"] == "read_event"}
    named = ((row, row if "address" in row else events.get(row.get("touch_id"), row)) for row in rows)
    ids = {row["memory_id"] for row, names in named if row.get("memory_id") and names.get("address") == address}
    left = []
    for row in rows:
        serving = events.get(row.get("recall_id") or row.get("touch_id"))
        mine = serving is not None and whose in (None, row.get("user", serving["user"]))
        of_read = row.get("touch_id") in read and serving is not None and serving["address"] == address
        if mine and (row["memory_id"] in ids or of_read):
            continue
        left.append(row | {"superseded_by": None} if mine and row.get("superseded_by") in ids else row)
    return left
