"""Whole-process time of rg-hook over bare Python: irrelevant, relevant (Touch), relevant with a Nudge, session start.

Runs are interleaved, and each is compared with the bare Python of its own round, so that what else the machine does
meets both alike; printed are the medians of the times and of these ratios. It installs this checkout into a new virtual
environment first, because an editable install starts slower.
The home has documents, so that all of this is with the upstream note on. Bars: irrelevant at most as much as bare
Python, relevant at most 1.8 times, a search and its Nudge included; a prompt that names a document reads more.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
PREPARE = """
from rg_core import paths
from rg_core.config import set_values
from rg_core.touches.known import Known
from rg_core.touches.database import TouchLog
import os
set_values(os.environ, {"identity.user_id": "bench"})
at = "2026-11-29T20:00:00Z"
rows = [Known(f"github:o/r#{number}", "", at, at, "A title", 3) for number in range(1, 20001)]
rows.append(Known("github:o/r/issues?state=open", "created-desc", at, "", member_count=20000, total_count=20000))
TouchLog(paths.outbox_file(os.environ)).put_known(rows)
from pathlib import Path
import rg_core
from rg_core.cli.main import main
os.chdir(Path(rg_core.__file__).parent / "demo" / "specs")
assert main(["project", "add", "relay", "."]) == 0
assert main(["documents", "add", *map(str, Path().glob("*.md")), "--yes"]) == 0
"""
NUMBERS = count(1)


def payload(name: str, said: str) -> bytes:
    number = next(NUMBERS)
    call: dict[str, object] = {
        "session_id": f"edfc7215-8ecb-4dd5-b925-{number:012}",
        "transcript_path": "/home/dev/.claude/projects/p/t.jsonl",
        "cwd": "/home/dev/project",
        "prompt_id": "637db4ca-1cef-4a09-a94c-f004efe03f55",
        "permission_mode": "default",
        "effort": {"level": "high"},
    }
    if name.startswith("prompt"):
        call |= {"hook_event_name": "UserPromptSubmit", "prompt": said}
    else:
        given = {"command": said, "description": "d"}
        call |= {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": given}
        call["tool_use_id"] = f"toolu_{number}"
    return json.dumps(call).encode() + b"\n"


def install(directory: Path) -> Path:
    """A new environment with this checkout; its bin directory."""
    venv.create(directory, with_pip=True)
    binaries = directory / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", ROOT], check=True)
    return binaries


def cases(binaries: Path) -> Iterator[tuple[str, list[str], str, float]]:
    hook = [str(binaries / "rg-hook"), "claude_code"]
    yield "bare python -c pass", [str(binaries / "python"), "-c", "pass"], "", 0
    yield "irrelevant", hook, "ls -la && make right", 1.0
    yield "relevant, Touch", hook, "gh issue view 99999 -R o/r --comments", 1.8
    yield "relevant, Touch and Nudge", hook, "gh issue view 12 -R o/r --comments", 1.8
    yield "relevant, search and Nudge", hook, "gh issue list -R o/r --label bug --search 'crash in:title'", 1.8
    yield "prompt that names nothing", hook, "make the tests in tests/test_files.py pass again", 1.0
    yield "prompt, upstream note", hook, "port SPEC-054 to TypeScript", 2.5


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        binaries = install(Path(directory) / "venv")
        environ = os.environ | {"HOME": directory, "XDG_CONFIG_HOME": directory, "XDG_DATA_HOME": directory}
        subprocess.run([binaries / "python", "-c", PREPARE], env=environ, check=True, stdout=subprocess.DEVNULL)
        measured: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for name, command, line, _ in cases(binaries):
                data = payload(name, line)
                began = time.perf_counter()
                done = subprocess.run(command, input=data, env=environ, capture_output=True)
                measured.setdefault(name, []).append((time.perf_counter() - began) * 1000)
                told = name.endswith(("Nudge", "note"))
                assert (done.returncode, done.stderr, bool(done.stdout)) == (0, b"", told), (name, done)
        bare = measured["bare python -c pass"]
        print(f"{ROUNDS} rounds, Python {sys.version.split()[0]}")
        for name, _, _, bar in cases(binaries):
            median = statistics.median(measured[name])
            ratio = statistics.median(own / base for own, base in zip(measured[name], bare, strict=True))
            print(f"{name:28} {median:6.1f} ms  {ratio:5.2f}x" + (f"  (bar {bar}x)" if bar else ""))


if __name__ == "__main__":
    main()
