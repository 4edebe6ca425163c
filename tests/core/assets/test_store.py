from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rg_core.assets.errors import Refused
from rg_core.assets.loadout import LoadoutRequest
from rg_core.assets.store import Assets, Source
from rg_core.store.asset_rows import CallRow, FilePart, FileRows, MaybeRow, PageRow, Parts, SymbolRow, file_part
from rg_core.store.sqlite import assets_sql
from rg_core.store.sqlite.assets import SqliteAssets
from tests.core.assets.people import AGENT, ALICE, BOB, CLI, ELSEWHERE, IMPORT, NOBODY, NOW, NOWHERE, SKILL


def refusal(act: Callable[[], object]) -> str:
    """The word of the refusal that an act meets."""
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.word


def page(path: str, body: str) -> PageRow:
    return PageRow(path, path, hashlib.sha256(body.encode()).hexdigest(), body, f"{path}#top")


def wiki(*pages: PageRow) -> Source:
    return Source("wiki:docs", {"source_type": "wiki", "source_ref": "docs"}, Parts(pages=pages))


def test_registered_asset_is_there_for_its_owner_alone(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    assert (done.version, done.status, done.effective, done.new) == (1, "approved", 1, True)
    assert [asset.id for asset in assets.readable(ALICE)] == [done.id]
    assert assets.get(ALICE, done.id[:8]).head.content.body == SKILL["body"]
    assert not assets.readable(BOB)
    assert refusal(lambda: assets.get(BOB, done.id)) == "not_found"


def test_missing_and_unreadable_assets_get_the_same_answer(assets: Assets) -> None:
    hers = assets.register(ALICE, "skill", SKILL, CLI).id
    none = "as_" + "0" * 20
    acts: list[Callable[[str], object]] = [
        lambda key: assets.get(BOB, key),
        lambda key: assets.history(BOB, key),
        lambda key: assets.rights(BOB, key),
        lambda key: assets.editable(BOB, key),
        lambda key: assets.pages(BOB, key),
        lambda key: assets.page(BOB, key, "x"),
        lambda key: assets.ask_code(BOB, key, "callers", "x"),
        lambda key: assets.audit(BOB, key),
        lambda key: assets.revise(BOB, key, {"body": "y"}, CLI),
        lambda key: assets.govern(BOB, key, {"status": "approved"}, CLI),
        lambda key: assets.forget(BOB, key, CLI),
    ]
    for act in acts:
        texts = []
        for key in (hers, none):
            with pytest.raises(Refused) as caught:
                act(key)
            texts.append((caught.value.word, str(caught.value).replace(key, "ID")))
        assert texts[0] == texts[1]


def test_registering_again_revises_and_two_peoples_equal_names_do_not_meet(assets: Assets) -> None:
    first = assets.register(ALICE, "skill", SKILL, CLI)
    again = assets.register(ALICE, "skill", {**SKILL, "body": "Shorter."}, CLI)
    same = assets.register(ALICE, "skill", {**SKILL, "body": "Shorter."}, CLI)
    bobs = assets.register(BOB, "skill", SKILL, CLI)
    assert (again.id, again.version, again.new, again.changed) == (first.id, 2, False, True)
    assert (same.version, same.changed) == (2, False)
    assert bobs.id != first.id


def test_importing_what_somebody_else_keeps_private_makes_an_own_asset(assets: Assets) -> None:
    hers = assets.register(ALICE, "llm_wiki", {"name": "wiki"}, IMPORT, wiki(page("a.md", "A")))
    his = assets.register(BOB, "llm_wiki", {"name": "wiki"}, IMPORT, wiki(page("a.md", "A")))
    again = assets.register(BOB, "llm_wiki", {"name": "wiki"}, IMPORT, wiki(page("a.md", "A")))
    assert his.new
    assert his.id != hers.id
    assert (again.id, again.changed) == (his.id, False)


def test_a_changed_page_is_new_content_and_waits(assets: Assets) -> None:
    done = assets.register(ALICE, "llm_wiki", {"name": "wiki"}, IMPORT, wiki(page("a.md", "old words")))
    assets.govern(ALICE, done.id, {"status": "approved"}, CLI)
    revised = assets.register(ALICE, "llm_wiki", {"name": "wiki"}, IMPORT, wiki(page("a.md", "new words")))
    assert (revised.status, revised.version, revised.effective) == ("candidate", 3, 2)
    found = assets.page(ALICE, done.id, "a.md")
    assert found is not None
    assert found.body == "old words"
    assert [hit.path for _, hit in assets.search(ALICE, "old")] == ["a.md"]
    assert not assets.search(ALICE, "new")
    assert not assets.search(BOB, "old")


def test_history_says_who_changed_what(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    assets.govern(ALICE, done.id, {"visibility": "project", "priority": 0.8}, CLI, note="for everybody")
    versions = assets.history(BOB, done.id)
    assert [(one.n, one.act, one.by, one.note) for one in versions] == [
        (1, "register", "alice", None),
        (2, "govern", "alice", "for everybody"),
    ]
    assert versions[1].policy.priority == 800


def test_policy_reads_back_as_it_was_given(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    patch = {
        "visibility": "team", "teams": ["core", "wéb"], "follow": True, "confidence": 0.123,
        "acl": [{"effect": "deny", "subject": "agent:*", "rights": ["use", "read"]}],
        "bindings": [{"target": "agent:rev", "mode": "direct", "priority": 0, "required": True, "enabled": False}],
        "expires_at": "2027-01-01T00:00:00Z",
    }  # fmt: skip
    assets.govern(ALICE, done.id, patch, CLI)
    got = assets.get(ALICE, done.id).policy.json()
    assert {name: got[name] for name in patch} == patch


def test_owner_who_may_not_read_can_still_repair(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    denied = [{"effect": "deny", "subject": "user:alice", "rights": ["read"]}]
    assets.govern(ALICE, done.id, {"acl": denied}, CLI)
    assert refusal(lambda: assets.get(ALICE, done.id)) == "not_found"
    assert assets.editable(ALICE, done.id)[1].acl
    assets.govern(ALICE, done.id, {"acl": []}, CLI)
    assert assets.get(ALICE, done.id).head.n == 3


def test_every_act_and_refusal_leaves_one_row_of_the_audit(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    assets.govern(ALICE, done.id, {"priority": 0.9}, CLI)
    assets.govern(ALICE, done.id, {"priority": 0.9}, CLI)
    refusal(lambda: assets.govern(ALICE, done.id, {"status": "approved"}, AGENT))
    refusal(lambda: assets.govern(BOB, done.id, {"status": "approved"}, CLI))
    with assets.audited(ALICE, AGENT, "loadout"):
        assets.loadout(ALICE, LoadoutRequest(NOW))
    told = [(row.user, row.op, row.n, row.outcome, row.detail) for row in assets.audit(ALICE)]
    assert told == [
        ("alice", "loadout", 0, "ok", ""),
        ("bob", "govern", 0, "not_found", "status"),
        ("alice", "govern", 0, "human_only", "status"),
        ("alice", "govern", 2, "unchanged", "priority"),
        ("alice", "govern", 2, "ok", "priority"),
        ("alice", "register", 1, "ok", ""),
    ]
    assert [row.op for row in assets.audit(BOB)] == ["govern"]  # his own


def test_audit_and_errors_hold_no_content(assets: Assets, tmp_path: Path) -> None:
    done = assets.register(ALICE, "skill", {**SKILL, "body": "zebra"}, CLI)
    refusal(lambda: assets.revise(ALICE, done.id, {"body": "zebra" * 100_000}, CLI))
    refusal(lambda: assets.get(ALICE, "zebra"))
    with pytest.raises(Refused), assets.audited(ALICE, AGENT, "get", "zebra"):
        assets.get(ALICE, "zebra")
    assert "zebra" not in repr(list(assets.audit(ALICE)))


def test_forget_leaves_no_word_but_its_audit_row(assets: Assets, tmp_path: Path) -> None:
    keep = assets.register(ALICE, "skill", {**SKILL, "name": "kept"}, CLI)
    done = assets.register(ALICE, "llm_wiki", {"name": "wiki", "body": "zebrafish"}, CLI, wiki(page("p", "quagga")))
    assets.revise(ALICE, done.id, {"summary": "okapi"}, CLI)
    assets.govern(ALICE, done.id, {"visibility": "project"}, CLI)
    assert refusal(lambda: assets.forget(BOB, done.id, CLI)) == "forbidden"
    assert assets.forget(ALICE, done.id[:12], CLI) == done.id
    assert [asset.id for asset in assets.readable(ALICE)] == [keep.id]
    assert [row.op for row in assets.audit(ALICE, done.id)] == ["forget", "govern", "revise", "register"]
    assets.close()
    data = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())
    for word in (b"zebrafish", b"quagga", b"okapi"):
        assert word not in data


def test_content_that_two_assets_share_stays_when_one_is_forgotten(assets: Assets) -> None:
    first = assets.register(ALICE, "skill", SKILL, CLI)
    second = assets.register(BOB, "skill", SKILL, CLI)
    assets.forget(ALICE, first.id, CLI)
    assert assets.get(BOB, second.id).head.content.body == SKILL["body"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE version SET status = 'approved'",
        "UPDATE content SET body = 'x'",
        "UPDATE audit SET outcome = 'ok'",
        "DELETE FROM version",
        "DELETE FROM content",
        "DELETE FROM audit",
    ],
)
def test_history_cannot_be_rewritten(assets: Assets, tmp_path: Path, statement: str) -> None:
    assets.register(ALICE, "skill", SKILL, CLI)
    db = sqlite3.connect(tmp_path / "data" / "assets.db")
    try:
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(statement)
    finally:
        db.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_file_is_for_its_owner_alone(assets: Assets, tmp_path: Path) -> None:
    assets.register(ALICE, "skill", SKILL, CLI)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_code_questions_count_calls_by_name_apart(assets: Assets) -> None:
    symbols = [SymbolRow(n, name, f"m.{name}", "function", "m.py", n, n + 1) for n, name in enumerate("abc")]
    calls = [CallRow(0, 1, 5, "scope"), CallRow(1, 2, 6, "self")]
    parts = Parts(files=[file_part(FileRows(symbols, calls, [MaybeRow(0, "c", 9)]))])
    source = Source("code:.", {"source_type": "code", "source_ref": "."}, parts)
    done = assets.register(ALICE, "code_graph", {"name": "code"}, IMPORT, source)
    assert not assets.ask_code(ALICE, done.id, "callers", "c")  # nothing is in effect yet
    assets.govern(ALICE, done.id, {"status": "approved"}, CLI)
    (called,) = assets.ask_code(ALICE, done.id, "callers", "c")
    assert [one.symbol.qualname for one in called.found] == ["m.b"]
    assert called.maybe == 1
    (impact,) = assets.ask_code(ALICE, done.id, "impact", "m.c")
    assert [one.symbol.qualname for one in impact.found] == ["m.b", "m.a"]
    (callees,) = assets.ask_code(ALICE, done.id, "callees", "a")
    assert [one.symbol.qualname for one in callees.found] == ["m.b"]


def test_graphs_share_what_files_say_until_nobody_has_it(assets: Assets, tmp_path: Path) -> None:
    def file(path: str, number: int, *calls: CallRow) -> FilePart:
        return file_part(FileRows([SymbolRow(number, f"f{number}", f"f{number}", "function", path, 1, 2)], calls))

    def imported(where: str, *files: FilePart) -> str:
        source = Source(f"code:{where}", {"source_type": "code", "source_ref": where}, Parts(files=files))
        return assets.register(ALICE, "code_graph", {"name": where}, IMPORT, source).id

    def callers(key: str, name: str) -> list[str]:
        return [one.symbol.name for answer in assets.ask_code(ALICE, key, "callers", name) for one in answer.found]

    called, caller = file("a.py", 1), file("b.py", 2, CallRow(2, 1, 3, "import"))
    first = imported("first", called, caller)
    assets.govern(ALICE, first, {"status": "approved", "follow": True}, CLI)
    second = imported("second", called, caller, file("c.py", 3))
    assets.govern(ALICE, second, {"status": "approved"}, CLI)
    imported("first", called, caller, file("d.py", 4, CallRow(4, 1, 9, "import")))
    assert (callers(first, "f1"), callers(second, "f1")) == (["f2", "f4"], ["f2"])
    assets.forget(ALICE, first, CLI)
    assert callers(second, "f1") == ["f2"]
    assets.forget(ALICE, second, CLI)
    db = sqlite3.connect(tmp_path / "data" / "assets.db")
    assert [db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("part", "symbol", "call")] == [
        (0,)
    ] * 3
    db.close()


def test_a_shortened_id_must_be_unique_among_the_readable(assets: Assets) -> None:
    ids = [assets.register(ALICE, "skill", {**SKILL, "name": f"n{n}"}, CLI).id for n in range(60)]
    for wanted in ids:
        unique = next(length for length in range(5, 24) if sum(one.startswith(wanted[:length]) for one in ids) == 1)
        assert assets.get(ALICE, wanted[:unique]).id == wanted
        if unique > 5:
            assert refusal(lambda wanted=wanted, most=unique - 1: assets.get(ALICE, wanted[:most])) == "invalid"  # type: ignore[misc]
    assert refusal(lambda: assets.get(ALICE, "as_")) == "not_found"
    assert refusal(lambda: assets.get(BOB, ids[0][:8])) == "not_found"


def test_nobody_and_nowhere_are_refused_everywhere(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI)
    for who, word in ((NOBODY, "no_identity"), (NOWHERE, "no_project")):
        acts: list[Callable[[], object]] = [
            lambda who=who: assets.register(who, "skill", SKILL, CLI),  # type: ignore[misc]
            lambda who=who: assets.revise(who, done.id, {}, CLI),  # type: ignore[misc]
            lambda who=who: assets.govern(who, done.id, {}, CLI),  # type: ignore[misc]
            lambda who=who: assets.fail(who, "skill", "x", wiki(), IMPORT, "x"),  # type: ignore[misc]
            lambda who=who: assets.forget(who, done.id, CLI),  # type: ignore[misc]
            lambda who=who: assets.readable(who),  # type: ignore[misc]
            lambda who=who: assets.get(who, done.id),  # type: ignore[misc]
            lambda who=who: assets.rights(who, done.id),  # type: ignore[misc]
            lambda who=who: assets.editable(who, done.id),  # type: ignore[misc]
            lambda who=who: assets.history(who, done.id),  # type: ignore[misc]
            lambda who=who: assets.loadout(who, LoadoutRequest(NOW)),  # type: ignore[misc]
            lambda who=who: assets.search(who, "x"),  # type: ignore[misc]
            lambda who=who: assets.pages(who, done.id),  # type: ignore[misc]
            lambda who=who: assets.page(who, done.id, "x"),  # type: ignore[misc]
            lambda who=who: assets.ask_code(who, done.id, "callers", "x"),  # type: ignore[misc]
            lambda who=who: assets.audit(who),  # type: ignore[misc]
        ]
        assert [refusal(act) for act in acts] == [word] * len(acts)
    assert refusal(lambda: assets.get(ELSEWHERE, done.id)) == "not_found"


def test_loadout_reads_bodies_from_the_file(assets: Assets) -> None:
    done = assets.register(ALICE, "skill", SKILL, CLI, patch={"bindings": [{"target": "framework:codex"}]})
    loadout = assets.loadout(ALICE, LoadoutRequest(NOW))
    assert [row.mode for row in loadout.selected] == ["direct"]
    assert SKILL["body"] in loadout.text()
    assert not assets.loadout(replace(ALICE, framework="grok"), LoadoutRequest(NOW)).selected
    assert done.id in loadout.text()


def test_search_finds_what_recall_would_find(assets: Assets) -> None:
    body = '发布流程说明: readConfigFile reads it. "Quoted" text.'
    key = assets.register(ALICE, "skill", {"name": "n", "body": body}, CLI).id
    for query in ("发布", "流程", "config", "reading", '"quoted" text', "n"):
        found = assets.search(ALICE, query)
        assert [asset.id for asset, _ in found] == [key], query
        assert "\x1e" not in found[0][1].snippet
    assert not assets.search(ALICE, "the of and")
    assert not assets.search(ALICE, "不在")


def test_a_file_of_the_first_schema_opens_as_before(assets: Assets, tmp_path: Path) -> None:
    done = assets.register(ALICE, "code_graph", {"name": "code"}, IMPORT)
    assets.govern(ALICE, done.id, {"status": "approved"}, CLI)
    assets.close()
    db = sqlite3.connect(tmp_path / "old.db")
    for statement in (*assets_sql.SCHEMAS[0], f"ATTACH '{tmp_path / 'data' / 'assets.db'}' AS new"):
        db.execute(statement)
    db.executescript(
        "INSERT INTO asset SELECT * FROM new.asset; INSERT INTO version SELECT * FROM new.version;"
        "INSERT INTO content SELECT * FROM new.content; PRAGMA user_version = 1;"
        "INSERT INTO symbol SELECT id, 1, 'f', 'f', 'function', 'm.py', 1, 2 FROM content;"
        "INSERT INTO symbol SELECT id, 2, 'g', 'g', 'function', 'm.py', 3, 4 FROM content;"
        "INSERT INTO call SELECT id, 1, 2, 2, 'scope' FROM content;"
        "INSERT INTO maybe SELECT id, 1, 'g', 2 FROM content;"
    )
    db.close()
    opened = Assets(SqliteAssets(str(tmp_path / "old.db")))
    (callers,) = opened.ask_code(ALICE, done.id, "callers", "g")
    assert ([one.symbol.name for one in callers.found], callers.maybe) == (["f"], 1)
    opened.close()
