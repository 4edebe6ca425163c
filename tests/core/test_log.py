"""The log file: what it holds, what it never holds, and that it never fails anybody."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

from rg_core import log, paths

TOKEN = "ghp_0123456789abcdefABCDEF0123456789abcd"


def lines(environ: dict[str, str]) -> list[str]:
    return Path(paths.log_file(environ)).read_text(encoding="ascii").splitlines()


def run(environ: dict[str, str], code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False
    )  # fmt: skip


def test_a_line_has_time_program_and_process_and_is_private(home: dict[str, str]) -> None:
    assert log.note(home, "sweep", "begins", "done")
    first, second = lines(home)
    assert first.endswith(f" sweep[{os.getpid()}] begins")
    assert second.endswith("done")
    assert stat.S_IMODE(os.stat(paths.log_file(home)).st_mode) == 0o600


def test_a_line_is_one_line_of_ascii_without_secrets(home: dict[str, str]) -> None:
    log.note(
        home,
        "sweep",
        f"\x1b[31mred\nforged: {TOKEN} http://ada:geheim@proxy:1/ \u202e\u200b Bearer abcdefghij0123456789",
    )
    (line,) = lines(home)
    assert line.isprintable()
    for secret in (TOKEN, "geheim", "abcdefghij"):
        assert secret not in line
    assert r"\x1b[31mred\x0aforged" in line


def test_two_files_of_a_bounded_size_are_kept(home: dict[str, str]) -> None:
    for number in range(1200):
        log.note(home, "sweep", f"{number} " + "x" * 900)
    sizes = [os.path.getsize(path) for path in (paths.log_file(home), f"{paths.log_file(home)}.1")]
    assert max(sizes) < log.MOST + 2000
    assert lines(home)[-1].split()[2] == "1199"
    assert len(list(Path(paths.data_dir(home)).glob("rg-memory.log*"))) == 2


def test_where_nothing_can_be_written_nobody_fails(home: dict[str, str]) -> None:
    there = home | {"XDG_DATA_HOME": "/proc/none"}
    assert not log.note(there, "sweep", "begins")
    told = log.crash(there, "rg-memory", ValueError("odd"))
    assert "ValueError: odd" in told


def test_a_crash_of_a_command_names_the_file_that_holds_its_traceback(home: dict[str, str]) -> None:
    code = (
        "import argparse\nfrom rg_core.cli import main\n"
        f"def run(_): raise RuntimeError('went wrong with {TOKEN}')\n"
        "raise SystemExit(main._run(argparse.Namespace(run=run)))"
    )
    done = run(home, code)
    assert done.returncode == 4
    assert done.stdout == ""
    (told,) = done.stderr.splitlines()
    assert paths.log_file(home) in told
    assert "RuntimeError" in told
    written = "\n".join(lines(home))
    assert "Traceback (most recent call last)" in written
    assert "RuntimeError: went wrong with ***" in written
    assert TOKEN not in written + done.stderr


def test_a_crash_of_the_server_names_the_file_too(home: dict[str, str]) -> None:
    code = "import os\nfrom rg_core.mcp_server.handshake import crashed\ncrashed(RuntimeError('odd'), os.environ)"
    done = run(home, code)
    assert done.returncode == 1
    assert paths.log_file(home) in done.stderr
    assert any("RuntimeError: odd" in line for line in lines(home))
