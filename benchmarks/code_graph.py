"""Code graphs: how many calls are told right, and how long that takes.

    python -m benchmarks.code_graph DIR... [--jedi N] [--typescript NODE_MODULES] [--only PREFIX]

Each DIR is a Git repository with its work tree; nothing of it is changed. Printed for each language in it: how many
calls a tool of the language's own finds in the repository, how many of these the graph has, how many of the graph's
edges that the tool can judge are right, and beside it the share that is expected at least. The tools: jedi, asked of N
calls at random; go/types, with `go`; the TypeScript compiler of NODE_MODULES. What is not installed is said.

Then the times: of the first import, of one after 20 changed files, and beside them of Git giving all files in the same
run, so that a busy machine shows on both. Bars: 490,000 lines in at most 34 s, 20 changed files in at most 2 s.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from rg_core.assets.imports.code import importer
from rg_core.assets.imports.code.languages import TITLES, language_of
from rg_core.assets.imports.code.reading import Reading
from rg_core.assets.lifecycle import Setting
from rg_core.assets.model import Identity
from rg_core.assets.store import Assets, Source
from rg_core.documents import history
from rg_core.store.asset_rows import Parts
from rg_core.store.sqlite.assets import SqliteAssets

ORACLES = Path(__file__).parent / "oracles"
EXPECTED = {  # right of a graph's edges, found of the calls in the repository: what prototypes reached, less 2 points
    "python": (0.924, 0.76),
    "go": (0.98, 0.89),
    "typescript": (0.979, 0.91),
}
CHANGED = 20  # files
ADDED = {".py": "\n\ndef added(x):\n    return x.save()\n", ".go": "\nfunc added(x int) int { return added(x) }\n"}

Place = tuple[str, int]  # path, line
Told = dict[Place, set[Place | str | None]]  # at a call: its definition, None for one elsewhere, "?" if nobody knows


def oracle(language: str, directory: str, paths: Sequence[str], options: argparse.Namespace) -> Iterable[str] | str:
    """What the language's own tool says, line by line; or why it is not asked."""
    environ = dict(os.environ)
    match language:
        case "python":
            if importlib.util.find_spec("jedi") is None:
                return "pip install jedi"
            command = [sys.executable, str(ORACLES / "calls.py"), directory, str(options.jedi)]
        case "go":
            if shutil.which("go") is None:
                return "go is not installed"
            return run(["go", "run", str(ORACLES / "calls.go"), directory], directory, environ)
        case "typescript" if options.typescript:
            command = ["node", str(ORACLES / "calls.mjs"), directory]
            environ["NODE_PATH"] = os.path.abspath(options.typescript)
        case _:
            return "name the folder of typescript with --typescript"
    return run([*command, *paths], directory, environ)


