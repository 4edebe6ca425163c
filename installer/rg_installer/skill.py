"""The skill `memory-first`: a file of ours in the skill folder of a program that has one."""

from __future__ import annotations

from pathlib import Path

from rg_core.harness.edits import OwnFile
from rg_core.harness.protocol import Check, Place
from rg_installer.apply import read
from rg_installer.harnesses import Harness

NAME = "memory-first"
FILE = Path(NAME, "SKILL.md")  # below a skill folder (agentskills.io)
TEXT = Path(__file__).with_name(f"{NAME}.md").read_text("utf-8")
MARKER = "made-by: rg-memory"


def skill(harness: Harness, place: Place) -> OwnFile | None:
    """The file as it should be; None where the program has no place for it, or somebody else's skill has our name.

    Raises:
        UserError: what is there cannot be read.
    """
    folder = harness.skilled.skills(place) if harness.skilled else None
    if folder is None or _is_theirs(folder / FILE):
        return None
    return OwnFile(folder / FILE, TEXT, MARKER)


def check(harness: Harness, place: Place, again: str) -> list[Check]:
    """What --doctor says of it; that it is left out is the user's choice. `again` is the command that puts it in."""
    folder = harness.skilled.skills(place) if harness.skilled else None
    if folder is None:
        return []
    if _is_theirs(folder / FILE):
        return [Check(f"{folder / FILE} is not ours and stays; ours is left out", True)]
    is_there = read(folder / FILE) is not None
    return [Check(f"its skill is {folder / FILE}" if is_there else f"it has no skill of ours ({again} adds it)", True)]


def _is_theirs(file: Path) -> bool:
    raw = read(file)
    return raw is not None and MARKER.encode() not in raw
