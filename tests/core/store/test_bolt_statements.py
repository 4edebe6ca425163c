"""Every Cypher statement against what Memgraph's documentation says differs from Neo4j, and against our own rules."""

from __future__ import annotations

import re

import pytest

from rg_core.store.bolt import (
    assets_cypher,
    cypher,
    cypher_documents,
    cypher_schema,
    cypher_search,
    cypher_touches,
    schema,
)

STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": text
    for module in (cypher, cypher_documents, cypher_schema, cypher_search, cypher_touches)
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str)
} | {f"migration {number}": text for number, text in enumerate(cypher_schema.MIGRATION)}
STATEMENTS |= {  # with the labels of one version of the index
    "search.add_versions": cypher_search.add_versions("RgText1", "RgNow1"),
    "search.add_vectors": cypher_search.add_vectors("RgNear1"),
    "search.relabel": cypher_search.relabel("HAS_TEXT", "RgNow1", "RgPast1"),
    "search.rows": cypher_search.rows("RgNow1"),
    "search.found": cypher_search.found("HAS_TEXT"),
}
SHARED = {"Session", "ForgottenSession", "ToolCall", "Action", "Agent"}  # the family's, joined

# What Neo4j 5 understands and Memgraph does not, or understands otherwise; as its documentation tells.
NOT_IN_MEMGRAPH = {
    "a subquery in braces": r"\b(CALL|EXISTS|COUNT|COLLECT)\s*(\([^)]*\)\s*)?\{",
    "CALL ... IN TRANSACTIONS": r"\bIN TRANSACTIONS\b",
    "a pattern as a predicate": r"\b(WHERE|AND|OR|NOT)\s+(NOT\s+)?\(\w*(:\w+)?[^)=<>]*\)\s*<?-",
    "a pattern comprehension": r"\[\s*\(\w*(:\w+)?\)\s*<?-",
    "a label expression": r"\(\w*:\w+\s*[|&!]",
    "a quantified path": r"\)\s*(\{\d|\+|\*)|->\s*(\+|\{)",
    "shortestPath": r"\bshortestPath\b|\bSHORTEST\b",
    "elementId": r"\belementId\s*\(",
    "a type predicate": r"\bIS\s+(NOT\s+)?::|\bIS TYPED\b",
    "an index hint": r"\bUSING\s+(INDEX|SCAN|JOIN)\b",
    "LOAD CSV of Neo4j": r"\bLOAD CSV\b",
    "a dynamic label": r":\$\(",
    "a procedure of Neo4j": r"\bCALL\s+(db|dbms|apoc)\.",
    "microseconds or milliseconds": r"\b(timestamp|datetime|localdatetime)\s*\(",
    "a function it lacks": r"\b(isEmpty|randomUUID|toStringOrNull|toIntegerOrNull|nullIf|char_length)\s*\(",
    "FINISH": r"\bFINISH\b",
}
# Words of the language as names of properties are safe in neither grammar's every version.
KEYWORDS = "order limit skip where with match return case when then else end in is null set delete exists all any"


@pytest.mark.parametrize("name", STATEMENTS)
def test_memgraph_understands_it_as_neo4j_does(name: str) -> None:
    found = [what for what, pattern in NOT_IN_MEMGRAPH.items() if re.search(pattern, STATEMENTS[name])]
    assert not found


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_property_is_named_like_a_word_of_the_language(name: str) -> None:
    names = re.findall(r"\b[a-z]\w*\.(\w+)", STATEMENTS[name])
    assert not set(names) & set(KEYWORDS.split())


@pytest.mark.parametrize("name", STATEMENTS)
def test_values_are_parameters(name: str) -> None:
    """No text but our own fixed words: kinds, prefixes, statuses."""
    ours = {
        "repository",
        "issue",
        "pull_request",
        "#",
        "github:",
        "",
        " ",
        "tool_call",
        "memory",
        "resolved",
        "CACHE_READ",
        "[0-9a-f]+",
    }
    assert set(re.findall(r"'([^']*)'", STATEMENTS[name])) <= ours
    assert "%" not in STATEMENTS[name]
    assert not re.search(r"(?<!\$)\{\s*\w+\s*\}", STATEMENTS[name])  # the hole of a format string


