"""recall and remember through a real server process: the acceptance of the specifications, notes, what is hidden."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rg_core.config import load, set_values
from rg_core.documents.plan import plan
from rg_core.documents.sync import Settings, apply
from rg_core.mcp_server.handshake import load_front
from rg_core.store import open_documents
from rg_core.store.texts import Root
from tests.core.mcp_server.conftest import ME
from tests.core.mcp_server.rig import PATIENT, Rig

SPECS = Path(__file__).parents[1] / "recall" / "specs"
NAMES = ("resource", "recall", "remember", "cite")


@pytest.fixture
def harbor(remembered: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A memory of GitHub items, and of the synthetic specifications as project harbor."""
    directory = tmp_path / "harbor"
    shutil.copytree(SPECS, directory / "specs")
    set_values(remembered, {"projects.dirs": (f"harbor={directory}",)})
    config, store = load(remembered), open_documents(remembered)
    found = plan(store, ME, config, [Root("harbor", str(directory), str(directory))])
    apply(store, ME, found, Settings(config.documents.prefixes, front_matter=True), datetime.now(UTC))
    store.close()
    return remembered


@pytest.fixture
def rig(harbor: dict[str, str]) -> Iterator[Rig]:
    """A server over that memory, in the middle of a session."""
    with Rig(PATIENT, harbor) as server:
        server.hello()
        yield server


def addresses(text: str) -> list[str]:
    """The names of the results of an answer, in order."""
    lines = [line.split() for line in text.split("\n") if line[:1].isdigit()]
    return [Path(words[1]).stem for words in lines]


def test_the_specifications_that_a_port_must_know_are_found(rig: Rig) -> None:
    text, failed = rig.call("recall", query="SPEC-054 dependencies port plan TypeScript", limit=5)
    assert not failed
    assert set(addresses(text)) == {"SPEC-054", "SPEC-034", "SPEC-037", "SPEC-044", "SPEC-052"}
    assert "path: SPEC-054 REFERENCES SPEC-037" in text
    assert "path: SPEC-034 RELATES_TO SPEC-054, SPEC-037 DEPENDS_ON SPEC-034" in text
    assert len(text.encode()) <= 18_000
    again, _ = rig.call("recall", query="SPEC-054 dependencies port plan TypeScript", limit=5)
    assert addresses(again) == addresses(text)


def test_github_items_and_documents_are_one_memory(rig: Rig) -> None:
    text, _ = rig.call("recall", query="the body of issue one")
    assert "github:o/r#1" in text.split("\n1. ")[1].split("\n")[0]
    only, _ = rig.call("recall", query="the body of issue one", kinds=["document"])
    assert "github:" not in only
    named, _ = rig.call("recall", query="what is o/r#2 about")
    assert "1. github:o/r#2" in named


def test_the_past_is_asked_by_its_own_words(rig: Rig) -> None:
    text, _ = rig.call("recall", query="long connection over which the server writes", as_of="2025-07-20")
    assert "SPEC-033" in addresses(text)[:5]
    assert "superseded" not in text.split("SPEC-033")[1].split("\n\n")[0]
    before, _ = rig.call("recall", query="signals", as_of="2024-01-01")
    assert before.startswith("Nothing in memory matches: nothing is known before 2024-05-06")


def test_a_document_is_read_by_its_name_and_as_it_was(rig: Rig) -> None:
    text, failed = rig.resource(address="SPEC-034")
    assert not failed
    assert "Document doc:harbor/specs/SPEC-034.md from memory (hit)" in text
    history, _ = rig.resource(address="doc:harbor/specs/SPEC-033.md", page="history")
    assert "superseded" in history
    uri = next(word for word in text.split() if word.startswith("resources-graph://state/"))
    body = json.loads(rig.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"])
    assert body["address"] == "doc:harbor/specs/SPEC-034.md"
    miss, _ = rig.resource(address="SPEC-036")
    assert "near are" in miss


def test_a_note_is_remembered_with_its_author_and_recalled_at_once(rig: Rig) -> None:
    said, failed = rig.call(
        "remember", text="Retries stay at five: a sixth hides outages.", about=["SPEC-034"], kind="decision"
    )
    assert not failed
    key = said.split()[2].rstrip(".")
    text, _ = rig.call("recall", query="why do retries stay at five")
    assert addresses(text)[0] == key.rpartition("/")[2]
    assert "author test" in rig.resource(address=key)[0]
    refused, failed = rig.call("remember", text="the token is ghp_" + "a1" * 18)
    assert failed
    assert "a GitHub token" in refused


def test_a_document_that_changed_is_read_again(rig: Rig, harbor: dict[str, str]) -> None:
    directory = Path(load(harbor).projects.dirs[0].partition("=")[2])
    (directory / "specs" / "SPEC-060.md").write_text("# SPEC-060 Zebraquagga\n\n## Depends on\n\nSPEC-034\n")
    text, _ = rig.call("recall", query="zebraquagga")
    assert addresses(text)[0] == "SPEC-060"


def test_wrong_arguments_are_told_how_to_be_right(rig: Rig) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "query is missing"),
        ({"query": " "}, "query is missing"),
        ({"query": "x", "user": "eve"}, "unknown argument 'user'"),
        ({"query": "x", "limit": 51}, "from 1 to 50"),
        ({"query": "x", "kinds": ["commit"]}, "kinds is a list"),
        ({"query": "x", "as_of": "yesterday"}, "is not a time"),
        ({"query": "x", "repository": "nothing"}, "is no repository"),
    ]
    for arguments, why in cases:
        text, failed = rig.call("recall", **arguments)
        assert failed
        assert why in text


def test_no_query_is_an_error(rig: Rig) -> None:
    for query in ('a/b "open', "c++ AND (", "NEAR(x y)", "title:*", "^", "日本語の検索", "x\0y", "words " * 10_000,
                  "def f(): return {}", "'; DROP TABLE memory; --"):  # fmt: skip
        text, failed = rig.call("recall", query=query)
        assert not failed
        assert len(text.encode()) <= 18_000


def test_the_catalogue_is_small_and_hides_remember_where_notes_are_off(harbor: dict[str, str]) -> None:
    tools = load_front()["handshake"]["tools/list"]["tools"]
    assert [tool["name"] for tool in tools] == list(NAMES)
    assert len(json.dumps(tools, separators=(",", ":"))) < 5_000
    assert {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in tools} == {
        "resource": True, "recall": True, "remember": False, "cite": True,
    }  # fmt: skip
    set_values(harbor, {"documents.notes": "off"})
    with Rig(PATIENT, harbor) as desk:
        desk.hello()
        before = desk.ask("tools/list")["result"]
        refused, failed = desk.call("remember", text="x")  # from here on the SDK answers
        assert failed
        assert "notes are off" in refused
        assert desk.ask("tools/list")["result"] == before
    assert [tool["name"] for tool in before["tools"]] == ["resource", "recall", "cite"]


def test_another_user_finds_nothing_of_it(harbor: dict[str, str]) -> None:
    with Rig(PATIENT, harbor) as mine:
        mine.hello()
        assert "SPEC-054" in mine.call("recall", query="SPEC-054")[0]
    set_values(harbor, {"identity.user_id": "eve"})
    with Rig(PATIENT, harbor) as hers:
        hers.hello()
        text, _ = hers.call("recall", query="SPEC-054 signal shim")
        assert "SPEC-054.md" not in text
        assert "doc:" not in text
