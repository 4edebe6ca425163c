"""The versions that the end-to-end tests saw: `python -m tests.e2e.versions` writes the tables from the last run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.e2e.install import PROGRAMS as INSTALLED
from tests.e2e.install import REPOSITORY, cache
from tests.e2e.programs import PROGRAMS, Program

TABLE = Path(__file__).parent / "versions.json"
README = REPOSITORY / "README.md"
BEGIN, END = "<!-- versions -->\n", "<!-- /versions -->"
TITLES = {
    "claude_code": "Claude Code",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "cursor": "Cursor (agent runtime)",
    "opencode": "OpenCode",
    "grok": "Grok Build",
}


def note(program: Program, said: str) -> None:
    """Keep what a program said of its version, after a run that found everything as it should be."""
    found = re.search(r"\d+\.\d+\.\d+", said)
    assert found, said
    assert found[0] == INSTALLED[program.installed].version
    folder = cache() / "seen"
    folder.mkdir(parents=True, exist_ok=True)
    row = {
        "harness": program.harness,
        "package": INSTALLED[program.installed].package,
        "version": found[0],
        "on": datetime.now(UTC).date().isoformat(),
    }
    (folder / f"{program.installed}.json").write_text(json.dumps(row), encoding="utf-8")


def pages() -> dict[Path, str]:
    """The README and each harness's, with the table that belongs between the two marks."""
    rows = json.loads(TABLE.read_text(encoding="utf-8")).values()
    made = {README: _page(README, rows)}
    for harness in TITLES:
        path = REPOSITORY / "harnesses" / harness / "README.md"
        made[path] = _page(path, [row for row in rows if row["harness"] == harness])
    return made


def _page(path: Path, rows: Iterable[Mapping[str, str]]) -> str:
    lines = ["| harness | package | version | seen on |", "|---|---|---|---|"]
    lines += [f"| {TITLES[r['harness']]} | `{r['package']}` | {r['version']} | {r['on']} |" for r in rows]
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    return "".join((before, BEGIN, *(f"{line}\n" for line in lines), END, rest.partition(END)[2]))


def main() -> int:
    """Write the tables from what the last run noted."""
    rows = {}
    for program in PROGRAMS:
        seen = cache() / "seen" / f"{program.installed}.json"
        if not seen.exists():
            print(f"e2e: {program.installed} was not seen; run pytest tests/e2e first", file=sys.stderr)
            return 1
        rows[program.installed] = json.loads(seen.read_text(encoding="utf-8"))
    TABLE.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
