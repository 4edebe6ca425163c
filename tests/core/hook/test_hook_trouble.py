"""rg-hook in trouble: whatever happens it exits 0, in time, with exactly one answer and nothing left behind."""

import json
import os
import shlex
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rg_core import paths
from rg_core.errors import UserError
from rg_core.touches.events import events, told
from tests.core.hook.running import command, explored, identified, known, patient, payload, run_hook, shell

VIEW = "gh issue view 12 -R memgraph/memgraph"
ITEM = "github:memgraph/memgraph#12"
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"github",
        b"{",
        b'{"github"',
        b"[" * 200_000 + b"github",
        b'{"tool_input":' * 100_000 + b"github",
        b'{"hook_event_name":"PreToolUse","session_id":"github',
        json.dumps(shell(VIEW)).encode()[:-20],
        json.dumps(shell(VIEW)).encode("utf-16"),
        json.dumps(shell(VIEW)).encode().replace(b"12", b"\xff\xfe\x00\x80"),
        json.dumps(shell(VIEW + "\0\ud800", cwd="/a\0b")).encode(),
        json.dumps(shell(VIEW, cwd=7, agent_id=[], tool_use_id={"a": 1})).encode(),
        json.dumps(shell(VIEW, session_id=None)).encode(),
        json.dumps(shell("x" * 10_000_000 + VIEW)).encode(),
        json.dumps(shell(VIEW) | {"tool_input": "9" * 5000}).encode(),
        b'{"session_id":"s","transcript_path":"t","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":'
        + b"1" * 5000
        + b',"x":"github"}',
        json.dumps([shell(VIEW)]).encode(),
        b"null github",
        b'"github"',
    ],
)
@pytest.mark.parametrize(("harness", "neutral"), [("claude_code", ""), ("cursor", "{}")])
def test_a_broken_payload_gets_the_neutral_answer(home: dict[str, str], harness: str, neutral: str, raw: bytes) -> None:
    identified(home)
    assert run_hook(home, raw, harness) == neutral


def test_what_stands_around_the_payload_does_not_matter(home: dict[str, str]) -> None:
    """A byte order mark on Windows, and some shells' own output before it."""
    log = identified(home)
    run_hook(home, b"\xef\xbb\xbf" + json.dumps(shell(VIEW)).encode() + b"\r\n")
    run_hook(home, b"n++" + json.dumps(shell("gh issue view 1 -R o/r", "toolu_2")).encode() + b"\n\n")
    assert explored(log) == [ITEM, "github:o/r#1"]


