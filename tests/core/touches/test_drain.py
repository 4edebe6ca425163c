"""What hooks leave is taken in exactly once, in order, whatever it is and whoever is killed meanwhile."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from rg_core.touches.database import TouchLog
from rg_core.touches.drain import drain, waiting
from rg_core.touches.events import LARGEST, MOST, events, record_read, record_touches, tell, told
from rg_core.touches.file import connect
from rg_core.touches.touch import AnnouncedRead, Touch
from tests.core.hook.running import everything_below

AT = "2026-11-29T21:00:00Z"
DAY = 86_400


def touch(id: str, address: str = "github:o/r#1", user: str = "ann", session: str = "s", **more: object) -> Touch:
    values = {"kind": "item", "provenance": "FETCHED", "at": AT, "harness": "claude_code"} | more
    return Touch(id=id, user=user, address=address, session=session, **values)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> TouchLog:
    return TouchLog(str(tmp_path / "data" / "touches.db"))


def ids(log: TouchLog) -> list[str]:
    return [found.id for found in reversed(log.touches("ann"))]


def left(log: TouchLog) -> list[str]:
    return sorted(os.listdir(events(log.data)))


def test_a_touch_comes_back_as_it_was_recorded(log: TouchLog) -> None:
    whole = touch("1", "github:o/r/issues?state=open", kind="issues", limit=30, order="created-desc", tool_name="Bash",
                  tool_use_id="t", agent="a", agent_type="explore")  # fmt: skip
    record_touches(log.data, [whole, touch("2", tool_name="Bash", tool_use_id="t", agent="a", agent_type="explore")], 5)
    assert log.touches("ann")[1] == whole
    assert ids(log) == ["1", "2"]
    assert left(log) == []


def test_events_are_taken_in_the_order_of_their_names(log: TouchLog) -> None:
    for number in (3, 1, 2):
        record_touches(log.data, [touch(str(number))], number * 10**9)
    log.record([touch("4")])
    record_touches(log.data, [touch("5")], 1)
    assert ids(log) == ["1", "2", "3", "4", "5"]


def test_the_same_event_within_its_window_is_one_touch(log: TouchLog) -> None:
    record_touches(log.data, [touch("w1", at="2026-11-29T21:00:08Z")], 1, earlier=["w0"], since="2026-11-29T20:59:58Z")
    record_touches(log.data, [touch("w2", at="2026-11-29T21:00:12Z")], 2, earlier=["w1"], since="2026-11-29T21:00:02Z")
    assert ids(log) == ["w1"]
    record_touches(log.data, [touch("w3", at="2026-11-29T21:00:22Z")], 3, earlier=["w2"], since="2026-11-29T21:00:12Z")
    assert ids(log) == ["w1", "w3"]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"v": 1}', b'{"v": 0, "kind": "touch"}',
        b'{"v": "1", "kind": "touch"}', b'{"v": 1, "kind": "read", "at": 5}',
        b'{"v":1,"kind":"read","at":"","address":"\\ud800","session":"","harness":"","tool_use_id":"","agent":"","agent_type":""}',
    ],
)  # fmt: skip
def test_what_is_no_event_is_put_aside_and_counted(log: TouchLog, content: bytes) -> None:
    record_touches(log.data, [touch("1")], 1)
    Path(events(log.data), f"{2:020}-{'0' * 16}").write_bytes(content)
    record_touches(log.data, [touch("3")], 3)
    assert ids(log) == ["1", "3"]
    assert (waiting(log.data).count, waiting(log.data).bad) == (0, 1)
    os.utime(Path(events(log.data), *left(log)), (time.time() - 31 * DAY,) * 2)
    record_touches(log.data, [touch("4")], 4)
    assert ids(log)[-1] == "4"
    assert left(log) == []


def test_an_event_of_a_later_release_waits_for_it(log: TouchLog) -> None:
    name = f"{1:020}-{'0' * 16}"
    for number in range(600):  # more than one batch
        Path(events(log.data)).mkdir(parents=True, exist_ok=True)
        Path(events(log.data), f"{number:020}-{'0' * 16}").write_text(json.dumps({"v": 2, "kind": "song"}))
    record_touches(log.data, [touch("1")], 10**9)
    assert ids(log) == ["1"]
    assert name in left(log)
    assert (waiting(log.data).count, waiting(log.data).newer) == (600, 600)


def test_what_killed_hooks_left_aside_goes_after_a_day(log: TouchLog) -> None:
    record_touches(log.data, [touch("1")], 1)
    for name, age in (("old", 2 * DAY), ("new", 60)):
        Path(events(log.data), f".{name}").write_text("{")
        os.utime(Path(events(log.data), f".{name}"), (time.time() - age,) * 2)
    assert ids(log) == ["1"]
    assert left(log) == [".new"]


def test_an_event_is_never_larger_than_one_write_and_never_holds_a_payload(log: TouchLog) -> None:
    long = "x" * 100_000
    touches = [touch(f"{n:032}", f"github:o/r/issues?q={n}{'y' * 2000}&state=all", session=long, tool_name=long,
                     agent=long, agent_type="\ud800\t\n") for n in range(200)]  # fmt: skip
    record_touches(log.data, touches, 1)
    record_touches(log.data, [touch(f"t{n}", f"github:o/r#{n + 1}") for n in range(200)], 2)
    first, second = (Path(events(log.data), name) for name in left(log))
    assert LARGEST - 3000 < first.stat().st_size <= LARGEST
    assert len(json.loads(second.read_bytes())["rows"]) == MOST
    found = log.touches("ann")
    assert found[-1].session == "x" * 200
    assert found[-1].agent_type == "?  "


def test_forgetting_leaves_nothing_in_any_file(log: TouchLog) -> None:
    private = "github:secret/thing#7"
    for number, session in enumerate(("s", "other")):
        record_touches(log.data, [touch(session, private, session=session)], number)
        assert tell(log.data, "ann", session, private, AT)
    for name in (".bad-x", ".1"):
        Path(events(log.data), name).write_text(private)
        os.utime(Path(events(log.data), name), (time.time() - 90,) * 2)
    assert tell(log.data, "bob", "b", private, AT)
    assert log.forget("ann", session="other") == 1
    assert ids(log) == ["s"]
    assert not tell(log.data, "ann", "s", private, AT)
    record_touches(log.data, [touch("late", private, session="late")], 3)  # not taken in yet
    assert log.forget("ann", address=private) == 2
    assert left(log) == []
    assert b"ann" not in everything_below(told(log.data))
    assert not tell(log.data, "bob", "b", private, AT)  # another user's stays
    assert log.forget("bob", everything=True) == 0
    assert b"secret" not in everything_below(log.data)


def test_sessions_that_were_told_nothing_for_a_month_go(log: TouchLog) -> None:
    assert tell(log.data, "ann", "old", "github:o/r#1", AT)
    assert tell(log.data, "ann", "new", "github:o/r#1", AT)
    (old,) = (path for path in Path(told(log.data)).iterdir() if "old" in next(path.iterdir()).read_text())
    os.utime(old, (time.time() - 31 * DAY,) * 2)
    for number in range(2):  # the first copies who was told, the second removes
        record_touches(log.data, [touch(str(number))], number)
        log.drain()
    assert len(os.listdir(told(log.data))) == 1
    with closing(connect(log.path)) as db:
        assert set(db.execute("SELECT session FROM nudged")) == {("old",), ("new",)}
    assert not tell(log.data, "ann", "new", "github:o/r#1", AT)


def test_a_file_that_cannot_be_removed_is_taken_once(log: TouchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows while another process reads it. Callers have no id that would tell a second one."""
    real = os.unlink
    kept: list[str] = []

    def unlink(path: str) -> None:
        if "events" in path and not kept:
            kept.append(path)
            raise PermissionError(path)
        real(path)

    record_read(log.data, AnnouncedRead("github:o/r#1", "s", "codex"), 1, AT)
    monkeypatch.setattr(os, "unlink", unlink)
    log.drain()
    assert len(left(log)) == 1
    record_touches(log.data, [touch("1")], 2)
    assert ids(log) == ["1"]
    assert left(log) == []
    assert log.claim_caller("github:o/r#1")
    assert log.claim_caller("github:o/r#1") is None
    record_touches(log.data, [touch("2")], 3)
    with closing(connect(log.path)) as db:
        drain(db, log.data)
        assert db.execute("SELECT count(*) FROM drained").fetchone() == (1,)  # of the last batch only


