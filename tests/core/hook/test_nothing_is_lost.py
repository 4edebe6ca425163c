"""What a hook was given to record is there afterwards: counted, with real processes, never timed.

Acknowledged is an event whose hook ended by itself while its record could be written; the exit code is 0 either way.
A hook that has no time within its deadline, so busy is the machine, hands its event to a process that nobody waits for:
the tests do.
RG_EVENTS=2000 is the promise; fewer show the same in a minute.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import set_values
from rg_core.touches.database import TouchLog
from rg_core.touches.drain import waiting
from tests.core.hook.running import command, shell

pytestmark = pytest.mark.unmeasured
EVENTS = int(os.environ.get("RG_EVENTS", "160"))
CRIPPLED = EVENTS if EVENTS >= 2000 else 24  # where the kind of trouble is shown, not the crowd
AT_ONCE = 16
BUSY = 32 if EVENTS >= 2000 else 4
PATIENCE = 120  # seconds for the stragglers
NO_LOCKS = Path(__file__).parents[1] / "touches" / "assets" / "no_locks.c"
DRAINER = "import sys; from rg_core.touches.database import TouchLog\nwhile True: TouchLog(sys.argv[1]).drain()"


@contextmanager
def running(programs: Sequence[Sequence[str]], **more: object) -> Iterator[list[subprocess.Popen[bytes]]]:
    """These programs, until the end."""
    processes = [subprocess.Popen(program, **more) for program in programs]  # type: ignore[call-overload]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture
def loaded() -> Iterator[None]:
    """A machine with much more to do than it has processors."""
    with running([[sys.executable, "-c", "while True: pass"]] * BUSY):
        yield


def call(number: int) -> bytes:
    return json.dumps(shell(f"gh issue view {number + 1} -R o/r", f"toolu_{number}")).encode()


def expected(numbers: Sequence[int]) -> list[str]:
    return sorted(f"github:o/r#{number + 1}" for number in numbers)


def all_hooks(environ: Mapping[str, str], count: int = EVENTS, kill: random.Random | None = None) -> list[int]:
    """So many calls, AT_ONCE at a time; the numbers of those whose hook ended by itself."""
    ended, lock = [], threading.Lock()

    def one(number: int) -> None:
        with subprocess.Popen(
            command("claude_code"), env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as hook:
            assert hook.stdin
            hook.stdin.write(call(number))
            hook.stdin.close()
            if kill and kill.random() < 0.5:
                time.sleep(kill.random() * 0.2)
                hook.send_signal(signal.SIGKILL)
            if hook.wait() == 0:
                with lock:
                    ended.append(number)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(count)))
    return ended


def recorded(environ: Mapping[str, str], wanted: Sequence[str]) -> list[str]:
    """What is recorded, at the latest when the last straggler must have ended."""
    end = time.monotonic() + PATIENCE
    while True:
        found = sorted(touch.address for touch in TouchLog(paths.outbox_file(environ)).touches("ann"))
        if set(wanted) <= set(found) or time.monotonic() > end:
            return found
        time.sleep(0.2)


def wait_for_events(environ: Mapping[str, str], count: int) -> None:
    end = time.monotonic() + PATIENCE
    while waiting(paths.data_dir(environ)).count < count and time.monotonic() < end:
        time.sleep(0.2)


@pytest.mark.usefixtures("loaded")
def test_n01_s06_many_hooks_at_once_on_a_fresh_home(home: dict[str, str]) -> None:
    """Nothing is there but config.toml: no directory, nothing published, no database."""
    set_values(home, {"identity.user_id": "ann"})
    assert len(all_hooks(home)) == EVENTS
    assert not Path(paths.outbox_file(home)).exists()
    assert recorded(home, wanted := expected(range(EVENTS))) == wanted


@pytest.mark.usefixtures("loaded")
def test_n01_s06_hooks_and_drains_that_are_killed_while_four_drain_at_once(home: dict[str, str]) -> None:
    set_values(home, {"identity.user_id": "ann"})
    drain = [sys.executable, "-c", DRAINER, paths.outbox_file(home)]
    over = threading.Event()
    with running([drain] * 4) as drains:

        def kill_drains() -> None:
            turn = 0
            while not over.wait(0.2):
                drains[turn % 4].kill()
                drains[turn % 4].wait()
                drains[turn % 4] = subprocess.Popen(drain)
                turn += 1

        killer = threading.Thread(target=kill_drains)
        killer.start()
        try:
            ended = all_hooks(home, kill=random.Random(7))
        finally:
            over.set()
            killer.join()
    found = recorded(home, expected(ended))
    assert set(expected(ended)) <= set(found)
    assert len(found) == len(set(found))  # and nothing twice
    assert EVENTS // 4 < len(ended) < EVENTS


@pytest.fixture(scope="module")
def crippled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which files of databases below /homes/ behave as on some network file systems."""
    compiler = shutil.which("cc")
    if not sys.platform.startswith("linux") or not compiler:
        pytest.skip("needs Linux and a C compiler, to play a file system without locks")
    library = tmp_path_factory.mktemp("library") / "no_locks.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, NO_LOCKS, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


