"""What the Sweep learns of what was served, over a real store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.store.model import Batch
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.telemetry.events import Read
from rg_core.telemetry.log import EventLog
from rg_core.telemetry.settle import settle
from rg_core.touches.touch import FETCHED
from tests.core.reading import samples
from tests.core.telemetry import facts

BEFORE, READ, LATER, CHECKED = (f"2026-11-30T{hour}:00:00Z" for hour in ("08", "10", "11", "12"))


@pytest.fixture
def store(home: dict[str, str]) -> Any:
    facts.begin(home)
    store = EmbeddedStore(paths.memory_file(home))
    store.init()
    yield store
    store.close()


def fetched(store: EmbeddedStore, at: str, updated_at: str, body: str, cause: str = "") -> None:
    """The issue as a Sweep found it."""
    item = samples.item(body=body, updated_at=updated_at, fetched_at=at)
    store.write(Batch(at, items=[item], causes={"I_1": cause} if cause else {}))


def read(home: dict[str, str], store: EmbeddedStore, name: str = "t1", at: str = READ, state: str = "") -> None:
    """Session s1 reads the issue."""
    from rg_core.touches.database import TouchLog

    TouchLog(paths.outbox_file(home)).record([facts.touch(1, name, at)])
    found = store.read("github:o/r#1")
    assert found
    events = EventLog(paths.telemetry_file(home))
    events.read(Read(name, facts.ME, at, "github:o/r", "I_1", state or found.state_id, 1, 500))
    events.close()


def settled(home: dict[str, str], store: EmbeddedStore) -> list[tuple[str | None, str | None]]:
    settle(paths.telemetry_file(home), paths.outbox_file(home), store, facts.ME, CHECKED)
    return [(row["verdict"], row["verified_at"]) for row in facts.rows(home, "read_event")]


def test_a_read_waits_until_the_source_is_asked_again(home: dict[str, str], store: EmbeddedStore) -> None:
    fetched(store, BEFORE, BEFORE, "one")
    read(home, store)
    assert settled(home, store) == [(None, None)]
    store.write(Batch(LATER, unchanged=["I_1"]))
    assert settled(home, store) == [("current", CHECKED)]


def test_memory_that_was_wrong_by_then_is_stale(home: dict[str, str], store: EmbeddedStore) -> None:
    fetched(store, BEFORE, BEFORE, "one")
    read(home, store)
    fetched(store, LATER, "2026-11-30T09:59:00Z", "two")
    assert settled(home, store) == [("stale", CHECKED)]


def test_what_changed_after_the_read_does_not_make_it_stale(home: dict[str, str], store: EmbeddedStore) -> None:
    fetched(store, BEFORE, BEFORE, "one")
    read(home, store)
    fetched(store, LATER, "2026-11-30T10:00:01Z", "two")
    assert settled(home, store) == [("current", CHECKED)]


def test_an_old_version_asked_for_on_purpose_is_not_judged(home: dict[str, str], store: EmbeddedStore) -> None:
    fetched(store, BEFORE, BEFORE, "one")
    old = store.read("github:o/r#1")
    assert old
    fetched(store, "2026-11-30T09:00:00Z", "2026-11-30T08:30:00Z", "two")
    read(home, store, state=old.state_id)
    store.write(Batch(LATER, unchanged=["I_1"]))
    assert settled(home, store) == [(None, None)]


def test_what_a_session_had_been_served_and_then_changed_was_rewritten(
    home: dict[str, str], store: EmbeddedStore
) -> None:
    from rg_core.touches.database import TouchLog

    fetched(store, BEFORE, BEFORE, "one")
    facts.note(home, "raaaaa", facts.recall(1, 2), at="2026-11-30T09:00:00Z")
    read(home, store)
    log = TouchLog(paths.outbox_file(home))
    log.record([facts.touch(1, "f1", "2026-11-30T10:30:00Z", outcome=""), facts.touch(1, "f2", LATER, "s2", "")])
    assert {touch.provenance for touch in log.touches(facts.ME, session="s2")} == {FETCHED}
    fetched(store, LATER, "2026-11-30T10:45:00Z", "two", cause="f1")
    fetched(store, CHECKED, "2026-11-30T11:45:00Z", "three", cause="f2")  # s2 was served nothing
    settled(home, store)
    settled(home, store)
    (row,) = facts.rows(home, "citation_event")
    assert (row["kind"], row["given_by"], row["touch_id"], row["session"]) == ("rewrote", "sweep", "t1", "s1")


def test_without_telemetry_nothing_is_made(home: dict[str, str], store: EmbeddedStore) -> None:
    settle(paths.telemetry_file(home), paths.outbox_file(home), store, facts.ME, CHECKED)
    assert not Path(paths.telemetry_file(home)).exists()