def run(command: Sequence[str], directory: str, environ: Mapping[str, str]) -> list[str]:
    return subprocess.run(
        command, cwd=directory, env=environ, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def edges(reading: Reading) -> Told:
    """What the graph says, at each call."""
    parts = [reading.file_part(path).load() for path, file in reading.files.items() if file.part]
    symbols = {symbol.id: symbol for part in parts for symbol in part.symbols}
    found: Told = {}
    for call in (call for part in parts for call in part.calls):
        target = symbols[call.target]
        found.setdefault((symbols[call.source].path, call.line), set()).add((target.path, target.line))
    return found


def compare(language: str, ours: Told, lines: Iterable[str], only: str) -> str:
    """How much of the graph is right, and how much is found."""
    theirs: Told = {}
    for path, line, target in map(json.loads, lines):
        theirs.setdefault((path, line), set()).add(tuple(target) if isinstance(target, list) else target)
    right = judged = found = asked = 0
    for place, told in theirs.items():
        if not place[0].startswith(only):
            continue
        mine = ours.get(place, set())
        here = told - {None, "?"}
        asked, found = asked + len(here), found + len(here & mine)
        right += len(here & mine)
        judged += len(mine & here) if "?" in told else len(mine)
    least = EXPECTED[language]
    return (
        f"  {TITLES[language]}: right {right:,} of {judged:,} ({right / max(1, judged):.2%}; at least {least[0]:.1%}), "
        f"found {found:,} of {asked:,} ({found / max(1, asked):.2%}; at least {least[1]:.1%})"
    )


def imported(directory: str, assets: Assets) -> Reading:
    """One import of the commit at HEAD."""
    reading = importer.reading_of(directory, "benchmark", assets, keep=True)
    parts = Parts(files=[reading.file_part(path) for path, file in sorted(reading.files.items()) if file.part])
    source = Source("code:.", {"source_type": "code", "source_ref": "."}, parts)
    setting = Setting("import", "2026-12-01T00:00:00Z")
    assets.register(Identity("alice", "harbor"), "code_graph", importer.content("benchmark", reading), setting, source)
    return reading


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def changed_copy(directory: str, copy: str, paths: Sequence[str]) -> None:
    """A clone of a repository with a commit more, in which some files define something more."""
    git = ["git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@example.com", "-C"]
    subprocess.run(["git", "clone", "--quiet", "--shared", directory, copy], check=True)
    step = max(1, len(paths) // CHANGED)
    for path in paths[::step][:CHANGED]:
        with open(os.path.join(copy, path), "a", encoding="utf-8") as file:
            file.write(ADDED.get(os.path.splitext(path)[1], "\nfunction added(x) { return added(x); }\n"))
    subprocess.run([*git, copy, "commit", "--quiet", "--all", "--message=changed"], check=True)


def times(directory: str) -> tuple[Reading, str]:
    """How long imports take."""
    with tempfile.TemporaryDirectory() as home:
        assets = Assets(SqliteAssets(os.path.join(home, "assets.db")))
        read: list[Reading] = []
        first = timed(lambda: read.append(imported(directory, assets)))
        files = {path: file.blob for path, file in read[0].files.items() if file.part}
        lines = 0

        def given() -> None:
            nonlocal lines
            for _, data in history.blobs(directory, list(files.values()), importer.LARGEST):
                lines += (data or b"").count(b"\n")

        git = timed(given)
        copy = os.path.join(home, "copy")
        changed_copy(directory, copy, sorted(files))
        again = timed(lambda: imported(copy, assets))
        assets.close()
        size = os.path.getsize(os.path.join(home, "assets.db")) / 1e6
    told = (
        f"  {lines:,} lines, {len(files):,} files, {size:.0f} MB: first {first[0]:.1f} s ({first[1]:.1f} of CPU), "
        f"after {min(CHANGED, len(files))} changed files {again[0]:.2f} s ({again[1]:.2f}); "
        f"Git gives all files in {git[0]:.2f} s ({git[1]:.2f})"
    )
    return read[0], told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="*")
    parser.add_argument("--jedi", metavar="N", type=int, default=500, help="how many calls jedi is asked of")
    parser.add_argument("--typescript", metavar="NODE_MODULES", default="", help="a node_modules with typescript")
    parser.add_argument("--only", metavar="PREFIX", default="", help="judge calls in files whose path begins so")
    options = parser.parse_args()
    for directory in map(os.path.realpath, options.directories):
        reading, told = times(directory)
        print(f"{directory}\n{told}", flush=True)
        ours = edges(reading)
        by_language: dict[str, list[str]] = {}
        for path in sorted(path for path, file in reading.files.items() if file.part and path.startswith(options.only)):
            if language := language_of(path):
                name = "typescript" if language.suffixes[os.path.splitext(path)[1]] == "javascript" else ""
                by_language.setdefault(name or language.suffixes[os.path.splitext(path)[1]], []).append(path)
        for language_name, paths in by_language.items():
            lines = oracle(language_name, directory, paths, options)
            if isinstance(lines, str):
                print(f"  {TITLES[language_name]}: not judged; {lines}")
            else:
                print(compare(language_name, ours, lines, options.only), flush=True)


if __name__ == "__main__":
    main()
