"""A disk that is really full: a small file system of its own, in a mount namespace of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNSHARE = shutil.which("unshare")
SCRIPT = """
import json, os, subprocess, sys
from pathlib import Path
from rg_core.config import set_values
from rg_core import paths

directory = Path(paths.data_dir(os.environ))
payload = {
    "session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "gh issue view 1 -R o/r"}, "tool_use_id": "toolu_1",
}
HOOK = "from rg_core.hook import main as hook; hook.DEADLINE = 60; hook.main()"
CLI = "import sys; from rg_core.cli.main import main; sys.exit(main())"

def run(program, *arguments, given=""):
    done = subprocess.run([sys.executable, "-c", program, *arguments], input=given, capture_output=True, text=True)
    return [done.returncode, done.stdout, done.stderr]

def fill(size):
    with open(directory / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * size)
        except OSError:
            pass

set_values(os.environ, {"identity.user_id": "ann"})
said = {}
if sys.argv[1] == "new":
    fill(65536)  # some room is left: a file can be begun
else:
    run(HOOK, "claude_code", given=json.dumps(payload))
    run(CLI, "touches")  # there is a database from now on
    fill(4096)
for command in ("touches", "show o/r#1", "status", "sweep"):
    said[command] = run(CLI, *command.split())
payload["tool_use_id"] = "toolu_2"
said["hook"] = run(HOOK, "claude_code", given=json.dumps(payload))
os.unlink(directory / "filler")
payload["tool_use_id"] = "toolu_3"
run(HOOK, "claude_code", given=json.dumps(payload))
after = json.loads(run(CLI, "touches", "--json")[1])
print(json.dumps([said, sorted(touch["tool_use_id"] for touch in after), run(CLI, "show", "o/r#1")]))
"""


def _can_mount() -> bool:
    return bool(UNSHARE) and not subprocess.run([UNSHARE or "", "-rm", "true"], capture_output=True).returncode


@pytest.mark.skipif(not _can_mount(), reason="needs unshare and a mount namespace")
@pytest.mark.parametrize(("begun", "kept"), [("new", ["toolu_3"]), ("used", ["toolu_1", "toolu_3"])])
def test_a_full_disk_is_said_and_loses_nothing(begun: str, kept: list[str], home: dict[str, str]) -> None:
    data = Path(home["XDG_DATA_HOME"]) / "rg-memory"
    data.mkdir(parents=True)
    inside = f'mount -t tmpfs -o size=4m none "{data}" && exec "$0" -c "$1" {begun}'
    done = subprocess.run(
        [UNSHARE or "", "-rm", "sh", "-c", inside, sys.executable, SCRIPT], env=home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said, touches, shown = json.loads(done.stdout)
    assert said.pop("hook") == [0, "", ""]
    for command, (code, out, err) in said.items():
        writes = begun == "new" or command in ("show o/r#1", "sweep")  # the others only read
        assert (code, "the disk is full" in err, "Traceback" in err) == (writes, writes, False), (command, out, err)
    assert set(kept) <= set(touches)
    assert shown[0] == 0, shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "program", ["rg-memory config show", "rg-memory completion bash", "rg-install --dry-run --all"]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_has_no_room_is_no_bug(home: dict[str, str], program: str, unbuffered: str) -> None:
    name, *arguments = program.split()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [Path(sys.executable).with_name(name), *arguments], env={**home, "PYTHONUNBUFFERED": unbuffered},
            stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    said = f"{name}: no space is left where this writes to; free some, or send the output elsewhere\n"
    assert (done.returncode, done.stderr) == (1, said)
