"""Markdown that other people wrote -> HTML that can do nothing: no markup of theirs, no picture, no script, no request.

HTML is text; a picture is its alternative text and its address; a link leads to http(s) only and tells nobody where it
was followed; characters that turn or hide text are shown by their names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from rg_core import border

LONGEST = 100_000  # characters of one text that are rendered; the rest is told of
Env = MutableMapping[str, Any]
TELLING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def rendered(text: str) -> Markup:
    """The text as HTML; the result is safe in a page with our content policy, and without it."""
    shown = visible(text[:LONGEST])
    html = Markup(_parser().render(shown))  # noqa: S704 - markdown-it escapes, with `html` off
    if len(text) > LONGEST:
        html += Markup("<p class=meta>… {:,} more characters</p>").format(len(text) - LONGEST)
    return html


def visible(text: str) -> str:
    """The text that passes the border, with bidirectional controls by name: in the order in which it is stored."""
    if TELLING.intersection(text):
        text = "".join(f"⟨{unicodedata.name(char).lower()}⟩" if char in TELLING else char for char in text)
    return border.text(text)


class _Renderer(RendererHTML):
    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """A picture as its alternative text and its address."""
        alt = self.renderInlineAsText(tokens[idx].children or [], options, env)
        return str(escape(f"[picture: {alt}] " if alt else "[picture] ")) + _code(str(tokens[idx].attrGet("src") or ""))

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """A link to http(s), or else a span."""
        href = str(tokens[idx].attrGet("href") or "")
        if not href.lower().startswith(("https://", "http://")):
            return "<span>"
        return f'<a href="{escape(href)}" rel="noopener noreferrer nofollow">'

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """The end of what link_open began."""
        begun = next(token for token in reversed(tokens[:idx]) if token.type == "link_open")
        href = str(begun.attrGet("href") or "")
        return "</a>" if href.lower().startswith(("https://", "http://")) else "</span>"

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """A heading below those of the page."""
        return '<p class="heading">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Its end."""
        return "</p>"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """A head cell without its alignment, which would be a style of theirs."""
        return "<th>"

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """A cell, likewise."""
        return "<td>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Env) -> str:
        """Code, without a class that a text could choose."""
        return f'<div class="scroll" tabindex="0"><pre>{escape(tokens[idx].content)}</pre></div>\n'

    code_block = fence


def _code(text: str) -> str:
    return f"<code>{escape(text[:300])}</code>"


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}, renderer_cls=_Renderer)
    made.enable(["table", "strikethrough"])
    made.validateLink = lambda url: True  # type: ignore[method-assign] # link_open decides, and shows the text as it is
    return made
