"""What one Markdown text is: its title, its names, its status, and the edges that it draws. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from rg_core.address import of_prompt
from rg_core.address.local import doc_key, is_document_path
from rg_core.documents.edges import Passage, mentions, passages, read
from rg_core.documents.front_matter import front_matter, text_of, texts_of
from rg_core.documents.tokens import HYPHENS, PREFIXES, names, pattern
from rg_core.store.texts import TextEdge

NAME_KEYS = ("spec-id", "id", "adr", "eip", "pep")
EDGE_KEYS = {
    "requires": "DEPENDS_ON",
    "depends-on": "DEPENDS_ON",
    "replaces": "SUPERSEDES",
    "supersedes": "SUPERSEDES",
    "superseded-by": "SUPERSEDED_BY",
    "replaced-by": "SUPERSEDED_BY",
    "implements": "IMPLEMENTS",
    "extends": "EXTENDS",
    "see-also": "REFERENCES",
    "related": "REFERENCES",
    "references": "REFERENCES",
    "updates": "REFERENCES",
}
NUMBER = re.compile(r"(?<![\w/#-])#([0-9]{1,9})\b", re.ASCII)
KIND = re.compile(
    r"[\W_]*(?:(?:specification|spec|architecture|decision|record|document)\b(?!-)[\W_]+)*", re.IGNORECASE
)
TEXT = "text"  # the section of what stands outside of any verb's section


@dataclass(frozen=True, slots=True)
class Parsed:
    """One wording of a document."""

    title: str
    names: tuple[str, ...]
    version: str
    status: str  # lower-case
    date: str  # as written
    edges: tuple[TextEdge, ...]  # SUPERSEDED_BY is SUPERSEDES, turned round


def parse(
    markdown: str, project: str, path: str, prefixes: Sequence[str] = PREFIXES, *, front_edges: bool = True
) -> Parsed:
    """Read one document. `path` is relative to the project's directory."""
    facts = front_matter(markdown)
    heading, parts = read(markdown)
    title = text_of(facts.get("title")) or heading or posixpath.basename(path)
    own = _own_names(facts, heading, path, prefixes)
    return Parsed(
        title=" ".join(title.split())[:500],
        names=own,
        version=text_of(facts.get("version")),
        status=text_of(facts.get("status")).lower(),
        date=text_of(facts.get("date")) or text_of(facts.get("created")),
        edges=tuple(_edges(parts, facts if front_edges else {}, project, path, own, prefixes)),
    )


def body_edges(markdown: str, repository: str, prefixes: Sequence[str] = PREFIXES) -> list[TextEdge]:
    """The edges of an issue's or pull request's body: in verb sections names, #numbers of its repository, addresses."""
    parts = [passage for passage in passages(markdown) if passage.verb]
    found = {(edge.verb, edge.target): edge for edge in mentions(parts, (), prefixes)}
    for passage in parts:
        text = NUMBER.sub(rf"{repository}#\1", "\n".join((passage.text, *passage.links)))
        for address in _addresses(text):
            found.setdefault((passage.verb, address), TextEdge(passage.verb, address, passage.section))
    return list(found.values())


def _own_names(facts: Mapping[str, Any], heading: str, path: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    """From the front matter, else the first heading, else the file's name: the first source that gives any."""
    said = []
    for key in NAME_KEYS:
        text = text_of(facts.get(key))
        prefix = key.upper() if key in ("adr", "eip", "pep") else ""
        said.append(f"{prefix}-{text}" if prefix and text.isascii() and text.isdigit() else text)
    first_name: Callable[[str], list[str]] = lambda text: list(names(text, prefixes))[:1]  # noqa: E731
    from_front = [name for text in said for name in first_name(text)]
    return tuple(dict.fromkeys(from_front)) or _named_by(heading, prefixes) or tuple(first_name(_stem(path)))


def _named_by(heading: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    """A heading names its document at its beginning; further on it speaks of another one."""
    heading = heading.translate(HYPHENS)
    start = heading[KIND.match(heading).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    first = pattern(tuple(prefixes)).match(start)
    return tuple(names(start[: first.end()], prefixes)) if first else ()


def _stem(path: str) -> str:
    """The file's name without ending; a name in it may be followed by anything: SPEC-012-queues, ADR-7_x."""
    stem = posixpath.basename(path).rpartition(".")[0]
    return re.sub(r"^([A-Za-z]+-[0-9]+)(?=[-_.])", r"\1 ", stem)


def _edges(
    parts: Sequence[Passage], facts: Mapping[str, Any], project: str, path: str, own: Sequence[str],
    prefixes: Sequence[str],
) -> Iterator[TextEdge]:  # fmt: skip
    found = {(edge.verb, edge.target): edge for edge in mentions(parts, own, prefixes)}
    for key, verb in EDGE_KEYS.items():
        for target in _front_targets(facts.get(key), own, path, project, prefixes):
            found.setdefault((verb, target), TextEdge(verb, target, f"front matter: {key}"))
    named = {target for _, target in found}
    here = doc_key(project, path)
    for passage in parts:
        for target in _pointed_at(passage, project, path, prefixes, named):
            verb = passage.verb or "REFERENCES"
            if target != here and (passage.verb or target not in named):
                found.setdefault((verb, target), TextEdge(verb, target, passage.section or TEXT))
    yield from (found[key] for key in sorted(found))


def _front_targets(value: Any, own: Sequence[str], path: str, project: str, prefixes: Sequence[str]) -> Iterator[str]:
    """Names, paths and addresses that a front matter key gives; a bare number has the prefix of the text itself."""
    for text in texts_of(value):
        if text.isascii() and text.isdigit() and len(text) <= 6 and own:
            text = f"{own[0].rpartition('-')[0]}-{text}"
        found = [name for name in names(text, prefixes) if name not in own]
        if found:
            yield from found
        elif target := _document(text, project, path):
            yield target
        else:
            yield from _addresses(text)


def _pointed_at(passage: Passage, project: str, path: str, prefixes: Sequence[str], named: set[str]) -> Iterator[str]:
    """Documents that a block links to and GitHub addresses in it, but for links to what a name has said already."""
    for link in passage.links:
        if not any(name in named for name in names(link, prefixes)) and (target := _document(link, project, path)):
            yield target
    yield from _addresses("\n".join((passage.text, *passage.links)))


def _addresses(text: str) -> Iterator[str]:
    if "#" in text or "github" in text.lower():  # most blocks name none, and reading costs
        yield from map(str, of_prompt(text).addresses)


def _document(link: str, project: str, path: str) -> str | None:
    """The key of the document that a relative link leads to."""
    target = unquote(link.partition("#")[0].partition("?")[0])
    if not target or ":" in target or target.startswith("//"):
        return None
    start = "" if target.startswith("/") else posixpath.dirname(path)
    whole = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
    return doc_key(project, whole) if is_document_path(whole) else None
