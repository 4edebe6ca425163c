"""Write docs/commands.md from the `--help` texts, and docs/schemas/ from the models of what commands print.

    python -m scripts.build_docs [--check]

With --check it writes nothing and exits 1 if a page is not current.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from pydantic import TypeAdapter

from rg_core.cli import asset, output
from rg_core.cli.main import COMMANDS

DOCS = Path(__file__).parent.parent / "docs"
CONFIG_ACTIONS = ("get", "set", "show", "edit", "path")
HEAD = """\
# Commands

Every text below is what `--help` prints. What a command prints with `--json` is described in [schemas](schemas).
"""


def pages() -> Mapping[Path, str]:
    """The generated files and their texts."""
    return {DOCS / "commands.md": _commands()} | {
        DOCS / "schemas" / f"{module.name.rstrip('_')}.json": _schema(module.name)
        for module in iter_modules(output.__path__)
    }


def _commands() -> str:
    calls = [["rg-install"], ["rg-memory"], *(["rg-memory", name] for name in COMMANDS)]
    calls += [*(["rg-memory", "config", action] for action in CONFIG_ACTIONS)]
    calls += [*(["rg-memory", "asset", action] for action in asset.ACTIONS), ["rg-memory", "agent", "manifest"]]
    calls += [["rg-mcp"], ["rg-hook"]]
    return HEAD + "".join(f"\n## {' '.join(call)}\n\n```text\n{_help(call)}```\n" for call in calls)


def _help(call: list[str]) -> str:
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / call[0]), *call[1:], "--help"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


def _schema(name: str) -> str:
    model = import_module(f"{output.__name__}.{name}").Output
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | TypeAdapter(model).json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write or check."""
    wanted = pages()
    stale = [path for path, text in wanted.items() if not _current(path, text)]
    surplus = set((DOCS / "schemas").glob("*")) - set(wanted)
    if "--check" in sys.argv:
        for path in (*stale, *surplus):
            print(f"{path.relative_to(DOCS.parent)} is not current; run python -m scripts.build_docs", file=sys.stderr)
        return 1 if stale or surplus else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path], "utf-8")
    for path in surplus:
        path.unlink()
    return 0


def _current(path: Path, text: str) -> bool:
    return path.exists() and path.read_text("utf-8").split() == text.split()  # Pythons wrap help differently


if __name__ == "__main__":
    sys.exit(main())
