"""What every engine for assets does: the same tests over the local file and a Bolt server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets import rows
from rg_core.assets.model import NOTHING, Asset, Content, Identity, Version
from rg_core.recall.folding import folded
from rg_core.recall.terms import terms
from rg_core.store.asset_rows import (
    AssetRows,
    CallRow,
    FileRows,
    LinkRow,
    MaybeRow,
    PageRow,
    Parts,
    SymbolRow,
    TextRow,
    file_part,
)
from rg_core.store.bolt.assets import BoltAssets
from rg_core.store.sqlite.assets import SqliteAssets
from tests.bolt_server import PATIENCE, BoltServers
from tests.core.assets import worlds

SEEDS = range(4)
X, Y, Z = (SymbolRow(n, name, f"m.{name}", "function", f"{name > 'x'}.py", n, n + 1) for n, name in enumerate("xyz"))
PARTS = Parts(
    [PageRow("a.md", "A", "1", "alpha words", "a.md#a"), PageRow("b.md", "B", "2", "beta", "b.md#b")],
    [LinkRow("a.md", "b.md", 1), LinkRow("a.md", "gone.md", 0)],
    [
        file_part(FileRows([X], [CallRow(0, 2, 5, "scope")], [MaybeRow(0, "z", 9)])),
        file_part(FileRows([Y, Z], [CallRow(1, 2, 6, "self"), CallRow(2, 0, 7, "typed")], [MaybeRow(1, "z", 9)])),
    ],
    [TextRow("", "name", "the body"), TextRow("a.md", "A", "alpha words"), TextRow("b.md", "B", "beta")],
)


@pytest.fixture(params=["embedded", pytest.param("bolt", marks=pytest.mark.bolt)])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AssetRows]:
    """A new, empty engine."""
    made: AssetRows
    if request.param == "embedded":
        made = SqliteAssets(str(tmp_path / "assets.db"))
    else:
        servers: BoltServers = request.getfixturevalue("bolt_servers")
        made = BoltAssets(servers.empty_store().connection, read_seconds=PATIENCE)
    yield made
    made.close()


def as_listed(asset: Asset) -> Asset:
    """What a list has of an asset."""

    def shown(version: Version | None) -> Version | None:
        if version is None:
            return None
        content = version.content._replace(body=None, payload=NOTHING)
        return version._replace(
            content=content, policy=asset.policy, provenance=NOTHING, by="", via="", act="", note=None
        )

    head = shown(asset.head)
    assert head
    return asset._replace(source_key="", created_at="", head=head, effective=shown(asset.effective))


def with_parts(engine: AssetRows, parts: Parts = PARTS, name: str = "n", key: str = "as_1", body: str = "b") -> str:
    """Write an asset with one version; the id of its content."""
    content = Content(name, "d", body)
    version = Version(1, "approved", worlds.AT, content.sha256(), content, worlds.policy(random.Random(1)), "ann")
    asset = Asset(key, "harbor", "code_graph", key, worlds.AT, version, version)
    with engine.transaction():
        engine.add(rows.asset_row(asset), rows.version_row(key, version), rows.content_row(content), parts)
    return version.content_id


def test_everything_reads_back_as_it_was_written(engine: AssetRows) -> None:
    made = {seed: worlds.world(random.Random(seed), f"w{seed}") for seed in SEEDS}
    for world in made.values():
        worlds.write(engine, world.values())
    for seed, world in made.items():
        listed = {one.id: rows.listed(one, f"w{seed}") for one in engine.load(f"w{seed}")}
        assert listed == {key: as_listed(one.asset) for key, one in world.items()}
        for key, one in world.items():
            alone, whole = engine.listed(f"w{seed}", key), engine.get(key)
            assert alone
            assert whole
            assert rows.listed(alone, f"w{seed}") == listed[key]
            assert engine.listed("elsewhere", key) is None
            assert rows.asset_of(whole) == one.asset
            assert [rows.version_of(row, rows.content_of(said)) for row, said in engine.versions(key)] == one.versions
            assert engine.body(one.asset.head.content_id) == one.asset.head.content.body
    assert engine.get("as_none") is None
    assert engine.listed("w0", "as_none") is None
    assert not list(engine.load("elsewhere"))
    assert not engine.versions("as_none")


def graphs(parts: Parts) -> dict[str, list[list[Any]]]:
    return {one.id: [sorted(rows) for rows in one.load()] for one in parts.files}


def test_parts_read_back_and_answer(engine: AssetRows) -> None:
    content = with_parts(engine)
    got = engine.parts(content)
    assert [sorted(got.pages), sorted(got.links)] == [sorted(PARTS.pages), sorted(PARTS.links)]
    assert graphs(got) == graphs(PARTS)
    assert engine.pages(content) == [page._replace(body="") for page in PARTS.pages]
    assert engine.page(content, "b.md") == PARTS.pages[1]
    assert engine.page(content, "c.md") is None
    cited = engine.citing([content, "none"], ["b.md#b", "x"])
    assert cited == [(content, PARTS.pages[1]._replace(body=""))]
    assert not engine.citing(["none"], ["b.md#b"])
    assert [one.id for one in engine.symbols(content, "z")] == [one.id for one in engine.symbols(content, "m.z")] == [2]
    called = [(one.symbol.name, one.line, one.how) for one in engine.neighbours(content, 2, callers=True)]
    assert called == [("x", 5, "scope"), ("y", 6, "self")]
    assert [one.symbol.name for one in engine.neighbours(content, 2, callers=False)] == ["x"]
    assert (engine.maybes(content, "z"), engine.maybes(content, "x")) == (2, 0)


def test_search_finds_in_the_asked_contents_alone(engine: AssetRows) -> None:
    first = with_parts(engine)
    second = with_parts(engine, Parts(texts=[TextRow("", "m", "beta")]), "m", "as_2", "beta")
    assert [(hit.content, hit.path) for hit in engine.search(["alpha"], [first, second], 5)] == [(first, "a.md")]
    assert {hit.content for hit in engine.search(["beta"], [first, second], 5)} == {first, second}
    assert {hit.content for hit in engine.search(["beta"], [second], 5)} == {second}
    assert len(engine.search(["beta", "alpha"], [first], 1)) == 1
    assert not engine.search(["gamma"], [first, second], 5)
    assert not engine.search(["alpha"], [], 5)
    assert "alpha" in engine.search(["alpha"], [first], 5)[0].snippet


@pytest.mark.parametrize(
    ("query", "found"),
    [("release", True), ("RELEASING", True), ("start", True), ("art", False), ("header", True), ("東京", True),
     ("京都", True), ("東都", False), ('x"y', False)],
)  # fmt: skip
def test_search_finds_words_not_parts_of_them(engine: AssetRows, query: str, found: bool) -> None:
    content = with_parts(engine, Parts(texts=[TextRow("", "m", folded("Releases start in 東京都 by parseHTTPHeader"))]))
    assert bool(engine.search([term.text for term in terms(query)], [content], 5)) == found


def test_what_is_removed_takes_nothing_of_others_along(engine: AssetRows) -> None:
    shared = with_parts(engine)
    assert with_parts(engine, key="as_2") == shared
    own = with_parts(engine, name="m", key="as_3")
    with engine.transaction():
        engine.remove("as_1")
        engine.remove("as_3")
    assert [one.id for one in engine.load("harbor")] == ["as_2"]
    assert engine.body(shared) == "b"
    assert len(engine.parts(shared).pages) == 2
    assert engine.body(own) is None
    assert not any(engine.parts(own))


def test_a_transaction_that_fails_writes_nothing(engine: AssetRows) -> None:
    who = Identity("ann", "harbor")

    def half() -> None:
        with engine.transaction():
            engine.note(rows.audit_row(who, worlds.AT, "cli", "register"))
            raise KeyError("in the middle")

    with pytest.raises(KeyError):
        half()
    assert not list(engine.audit("harbor"))
    with_parts(engine)
    assert [one.id for one in engine.load("harbor")] == ["as_1"]


def test_audit_is_of_one_project_newest_first(engine: AssetRows) -> None:
    written: list[Any] = []
    for n in range(4):
        row = rows.audit_row(Identity("ann", f"p{n % 2}"), f"2026-11-0{n + 1}T00:00:00Z", "cli", "get", asset=f"as_{n}")
        with engine.transaction():
            engine.note(row)
        written.append(row)
    assert list(engine.audit("p1")) == [written[3], written[1]]
    assert list(engine.audit("p0", "2026-11-02T00:00:00Z")) == [written[2]]
