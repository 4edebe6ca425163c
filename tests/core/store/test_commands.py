"""rg-memory store, export and import, as a user runs them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.store.model import Batch
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.touches.file import connect
from tests import commands
from tests.core.store.worlds import START, a_comment, a_listing, a_repository, an_item, time_of

ITEMS = [an_item(1, comments=(a_comment(),)), an_item(2)]
BATCH = Batch(time_of(START + 2000), repositories=[a_repository()], items=ITEMS, listings=[a_listing(ITEMS)])


PROGRAM = "import sys; from rg_core.cli.main import main; sys.exit(main())"


def run(home: dict[str, str], *arguments: str, stdin: bytes = b"", code: int = 0) -> str:
    """What the command prints, on stderr last."""
    done = commands.run(home, *arguments, stdin=stdin)
    assert done.returncode == code, done.stderr
    return done.stdout + (done.stderr if code else "")


@pytest.fixture
def memory(home: dict[str, str]) -> EmbeddedStore:
    store = EmbeddedStore(paths.memory_file(home))
    store.write(BATCH)
    store.close()
    return store


def known(home: dict[str, str]) -> set[str]:
    db = connect(paths.outbox_file(home))
    try:
        return {row[0] for row in db.execute("SELECT address FROM known")}
    finally:
        db.close()


def test_init_makes_the_file_for_its_owner_alone(home: dict[str, str]) -> None:
    assert "is ready" in run(home, "store", "init")
    file = Path(paths.memory_file(home))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(file.parent) == ["memory.db"]
    assert "is ready" in run(home, "store", "init")


def test_n08_check_says_that_a_store_is_sound(home: dict[str, str], memory: EmbeddedStore) -> None:
    assert "is sound: 1 repository, 2 issues" in run(home, "store", "check")
    assert json.loads(run(home, "store", "check", "--json"))["counts"]["comments"] == 1


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE state SET content = replace(content, 'Body 1', 'other')", "is not the one that was recorded"),
        ("UPDATE comment SET body = 'other'", "is not the one that was recorded"),
        ("DELETE FROM resource WHERE node_id = 'R_1'", "is not stored"),
        ("UPDATE resource SET number = 1 WHERE number = 2", "has the number 1 of another item"),
    ],
)
def test_check_finds_what_was_changed(damage: str, found: str, home: dict[str, str], memory: EmbeddedStore) -> None:
    db = sqlite3.connect(memory.path, isolation_level=None)
    db.execute(damage)
    db.close()
    assert found in run(home, "store", "check", code=1)
    assert json.loads(run(home, "store", "check", "--json", code=1))["faults"]


def test_reindex_tells_the_hooks_what_memory_has(home: dict[str, str], memory: EmbeddedStore) -> None:
    assert json.loads(run(home, "store", "reindex", "--json"))["known"] == 4
    assert known(home) == {
        "github:owner/repo", "github:owner/repo#1", "github:owner/repo#2", "github:owner/repo/issues?state=all",
    }  # fmt: skip
    memory.forget(["github:owner/repo#1"])
    memory.close()
    run(home, "store", "reindex")
    assert "github:owner/repo#1" not in known(home)


def test_an_export_is_imported_elsewhere(home: dict[str, str], memory: EmbeddedStore, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    assert "Exported 5 records" in run(home, "export", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    assert run(home, "export", "-") == file.read_text()
    other = home | {"XDG_DATA_HOME": str(tmp_path / "other")}
    assert json.loads(run(other, "import", "-", "--json", stdin=file.read_bytes())) == {"records": 5, "known": 4}
    assert run(other, "export", "-") == file.read_text()
    assert known(other) == {*known(other), "github:owner/repo#1"}
    assert "Imported 5 records" in run(other, "import", str(file))
    assert run(other, "export", "-") == file.read_text()


def test_t04_what_release_0_1_exported_of_others_is_left_out(home: dict[str, str], memory: EmbeddedStore) -> None:
    """A repository of another program got into its exports, without an id."""
    lines = run(home, "export", "-").splitlines()
    theirs = {**json.loads(lines[1]), "node_id": None, "states": []}
    given = "\n".join([lines[0], json.dumps(theirs), *lines[1:]]).encode()
    program = [sys.executable, "-c", PROGRAM, "import", "-"]
    done = subprocess.run(program, env=home, input=given, capture_output=True, timeout=300)
    assert done.returncode == 0
    assert b"line 2 of - was another program's node" in done.stderr
    assert b"Imported 5 records" in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[1]\n", "line 1 of - is no record of an export"),
        (b'{"record":"resource"}\n', "line 1 of - is no record of an export"),
        (b'{"record":"rg-memory","format":1}\n{"rec', "line 2 of - is not JSON"),
        (b'{"record":"rg-memory","format":2}\n', "upgrade rg-memory"),
        (b'{"record":"rg-memory","format":1}\n{"record":"resource","kind":"issue"}\n', "is not whole"),
        (b"\xff\xfe\n", "line 1 of - is not JSON"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(text: bytes, said: str, home: dict[str, str]) -> None:
    assert said in run(home, "import", "-", stdin=text, code=1)


def test_a_file_that_cannot_be_read_or_written_is_said(
    home: dict[str, str], memory: EmbeddedStore, tmp_path: Path
) -> None:
    assert "cannot be read" in run(home, "import", str(tmp_path / "none"), code=1)
    assert "cannot be written" in run(home, "export", str(tmp_path / "none" / "file"), code=1)
