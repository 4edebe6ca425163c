"""Finding stored documents and notes: by key, by name, by where they lie; and the edges between them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from rg_core.address.local import is_local, parse_local
from rg_core.config import Config
from rg_core.documents.plan import holds
from rg_core.documents.projects import project_of
from rg_core.documents.tokens import name_of
from rg_core.errors import UserError
from rg_core.store.documents import DocumentStore, SharedDocuments
from rg_core.store.texts import Root

NEAR = 5
KEYS = "a document's is doc:PROJECT/PATH.md, a note's note:PROJECT/ID (~ where it has no project)"


def is_name(text: str, prefixes: Sequence[str]) -> bool:
    """Whether a text is a document's key, a note's key, or a name of a document."""
    return is_local(text.strip()) or name_of(text, prefixes) is not None


def key_named(store: DocumentStore, user: str, config: Config, argument: str, directory: str) -> str:
    """The stored key that an argument means: a key, or a name in the directory's project or in exactly one project.

    Raises:
        UserError: if nothing is stored there; names what is near, or the projects that have the name.
    """
    argument = argument.strip()
    if is_local(argument):
        if reading := store.read(user, argument):
            return reading.resource.address
        what = "is not in memory" if parse_local(argument) else f"is no key; {KEYS}"
        raise UserError(f"{argument[:300]!r} {what}{_near(store, user, argument)}")
    name = name_of(argument, config.documents.prefixes)
    if name is None:
        raise UserError(f"{argument[:300]!r} is no key and no name such as SPEC-054 (see documents.prefixes)")
    key = _one(store.named(user, name), config, directory, name)
    if key is None:
        raise UserError(f"no document in memory is named {name}{_near(store, user, name)}")
    return key


def key_of_team(there: SharedDocuments, config: Config, argument: str, directory: str) -> str | None:
    """The key of what others share that an argument means: a key, or a name as `key_named` has it.

    Raises:
        UserError: if several have the name.
        StoreUnavailable: if the server is away.
    """
    argument = argument.strip()
    if is_local(argument):
        return argument if parse_local(argument) and there.read(argument) else None
    name = name_of(argument, config.documents.prefixes)
    return _one(there.named(name), config, directory, name) if name else None


def found_edges(store: DocumentStore, user: str, only: str | None = None) -> list[dict[str, Any]]:
    """The edges of every open State, or those from and to one page, as JSON-able rows."""
    names: dict[tuple[str, str], str] = {}
    pages = store.pages(user)
    for page in pages.values():
        for name in page.names:
            names.setdefault((page.project, name), page.address)
    rows = []
    for key, project, edge, _ in store.edges(user):
        target = edge.target if edge.target in pages else names.get((project, edge.target))
        source, verb, aim = key, edge.verb, edge.target
        if verb == "SUPERSEDED_BY":
            source, verb, aim, target = target or edge.target, "SUPERSEDES", key, key
        if only in (None, source, target):
            rows.append({"source": source, "verb": verb, "target": aim, "target_address": target,
                         "section": edge.section, "created_at": edge.created_at})  # fmt: skip
    return rows


def below(store: DocumentStore, user: str, root: Root, others: Sequence[Root]) -> list[str]:
    """The documents of a root that no other root holds."""
    return [
        page.address
        for page in store.pages(user, root.project).values()
        if page.kind == "document"
        and holds(root.path, root.directory, page.path)
        and not any(other.project == root.project and holds(other.path, other.directory, page.path) for other in others)
    ]


def _one(found: Sequence[tuple[str, str]], config: Config, directory: str, name: str) -> str | None:
    """The one key of these, given with their projects: of the directory's project, else the only one."""
    here = project_of(config, directory)
    mine = [key for key, project in found if here and project == here.name]
    keys = mine or [key for key, _ in found]
    if len(keys) > 1:
        raise UserError(f"several documents are named {name}: {', '.join(keys[:NEAR])}; give the key of one")
    return keys[0] if keys else None


def _near(store: DocumentStore, user: str, text: str) -> str:
    """The end of an error that names what was perhaps meant."""
    stored = [*store.names(user), *store.pages(user)]
    near = difflib.get_close_matches(text, stored, NEAR, 0.7)
    return f"; near are {', '.join(near)}" if near else "; see: rg-memory documents list"
