"""Which way a question about a thing looks: what leans on it, or what it leans on."""

import pytest

from rg_core.recall.query_class import direction

INCOMING = (
    "what depends on SPEC-034",
    "who uses SPEC-034",
    "affected by SPEC-034",
    "who relies on SPEC-034",
    "which specs rely on SPEC-034",
    "consumers of SPEC-034",
    "what is SPEC-034 used by",
    "what's SPEC-034 needed by",
    "which specs would be impacted by SPEC-034",
    "SPEC-034 dependents",
    "downstream of SPEC-034",
    "what breaks if SPEC-034 changes",
    "what would break if SPEC-034 changes",
    "which documents extend SPEC-006",
    "what extends SPEC-006",
    "what implements SPEC-004",
    "what requires SPEC-010",
    "is SPEC-034 used by SPEC-044",
    "which texts build on SPEC-034",
    "everything that depends on SPEC-034",
    "list all specs depending on SPEC-034",
    "specs that use SPEC-034",
    "anything built on SPEC-034",
    "who calls SPEC-034",
    "impact of SPEC-034",
    "what is based on SPEC-034",
    "what is built on SPEC-034",
    "what are built on top of SPEC-034",
)
OUTGOING = (
    "what does SPEC-054 need",
    "prerequisites of SPEC-054",
    "what is SPEC-054 built on",
    "SPEC-054 is built on",
    "what is SPEC-054 based on",
    "what does SPEC-054 rely on",
    "what does SPEC-054 depend on",
    "dependencies of SPEC-054",
    "upstream of SPEC-054",
    "what does SPEC-009 implement",
    "what does SPEC-032 extend",
    "what does SPEC-010 require",
    "things SPEC-054 depends on",
    "what SPEC-054 depends on",
    "what SPEC-054 needs",
    "what SPEC-054 is built on",
    "on what does SPEC-054 depend",
    "what are the dependencies of SPEC-054",
    "what are SPEC-054's dependencies",
    "what do I need to read before SPEC-054",
    "which specifications does SPEC-054 build on",
    "what was SPEC-054 based on",
)
BOTH = (
    "tell me about SPEC-054",
    "SPEC-054 dependencies",
    "related to SPEC-041",
)


@pytest.mark.parametrize("query", INCOMING)
def test_what_leans_on_it(query: str) -> None:
    assert direction(query) == "in"


@pytest.mark.parametrize("query", OUTGOING)
def test_what_it_leans_on(query: str) -> None:
    assert direction(query) == "out"


@pytest.mark.parametrize("query", BOTH)
def test_both(query: str) -> None:
    assert direction(query) == ""