DRAINER = """
import sys, time
from rg_core.touches.database import TouchLog
log = TouchLog(sys.argv[1])
while True:
    log.drain()
    time.sleep(0.001)
"""
WRITER = """
import sys, time
from rg_core.touches.events import record_read
from rg_core.touches.touch import AnnouncedRead
for number in range(int(sys.argv[3])):
    record_read(sys.argv[1], AnnouncedRead(f"{sys.argv[2]}-{number}", "s", "h"), time.time_ns(), "2026")
"""
EVENTS = int(os.environ.get("RG_EVENTS", "240"))  # 2000 is the promise; fewer show the same in a minute


@pytest.mark.unmeasured
def test_many_writers_and_killed_drainers_lose_and_double_nothing(log: TouchLog) -> None:
    """Callers: rows without an id of their own, so that nothing but the drain keeps them single."""
    each = max(EVENTS // 16, 5) * 4
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, log.data, str(n), str(each)]) for n in range(16)]
    drainers = [subprocess.Popen([sys.executable, "-c", DRAINER, log.path]) for _ in range(4)]
    killed = {drainer.pid for drainer in drainers}
    kills = 0
    while any(writer.poll() is None for writer in writers) or kills < 8:
        time.sleep(0.15)
        victim = drainers[kills % 4]
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        drainers[kills % 4] = subprocess.Popen([sys.executable, "-c", DRAINER, log.path])
        killed.add(drainers[kills % 4].pid)
        kills += 1
    for drainer in drainers:
        drainer.kill()
        drainer.wait()
    log.drain()
    with closing(sqlite3.connect(log.path)) as db:
        taken = [row[0] for row in db.execute("SELECT address FROM caller")]
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert sorted(taken) == sorted(f"{n}-{number}" for n in range(16) for number in range(each))
    assert left(log) == []
    litter = [name for name in os.listdir(log.data) if ".new" in name]  # of whoever was killed while it made the file
    assert {int(name.split(".")[2]) for name in litter} <= killed
