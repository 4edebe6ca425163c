"""What readers of conversations share: the turns they give, and reading lines of JSON that somebody else wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST = 8 << 20  # bytes of a line; a longer one is a picture or a dump


class UnknownShape(ValueError):
    """A whole file in which nothing is known; says the program's version where the file tells it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One conversation on the disk. `changed` is in seconds since 1970; `directory` "" where only reading it tells."""

    session: str
    path: Path
    changed: float
    directory: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the person wrote, or the assistant answered. `at` is ISO 8601, "" where the program keeps no times."""

    who: str  # person or assistant
    text: str
    at: str = ""


@dataclass(slots=True)
class Conversation:
    """One conversation of a person; without turns where it is a subagent's, or empty."""

    directory: str = ""
    program: str = ""  # its version
    turns: list[Turn] = field(default_factory=list)
    tools: Counter[str] = field(default_factory=Counter)
    skipped: int = 0  # lines that do not parse, and kinds that are not known

    def say(self, who: str, text: str, at: str = "") -> None:
        """Add what was said, if it is anything; several texts of the assistant in a row are one turn."""
        text = text.strip()
        if not text:
            return
        if who == "assistant" and self.turns and self.turns[-1].who == who:
            last = self.turns[-1]
            self.turns[-1] = Turn(who, f"{last.text}\n\n{text}", last.at)
        else:
            self.turns.append(Turn(who, text, at))

    def require_known(self, known: int) -> Conversation:
        """This conversation, if any line of it was of a known kind.

        Raises:
            UnknownShape: if there were lines, and none was.
        """
        if not known and self.skipped:
            version = f" (version {self.program})" if self.program else ""
            raise UnknownShape(f"the file has a shape that is not known{version}; upgrade rg-memory")
        return self


def rows(path: Path, conversation: Conversation) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a file, one a line; what is none is counted as skipped.

    Raises:
        OSError: if it cannot be read.
    """
    with open(path, "rb") as file:
        while line := file.readline(LONGEST):
            if not line.strip():
                continue
            try:
                row = json.loads(line) if len(line) < LONGEST or line.endswith(b"\n") else None
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict):
                yield row
            else:
                conversation.skipped += 1


def texts(content: object, *kinds: str) -> str:
    """The text of a message: itself, or its blocks of these types."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    found = [block["text"] for block in blocks if isinstance(block, dict) and block.get("type") in kinds
             and isinstance(block.get("text"), str)]  # fmt: skip
    return "\n\n".join(found)


def child(row: object, *keys: str) -> Any:
    """What stands below these keys; None where there is none."""
    for key in keys:
        row = row.get(key) if isinstance(row, dict) else None
    return row


def word(row: object, *keys: str) -> str:
    """The text that stands below these keys; "" where there is none."""
    value = child(row, *keys)
    return value if isinstance(value, str) else ""


def sources(found: Iterable[tuple[str, Path]], directory: Callable[[Path], str] = lambda path: "") -> list[Source]:
    """Sources of (session, path), oldest first; what is gone meanwhile, a link or no file is left out."""
    made = []
    for session, path in found:
        try:
            if path.is_file() and not path.is_symlink():
                made.append(Source(session, path, path.stat().st_mtime, directory(path)))
        except OSError:
            continue
    return sorted(made, key=lambda source: (source.changed, source.session))
