"""A dashboard as a user starts it: the real command in a process of its own, over a home of the test's."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from rg_core.cli.main import main; sys.exit(main())",
    "dashboard",
    "--no-open",
]


@dataclass(frozen=True)
class Served:
    """Where it is, and the process."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    @property
    def token(self) -> str:
        return self.url.split("/")[3]


@contextmanager
def served(environ: Mapping[str, str], *arguments: str) -> Iterator[Served]:
    """Run until the block ends; a process that prints no address fails the test with what it said."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=dict(environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        first = process.stdout.readline().strip()
        if not re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", first):
            process.kill()
            raise AssertionError(first + (process.stderr.read() if process.stderr else ""))
        yield Served(first, process)
    finally:
        process.terminate()
        process.communicate(timeout=60)
