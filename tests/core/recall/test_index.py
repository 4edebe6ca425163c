"""The index follows what it is made from: in small steps, wherever it is killed, and forgets what is forgotten."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import load
from rg_core.recall import indexing, own
from rg_core.recall.answer import Question
from rg_core.recall.own import OwnRecall
from rg_core.store import open_store
from rg_core.store.model import Batch, Item
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.documents.conftest import Project
from tests.core.reading import samples
from tests.core.recall.conftest import remember_items

BUILD = "from rg_core.cli.main import main; main(['recall', 'signals'])"


def opened(project: Project) -> OwnRecall:
    config = load(project.environ)
    return OwnRecall(config, project.environ, str(project.root), open_store(config, project.environ))


@pytest.fixture
def recall(harbor: Project) -> Iterator[OwnRecall]:
    """Recall over the specifications, not indexed yet."""
    made = opened(harbor)
    yield made
    made.close()


def addresses(recall: OwnRecall, query: str, as_of: str | None = None) -> list[str]:
    recall.catch_up(embed=False)
    return [result.address for result in recall.ask(Question(query, as_of, limit=50), embed=False).results]


def test_it_is_built_in_steps_and_says_what_is_missing(recall: OwnRecall) -> None:
    left = recall.catch_up(0.0, embed=False)
    assert left.changes == 47
    assert recall.ask(Question("signals"), embed=False).results == ()
    assert recall.catch_up(embed=False).is_empty
    assert recall.index.counts()["memories"] == 47
    assert len(recall.ask(Question("signals"), embed=False).results) == 10


def test_the_same_changes_again_change_nothing(recall: OwnRecall) -> None:
    recall.catch_up()
    before = recall.index.counts()
    assert before["vectors"] >= before["states"] >= 47
    recall.catch_up()
    assert recall.index.counts() == before


@pytest.mark.unmeasured
def test_killed_anywhere_it_goes_on_and_has_everything(harbor: Project) -> None:
    for number in range(100, 400):
        harbor.write(f"more/SPEC-{number}.md", f"# SPEC-{number} Signal {number}\n\n## Depends on\n\nSPEC-034\n")
    harbor.run("documents", "sync", "--yes")
    for delay in (0.4, 0.8, 0.9, 1.0, 1.2):
        process = subprocess.Popen([sys.executable, "-c", BUILD], env=harbor.environ, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed = opened(harbor)
    assert killed.catch_up().is_empty
    counts, found = killed.index.counts(), addresses(killed, "signal 250")
    killed.close()
    Path(paths.recall_file(harbor.environ, indexing.INDEX_VERSION)).unlink()
    fresh = opened(harbor)
    fresh.catch_up()
    assert fresh.index.counts() == counts
    assert addresses(fresh, "signal 250") == found
    assert counts["memories"] == 347
    fresh.close()


def test_a_new_version_is_a_new_file_beside_the_old_one(harbor: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    harbor.run("recall", "signals")
    old = paths.recall_file(harbor.environ, indexing.INDEX_VERSION)
    monkeypatch.setattr(own, "INDEX_VERSION", indexing.INDEX_VERSION + 1)
    assert "SPEC-034" in harbor.run("recall", "SPEC-034")
    assert os.path.exists(old)
    assert os.path.exists(paths.recall_file(harbor.environ, indexing.INDEX_VERSION + 1))


def test_a_changed_item_is_found_by_what_it_says_now_and_then_by_what_it_said(harbor: Project) -> None:
    first = samples.item(title="Okapi leaks", body="zorilla", updated_at="2026-01-01T00:00:00Z")
    remember_items(harbor, first)
    recall = opened(harbor)
    assert "github:o/r#1" in addresses(recall, "zorilla")
    remember_items(harbor, samples.item(title="Okapi leaks", body="gerenuk", updated_at="2026-03-01T00:00:00Z"))
    assert "github:o/r#1" in addresses(recall, "gerenuk")
    assert "github:o/r#1" not in addresses(recall, "zorilla")
    assert "github:o/r#1" in addresses(recall, "zorilla", "2026-02-01T00:00:00Z")
    assert "github:o/r#1" not in addresses(recall, "gerenuk", "2026-02-01T00:00:00Z")
    recall.close()


def test_a_renamed_repository_and_a_forgotten_item_are_followed(harbor: Project) -> None:
    remember_items(harbor, samples.item(title="Okapi leaks"))
    recall = opened(harbor)
    assert addresses(recall, "okapi leaks")[0] == "github:o/r#1"
    store = EmbeddedStore(paths.memory_file(harbor.environ))
    store.write(
        Batch(
            "2026-12-01T00:00:00Z", repositories=[samples.repository(name="o/new", fetched_at="2026-12-01T00:00:00Z")]
        )
    )
    assert addresses(recall, "okapi leaks")[0] == "github:o/new#1"
    assert addresses(recall, "o/r#1")[0] == "github:o/new#1"
    store.forget(["github:o/new#1"])
    store.close()
    assert "github:o/new#1" not in addresses(recall, "okapi leaks")
    recall.close()


def test_an_earlier_memory_is_indexed_whole(harbor: Project) -> None:
    """A file of a release that kept no changes: its items are all there to be found."""
    store = EmbeddedStore(paths.memory_file(harbor.environ))
    items: list[Item] = [samples.item(number=n, node_id=f"I_{n}", title=f"okapi {n}") for n in range(1, 60)]
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=items))
    assert store.changes_left(0) >= 60
    store.close()
    recall = opened(harbor)
    assert len(addresses(recall, "okapi")) == 50
    recall.close()


def test_ages_count_from_the_question_s_time(recall: OwnRecall) -> None:
    recall.catch_up(embed=False)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    (spec,) = recall.ask(Question("SPEC-037", limit=1), now=now, embed=False).results
    assert round(spec.staleness.age_days) == 242
    (then,) = recall.ask(Question("SPEC-037", "2025-10-01T00:00:00Z", limit=1), now=now, embed=False).results
    assert round(then.staleness.age_days) == 30
