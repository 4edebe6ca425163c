from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rg_core.assets.words import relevance, terms

SAMPLES = "release Releases gas gases class classes doe does s x a1 b ﬁles ss 発布 発 リリース 릴리스 naïve café's"
WORDS = st.lists(
    st.sampled_from(SAMPLES.split()) | st.text(max_size=6),
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_relevance_counts_exactly_the_terms_that_both_have(query: str, text: str) -> None:
    asked = terms(query)
    shared = asked & terms(text)
    assert relevance(asked, [text]) == (1000 * len(shared) // len(asked) if asked else 0)


def test_characters_of_scripts_without_blanks_are_terms_of_their_own() -> None:
    assert terms("発布リリース v2 릴리스abc") == set("発布リース릴리스") | {"v2", "abc"}
