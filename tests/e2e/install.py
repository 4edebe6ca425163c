"""Fetch the harness programs that the end-to-end tests drive: pinned npm packages, each in a folder of its own.

Run before the tests (`make e2e-deps`), because the tests themselves have no network. What is there is kept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    """An npm package at one version, the command that runs it, and a package that lies beside it."""

    package: str
    version: str
    command: str
    megabytes: int  # installed
    beside: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Its folder below the cache."""
        return f"{self.package.replace('/', '+')}-{self.version}"


PROGRAMS: Mapping[str, Program] = {
    "claude_code": Program("@anthropic-ai/claude-code", "2.1.332", "claude", 384),
    "claude_code_old": Program("@anthropic-ai/claude-code", "2.1.197", "claude", 235),
    "codex": Program("@openai/codex", "0.171.0", "codex", 424),
    "copilot": Program("@github/copilot", "1.0.102", "copilot", 189),
    # Cursor itself is no npm package; this is its agent runtime, which wants a newer node than many machines have.
    "cursor": Program("@cursor/sdk", "1.0.32", "node", 235, beside=("node@22.23.3",)),
    "opencode": Program("opencode-ai", "1.18.33", "opencode", 354),
    "grok": Program("@xai-official/grok", "1.0.41", "grok", 206),
}


def cache(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the programs are kept: $RG_E2E_CACHE, or .cache/e2e in the repository."""
    return Path(environ.get("RG_E2E_CACHE") or REPOSITORY / ".cache" / "e2e").absolute()


def command(name: str) -> Path | None:
    """The installed command of a program, or None."""
    program = PROGRAMS[name]
    found = cache() / program.folder / "node_modules" / ".bin" / program.command
    return found if found.exists() else None


def fetch(program: Program) -> None:
    """Install one program, built aside and renamed over what is there: an interrupted run leaves no half of it.

    Raises:
        subprocess.CalledProcessError: if npm fails; npm has said why.
    """
    target = cache() / program.folder
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    aside.mkdir(parents=True)
    try:
        wanted = [f"{program.package}@{program.version}", *program.beside]
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run(["npm", "install", "--prefix", str(aside), *quiet, *wanted], check=True)
        shutil.rmtree(target, ignore_errors=True)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def main(names: list[str]) -> int:
    """Fetch the named programs, or all of them; 1 if one could not be fetched."""
    if not shutil.which("npm"):
        print("e2e: npm is not here; the end-to-end tests will be skipped", file=sys.stderr)
        return 0
    wanted = {name: PROGRAMS[name] for name in names or PROGRAMS if not command(name)}
    if wanted:
        size = sum(program.megabytes for program in wanted.values())
        print(f"e2e: fetching from npm into {cache()}, {size} MB on disk", flush=True)
    failed = []
    for name, program in wanted.items():
        print(f"  {program.package} {program.version}, {program.megabytes} MB", flush=True)
        try:
            fetch(program)
        except subprocess.CalledProcessError:
            failed.append(name)
    if failed:
        print(f"e2e: could not fetch {', '.join(failed)}; their tests will be skipped", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
