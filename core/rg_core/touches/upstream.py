"""What documents build on, as a hook says it at a prompt that names one. Hot; rg_core.documents.upstream writes it.

Two published files (rg_core.touches.published):

- `names`, there only while there is something to say: the prefixes of names on the first line, with blanks between
  them; then, one a line, what stands in every payload that names a document, where 0 is any digit
  (rg_core.hook.relevance).
- `upstream`, a table. `USER, NAME, DIRECTORY, KEY` for each name of a document, its path one of them, and each
  directory of its project; `USER, =KEY, NOTE` for what is said of it.
"""

from __future__ import annotations

import os

from rg_core.touches.published import Table, cell, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE = 600  # bytes
PATH = 400  # characters of a cell that is a path
TOLD = "upstream "  # before the key of a document, in what a session was told (rg_core.touches.events)


def names_path(data: str) -> str:
    """The published names, below the data directory."""
    return os.path.join(folder(data), "names")


def path(data: str) -> str:
    """The published notes, below the data directory."""
    return os.path.join(folder(data), "upstream")


def name_row(user: str, name: str, directory: str, key: str) -> str:
    """A row that says what a name means in a directory's project."""
    return "\t".join((cell(user, PATH), cell(name, PATH), cell(directory, PATH), cell(key, PATH)))


def note_row(user: str, key: str, note: str) -> str:
    """A row that says what a document builds on."""
    return "\t".join((cell(user, PATH), f"={cell(key, PATH)}", note))


class Notes:
    """One user's notes, open; close them after use."""

    def __init__(self, data: str, user: str) -> None:
        """Open the table.

        Raises:
            OSError: if there is none.
            ValueError: if it is of another format.
        """
        self._table, self._user = Table(path(data)), user

    def close(self) -> None:
        """Close the table."""
        self._table.close()

    def of(self, key: str) -> str:
        """What is said of a document; "" for nothing."""
        return next((row[2] for row in self._rows(f"={key}\t") if len(row) == 3), "")

    def named(self, name: str, here: str) -> str:
        """The document that a name means to who works in a directory, or else in all projects; "" for none or many."""
        rows = [(row[2], row[3]) for row in self._rows(f"{name}\t") if len(row) == 4]
        holding = [row for row in rows if row[0] and f"{here}{os.sep}".startswith(row[0].rstrip(os.sep) + os.sep)]
        longest = max((len(directory) for directory, _ in holding), default=0)
        keys = {key for directory, key in holding or rows if not longest or len(directory) == longest}
        return keys.pop() if len(keys) == 1 else ""

    def at(self, file: str) -> str:
        """The document that is this file, an absolute path; "" for none."""
        directory = os.path.dirname(file)
        while True:
            name = os.path.relpath(file, directory).replace(os.sep, "/")
            if rows := self._rows(f"{name}\t{directory}\t"):
                return rows[0][3] if len(rows[0]) == 4 else ""
            above = os.path.dirname(directory)
            if above == directory:
                return ""
            directory = above

    def _rows(self, prefix: str) -> Sequence[list[str]]:
        return self._table.rows(f"{self._user}\t{prefix}")
