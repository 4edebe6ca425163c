"""The embedded store's file: made once by many, migrated, private, and clear about what is wrong with it."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.store.model import Batch
from rg_core.store.protocol import StoreUnavailable
from rg_core.store.sqlite import file as engine_file
from rg_core.store.sqlite.migrations import MIGRATIONS
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.store.worlds import START, a_comment, a_listing, a_repository, an_item, time_of

AT = time_of(START + 2000)
CREATE = """
import sys
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.store.model import Batch, Repository
sys.stdin.read()
repository = Repository("R_" + sys.argv[2], "o/r" + sys.argv[2], "", "", "", "", "")
EmbeddedStore(sys.argv[1]).write(Batch("2026-01-01T00:00:00Z", repositories=[repository]))
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "memory.db")


@pytest.fixture
def embedded(path: str) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(path, busy_seconds=0.2)
    yield store
    store.close()


def test_many_processes_make_one_file(path: str) -> None:
    for round_ in range(3):
        place = f"{path}.{round_}"
        started = [
            subprocess.Popen([sys.executable, "-c", CREATE, place, str(n)], stdin=subprocess.PIPE) for n in range(12)
        ]
        for process in started:
            assert process.stdin
            process.stdin.close()
        assert [process.wait(60) for process in started] == [0] * len(started)
        with closing(EmbeddedStore(place)) as store:
            assert store.counts()["repositories"] == len(started)
        assert not [name for name in os.listdir(os.path.dirname(place)) if name.startswith(".")]


