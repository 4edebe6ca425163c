"""Text that other people wrote, as HTML that can do nothing."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rg_core import border
from rg_core.dashboard.markdown import LONGEST, rendered, visible
from tests import foreign

ALLOWED = {
    "p", "a", "span", "code", "pre", "div", "em", "strong", "s", "ul", "ol", "li", "blockquote", "hr", "br", "table",
    "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "rel"}, "div": {"class", "tabindex"}, "p": {"class"}, "ol": {"start"}}


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def elements(text: str) -> list[tuple[str, dict[str, str | None]]]:
    seen = Seen()
    seen.feed(str(rendered(text)))
    return seen.elements


HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</article></title><style>*{display:none}</style>",
    "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,<script>1</script>)",
    "![x](https://evil.example/pixel.png)", "![x](javascript:1)", '<https://example.org/"onmouseover=alert(1)>',
    "[x](https://e.org 'a\" onclick=\"b')", "```html onload=1\n</pre><script>1</script>\n```", "&lt;script&gt;",
    "<svg/onload=alert(1)>", "[a]: javascript:alert(1)\n\n[a]", "# <b>x</b>", "a\u202eb\u2066c",
    "| a |\n|:-:|\n| b |", "[![img](https://evil.example/a.png)](vbscript:x)",
    "> " * 500 + "deep", "`" * 3_000, "[" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_theirs_becomes_an_element(text: str) -> None:
    for tag, attributes in elements(text):
        assert tag in ALLOWED, (tag, text[:80])
        assert set(attributes) <= ATTRIBUTES.get(tag, set()), (tag, attributes)
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("https://", "http://"))
            assert attributes["rel"] == "noopener noreferrer nofollow"


@given(st.text(alphabet=st.sampled_from("<>[]()!`*_#&\"'\\/:\n ahtps.js\u202e"), max_size=200))
def test_no_text_becomes_an_element_of_another_kind(text: str) -> None:
    for tag, attributes in elements(text):
        assert tag in ALLOWED
        assert set(attributes) <= ATTRIBUTES.get(tag, set())


def test_a_picture_is_its_words_and_its_address() -> None:
    html = str(rendered("![a chart](https://e.org/c.png)"))
    assert "[picture: a chart]" in html
    assert "https://e.org/c.png" in html
    assert "<img" not in html


def test_bidirectional_controls_are_shown() -> None:
    assert "⟨right-to-left override⟩" in str(rendered("a\u202eb"))


@pytest.mark.parametrize("evil", foreign.ATTACKS, ids=repr)
def test_s03_nothing_hidden_and_no_secret_is_on_a_page(evil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(border, "_secrets", {foreign.SECRET})
    for html in (str(rendered(evil)), visible(evil)):
        assert foreign.faults(unescape(html), one_line=False) == []


def test_a_long_text_says_how_much_is_left_out() -> None:
    html = str(rendered("x" * (LONGEST + 1_234)))
    assert "1,234 more characters" in html
