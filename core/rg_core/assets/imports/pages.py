"""What a Markdown page is to a wiki: its title, its headings, where it links to. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote

from markdown_it import MarkdownIt

from rg_core.address.local import SUFFIXES
from rg_core.documents.edges import body
from rg_core.documents.front_matter import front_matter, text_of

WIKI_LINK = re.compile(r"\[\[([^\[\]\n|#]{1,200})(?:#[^\[\]\n|]*)?(?:\|[^\[\]\n]*)?\]\]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the anchor that leads to it."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """One page."""

    title: str
    headings: tuple[Heading, ...]
    links: tuple[str, ...]  # as written
    wiki_links: tuple[str, ...]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True})


def parse(markdown: str, path: str) -> Parsed:
    """Read one page; its title is the front matter's, else the first heading, else the file's name."""
    headings: list[Heading] = []
    links: list[str] = []
    wiki_links: list[str] = []
    anchors: dict[str, int] = {}
    tokens = _parser().parse(body(markdown))
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline":
            continue
        for part in token.children or ():
            if part.type == "link_open":
                links.append(str(part.attrGet("href") or ""))
            elif part.type == "text":
                wiki_links += [match[1].strip() for match in WIKI_LINK.finditer(part.content)]
        if before and before.type == "heading_open":
            text = " ".join("".join(part.content for part in token.children or () if part.content).split())[:300]
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            anchors[anchor] = anchors.get(anchor, -1) + 1
            numbered = f"{anchor}-{anchors[anchor]}" if anchors[anchor] else anchor
            headings.append(Heading(int(before.tag[1:]), text, numbered))
    title = text_of(front_matter(markdown).get("title")) or (headings[0].text if headings else "")
    return Parsed(
        " ".join(title.split())[:300] or posixpath.basename(path), tuple(headings), tuple(links), tuple(wiki_links)
    )


def resolved(path: str, page: Parsed, names: Mapping[str, str], paths: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Where a page's links lead inside the wiki: a page's path and True, or what is not there and False.

    Args:
        path: the page's own.
        page: the page.
        names: `name_of` of titles and files -> path.
        paths: every page's.
    """
    known = set(paths)
    for link in page.links:
        target = unquote(link.partition("#")[0].partition("?")[0])
        if not target or ":" in target or target.startswith("//"):
            continue
        if not target.lower().endswith(SUFFIXES) and "." in posixpath.basename(target):
            continue  # a picture or the like
        start = "" if target.startswith("/") else posixpath.dirname(path)
        whole = posixpath.normpath(posixpath.join(start, target.lstrip("/")))
        found = next((one for one in (whole, *(whole + suffix for suffix in SUFFIXES)) if one in known), None)
        yield found or whole[:300], found is not None
    for name in page.wiki_links:
        found = names.get(name_of(name))
        yield found or f"[[{name}]]", found is not None


def name_of(text: str) -> str:
    """A title or a file's name as wiki links compare it."""
    stem = posixpath.basename(text)
    stem = stem.rpartition(".")[0] if stem.lower().endswith(SUFFIXES) else text
    return "-".join(re.split(r"[\s_-]+", stem.strip().casefold()))
