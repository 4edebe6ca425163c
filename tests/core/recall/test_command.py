"""rg-memory recall as a user calls it: the acceptance, the past, GitHub items and documents in one answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.documents.conftest import Project
from tests.core.reading import samples
from tests.core.recall.conftest import remember_items, share_memory
from tests.core.store.conftest import ENGINES


@pytest.fixture(autouse=True, params=ENGINES)
def _memory(request: pytest.FixtureRequest, project: Project) -> None:
    """Everything here holds with the public content in a file of this machine, and on a server."""
    if request.param == "bolt":
        share_memory(project.environ, request.getfixturevalue("bolt_servers"))


def found(project: Project, *arguments: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = project.json("recall", *arguments)["results"]
    return results


def names(results: list[dict[str, Any]]) -> list[str]:
    return [Path(result["address"]).stem for result in results]


def test_what_a_port_must_know_is_among_the_first_five(harbor: Project) -> None:
    answer = harbor.json("recall", "SPEC-054 dependencies port plan TypeScript", "--limit", "5")
    assert set(names(answer["results"])) == {"SPEC-054", "SPEC-034", "SPEC-037", "SPEC-044", "SPEC-052"}
    assert {key: answer[key] for key in ("recall", "class", "match", "page", "more", "k", "half_life_days")} == {
        "recall": None, "class": "architectural", "match": "strong", "page": 1, "more": True, "k": 60,
        "half_life_days": 180,
    } | ({"recall": answer["recall"]} if answer["recall"] else {})  # fmt: skip
    assert answer["legs"]["graph"] == {"weight": 8, "voted": True}
    (spec,) = [result for result in answer["results"] if "SPEC-037" in result["address"]]
    assert spec["kind"] == "document"
    assert spec["named"] is None
    assert spec["legs"]["graph"]["raw"] == 1.5
    assert spec["paths"] == [
        "SPEC-054 REFERENCES SPEC-037",
        "SPEC-034 RELATES_TO SPEC-054, SPEC-037 DEPENDS_ON SPEC-034",
    ]
    assert spec["staleness"].keys() == {"last_verified_at", "age_days", "superseded", "superseded_by"}
    assert spec["staleness"]["last_verified_at"]
    assert answer["results"][0]["named"] == 1
    assert answer["results"][0]["legs"]["graph"] is None


def test_direction_ranks_what_was_asked_for_first(harbor: Project) -> None:
    incoming = names(found(harbor, "what depends on SPEC-034"))
    assert set(incoming[1:4]) == {"SPEC-037", "SPEC-044", "SPEC-052"}
    outgoing = found(harbor, "what does SPEC-054 need")
    assert names(outgoing)[:3] == ["SPEC-054", "SPEC-037", "SPEC-034"]


def test_the_past_is_searched_by_what_it_said(harbor: Project) -> None:
    then = found(harbor, "long connection over which the server writes", "--as-of", "2025-07-20")
    assert "SPEC-033" in names(then)[:5]
    assert not {"SPEC-034", "SPEC-037", "SPEC-044"} & set(names(then))
    assert [one["staleness"]["superseded"] for one in then if "SPEC-033" in one["address"]] == [False]
    now = found(harbor, "long connection over which the server writes")
    (spec,) = [one for one in now if "SPEC-033" in one["address"]]
    assert spec["staleness"]["superseded"]
    successor = next(one for one in found(harbor, "SPEC-034") if "SPEC-034" in one["address"])
    assert spec["staleness"]["superseded_by"] == successor["memory_id"]


def test_as_of_returns_the_text_of_that_time(harbor: Project) -> None:
    file = harbor.root / "specs" / "SPEC-010.md"
    text = file.read_text().replace("version: v", "version: v9").replace("date: 202", "date: 2026-11-01 # was 202")
    (before,) = [one["title"] for one in found(harbor, "SPEC-010", "--limit", "1")]
    file.write_text(text.replace(f"# {before}", "# SPEC-010 — Another title") + "\nZebraquagga rules.\n")
    harbor.run("documents", "sync", "--yes")
    assert names(found(harbor, "zebraquagga"))[0] == "SPEC-010"
    assert "SPEC-010" not in names(found(harbor, "zebraquagga", "--as-of", "2026-01-01"))
    titles = [found(harbor, "SPEC-010", *then)[0]["title"] for then in ((), ("--as-of", "2026-01-01"))]
    assert titles == ["SPEC-010 — Another title", before]


def test_a_30_day_old_stands_above_a_6_month_old_at_equal_match(project: Project) -> None:
    from datetime import UTC, datetime, timedelta

    for name, days in (("a", 180), ("b", 30)):
        date = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%d")
        project.write(f"{name}.md", f"---\nversion: 1\ndate: {date}\n---\n# Retry budget\n\nRaised to five.\n")
    project.run("documents", "add", ".", "--yes")
    assert names(found(project, "retry budget raised")) == ["b", "a"]


def test_items_and_documents_are_found_together(harbor: Project) -> None:
    body = "We see a dropped duplicate.\n\n## Depends on\n\n- #2\n- SPEC-037\n"
    item = samples.item(title="Duplicates are shown twice", body=body)
    other = samples.item(number=2, node_id="I_2", title="HttpClientFactory leaks", body="日本語の検索ができない")
    remember_items(harbor, item, other)
    assert found(harbor, "duplicates are shown twice")[0]["address"] == "github:o/r#1"
    assert found(harbor, "factory")[0]["address"] == "github:o/r#2"
    assert found(harbor, "日本語の検索")[0]["address"] == "github:o/r#2"
    related = found(harbor, "what is related to o/r#1")
    assert related[0]["named"] == 1
    assert {"SPEC-037"} <= set(names(related[:4]))
    assert "o/r#1 DEPENDS_ON SPEC-037" in " ".join(path for one in related for path in one["paths"])
    assert {one["kind"] for one in found(harbor, "signals duplicates", "--kind", "issue")} == {"issue"}
    assert {one["kind"] for one in found(harbor, "signals", "--repository", "o/r")} <= {"issue", "repository"}


def test_a_tree_shows_what_stands_around(harbor: Project) -> None:
    tree = harbor.run("recall", "--graph", "SPEC-054").split("\n")
    assert tree[0].startswith("SPEC-054  SPEC-054 — Node shim")
    assert "  -> REFERENCES ADR-007  (not stored)" in tree
    assert any(line.startswith("    -> DEPENDS_ON SPEC-034") for line in tree)
    assert "nothing that memory knows" in harbor.run("recall", "--graph", "SPEC-999", code=1)


def test_nothing_that_matches_is_said(harbor: Project) -> None:
    assert harbor.json("recall", "pizza oven recipe dough")["match"] == "weak"
    assert "Nothing in memory matches" in harbor.run("recall", "pizza oven recipe dough").split("\n")[0]
    assert "nothing is known before 2024-05-06" in harbor.run("recall", "signals", "--as-of", "2024-01-01")


def test_pages_go_on_where_the_one_before_ended(harbor: Project) -> None:
    first = found(harbor, "signals", "--limit", "3")
    second = found(harbor, "signals", "--limit", "3", "--page", "2")
    assert [one["position"] for one in first + second] == [1, 2, 3, 4, 5, 6]
    assert names(first + second) == names(found(harbor, "signals", "--limit", "6"))


@pytest.mark.parametrize("weights", ["measured", "equal"])
def test_each_weight_changes_an_order(harbor: Project, weights: str) -> None:
    harbor.run("config", "set", "recall.weights", weights)
    legs = harbor.json("recall", "SPEC-054 dependencies")["legs"]
    assert legs["graph"]["weight"] == (8 if weights == "measured" else 1)
    before = names(found(harbor, "SPEC-054 dependencies reason", "--limit", "20"))
    for numbers in ("50:1:1", "1:50:1", "1:1:50"):
        harbor.run("config", "set", "recall.class_weights", f"decision={numbers},architectural={numbers}")
        after = names(found(harbor, "SPEC-054 dependencies reason", "--limit", "20"))
        assert after != before
        before = after


def test_nothing_of_a_document_leaves_the_machine(harbor: Project, tmp_path: Path) -> None:
    harbor.write("specs/SPEC-060.md", "# SPEC-060 Zebraquagga\n\nOkapizorilla.\n")
    harbor.run("documents", "sync", "--yes")
    harbor.run("remember", "Gerenuktopi")
    harbor.run("recall", "zebraquagga")
    harbor.run("export", str(tmp_path / "out.jsonl"))
    text = (tmp_path / "out.jsonl").read_text().lower()
    assert not any(word in text for word in ("zebraquagga", "okapizorilla", "gerenuktopi", "harbor"))
    files = {path.name for path in Path(harbor.environ["XDG_DATA_HOME"]).rglob("*")
             if path.is_file() and b"okapizorilla" in path.read_bytes().lower()}  # fmt: skip
    assert files <= {"documents.db", "recall-1.db", "documents.db-wal", "recall-1.db-wal"}


def test_what_is_forgotten_is_in_no_file_s_bytes(harbor: Project) -> None:
    harbor.run("config", "set", "telemetry.query_text", "false")  # here they are the words to look for
    harbor.write("specs/SPEC-060.md", "# SPEC-060 Zebraquagga\n\nOkapizorilla one.\n")
    harbor.run("documents", "sync", "--yes")
    harbor.write("specs/SPEC-060.md", "# SPEC-060 Zebraquagga\n\nOkapizorilla two, and three.\n")
    harbor.run("documents", "sync", "--yes")
    note = harbor.run("remember", "Gerenuktopi stays at five").strip()
    remember_items(harbor, samples.item(title="Bontebokkudu", body="hartebeestnyala"))
    for word in ("zebraquagga", "gerenuktopi", "bontebokkudu"):
        assert len(found(harbor, word, "--limit", "1")) == 1
    for address in ("SPEC-060", note, "o/r#1"):
        harbor.run("forget", address, "--yes")
    data = Path(harbor.environ["XDG_DATA_HOME"])
    words = (b"zebraquagga", b"okapizorilla", b"gerenuktopi", b"bontebokkudu", b"hartebeestnyala")
    for file in data.rglob("*"):
        if file.is_file():
            content = file.read_bytes().lower()
            assert not [word for word in words if word in content], file
    assert harbor.json("recall", "zebraquagga gerenuktopi bontebokkudu")["match"] == "weak"


def test_json_is_one_object_on_one_line(harbor: Project) -> None:
    assert json.loads(harbor.run("recall", "signals", "--json"))["query"] == "signals"
    assert "give either words" in harbor.run("recall", code=1)
