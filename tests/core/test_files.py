"""Writing files: nobody sees half a file, owners and links stay, and nothing that others write meanwhile is lost."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from rg_core import config, files
from rg_core.files import Changed

ROOT = os.name == "posix" and os.geteuid() == 0


def test_a_new_file_is_private_and_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    files.write(str(real), b"one")
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    link.symlink_to(real)
    real.chmod(0o644)
    files.write(str(link), b"two")
    assert (link.is_symlink(), real.read_bytes(), stat.S_IMODE(real.stat().st_mode)) == (True, b"two", 0o644)
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]


def test_s13_a_hard_link_stays_one(tmp_path: Path) -> None:
    """Both names say the same afterwards, whether the text became longer or shorter."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"before")
    os.link(one, other)
    for text in (b"longer than before", b"short"):
        files.rewrite(str(one), other.read_bytes(), text)
        assert (one.read_bytes(), other.read_bytes()) == (text, text)
    with pytest.raises(Changed):
        files.rewrite(str(one), b"something else", b"ours")
    assert one.samefile(other)


@pytest.mark.parametrize("before", [None, b"older"])
def test_s05_what_was_changed_since_is_left_alone(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"theirs")
    with pytest.raises(Changed):
        files.rewrite(str(path), before, b"ours")
    assert path.read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["settings.json"]


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="no exchange of two files here")
@pytest.mark.parametrize("times", [1, 2, 3])
def test_s05_whenever_another_program_writes_its_text_is_not_lost(tmp_path: Path, times: int) -> None:
    """It renames its own file into place before the n-th line that we run, and before the next ones; for every n."""
    path = tmp_path / "settings.json"
    refused = 0
    for first in count():
        path.write_bytes(b"before")
        other = OtherProgram(path, range(first, first + times))
        sys.settrace(other.trace)
        try:
            files.rewrite(str(path), b"before", b"ours")
        except Changed:
            refused += 1
        finally:
            sys.settrace(None)
        assert path.read_bytes() == (other.last or b"ours"), f"line {first}"
        assert os.listdir(tmp_path) == ["settings.json"]
        if not other.last:
            break
    assert refused > 10


class OtherProgram:
    """Renames a file of its own into place when we come to one of these lines of ours."""

    def __init__(self, path: Path, lines: range, text: str = "theirs NUMBER") -> None:
        self.path, self.lines, self.text, self.seen, self.last = path, lines, text, 0, b""

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        """As sys.settrace wants it."""
        if frame.f_code.co_filename != files.__file__:
            return None
        if event == "line":
            if self.seen in self.lines:
                self.last = self.text.replace("NUMBER", str(self.seen)).encode()
                theirs = self.path.with_name("theirs")
                theirs.write_bytes(self.last)
                os.replace(theirs, self.path)
            self.seen += 1
        return self.trace


def test_env06_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(OSError, match="Not a regular file"):
        files.read(str(tmp_path / "settings.json"))


@pytest.mark.skipif(not ROOT or not shutil.which("unshare"), reason="only root may mount")
def test_env06_a_mount_point_is_written_in_place(tmp_path: Path) -> None:
    """As in a development container, where one file of the home is mounted."""
    (tmp_path / "outside.toml").write_text("# mine\n")
    (tmp_path / "rg-memory").mkdir()
    target = tmp_path / "rg-memory" / "config.toml"
    target.touch()
    program = Path(sys.executable).with_name("rg-memory")
    line = f"mount --bind {tmp_path}/outside.toml {target} && {program} config set sweep.auto true"
    environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(["unshare", "-m", "sh", "-c", line], env=environ, capture_output=True, text=True, check=False)
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("nothing may be mounted here")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "outside.toml").read_text() == "# mine\n\n[sweep]\nauto = true\n"
    assert os.listdir(target.parent) == ["config.toml"]


@pytest.mark.skipif(not ROOT, reason="only root may write another user's file")
def test_env05_what_root_writes_belongs_to_the_user(home: dict[str, str]) -> None:
    """`sudo rg-memory config set`: a new file and its folders, and a file that was there."""
    os.chown(home["HOME"], 1234, 1234)
    config.set_values(home, {"sweep.auto": True})
    made = Path(home["XDG_CONFIG_HOME"]) / "rg-memory" / "config.toml"
    for path in (made, made.parent, made.parent.parent):
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1234), path
    os.chown(made, 4321, 4321)
    config.set_values(home, {"sweep.auto": False})
    assert made.stat().st_uid == 4321


@pytest.mark.skipif(not ROOT, reason="only root may write another user's file")
def test_env05_what_root_remembers_belongs_to_the_user(home: dict[str, str]) -> None:
    """`sudo rg-memory ...` in a home without anything: databases, locks, logs and published files."""
    os.chown(home["HOME"], 1234, 1234)
    program = Path(sys.executable).with_name("rg-memory")
    config.set_values(home, {"identity.user_id": "ann"})
    for words in (["remember", "a note"], ["sweep"], ["recall", "note"], ["asset", "list"], ["touches"], ["stats"]):
        subprocess.run([program, *words], env=home, capture_output=True, check=False)
    data = Path(home["XDG_DATA_HOME"]) / "rg-memory"
    assert {"memory.db", "touches.db", "documents.db", "telemetry.db", "sweep.lock"} <= {
        path.name for path in data.iterdir()
    }
    theirs = [str(path) for path in Path(home["HOME"]).rglob("*") if path.lstat().st_uid != 1234]
    assert theirs == []


def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    """Somebody may have linked a file of ours to /dev/null, and root may rename over that."""
    (tmp_path / "config.toml").symlink_to("/dev/null")
    with pytest.raises(OSError, match="Not a regular file"):
        files.write(str(tmp_path / "config.toml"), b"ours")
    with files.stream(str(tmp_path / "config.toml")) as file:
        file.write(b"ours")
    assert Path("/dev/null").is_char_device()


def test_a_stream_is_whole_or_not_there(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"before")
    one.chmod(0o640)
    with pytest.raises(TypeError), files.stream(str(one)) as file:
        file.writelines([b"half", "of it"])  # type: ignore[list-item]
    assert (one.read_bytes(), os.listdir(tmp_path)) == (b"before", ["one"])
    with files.stream(str(one)) as file:
        file.write(b"whole")
    assert (one.read_bytes(), one.stat().st_mode & 0o777) == (b"whole", 0o640)
    other.hardlink_to(one)
    with files.stream(str(other)) as file:
        file.write(b"both")
    assert one.read_bytes() == b"both"
    assert one.samefile(other)
