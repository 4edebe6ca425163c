"""The local file of Touches: what waits, whose it is, what is forgotten, what is known."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.errors import UserError
from rg_core.touches import file, index
from rg_core.touches.database import TouchLog
from rg_core.touches.events import record_read, record_touches, tell
from rg_core.touches.file import VERSION, connect
from rg_core.touches.known import Known
from rg_core.touches.known import look_up as published
from rg_core.touches.touch import (
    CACHE_READ,
    FETCHED,
    NOT_FOUND,
    NOT_PUBLIC,
    PENDING,
    PROMPTED,
    RATE_LIMITED,
    RESOLVED,
    UNRESOLVED,
    AnnouncedRead,
    Touch,
)
from tests.core.hook.running import everything_below

AT = "2026-11-29T21:00:00Z"


def touch(id: str, address: str = "github:o/r#1", user: str = "ann", session: str = "s", **more: object) -> Touch:
    values = {"kind": "item", "provenance": FETCHED, "at": "2026-11-29T21:00:00Z", "harness": "claude_code"} | more
    return Touch(id=id, user=user, address=address, session=session, **values)  # type: ignore[arg-type]


def known(address: str, order: str = "", **more: object) -> Known:
    return Known(address, order, "2026-11-29T20:00:00Z", "2026-11-28T20:00:00Z", **more)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> TouchLog:
    return TouchLog(str(tmp_path / "data" / "touches.db"))


def look_up(log: TouchLog, *keys: str) -> list[str]:
    return sorted(row.address for row in published(log.data, keys, []))


def test_a_touch_comes_back_as_it_was(log: TouchLog) -> None:
    whole = touch("1", "github:o/r/issues?state=open", kind="issues", limit=30, order="created-desc", tool_name="Bash",
                  tool_use_id="t", agent="a", agent_type="explore", served_from_memory=True, outcome="hit",
                  provenance=CACHE_READ, status=RESOLVED, reason="", attempts=2)  # fmt: skip
    log.record([whole])
    assert log.touches("ann") == [whole]


def test_the_same_id_is_the_same_touch(log: TouchLog) -> None:
    log.record([touch("1"), touch("1", harness="cursor")])
    log.record([touch("1")])
    assert [found.harness for found in log.touches("ann")] == ["claude_code"]


def test_pending_are_real_fetches_and_prompts_that_wait(log: TouchLog) -> None:
    log.record([touch("fetched"), touch("prompted", provenance=PROMPTED), touch("read", provenance=CACHE_READ)])
    log.record([touch("limited"), touch("lost"), touch("done"), touch("bob's", user="bob")])
    log.settle(["limited"], UNRESOLVED, RATE_LIMITED)
    log.settle(["lost"], UNRESOLVED, NOT_FOUND)
    log.settle(["done"], RESOLVED)
    assert [found.id for found in log.pending()] == ["fetched", "prompted", "limited", "bob's"]
    assert [found.id for found in log.pending("ann", limit=2)] == ["fetched", "prompted"]
    assert {found.id: (found.status, found.reason, found.attempts) for found in log.touches("ann")} == {
        "fetched": (PENDING, "", 0),
        "prompted": (PENDING, "", 0),
        "read": (PENDING, "", 0),
        "limited": (UNRESOLVED, RATE_LIMITED, 1),
        "lost": (UNRESOLVED, NOT_FOUND, 1),
        "done": (RESOLVED, "", 1),
    }


def test_a_user_sees_and_counts_only_their_own(log: TouchLog) -> None:
    log.record([touch("1"), touch("2", user="bob"), touch("3", session="other", address="github:o/r")])
    assert [found.id for found in log.touches("ann")] == ["3", "1"]
    assert [found.id for found in log.touches("ann", session="s")] == ["1"]
    assert [found.id for found in log.touches("ann", address="github:o/r")] == ["3"]
    assert [found.id for found in log.touches("ann", limit=1)] == ["3"]
    assert log.touches("") == []
    assert sum(row[-1] for row in log.counts("ann")) == 2
    assert log.counts("") == []


def test_forget_is_the_user_s_own_and_leaves_nothing_in_the_file(log: TouchLog) -> None:
    log.record([touch("1", "github:secret/thing#7"), touch("2", "github:secret/thing#7", user="bob"), touch("3")])
    assert log.forget("ann", address="github:secret/thing#7") == 1
    assert log.forget("", everything=True) == 0
    assert log.forget("ann") == 0
    assert [found.id for found in log.pending()] == ["2", "3"]
    assert log.forget("bob", session="s") == 1
    assert log.forget("ann", everything=True) == 1
    assert everything_in(log).count(b"secret/thing") == 0


def test_what_is_not_public_is_erased_from_the_file(log: TouchLog) -> None:
    private = "github:secret/thing#77"
    log.record([touch("1", private), touch("2", private), touch("3", "github:secret/thing#8", provenance=CACHE_READ)])
    log.put_known([known("github:secret/thing", title="t"), known("github:o/r")])
    record_read(log.data, AnnouncedRead(private, "s", "claude_code"), 1, AT)
    record_touches(log.data, [touch("4", private)], 2)
    assert tell(log.data, "ann", "s", private, AT)
    assert tell(log.data, "ann", "s", "github:o/r", AT)
    log.settle(["1"], UNRESOLVED, NOT_PUBLIC)
    assert b"secret" not in everything_in(log)
    assert {(found.id, found.address, found.reason) for found in log.touches("ann")} == {
        ("1", "", NOT_PUBLIC), ("2", "", ""), ("3", "", ""), ("4", "", ""),
    }  # fmt: skip
    assert look_up(log, "github:secret/thing", "github:o/r") == ["github:o/r"]
    assert not tell(log.data, "ann", "s", "github:o/r", AT)  # the rest is remembered


def everything_in(log: TouchLog) -> bytes:
    return everything_below(log.data)


def test_what_changed_is_unsent_until_it_is_marked(log: TouchLog) -> None:
    log.record([touch("1"), touch("2")])
    seen = log.unsent("ann")
    log.settle(["2"], RESOLVED)
    log.mark_sent(seen)
    assert [found.id for found in log.unsent("ann")] == ["2"]
    log.mark_sent(log.unsent("ann"))
    assert log.unsent("ann") == []
    log.settle(["1"], UNRESOLVED, NOT_FOUND)
    assert [found.id for found in log.unsent("ann")] == ["1"]


def test_known_rows_are_replaced_dropped_and_rebuilt(log: TouchLog) -> None:
    log.put_known([known("github:o/r#1", title="old"), known("github:o/r#2")])
    log.put_known([known("github:o/r#1", title="new")])
    assert [row.title for row in published(log.data, ["github:o/r#1"], [])] == ["new"]
    log.drop_known(["github:o/r#2"])
    assert look_up(log, "github:o/r#1", "github:o/r#2") == ["github:o/r#1"]
    log.replace_known([known(f"github:o/r#{number}") for number in range(2, 700)])
    assert log.known_count() == 698
    assert look_up(log, "github:o/r#1", "github:o/r#699") == ["github:o/r#699"]


def test_known_rows_are_bounded_and_the_oldest_go_first(log: TouchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "ROWS", 3)
    log.put_known([known(f"github:o/r#{number}") for number in (1, 2, 3)])
    log.put_known([known("github:o/r#1"), known("github:o/r#4")])
    assert look_up(log, *(f"github:o/r#{number}" for number in (1, 2, 3, 4))) == [
        "github:o/r#1", "github:o/r#3", "github:o/r#4",
    ]  # fmt: skip


def test_candidates_are_complete_listings_of_the_repository_and_kind_and_the_question_itself(log: TouchLog) -> None:
    ours = ["github:o/r/issues?label=a&state=open", "github:o/r/issues?state=all"]
    others = ["github:o/r", "github:o/r#1", "github:o/r/pulls?state=all", "github:o/r2/issues?state=all"]
    partial = [known(f"github:o/r/issues?label={label}&state=open", complete=False) for label in "bc"]
    log.put_known([*partial, *(known(address) for address in ours + others)])
    found = published(log.data, [], [("github:o/r/issues?", partial[0].address)])
    assert sorted(row.address for row in found) == sorted([*ours, partial[0].address])


def test_a_session_is_told_of_an_address_once(log: TouchLog) -> None:
    asked = [("s", "github:o/r#1"), ("s", "github:o/r#1"), ("s", "github:o/r#2"), ("other", "github:o/r#1")]
    assert [tell(log.data, "ann", *each, AT) for each in asked] == [True, False, True, True]
    record_touches(log.data, [touch("1")], 1)
    log.drain()
    with closing(connect(log.path)) as db:
        assert set(db.execute("SELECT session, address, at FROM nudged")) == {(*each, AT) for each in asked}


def test_callers_are_claimed_once_each_in_order(log: TouchLog) -> None:
    for number, agent in enumerate(("", "explorer")):
        for delivery in range(2):  # as two configurations of a harness would
            caller = AnnouncedRead("github:o/r#1", "s", "claude_code", tool_use_id=f"t{agent}", agent=agent)
            record_read(log.data, caller, number * 2 + delivery, AT)
    assert log.claim_caller("github:o/r#2") is None
    assert log.claim_caller("github:o/r#1", since="2026-11-29T21:00:01Z") is None
    claimed = [log.claim_caller("github:o/r#1", since="2026-11-29T21:00:00Z") for _ in range(3)]
    assert [caller and caller.agent for caller in claimed] == ["", "explorer", None]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_file_and_its_directory_are_private(log: TouchLog) -> None:
    mask = os.umask(0)
    try:
        log.record([touch("1")])
        with closing(connect(log.path)) as keeper:
            keeper.execute("SELECT count(*) FROM touch").fetchone()
            log.put_known([known("github:o/r#1")])
            record_touches(log.data, [touch("2")], 1)
            assert tell(log.data, "ann", "s", "github:o/r#1", AT)
            below = [Path(log.data), *Path(log.data).rglob("*")]
            modes = {path: stat.S_IMODE(path.stat().st_mode) for path in below}
    finally:
        os.umask(mask)
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {"touches.db", "touches.db-wal", "touches.db-shm", "known"} <= {path.name for path in modes}


def test_a_broken_file_is_said_with_what_to_do(log: TouchLog) -> None:
    Path(log.path).parent.mkdir()
    Path(log.path).write_bytes(b"this is no database" * 100)
    with pytest.raises(UserError, match=r"touches\.db.*move that file away"):
        log.pending()


def test_a_newer_file_is_left_alone(log: TouchLog) -> None:
    log.record([touch("1")])
    with sqlite3.connect(log.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(UserError, match="version 99"):
        log.record([touch("2")])


def test_s09_a_foreign_file_is_left_alone(log: TouchLog) -> None:
    Path(log.path).parent.mkdir()
    Path(log.path).touch()
    with pytest.raises(UserError, match=r"no file of rg-memory's touches.*move that file away"):
        log.pending()


@pytest.mark.parametrize("link", [False, True])
def test_s09_what_stands_in_place_of_the_directory_is_named(log: TouchLog, link: bool) -> None:
    folder = Path(log.path).parent
    if link:
        folder.symlink_to(folder.parent / "nowhere")
    else:
        folder.touch()
    with pytest.raises(UserError, match=rf"{folder} is a file, or a link that leads nowhere: move it away"):
        log.pending()


def test_s09_a_locked_file_is_said_to_be_locked(log: TouchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "BUSY", 0.1)
    log.record([touch("1")])
    record_touches(log.data, [touch("2")], 1)
    with closing(connect(log.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        record_touches(log.data, [touch("3")], 2)
        with pytest.raises(UserError, match=r"locked; another process is writing it.*2 events of hooks wait") as caught:
            log.forget("ann", everything=True)
        assert "move" not in str(caught.value)
        assert [found.id for found in log.touches("ann")] == ["1"]  # what can be done without the events is done
        other.execute("ROLLBACK")
    assert [found.id for found in log.touches("ann")] == ["3", "2", "1"]


def test_a_file_of_release_0_1_opens_as_before(log: TouchLog) -> None:
    """Its tables as that release made them, with a touch, a known row, a caller and the hook's settings."""
    Path(log.path).parent.mkdir()
    with closing(sqlite3.connect(log.path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript((Path(__file__).parent / "assets" / "touches_0_1.sql").read_text())
    assert [found.id for found in log.touches("ann")] == ["t1"]
    assert [row.title for row in published(log.data, ["github:o/r#1"], [])] == []  # until somebody looks
    log.drain()
    assert [row.title for row in published(log.data, ["github:o/r#1"], [])] == ["A title"]
    assert log.claim_caller("github:o/r#1") == AnnouncedRead("github:o/r#1", "s", "claude_code", "use", "agent", "kind")
    record_touches(log.data, [touch("t2")], 1)
    assert [found.id for found in log.touches("ann")] == ["t2", "t1"]
    with closing(connect(log.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'settings'").fetchone() == (0,)


STORM = """
import sys
from rg_core.touches.touch import Touch
from rg_core.touches.database import TouchLog
for n in range(20):
    touch = Touch(f"{sys.argv[2]}-{n}", "ann", "github:o/r#1", "item", "FETCHED", "2026", "s", "h")
    TouchLog(sys.argv[1]).record([touch])
"""


def test_many_processes_may_create_the_file_at_once(log: TouchLog) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", STORM, log.path, str(number)]) for number in range(8)]
    assert [worker.wait() for worker in workers] == [0] * 8
    assert len(log.touches("ann")) == 160
    assert not [path for path in Path(log.path).parent.iterdir() if path.name.endswith(".new")]


WRITER = """
import sys
from rg_core.touches.touch import Touch
from rg_core.touches.database import TouchLog
log = TouchLog(sys.argv[1])
for n in range(100_000):
    log.record([Touch(f"{sys.argv[2]}-{n}", "ann", "github:o/r#1", "item", "FETCHED", "2026", "s", "h")])
    print(f"{sys.argv[2]}-{n}", flush=True)
"""


@pytest.mark.unmeasured
def test_kill_9_loses_no_acknowledged_touch(log: TouchLog) -> None:
    acknowledged: set[str] = set()
    for turn in range(4):
        writers = [
            subprocess.Popen([sys.executable, "-c", WRITER, log.path, f"{turn}-{n}"], stdout=subprocess.PIPE, text=True)
            for n in range(3)
        ]
        for writer in writers:
            assert writer.stdout
            acknowledged |= {writer.stdout.readline() for _ in range(20)}
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            acknowledged |= {line for line in writer.communicate()[0].splitlines(keepends=True) if line.endswith("\n")}
    assert len(acknowledged) >= 4 * 3 * 20
    assert {line.strip() for line in acknowledged} <= {found.id for found in log.touches("ann")}
    with sqlite3.connect(log.path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
