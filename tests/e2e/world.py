"""A home of its own for one program: its files, a project, a `gh`, rg-memory's commands, and runs without network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.install import REPOSITORY, command
from tests.e2e.programs import PROMPT, Program

GH = """\
#!/bin/sh
echo "FETCHED BY GH $*"
"""
CONFIG = """\
[identity]
user_id = "dev"
"""
# A network namespace of our own, in which only loopback exists. An ordinary user needs a user namespace for it.
NAMESPACE = ("sh", "-c", 'ip link set lo up && exec "$@"', "sh")


@dataclass(frozen=True)
class Run:
    """What a program did: its requests to the model in order, its exit code (None: stopped by us), its output."""

    requests: list[dict[str, Any]]
    code: int | None
    stdout: str
    stderr: str

    def sent(self, marker: str) -> list[str]:
        """The requests of one conversation, as text."""
        return [json.dumps(r["body"], ensure_ascii=False) for r in self.requests if r["conversation"] == marker]


@cache
def unshare() -> tuple[str, ...] | None:
    """The command that begins a network namespace on this machine, or None where there is none."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return None
    for options in (("-n",), ("-rn",)):
        if subprocess.run(["unshare", *options, *NAMESPACE, "true"], capture_output=True, check=False).returncode == 0:
            return ("unshare", *options, *NAMESPACE)
    return None


class World:
    """One program's home below a temporary directory."""

    def __init__(self, root: Path, program: Program) -> None:
        """Write what the user had before rg-memory came."""
        self.program = program
        self.home, self.project, self._bin = root / "home", root / "home" / "project", root / "bin"
        self._jobs = root / "jobs"
        for folder in (self.project, self._bin, self._jobs):
            folder.mkdir(parents=True)
        for name, text in program.files.items():
            self._write(self.home / name, text)
        self._write(self.home / ".config" / "rg-memory" / "config.toml", CONFIG)
        (self.home / ".config" / "rg-memory" / "config.toml").chmod(0o600)
        self._write(self._bin / "gh", GH)
        (self._bin / "gh").chmod(0o755)
        self._write(self.project / "README.md", "# project\n")
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.environ)

    @property
    def environ(self) -> dict[str, str]:
        """A clean environment: nothing of the machine's user but the way to programs."""
        path = [str(self._bin), sysconfig.get_path("scripts"), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
        return {"HOME": str(self.home), "PATH": os.pathsep.join(path), "TERM": "xterm", "LANG": "C.UTF-8"}

    def rg(self, name: str, *arguments: str) -> str:
        """Run one of rg-memory's commands and return what it printed; fails loudly."""
        program = Path(sysconfig.get_path("scripts")) / name
        done = subprocess.run(
            [str(program), *arguments], cwd=self.project, env=self.environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name} {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def touches(self) -> list[dict[str, Any]]:
        """What `rg-memory touches --json` says."""
        touches = json.loads(self.rg("rg-memory", "touches", "--json"))
        assert isinstance(touches, list)
        return touches

    def run(self, timeout: float = 60) -> Run:
        """Give the program its task, in a network namespace with the scripted model."""
        executable = command(self.program.installed)
        namespace = unshare()
        assert executable is not None
        assert namespace is not None
        job = {
            "conversations": self.program.conversations(),
            "command": [str(executable), *self.program.arguments(PROMPT)],
            "cwd": str(self.project),
            "environ": self.environ | dict(self.program.environ),
            "timeout": timeout,
        }
        number = len(list(self._jobs.iterdir()))
        asked, told = self._jobs / f"{number}.job.json", self._jobs / f"{number}.result.json"
        asked.write_text(json.dumps(job), encoding="utf-8")
        subprocess.run(
            [*namespace, sys.executable, "-m", "tests.e2e.inside", str(asked), str(told)], cwd=REPOSITORY, check=True
        )
        return Run(**json.loads(told.read_text(encoding="utf-8")))

    def files(self) -> Mapping[str, bytes]:
        """The user's own files as they are now; those that are gone are missing."""
        return {name: (self.home / name).read_bytes() for name in self.program.files if (self.home / name).exists()}

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
