"""Write what the documentation shows of the programs themselves: `--help` texts and the versions that tests saw.

`python -m scripts.build_docs` writes docs/commands.md and the marked block of README.md; with --check it writes nothing
and exits 1 if one of them is not current.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.versions import markdown

from rg_core.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
CONFIG_ACTIONS = ("get", "set", "show", "edit", "path")
HEAD = """\
# Commands

Every text below is what `--help` prints. `rg-hook` and `rg-mcp` are called by the harnesses and take no options.
"""


def commands() -> str:
    """docs/commands.md."""
    calls = [["rg-install"], ["rg-memory"], *(["rg-memory", name] for name in COMMANDS)]
    calls += [["rg-memory", "config", action] for action in CONFIG_ACTIONS]
    return HEAD + "".join(f"\n## {' '.join(call)}\n\n```text\n{_help(call)}```\n" for call in calls)


def readme(text: str) -> str:
    """README.md with the table of versions between its marks."""
    return re.sub(
        r"(<!-- versions -->\n).*?(<!-- /versions -->)", lambda m: m[1] + markdown() + m[2], text, flags=re.DOTALL
    )


def _help(call: list[str]) -> str:
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [str(BIN / call[0]), *call[1:], "--help"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Write or check."""
    stale = []
    page, front = ROOT / "docs" / "commands.md", ROOT / "README.md"
    for path, text in ((page, commands()), (front, readme(front.read_text("utf-8")))):
        if not path.exists() or path.read_text("utf-8").split() != text.split():  # Pythons wrap help differently
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, "utf-8")
    if stale and "--check" in sys.argv:
        print(f"not current: {', '.join(stale)}; run python -m scripts.build_docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
