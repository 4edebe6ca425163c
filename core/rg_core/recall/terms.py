"""What a query asks full text for: words that mean something, identifiers as phrases, CJK as bigrams. Pure."""

from __future__ import annotations

import re
from itertools import islice

from rg_core.address.found import word_set
from rg_core.recall.folding import CAMEL, CJK, bigrams, parts
from rg_core.store.search import Term

LONGEST = 20_000  # characters of a query that are looked at
MOST = 120  # terms
IDENTIFIER = re.compile(r"\w+(?:[-./#:@]\w+)+")
WORD = re.compile(r"\w+")
STOP = word_set("""
a about above after again against all also am an and any are aren as at be because been before being below
between both but by can cannot could couldn did didn do does doesn doing don down during each either else ever
every few for from further get gets give given goes had hadn has hasn have haven having he hence her here hers
him his how however i if in into is isn it its itself just let like ll made make makes many may me might more
most much must my neither no nor not of off on once one only onto or other others ought our ours out over own
per please quite rather re really s same say says shall she should shouldn since so some such t than that the
their theirs them then there these they this those though through thus to too toward under until up upon us
use used uses using ve very was wasn we were weren what when where whether which while who whom whose why will
with within without won would wouldn yes yet you your yours
""")


def terms(query: str) -> list[Term]:
    """The first terms of a query, each once, in order; empty where it says nothing."""
    query = query[:LONGEST]
    found = [name for name in IDENTIFIER.findall(query) if not CJK.search(name)]
    for word in WORD.findall(CJK.sub(" ", query)):
        if word.lower() not in STOP and len(word) <= 200:
            found.append(word)
            if CAMEL.fullmatch(word):
                found += parts(word)
    found += bigrams(query)
    return [Term(text) for text in islice(dict.fromkeys(found), MOST)]
