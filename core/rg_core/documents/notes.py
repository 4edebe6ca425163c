"""Notes: short texts that a person or an agent asked to remember."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rg_core import times
from rg_core.address.local import is_local, note_key, parse_local
from rg_core.documents.tokens import PREFIXES, name_of, names
from rg_core.errors import UserError
from rg_core.secret import secret_in
from rg_core.store.documents import DocumentStore
from rg_core.store.states import digest
from rg_core.store.texts import Document, PageWrite, TextEdge, TextVersion

LONGEST = 4_000  # characters
MOST_ABOUT = 20
KINDS = ("decision", "lesson", "fact", "todo")
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
PERSON = "person"


@dataclass(frozen=True, slots=True)
class NewNote:
    """What is to be remembered. `author` is "person", or a harness and its session."""

    text: str
    about: tuple[str, ...] = ()  # keys and names, canonical
    kind: str = "fact"
    project: str = ""  # "" for none
    replaces: str = ""  # the key of a note
    author: str = PERSON
    prefixes: Sequence[str] = field(default=PREFIXES)


def remember(store: DocumentStore, user: str, note: NewNote, now: datetime) -> str:
    """Store a note, or a new State of the one it replaces; its key.

    Raises:
        UserError: for an empty, over-long or secret text, an unknown kind, or a note to replace that is not there.
    """
    text = check(note.text)
    if note.kind not in KINDS:
        raise UserError(f"a note's kind is {', '.join(KINDS)}; not {note.kind[:40]!r}")
    if len(note.about) > MOST_ABOUT:
        raise UserError(f"a note is about at most {MOST_ABOUT} things, not {len(note.about)}; name the nearest")
    at = times.stamp(now)
    key, project, old = _place(store, user, note)
    edges = [TextEdge("RELATES_TO", target, "about") for target in dict.fromkeys(note.about)]
    mentioned = [name for name in dict.fromkeys(names(text, note.prefixes)) if name not in note.about]
    edges += [TextEdge("REFERENCES", name, "text") for name in mentioned]
    version = TextVersion(
        at, "rewritten", None, key, title_of(text), text, {"kind": note.kind, "author": note.author}, tuple(edges)
    )
    node_id = old.node_id if old else f"N_{digest('note', user, key, at)[:16]}"
    store.write(user, [PageWrite(key, "note", project, "", node_id, (), (version,))], at)
    return key


def check(text: str) -> str:
    """The text of a note, without white space around it.

    Raises:
        UserError: if it is empty, longer than 4,000 characters, not valid Unicode, or holds a secret.
    """
    text = text.strip()
    if not text:
        raise UserError("there is nothing to remember; give the text of the note")
    if len(text) > LONGEST:
        raise UserError(
            f"a note has at most {LONGEST:,} characters, not {len(text):,}; shorten it, or write a document"
        )
    if kind := secret_in(text):
        raise UserError(f"that holds {kind}; a secret is not remembered: write the note without it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UserError("that is not valid text (a lone surrogate is in it); write the note anew") from None
    return text


def title_of(text: str) -> str:
    """A note's first line, cut to what a list shows."""
    line = " ".join(text.split("\n", 1)[0].split()).lstrip("# ")
    return line if len(line) <= 80 else line[:79].rstrip() + "…"


def canonical(argument: str, prefixes: Sequence[str] = PREFIXES) -> str | None:
    """The key or the name that an argument is, as edges write it; None for anything else."""
    from rg_core.address import of_argument

    if name := name_of(argument, prefixes):
        return name
    if is_local(argument):
        return str(key) if (key := parse_local(argument)) else None
    found = of_argument(argument).addresses
    return str(found[0]) if len(found) == 1 else None


def _place(store: DocumentStore, user: str, note: NewNote) -> tuple[str, str, Document | None]:
    """The key and project of a new note, or of the one that is replaced, and that one."""
    if not note.replaces:
        name = "".join(secrets.choice(ALPHABET) for _ in range(8))
        return note_key(note.project, name), note.project, None
    reading = store.read(user, note.replaces)
    if reading is None or not isinstance(reading.resource, Document) or reading.resource.kind != "note":
        raise UserError(
            f"{note.replaces[:200]!r} is no note in memory; find it with: rg-memory recall TEXT --kind note"
        )
    return reading.resource.address, reading.resource.project, reading.resource