def test_the_files_are_their_owners_alone_whatever_the_umask(path: str) -> None:
    before = os.umask(0)
    try:
        with closing(EmbeddedStore(path)) as store:
            store.write(Batch(AT, items=[an_item(1)]))
            modes = {name: os.stat(os.path.join(os.path.dirname(path), name)).st_mode & 0o777
                     for name in os.listdir(os.path.dirname(path))}  # fmt: skip
    finally:
        os.umask(before)
    assert set(modes) == {"memory.db", "memory.db-wal", "memory.db-shm"}
    assert set(modes.values()) == {0o600}
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_every_earlier_schema_is_migrated(version: int, path: str) -> None:
    os.makedirs(os.path.dirname(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        engine_file.migrate(db, upto=version)
        db.execute("INSERT INTO name VALUES ('kept', 1)")
    with closing(EmbeddedStore(path)) as store:
        store.write(Batch(AT, items=[an_item(1)], listings=[a_listing([an_item(1)])]))
        assert store.lease("sweep", "one", 1)
        assert store.read("github:owner/repo#1")
    with closing(sqlite3.connect(path)) as db:
        assert [name for (name,) in db.execute("SELECT name FROM migration ORDER BY name")] == [
            name for name, _ in MIGRATIONS
        ]
        assert db.execute("SELECT repository FROM name WHERE name = 'kept'").fetchone() == (1,)


def test_a_migration_that_fails_leaves_the_schema_before_it(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(EmbeddedStore(path)) as store:
        store.init()
    broken = (*MIGRATIONS, ("999_broken", "CREATE TABLE extra (a);\nCREATE TABLE extra (a);\n"))
    monkeypatch.setattr(engine_file, "MIGRATIONS", broken)
    with closing(EmbeddedStore(path)) as store, pytest.raises(sqlite3.OperationalError):
        store.init()
    monkeypatch.undo()
    with closing(EmbeddedStore(path)) as store:
        store.init()
    with closing(sqlite3.connect(path)) as db:
        assert not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'extra'").fetchone()


def test_a_newer_file_is_left_alone(path: str, embedded: EmbeddedStore) -> None:
    embedded.init()
    embedded.close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO migration VALUES ('998_later')")
    with pytest.raises(StoreUnavailable, match=r"newer rg-memory.*998_later.*upgrade"):
        embedded.init()


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look at\n" * 100, b"\x00" * 5000])
def test_what_is_no_database_is_said_and_left_alone(content: bytes, path: str, embedded: EmbeddedStore) -> None:
    os.makedirs(os.path.dirname(path))
    Path(path).write_bytes(content)
    with pytest.raises(StoreUnavailable, match="not a database; move it away"):
        embedded.init()
    assert Path(path).read_bytes() == content


def test_s09_another_programs_database_is_said_and_left_alone(path: str, embedded: EmbeddedStore) -> None:
    os.makedirs(os.path.dirname(path))
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (id)")
    before = Path(path).read_bytes()
    with pytest.raises(StoreUnavailable, match="another program's database; move it away"):
        embedded.init()
    assert Path(path).read_bytes() == before


def test_a_file_that_another_process_keeps_locked_is_said(path: str, embedded: EmbeddedStore) -> None:
    embedded.init()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked; end that process, or try again"):
            embedded.write(Batch(AT, items=[an_item(1)]))
        assert embedded.read("github:owner/repo#1") is None
        other.execute("ROLLBACK")
    embedded.write(Batch(AT, items=[an_item(1)]))


def test_a_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        closing(EmbeddedStore(str(tmp_path / "file" / "memory.db"))) as store,
        pytest.raises(StoreUnavailable, match="writable for you"),
    ):
        store.init()


def test_a_damaged_file_is_said(path: str, embedded: EmbeddedStore) -> None:
    embedded.write(Batch(AT, items=[an_item(n, body="x" * 3000) for n in range(1, 60)]))
    embedded.close()
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 200_000)
    with pytest.raises(StoreUnavailable, match="damaged; move it away and import"):
        embedded.read("github:owner/repo#1")


def test_a_log_without_its_file_is_said(path: str, embedded: EmbeddedStore) -> None:
    os.makedirs(os.path.dirname(path))
    Path(f"{path}-wal").write_bytes(b"x")
    with pytest.raises(StoreUnavailable, match="put the file back, or remove"):
        embedded.init()


FILL = """
import resource, sys
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.store.model import Batch
from rg_core.store.protocol import StoreUnavailable
from tests.core.store.worlds import an_item
store = EmbeddedStore(sys.argv[1])
store.init()
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for n in range(1, 1000):
    try:
        store.write(Batch("2026-01-01T00:00:00Z", items=[an_item(n, body="x" * 5000)]))
    except StoreUnavailable as error:
        print(n, error)
        break
"""


def test_a_file_that_cannot_grow_is_said_and_loses_nothing(path: str) -> None:
    """A limit on the size of a file stands for a full disk: SQLite sees the same failing write."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", FILL, path], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    number, _, said = done.stdout.partition(" ")
    assert "memory file" in said
    with closing(EmbeddedStore(path)) as store:
        assert store.counts()["issues"] == int(number) - 1
        assert store.damage() == []
        store.write(Batch(AT, items=[an_item(5000)]))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_said(path: str, embedded: EmbeddedStore) -> None:
    embedded.write(Batch(AT, items=[an_item(1)]))
    embedded.close()
    os.chmod(os.path.dirname(path), 0o500)
    os.chmod(path, 0o400)
    try:
        with pytest.raises(StoreUnavailable, match="writ"):
            embedded.write(Batch(AT, items=[an_item(2)]))
    finally:
        os.chmod(os.path.dirname(path), 0o700)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_forgotten_is_not_in_the_bytes_of_the_files(seed: int, path: str, embedded: EmbeddedStore) -> None:
    chance = random.Random(seed)
    secret = f"forget-me-{seed}-"

    def text() -> str:
        return secret + chance.choice("xyz") * chance.choice([5, 300, 3000, 20_000])

    for second in range(chance.randint(1, 5)):
        at = time_of(START + 3000 + second)
        items = [an_item(n, title=text() if n % 3 == 0 else "kept", body=text() if n % 3 == 0 else "kept" * 50,
                         labels=(text(),) if n % 3 == 0 else (), updated_at=at, fetched_at=at,
                         comments=(a_comment(n, body=text() if n % 3 == 0 else "kept"),))
                 for n in chance.sample(range(1, 40), 30)]  # fmt: skip
        embedded.write(
            Batch(at, repositories=[a_repository()], items=items, listings=[a_listing(items, fetched_at=at)])
        )
    assert secret.encode() in b"".join(file.read_bytes() for file in Path(path).parent.iterdir())
    embedded.forget([f"github:owner/repo#{n}" for n in range(3, 40, 3)])
    for file in Path(path).parent.iterdir():
        assert secret.encode() not in file.read_bytes(), file
    assert embedded.counts()["issues"] > 10
    assert embedded.damage() == []
