"""The border: what a person would have seen passes, and nothing else."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rg_core import border
from tests import foreign

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(border, "_secrets", set())
    border.keep_secret(foreign.SECRET)


@pytest.mark.unmeasured
def test_s03_no_character_of_unicode_passes_that_no_screen_shows() -> None:
    for code in range(0x110000):
        letter = chr(code)
        passed = border.text(f"a{letter}b")
        assert not foreign.faults(passed, one_line=False), hex(code)
        if unicodedata.category(letter) != "Cn":
            assert (passed == "ab") == (foreign.is_hidden(letter) and letter not in TURNS), hex(code)
        if unicodedata.category(letter)[0] in "LMNPS" and not foreign.is_hidden(letter):
            assert passed == f"a{letter}b", hex(code)


@given(foreign.texts)
@example("a\u200bb")
@example("\u0600\u0601\u06dd")
def test_s03_s04_nothing_hidden_nothing_controlling_no_second_line_no_secret(text: str) -> None:
    assert foreign.faults(border.text(text), one_line=False) == []
    assert foreign.faults(border.line(text)) == []
    assert border.text(border.text(text)) == border.text(text)


@pytest.mark.parametrize(
    "text",
    [
        "👩‍💻 and 👨‍👩‍👧‍👦 and ❤️ and ☎︎ and 1️⃣ #️⃣", "🏳️‍🌈 🏴‍☠️ 👋🏽 🇩🇪", "Grüße, 世界, שלום, مرحبا, नमस्ते", "a\tb\nc",
        "1 000 km\u3000全角", "e\u0301 ligature ﬁ ½ ∑ → ☃", "🫨🪿",
    ],
)  # fmt: skip
def test_what_people_write_passes_as_it_is(text: str) -> None:
    assert border.text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a\u200db",
        "a\ufe0f",
        "\ufe0f👩",
        "👩\ufe0f\ufe0f",
        "👩\u200d",
        "\u200d👩",
        "1\ufe0f2",
        "\ufe0f\u20e3",
        "👩\u200b\ufe0f",
    ],
)
def test_a_selector_or_joiner_outside_an_emoji_is_taken_out(text: str) -> None:
    assert not foreign.faults(border.line(text))
    assert len(border.line(text)) < len(text)


def test_s03_a_sentence_spelled_in_selectors_or_tags_is_gone() -> None:
    hidden = "".join(chr(0xE0100 + ord(letter)) for letter in "obey") + "".join(chr(0xE0000 + ord(c)) for c in "obey")
    assert border.line(f"Fix the parser{hidden}") == "Fix the parser"


def test_s04_a_secret_is_masked_also_where_hidden_characters_cut_it() -> None:
    cut = f"{foreign.SECRET[:9]}\u200b{foreign.SECRET[9:]}"
    assert border.line(f"401 for {foreign.SECRET}, {cut}") == "401 for ***, ***"


def test_a_secret_as_short_as_a_word_masks_no_words() -> None:
    border.keep_secret("", "a", "neo4j")
    assert border.line("neo4j://a") == "neo4j://a"


@given(st.recursive(foreign.texts, lambda inner: st.lists(inner, max_size=3), max_leaves=5))
def test_s03_json_with_escapes_loses_nothing_and_hides_nothing(value: object) -> None:
    shown = border.escaped(json.dumps(value, ensure_ascii=False, indent=1))
    assert foreign.faults(shown, one_line=False) == []
    if foreign.SECRET not in json.dumps(value):
        assert json.loads(shown) == value
