"""Keys of what belongs to a user, not to GitHub: documents (doc:PROJECT/PATH) and notes (note:PROJECT/ID)."""

from __future__ import annotations

import re

from rg_core.record import record

DOC = "doc:"
NOTE = "note:"
NO_PROJECT = "~"  # where a note that belongs to no project has its name
PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?\Z")
NOTE_ID = re.compile(r"[a-z0-9]{8}\Z")
SUFFIXES = (".md", ".mdx", ".markdown")


@record
class LocalKey:
    """A document's or a note's key, taken apart. `name` is the document's path or the note's id."""

    kind: str  # document, note
    project: str  # "" for a note that belongs to no project
    name: str

    def __str__(self) -> str:
        return doc_key(self.project, self.name) if self.kind == "document" else note_key(self.project, self.name)


def doc_key(project: str, path: str) -> str:
    """The key of a document; `path` is relative to the project's directory, with slashes."""
    return f"{DOC}{project}/{path}"


def note_key(project: str, name: str) -> str:
    """The key of a note; without a project it stands under ~."""
    return f"{NOTE}{project or NO_PROJECT}/{name}"


def parse_local(text: str) -> LocalKey | None:
    """The key that a text is, or None.

    A document's path is a relative path of Markdown without empty, "." or ".." parts; a note's id 8 letters or digits.
    """
    scheme, project, name = _parts(text)
    if scheme == NOTE and NOTE_ID.match(name) and (project == NO_PROJECT or PROJECT.match(project)):
        return LocalKey("note", "" if project == NO_PROJECT else project, name)
    if scheme == DOC and PROJECT.match(project) and is_document_path(name):
        return LocalKey("document", project, name)
    return None


def is_local(text: str) -> bool:
    """Whether a text begins as a key of this kind does."""
    return text.startswith((DOC, NOTE))


def is_document_path(path: str) -> bool:
    """Whether this can be the path of a document: relative, printable, Markdown by its ending."""
    parts = path.split("/")
    return (
        path.lower().endswith(SUFFIXES)
        and len(path) <= 1_000
        and path.isprintable()
        and not any(part in ("", ".", "..") for part in parts)
    )


def _parts(text: str) -> tuple[str, str, str]:
    for scheme in (DOC, NOTE):
        if text.startswith(scheme):
            project, _, name = text.removeprefix(scheme).partition("/")
            return scheme, project, name
    return "", "", ""