@posix
@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_closed_standard_files(home: dict[str, str], closed: tuple[int, ...]) -> None:
    log = identified(home)
    log.put_known([known(ITEM)])
    close = " ".join(f"{number}<&-" for number in closed)
    script = f"exec {shlex.join(patient('claude_code'))} {close}"
    done = subprocess.run(["sh", "-c", script], input=json.dumps(shell(VIEW)).encode(), env=home, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    if 0 in closed:
        assert explored(log) == []
    else:
        assert explored(log) == [ITEM]


def test_a_reader_that_went_away(home: dict[str, str]) -> None:
    identified(home).put_known([known(ITEM)])
    with subprocess.Popen(
        command("claude_code"), env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(json.dumps(shell(VIEW)).encode())
        process.stdin.close()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


def test_input_that_never_ends_is_given_up(home: dict[str, str]) -> None:
    program = [sys.executable, "-c", "from rg_core.hook import main; main.INPUT = 0.5; main.main()", "cursor"]
    with subprocess.Popen(program, env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"tool_name": "Shell"')
        process.stdin.flush()
        assert process.stdout.read() == b"{}"
        assert process.wait(10) == 0


@posix
def test_a_payload_behind_which_the_pipe_stays_open_is_recorded(home: dict[str, str]) -> None:
    log = identified(home)
    program = [sys.executable, "-c", "from rg_core.hook import main; main.INPUT = 1; main.main()", "claude_code"]
    with subprocess.Popen(program, env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(shell(VIEW)).encode())
        process.stdin.flush()
        assert process.stdout.read() == b""
        assert process.wait(60) == 0
        for _ in range(600):
            if explored(log):
                break
            time.sleep(0.1)
    assert explored(log) == [ITEM]


def test_n01_a_payload_that_comes_late_is_recorded(home: dict[str, str]) -> None:
    """The clock starts when the payload is whole: here the program is older than its whole deadline by then."""
    log = identified(home)
    log.put_known([known(ITEM)])
    raw = json.dumps(shell(VIEW)).encode()
    program = [sys.executable, "-c", "from rg_core.hook import main; main.DEADLINE = 5; main.main()", "claude_code"]
    with subprocess.Popen(program, env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(raw[:-20])
        process.stdin.flush()
        time.sleep(6)
        process.stdin.write(raw[-20:])
        process.stdin.close()
        assert ITEM.encode() in process.stdout.read()
        assert process.wait(60) == 0
    assert explored(log) == [ITEM]


@pytest.mark.parametrize("mode", ["EXCLUSIVE", "IMMEDIATE"])
def test_a_locked_database_is_none_of_the_hook_s_business(home: dict[str, str], mode: str) -> None:
    log = identified(home)
    log.put_known([known(ITEM)])
    db = sqlite3.connect(paths.outbox_file(home), isolation_level=None)
    if mode == "EXCLUSIVE":
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute(f"BEGIN {mode}")
    db.execute("DELETE FROM nudged")
    assert ITEM in run_hook(home, shell(VIEW))
    db.execute("ROLLBACK")
    db.close()
    assert explored(log) == [ITEM]


@posix
def test_a_pipe_as_config_toml_counts_as_broken(home: dict[str, str]) -> None:
    """Opening it would wait for ever, inside C; whose Touch it is stands in what was published before."""
    log = identified(home)
    path = Path(paths.config_file(home))
    run_hook(home, shell(VIEW))
    path.unlink()
    os.mkfifo(path)
    assert run_hook(home, shell("gh issue view 1 -R o/r", "toolu_2")) == ""
    assert run_hook(home, shell(VIEW, conversation_id="c", cursor_version="1"), "cursor") == "{}"
    assert explored(log) == [ITEM, "github:o/r#1"]


@posix
@pytest.mark.parametrize("place", [".git/config", ".git", "home/.gitconfig", "home/.ssh/config"])
def test_a_pipe_among_git_s_files_holds_nobody_up(home: dict[str, str], tmp_path: Path, place: str) -> None:
    identified(home)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text('[remote "origin"]\n\turl = me@hub:o/r.git\n')
    pipe = tmp_path / place
    if place == ".git":
        (pipe / "config").unlink()
        pipe.rmdir()
    elif place == ".git/config":
        pipe.unlink()
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    assert run_hook(home, shell("gh pr view 5", cwd=str(tmp_path)), timeout=30) == ""


# A hook whose work takes longer than its deadline.
SLOW = """
import time
from rg_core.hook import main
main.DEADLINE = 0.5
main.respond = lambda *_, **__: time.sleep(60)
main.main()
"""


def test_what_stalls_is_given_up(home: dict[str, str]) -> None:
    program = [sys.executable, "-c", SLOW, "cursor"]
    done = subprocess.run(program, input=json.dumps(shell(VIEW)).encode(), env=home, capture_output=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")


@posix
def test_who_has_no_time_hands_its_event_over(home: dict[str, str]) -> None:
    """A payload larger than a pipe; whoever waits for the end of the hook's files does not wait for the other."""
    log = identified(home)
    log.put_known([known(ITEM)])
    raw = json.dumps(shell(VIEW, padding="x" * 300_000)).encode()
    program = [sys.executable, "-c", SLOW, "claude_code"]
    done = subprocess.run(program, input=raw, env=home, capture_output=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for _ in range(600):
        if explored(log):
            break
        time.sleep(0.1)
    assert explored(log) == [ITEM]
    assert ITEM in run_hook(home, shell(VIEW, "toolu_2"))  # nobody was told


@pytest.mark.parametrize("content", [b"", b"no table" * 10_000, b"#1\n", b"#1\t\ngithub:memgraph\t\n", None])
@pytest.mark.parametrize("name", ["hook/known", "hook/settings", "told"])
def test_a_broken_published_file_costs_the_note_alone(home: dict[str, str], name: str, content: bytes | None) -> None:
    log = identified(home)
    path = Path(paths.data_dir(home)) / name
    path.parent.mkdir(parents=True)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    assert run_hook(home, shell(VIEW)) == ""
    assert explored(log) == [ITEM]


def test_a_broken_database_loses_nothing(home: dict[str, str]) -> None:
    log = identified(home)
    path = Path(paths.outbox_file(home))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database" * 1000)
    assert run_hook(home, shell(VIEW)) == ""
    with pytest.raises(UserError, match="1 event of hooks waits"):
        log.pending()
    path.unlink()
    assert explored(log) == [ITEM]


def test_a_home_that_cannot_be_written(home: dict[str, str], tmp_path: Path) -> None:
    identified(home)
    (tmp_path / "file").write_text("")
    for environ in (home | {"XDG_DATA_HOME": str(tmp_path / "file")}, home | {"XDG_DATA_HOME": "/proc"}):
        assert run_hook(environ, shell(VIEW)) == ""
        assert "resource" in run_hook(environ, payload("SessionStart", source="startup"))


@posix
@pytest.mark.parametrize("limit", [0, 100])
def test_a_full_disk(home: dict[str, str], limit: int) -> None:
    """RLIMIT_FSIZE makes writes fail or end short as a full disk does; what was there before is unharmed."""
    import resource

    log = identified(home)
    log.put_known([known(ITEM)])
    run_hook(home, shell("gh issue view 98 -R o/r", "toolu_98"))

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    for number in range(8):
        run_hook(home, shell(f"gh issue view {number + 1} -R o/r", f"toolu_{number}"), preexec_fn=full)
    run_hook(home, shell("gh issue view 99 -R o/r", "toolu_99"))
    data = paths.data_dir(home)
    assert len(os.listdir(events(data))) == 2  # nothing lies aside
    assert explored(log) == ["github:o/r#98", "github:o/r#99"]
    assert sorted(os.listdir(os.path.join(data, "hook"))) == ["known", "settings"]


@posix
def test_a_disk_that_is_full_after_the_record_costs_the_note_alone(home: dict[str, str]) -> None:
    log = identified(home)
    log.put_known([known(ITEM)])
    Path(told(paths.data_dir(home))).touch()  # nothing can be created below it
    assert run_hook(home, shell(VIEW)) == ""
    assert explored(log) == [ITEM]


def test_one_address_in_parallel_calls_is_told_once(home: dict[str, str]) -> None:
    identified(home).put_known([known(ITEM)])
    hooks = [
        subprocess.Popen(patient("claude_code"), env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(6)
    ]
    answers = [
        process.communicate(json.dumps(shell(VIEW, f"toolu_{n}")).encode())[0] for n, process in enumerate(hooks)
    ]
    assert sum(map(bool, answers)) == 1


# Runs in place of the Sweep: tells what it is and holds on, as a Sweep would.
STAND_IN = """
import os, sys, time
if "main(['sweep'])" in sys.orig_argv[-1]:
    links = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            links[int(number)] = os.readlink(f"/proc/self/fd/{number}")
        except FileNotFoundError:
            pass  # the directory itself
    first = {number: link for number, link in links.items() if number < 3}
    pipes = [link for number, link in links.items() if number > 2 and link.startswith("pipe")]
    with open(os.environ["SEEN"] + ".part", "w") as file:
        file.write(repr((first, pipes, os.getsid(0) == os.getpid(), sys.flags.safe_path)))
    os.rename(os.environ["SEEN"] + ".part", os.environ["SEEN"])
    for _ in range(600):  # as long as somebody may wait for us
        if os.path.exists(os.environ["SEEN"] + ".go"):
            break
        time.sleep(0.05)
    os._exit(0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_sweep_at_the_end_of_a_session_holds_none_of_our_files(home: dict[str, str], tmp_path: Path) -> None:
    identified(home, sweep_auto=True)
    (tmp_path / "sitecustomize.py").write_text(STAND_IN)
    seen = tmp_path / "seen"
    environ = home | {"PYTHONPATH": str(tmp_path), "SEEN": str(seen)}
    ours, theirs = os.pipe()  # a file of the harness that the hook inherits beyond the first three
    ended = json.dumps(payload("SessionEnd", reason="other")).encode()
    process = subprocess.Popen(
        patient("claude_code"), env=environ, pass_fds=[theirs],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(theirs)
    assert process.communicate(ended, timeout=20) == (b"", b"")  # to the end of stdout and stderr
    assert os.read(ours, 1) == b""
    os.close(ours)
    assert process.returncode == 0
    for _ in range(400):
        if seen.exists():
            break
        time.sleep(0.05)
    Path(f"{seen}.go").touch()
    fds, more, leads, safe = eval(seen.read_text())
    assert fds == {0: "/dev/null", 1: "/dev/null", 2: "/dev/null"}
    assert (more, leads) == ([], True)
    assert safe  # a json.py in the user's home is not ours


def test_no_sweep_starts_unasked(home: dict[str, str], tmp_path: Path) -> None:
    identified(home)
    (tmp_path / "sitecustomize.py").write_text(STAND_IN)
    seen = tmp_path / "seen"
    run_hook(home | {"PYTHONPATH": str(tmp_path), "SEEN": str(seen)}, payload("SessionEnd", reason="other"))
    time.sleep(0.3)
    assert not seen.exists()


def test_no_socket_is_opened(home: dict[str, str]) -> None:
    """With a server configured, and that one silent after accepting: the hook does not notice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        log = identified(home, store_url=f"bolt://127.0.0.1:{server.getsockname()[1]}")
        log.put_known([known(ITEM)])
        assert run_hook(home, shell(VIEW)) != ""
        with pytest.raises(TimeoutError):
            server.accept()
    assert explored(log) == [ITEM]


def test_a_broken_installation_shows_nothing(home: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "rg-hook"
    script.write_bytes(Path(command()[1]).read_bytes())
    (tmp_path / "rg_core.py").write_text("raise ImportError('half removed')")
    done: Any = subprocess.run([sys.executable, str(script), "claude_code"], input=b"{}", env=home, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
