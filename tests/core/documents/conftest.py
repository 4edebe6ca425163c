"""A project of Markdown files under Git, and the commands that a user would give."""

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rg_core.cli.main import main


@dataclass
class Project:
    """A directory `root` that is the project harbor, in an environment of its own."""

    root: Path
    environ: dict[str, str]
    patch: pytest.MonkeyPatch

    def write(self, path: str, text: str) -> Path:
        """Write a file below the directory."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def git(self, *arguments: str, at: str = "2026-01-01T00:00:00Z") -> str:
        """Run git there as somebody, at a time."""
        environ = self.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", *arguments],
            cwd=self.root, env=environ, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    def commit(self, at: str) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-qm", "x", at=at)

    def run(self, *arguments: str, text: str = "", code: int = 0) -> str:
        """What `rg-memory ARGUMENTS` prints."""
        out = io.StringIO()
        self.patch.setattr(sys, "stdin", io.StringIO(text))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            got = main(arguments)
        assert got == code, out.getvalue()
        return out.getvalue()

    def json(self, *arguments: str) -> Any:
        """The same, as JSON."""
        return json.loads(self.run(*arguments, "--json"))

    def states(self, of: str) -> list[dict[str, Any]]:
        """The versions of a document, oldest first."""
        states: list[dict[str, Any]] = self.json("history", of)["states"]
        return states


@pytest.fixture
def project(tmp_path: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project, configured."""
    root = tmp_path / "harbor"
    root.mkdir()
    for name in set(os.environ) - set(home):
        monkeypatch.delenv(name)
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
    made = Project(root, home, monkeypatch)
    made.run("config", "set", "identity.user_id", "ada")
    made.run("project", "add", "harbor", str(root))
    return made


@pytest.fixture
def repository(project: Project) -> Project:
    """The project as an empty Git repository."""
    project.git("init", "-q")
    return project
