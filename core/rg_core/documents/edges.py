"""What a Markdown text says of others by its sections: "## Depends on" with SPEC-034 below it. Pure.

Literal: "no longer SPEC-012" below a verb's heading is an edge too. Not edges: fences, comments, struck-out text, front
matter, the text's own name, and names in headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rg_core.documents.tokens import names
from rg_core.store.texts import TextEdge

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

VERBS = {
    "references": "REFERENCES",
    "reference": "REFERENCES",
    "related": "REFERENCES",
    "implements": "IMPLEMENTS",
    "depends on": "DEPENDS_ON",
    "extends": "EXTENDS",
    "supersedes": "SUPERSEDES",
    "complements": "RELATES_TO",
    "informs": "RELATES_TO",
}
LEVELS = {"h1": 1, "h2": 2, "h3": 3}
FRONT = re.compile(r"---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
STRUCK = re.compile(r"<(del|s|strike)(?=[\s>]).*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
STRIKE = re.compile(r"<(/?)(?:del|s|strike)(?=[\s>])", re.IGNORECASE)
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:[.)]\s*|\s+)")


@dataclass(frozen=True, slots=True)
class Passage:
    """Text and link targets of one block; `verb` and `section` are empty outside of a verb's section."""

    verb: str
    section: str
    text: str
    links: tuple[str, ...]
    asides: tuple[str, ...] = ()  # what is written there too: titles of links, texts of images, HTML tags


def mentions(parts: Iterable[Passage], own: Sequence[str], prefixes: Sequence[str]) -> list[TextEdge]:
    """The edges that a text's sections draw to names, each verb and target once, sorted; not to its `own` names."""
    found: dict[tuple[str, str], TextEdge] = {}
    for passage in parts:
        if passage.verb:
            for name in names("\n".join((passage.text, *passage.links, *passage.asides)), prefixes):
                if name not in own:
                    found.setdefault((passage.verb, name), TextEdge(passage.verb, name, passage.section))
    return [found[key] for key in sorted(found)]


def passages(markdown: str) -> list[Passage]:
    """The blocks of a Markdown text below its headings of level 1 to 3, each with the verb it stands under."""
    return read(markdown)[1]


def read(markdown: str) -> tuple[str, list[Passage]]:
    """The first heading of level 1 or 2, as written, "" without one; and the passages."""
    tokens = _parser().parse(body(markdown))
    headings = (
        tokens[place + 1].content.strip()
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2")
    )
    return next(filter(None, headings), ""), list(_passages(tokens))


def _passages(tokens: Sequence[Token]) -> Iterator[Passage]:
    verb, outer = ("", ""), ("", "")  # verb and heading, here and of the level 2 above
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.tag in LEVELS:
            heading = _text(tokens[place + 1])[0].strip()
            said = (verb_of(heading), heading)
            if token.tag == "h3":
                verb = said if said[0] else outer
            else:
                verb = outer = said if token.tag == "h2" and said[0] else ("", "")
        elif token.type == "inline" and tokens[place - 1].type != "heading_open":
            text, links, asides = _text(token)
            yield Passage(*verb, text, links, asides)
        elif token.type == "html_block":
            yield Passage(*verb, STRUCK.sub("", COMMENT.sub("", token.content)), ())


def body(markdown: str) -> str:
    """The text without byte order mark and front matter."""
    text = markdown.removeprefix("\ufeff")
    front = FRONT.match(text)
    return text[front.end() :] if front else text


def verb_of(heading: str) -> str:
    """The verb of a heading, "" where it is none."""
    plain = NUMBER.sub("", heading.strip(), count=1).rstrip(":").strip(" *_`").rstrip(":")
    verbs = {VERBS.get(" ".join(part.replace("-", " ").lower().split()), "") for part in plain.split("/")}
    return verbs.pop() if len(verbs) == 1 else ""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _text(inline: Token) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What a reader sees of an inline token, where its links lead, and its asides; without what is struck out."""
    parts: list[str] = []
    links: list[str] = []
    asides: list[str] = []
    struck = 0
    for child in inline.children or ():
        struck += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        if child.type == "html_inline" and (strike := STRIKE.match(child.content)):
            struck = max(0, struck + (-1 if strike[1] else 1))
        if struck:
            continue
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "html_inline":
            asides.append(COMMENT.sub("", child.content))
        elif child.type == "link_open":
            links.append(str(child.attrs.get("href", "")))
            asides.append(str(child.attrs.get("title", "")))
        elif child.type == "image":
            asides += [child.content, *(str(child.attrs.get(name, "")) for name in ("src", "title"))]
    return "".join(parts), tuple(links), tuple(filter(None, asides))