def rg_memory(environ: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from rg_core.cli.main import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", program, *words], env=environ, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("mode", "says"),
    [(1, "has no file locks"), (2, "no shared memory"), (4, "has no file locks"), (8, "full")],
    ids=["no locks", "no shared memory", "no locks on shared memory", "disk full for databases"],
)
def test_env02_a_home_that_cannot_hold_a_database(
    home: dict[str, str], tmp_path: Path, crippled: dict[str, str], mode: int, says: str
) -> None:
    environ = home | {"XDG_DATA_HOME": str(tmp_path / "homes" / "x")}
    set_values(environ, {"identity.user_id": "ann"})
    worse = environ | crippled | {"NOLOCK": str(mode)}
    assert len(all_hooks(worse, CRIPPLED)) == CRIPPLED
    wait_for_events(worse, CRIPPLED)
    commands = (("touches",), ("status",), ("sweep",), ("forget", "--all-mine", "--yes"))
    with ThreadPoolExecutor() as pool:  # SQLite takes ten seconds to find that a lock is none
        ended = list(pool.map(lambda words: rg_memory(worse, *words), commands))
    for done in ended:
        assert done.returncode == 1, done.stderr
        assert says in done.stderr
        assert f"{CRIPPLED:,} events of hooks wait" in done.stderr
        assert "another process" not in done.stderr
    data = Path(paths.data_dir(environ))
    known = {"events", "hook", "touches.db", "sweep.lock", "last-sweep.json", "rg-memory.log"}
    assert {path.name for path in data.iterdir()} <= known  # no litter
    assert waiting(str(data)).count == CRIPPLED
    assert recorded(environ, wanted := expected(range(CRIPPLED))) == wanted  # once the data are where a database can be


def test_an_event_is_shown_right_after_its_hook(home: dict[str, str]) -> None:
    set_values(home, {"identity.user_id": "ann"})
    for number in range(3):
        subprocess.run(command("claude_code"), input=call(number), env=home, check=True)
        shown = json.loads(rg_memory(home, "touches", "--json").stdout)
        assert [touch["address"] for touch in shown] == [f"github:o/r#{n + 1}" for n in range(number, -1, -1)]


def test_status_says_what_waits_and_since_when(home: dict[str, str]) -> None:
    set_values(home, {"identity.user_id": "ann"})
    TouchLog(paths.outbox_file(home)).drain()
    subprocess.run(command("claude_code"), input=call(1), env=home, check=True)
    assert waiting(paths.data_dir(home)).count == 1
    facts = json.loads(rg_memory(home, "status", "--json").stdout)
    assert facts["events"] == {"waiting": 0, "since": None, "of_a_later_release": 0, "unreadable": 0}
    assert facts["touches"]["waiting"] == 1
    later = f"{1_790_000_000 * 10**9:020}-{'0' * 16}"
    Path(paths.data_dir(home), "events", later).write_text('{"v": 2, "kind": "touch"}')
    done = rg_memory(home, "status")
    assert "1 of hooks not taken in yet, the oldest of 2026-09-21T14:13:20Z" in done.stdout
    assert "1 of a later release: upgrade rg-memory" in done.stdout