def test_no_statement_is_written_anywhere_else() -> None:
    """All Cypher is in one module, which the others name."""
    import ast
    from pathlib import Path

    words = re.compile(r"\b(MATCH|MERGE|UNWIND|DETACH)\b\s*[(\w$]")
    for path in Path(cypher.__file__).parent.parent.rglob("*.py"):
        if "cypher" in path.name:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and words.search(node.value):
                assert node.value.count("\n\n") or "Cypher" in node.value, (path, node.value)  # prose


@pytest.mark.parametrize(
    ("agent", "server"),
    [
        ("Neo4j/5.26.30", "neo4j"),
        ("Neo4j/2026.08.1", "neo4j"),
        ("Neo4j/v5.11.0 compatible graph database server - Memgraph", "memgraph"),
        ("", "neo4j"),
    ],
)
def test_a_server_is_known_by_what_it_calls_itself(agent: str, server: str) -> None:
    assert schema.server(agent) == server


def test_memgraph_gets_its_own_schema_statements() -> None:
    """A constraint makes no index there, so a unique property needs both; there is no IF NOT EXISTS and no name."""
    statements = schema.statements("memgraph", "unique", schema.UNIQUE)
    statements += schema.statements("memgraph", "index", schema.INDEXED)
    for label, property_ in schema.UNIQUE:
        assert f"CREATE CONSTRAINT ON (n:{label}) ASSERT n.{property_} IS UNIQUE" in statements
    for label, property_ in (*schema.UNIQUE, *schema.INDEXED):
        assert f"CREATE INDEX ON :{label}({property_})" in statements
    assert not [text for text in statements if "IF NOT EXISTS" in text or " FOR " in text]


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_lookup_has_an_index(name: str) -> None:
    """Each node that a statement begins from by a property is found by a constraint or an index."""
    indexed = {*schema.UNIQUE, *schema.INDEXED}
    found = set(re.findall(r"\(\w*:(\w+) \{(\w+):", STATEMENTS[name]))
    assert found <= indexed


@pytest.mark.parametrize("name", [name for name in STATEMENTS if not name.startswith(("migration", "cypher_schema"))])
def test_t04_everything_is_found_by_a_label_of_our_own(name: str) -> None:
    """Others use the public labels too. They are only ever put beside ours, on a node that ours made."""
    labels = re.findall(r"\(\w*:(\w+)", STATEMENTS[name])
    assert {label for label in labels if not label.startswith("Rg")} <= SHARED


def test_each_kind_of_server_is_asked_for_its_indexes_in_its_own_words() -> None:
    """Memgraph's by its documentation: procedures of its own, a property named with `data.`, no IF NOT EXISTS."""
    neo4j, memgraph = (cypher_search.FIND[name] for name in ("neo4j", "memgraph"))
    assert neo4j.keys() == memgraph.keys()
    assert not [text for text in memgraph.values() if re.search(r"\bdb\.|IF NOT EXISTS|OPTIONS", text)]
    assert memgraph["make text"].format(name="RgNow1", label="RgNow1") == (
        "CREATE TEXT INDEX RgNow1 ON :RgNow1(title, body, comments, tags)"
    )
    assert "CALL text_search.search($name, asked.words, $most) YIELD node, score" in memgraph["text"]
    assert "CALL vector_search.search($name, $most, $vector) YIELD node, similarity" in memgraph["vector"]
    assert '{"dimension": 256, "capacity": 1000000, "metric": "cos"}' in memgraph["make vector"].format(
        name="RgNear1", label="RgNear1", size=256
    )


def test_assets_and_what_memory_holds_share_no_label_of_their_own() -> None:
    """Both match by labels alone: a page of an asset would be taken for a document."""

    def names(*texts: str) -> set[str]:
        return {name for text in texts for name in re.findall(r":(Rg\w+)", text)}

    of_assets = names(*(text for text in vars(assets_cypher).values() if isinstance(text, str)))
    assert {"RgAsset", "RgPage"} <= of_assets
    assert of_assets & names(*STATEMENTS.values()) == {"RgState"}  # what an asset was made from
