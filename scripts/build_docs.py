"""Write docs/commands.md from the `--help` texts of the programs: `python -m scripts.build_docs`.

With --check it writes nothing and exits 1 if the page is not current.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rg_core.cli.main import COMMANDS

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
CONFIG_ACTIONS = ("get", "set", "show", "edit", "path")
HEAD = """\
# Commands

Every text below is what `--help` prints.
"""


def page() -> str:
    """The text of docs/commands.md."""
    calls = [["rg-install"], ["rg-memory"], *(["rg-memory", name] for name in COMMANDS)]
    calls += [*(["rg-memory", "config", action] for action in CONFIG_ACTIONS), ["rg-mcp"], ["rg-hook"]]
    return HEAD + "".join(f"\n## {' '.join(call)}\n\n```text\n{_help(call)}```\n" for call in calls)


def _help(call: list[str]) -> str:
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(Path(sys.executable).parent / call[0]), *call[1:], "--help"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Write or check."""
    text = page()
    before = PAGE.read_text("utf-8") if PAGE.exists() else ""
    if "--check" not in sys.argv:
        PAGE.write_text(text, "utf-8")
    elif before.split() != text.split():  # Pythons wrap help differently
        print("docs/commands.md is not current; run python -m scripts.build_docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
