"""A home of its own for one program: its files, a project, a `gh`, rg-memory's commands, and runs without network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.e2e.inside import PORT
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


@lru_cache
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

    def __init__(self, root: Path, program: Program, config: str = "") -> None:
        """Write what the user had before rg-memory came, and config.toml with a user and more."""
        self.program = program
        self.home, self.project, self._bin = root / "home", root / "home" / "project", root / "bin"
        self._jobs = root / "jobs"
        for folder in (self.project, self._bin, self._jobs):
            folder.mkdir(parents=True)
        for name, text in program.files.items():
            self._write(self.home / name, text)
        self._write(self.home / ".config" / "rg-memory" / "config.toml", CONFIG + config)
        (self.home / ".config" / "rg-memory" / "config.toml").chmod(0o600)
        self._write(self._bin / "gh", GH)
        (self._bin / "gh").chmod(0o755)
        self._write(self.project / "README.md", "# project\n")
        # Codex runs commands in a login shell, whose /etc/profile forgets the PATH.
        self._write(self.home / ".profile", f'PATH="{self._bin}:$PATH"\n')
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.environ)

    @property
    def environ(self) -> dict[str, str]:
        """A clean environment: nothing of the machine's user but the way to programs."""
        beside = str(self._program().parent)  # rg-install asks Codex itself
        path = [
            str(self._bin),
            sysconfig.get_path("scripts"),
            beside,
            *os.environ.get("PATH", os.defpath).split(os.pathsep),
        ]
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

    def run(self, timeout: float = 60, conversations: list[dict[str, Any]] | None = None, prompt: str = PROMPT) -> Run:
        """Give the program its task, or another one, in a network namespace with the scripted model."""
        namespace = unshare()
        assert namespace is not None
        ahead = ("nice", "-n", "-10", *namespace)  # of other tests, where that is allowed
        return self._run(ahead, timeout, conversations or self.program.conversations(), prompt)

    def _run(self, namespace: tuple[str, ...], timeout: float, conversations: list[dict[str, Any]], prompt: str) -> Run:
        job: dict[str, Any] = {"cwd": str(self.project)}
        if self.program.harness == "cursor":
            steps = [
                {"marker": of["marker"], "steps": [call for turn in of["turns"] for call in turn["calls"]]}
                for of in conversations
            ]
            job |= {"conversations": steps, "prompt": prompt, "port": PORT, "sdk": str(self._sdk())}
            return self._run_cursor(namespace, job, timeout)
        job |= {
            "conversations": conversations,
            "command": [str(self._program()), *self.program.arguments(prompt)],
            "environ": self.environ | dict(self.program.environ),
            "timeout": timeout,
        }
        asked, told = self._job(job)
        inside = [*namespace, sys.executable, "-m", "tests.e2e.inside", str(asked), str(told)]
        subprocess.run(inside, cwd=REPOSITORY, check=True)
        return Run(**json.loads(told.read_text(encoding="utf-8")))

    def _run_cursor(self, namespace: tuple[str, ...], job: dict[str, Any], timeout: float) -> Run:
        """Play Cursor's backend to its runtime: what that was given after each step stands for a request to a model."""
        asked, told = self._job(job)
        script = REPOSITORY / "tests" / "e2e" / "cursor.cjs"
        done = subprocess.run(
            [*namespace, str(self._program()), str(script), str(asked), str(told)], cwd=self.project,
            env=self.environ | dict(self.program.environ), capture_output=True, text=True, timeout=timeout, check=True,
        )  # fmt: skip
        result = json.loads(told.read_text(encoding="utf-8"))
        requests = [
            {"path": "", "conversation": marker, "body": answers[: count + 1]}
            for marker, answers in result["answers"].items()
            for count in range(len(answers))
        ]
        code = 0 if result["status"] == "finished" else 1
        return Run(requests, code, json.dumps(result["events"]), done.stderr)

    def _job(self, job: dict[str, Any]) -> tuple[Path, Path]:
        number = len(list(self._jobs.iterdir()))
        asked, told = self._jobs / f"{number}.job.json", self._jobs / f"{number}.result.json"
        asked.write_text(json.dumps(job), encoding="utf-8")
        return asked, told

    def _program(self) -> Path:
        executable = command(self.program.installed)
        assert executable is not None
        return executable

    def _sdk(self) -> Path:
        return self._program().parents[1] / "@cursor" / "sdk"

    def files(self) -> Mapping[str, bytes]:
        """The user's own files as they are now; those that are gone are missing."""
        return {name: (self.home / name).read_bytes() for name in self.program.files if (self.home / name).exists()}

    def left(self) -> list[Path]:
        """The files in the program's own folder and the user's configuration that tell how it is set up."""
        roots = {self.home / name.split("/")[0] for name in self.program.files}
        found = [path for root in roots for path in ([root] if root.is_file() else root.rglob("*"))]
        kinds = {".json", ".jsonc", ".toml", ".js", ".md"}
        own = self.home / ".config" / "rg-memory"
        return [
            path
            for path in found
            if path.suffix in kinds and path.is_file() and own not in path.parents and not self._is_state(path)
        ]

    def remove_commands(self) -> None:
        """As if rg-memory had been removed without rg-install --uninstall: the files stay, the commands are gone."""
        self.move_commands(self._bin / "gone")

    def move_commands(self, folder: Path) -> None:
        """As if rg-install had been run from the environment whose programs are in this folder."""
        # Only ours: the stand-in of GitHub's MCP server runs with a python beside them.
        scripts, moved = f"{sysconfig.get_path('scripts')}/rg-", f"{folder}/rg-"
        changed = 0
        for path in self.left():
            text = path.read_text(encoding="utf-8")
            if scripts in text:
                path.write_text(text.replace(scripts, moved), encoding="utf-8")
                changed += 1
        assert changed, "no file names the commands"

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change a file below HOME as its user would."""
        path = self.home / name
        before = path.read_text(encoding="utf-8")
        path.write_text(change(before), encoding="utf-8")
        assert path.read_text(encoding="utf-8") != before

    def version(self) -> str:
        """What the program says of its version."""
        if self.program.harness == "cursor":
            return str(json.loads((self._sdk() / "package.json").read_text(encoding="utf-8"))["version"])
        return subprocess.run(
            [str(self._program()), "--version"], env=self.environ, capture_output=True, text=True, check=True
        ).stdout

    def _is_state(self, path: Path) -> bool:
        """Whether the program keeps sessions and the like there, which tell what happened and not how it is set up."""
        return any(part in self.program.state for part in path.relative_to(self.home).parts)

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
