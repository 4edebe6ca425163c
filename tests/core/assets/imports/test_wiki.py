from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rg_core import paths
from rg_core.assets.imports.pages import parse
from rg_core.cli import main as cli
from rg_core.store.model import Batch, Listing, Member
from rg_core.store.sqlite.assets import SqliteAssets
from rg_core.store.sqlite.store import EmbeddedStore
from tests.core.reading import samples

Run = Callable[..., Any]
TOKEN = "ghp_" + "a1B2" * 9


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def wiki() -> None:
    put(
        "wiki/index.md", "# Home\n\nSee [the queue](how/queue.md#limits), [[Dead Page]], [gone](gone.md), [x](x.png).\n"
    )
    put(
        "wiki/how/queue.md",
        f"---\ntitle: The queue\n---\n# Queue\n## Limits\n[[home]] {TOKEN}\n[up](../../../etc/passwd.md)\n",
    )
    put("wiki/.hidden/x.md", "# Hidden\n")


def parts(key: str) -> Any:
    rows = SqliteAssets(paths.assets_file(os.environ))
    try:
        loaded = rows.get(key)
        assert loaded
        return rows.parts(loaded.head_content.id)
    finally:
        rows.close()


def test_a_folder_becomes_one_asset_with_pages_and_links(run: Run) -> None:
    wiki()
    assert (run("import", "wiki", "wiki", "--dry-run")["new"], run("list")) == (1, [])
    done = run("import", "wiki", "wiki", "--name", "handbook")
    key = done["assets"][0]["id"]
    shown = run("show", key)
    assert (shown["name"], shown["status"], shown["content"]["payload"]["pages"]) == ("handbook", "candidate", 2)
    assert "- how/queue.md: The queue" in shown["content"]["body"]
    assert "    - Limits (how/queue.md#limits)" in shown["content"]["body"]
    found = parts(key)
    assert {(page.path, page.title) for page in found.pages} == {("index.md", "Home"), ("how/queue.md", "The queue")}
    assert {(link.source, link.target, link.found) for link in found.links} == {
        ("index.md", "how/queue.md", 1), ("index.md", "[[Dead Page]]", 0), ("index.md", "gone.md", 0),
        ("how/queue.md", "index.md", 1), ("how/queue.md", "../../etc/passwd.md", 0),
    }  # fmt: skip
    assert not any(TOKEN in page.body for page in found.pages)
    again = run("import", "wiki", "wiki", "--name", "handbook")
    assert (again["unchanged"], again["changed"]) == (1, 0)
    put("wiki/index.md", "# Home\n")
    assert run("import", "wiki", "wiki", "--name", "handbook")["changed"] == 1


def test_only_what_git_tracks(run: Run, harbor: Path) -> None:
    wiki()
    for words in (
        ["init", "-q"],
        ["add", "wiki/index.md"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], check=True)
    key = run("import", "wiki", "wiki")["assets"][0]["id"]
    assert [page.path for page in parts(key).pages] == ["index.md"]
    assert len(run("show", key)["provenance"]["commit"]) == 40


def test_links_out_are_left_out_and_said(run: Run, tmp_path: Path) -> None:
    wiki()
    (tmp_path / "secret.md").write_text("# Outside\n", "utf-8")
    Path("wiki/out.md").symlink_to(tmp_path / "secret.md")
    done = run("import", "wiki", "wiki")
    assert done["assets"][0]["warnings"] == ["1 left out: a link"]
    assert "Outside" not in str(parts(done["assets"][0]["id"]))


def test_what_is_no_wiki_says_so(run: Run) -> None:
    Path("empty").mkdir()
    run("import", "wiki", "empty", code=1)
    (row,) = run("list", "--all")
    assert (row["status"], run("history", row["id"])[-1]["note"]) == ("failed", "there is no Markdown in it")
    assert "'no such thing' is no directory here, and" in run("import", "wiki", "no such thing", code=1)


def test_synced_documents_are_referred_to_not_copied(run: Run, harbor: Path, capsys: Any) -> None:
    wiki()
    assert cli.main(["documents", "add", "wiki", "--yes"]) == 0
    capsys.readouterr()
    shown = run("show", run("import", "wiki", "wiki")["assets"][0]["id"])
    found = parts(shown["id"])
    assert [page.body for page in found.pages] == ["", ""]
    assert all(page.citation.startswith("resources-graph://state/") for page in found.pages)
    assert shown["provenance"]["source_type"] == "documents"


def memory() -> None:
    store = EmbeddedStore(paths.memory_file(os.environ))
    listing = Listing("github:o/r/issues?state=open", "created-desc", (Member("I_1", samples.AT),), 1, True, samples.AT)
    store.write(
        Batch(
            samples.AT, repositories=[samples.repository(readme="# hello")], items=[samples.item()], listings=[listing]
        )
    )
    store.close()


def test_what_memory_has_of_github_is_cited_by_its_state(run: Run) -> None:
    memory()
    for address in ("o/r#1", "github:o/r", "github:o/r/issues?state=open"):
        key = run("import", "wiki", address)["assets"][0]["id"]
        (page,) = parts(key).pages
        assert page.citation.startswith("resources-graph://state/")
        assert page.body == ""
        assert run("import", "wiki", address)["unchanged"] == 1


def test_a_miss_fails_and_says_how_to_fetch_it(run: Run) -> None:
    memory()
    run("import", "wiki", "o/r#99", code=1)
    (row,) = run("list", "--all")
    assert "fetch it: rg-memory reverify 'o/r#99' && rg-memory sweep" in run("history", row["id"])[-1]["note"]


def test_wiki_links_in_code_are_none() -> None:
    page = parse("# T `x`\n`[[no]]` [[yes|label]]\n\n    [[no]]\n\n# T `x`\n", "a.md")
    assert page.wiki_links == ("yes",)
    assert [heading.anchor for heading in page.headings] == ["t-x", "t-x-1"]
