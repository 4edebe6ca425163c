"""The pages beside the Memory page, as a person follows their links: listings, versions, neighbours, own texts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from threading import Event

import pytest
from starlette.requests import Request

from rg_core import paths
from rg_core.cli.main import main
from rg_core.config import set_values
from rg_core.dashboard.counting import Counting
from rg_core.dashboard.facts import Source
from rg_core.dashboard.routes import Pages
from rg_core.store.model import Batch, Listing, Member
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.touches.database import TouchLog
from tests.core.dashboard.serving import COMMAND, Served, served
from tests.core.dashboard.test_serve import get
from tests.core.reading import samples
from tests.core.telemetry import facts
from tests.core.telemetry.worlds import load

HARBOR = Path(__file__).parents[1] / "telemetry" / "harbor.jsonl"
LISTED, AROUND, VERSIONS = 60, 30, 3
OPEN = "github:o/r/issues?state=open"
LATER = "2026-11-02T00:00:00Z"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A memory of 60 issues in a listing, of which the first has 30 neighbours and 3 versions; a document, a note."""
    home = tmp_path_factory.mktemp("home")
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data")}
    set_values(own, {"identity.user_id": "ada"})
    store = EmbeddedStore(paths.memory_file(own))
    store.init()
    items = [
        samples.item(number=number, node_id=f"I_{number}", title=f"issue {number}", labels=("bug",))
        for number in range(1, 61)
    ]
    around = tuple(f"github:o/r#{number}" for number in range(2, 2 + AROUND))
    members = tuple(Member(item.node_id, samples.AT) for item in reversed(items))
    listing = Listing(OPEN, "created-desc", members, LISTED, True, samples.AT)
    store.write(Batch(samples.AT, repositories=[samples.repository()], items=items, listings=[listing]))
    for version in range(1, VERSIONS):
        at = f"2026-11-02T0{version}:00:00Z"
        changed = samples.item(title=f"title {version}", updated_at=at, fetched_at=at, references=around)
        store.write(Batch(at, items=[changed]))
    store.close()
    log = TouchLog(paths.outbox_file(own))
    log.record([facts.touch(number, f"t{number}", user="ada") for number in (1, 12)])
    project = home / "harbor"
    project.mkdir()
    (project / "plan.md").write_text("# The harbour plan\n\nIt is built from the north.\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        patch.chdir(project)
        for words in (["project", "add", "harbor", str(project)], ["documents", "add", "plan.md", "--yes"],
                      ["remember", "A second crane is needed."],
                      ["recall", "what does o/r#1 mention"]):  # fmt: skip
            assert main(words) == 0
    with served(os.environ | own) as running:
        yield running


def shown(page: Served, path: str) -> str:
    """A page that is there."""
    status, _, body = get(page, path)
    assert status == 200, path
    return body


def links(page: Served, html: str, *parts: str) -> list[str]:
    """The links of a page that have these parts, below the token."""
    found = [unescape(link) for link in re.findall(r'href="([^"]+)"', html)]
    return [link.removeprefix(f"/{page.token}") for link in found if all(part in link for part in parts)]


def test_a_listing_is_found_from_its_member_and_shown_in_pages(page: Served) -> None:
    item = shown(page, "/stored/github:o/r%2360")
    (listing,) = set(links(page, item, "/issues%3Fstate%3Dopen"))
    first = shown(page, listing)
    assert "60 rows" in first
    assert len(links(page, first, "/stored/github:o/r%23")) == 50
    (more,) = links(page, first, "page=2")
    assert len(links(page, shown(page, more), "/stored/github:o/r%23")) == LISTED - 50


def test_all_neighbours_are_a_link_away(page: Served) -> None:
    item = shown(page, "/stored/github:o/r%231")
    drawn = re.search(r'<ul class="edges">.*?</ul>', item, re.DOTALL)
    assert drawn
    assert drawn[0].count("<li>") == 24
    assert f"{AROUND + 1 - 24} more" in item  # with the listing
    every = shown(page, "/stored/github:o/r%231?edges=all")
    assert len(re.findall(r"<li>", re.search(r'<ul class="edges">.*?</ul>', every, re.DOTALL)[0])) == AROUND + 1  # type: ignore[index]


def test_filters_say_how_many_there_are(page: Served) -> None:
    html = shown(page, "/stored")
    assert f'<option value="open">open ({LISTED})</option>' in html
    assert '<option value="closed">closed (0)</option>' in html
    assert f'<option value="bug">bug ({LISTED - 1})</option>' in html  # the first has lost it


def test_a_recall_shows_how_the_graph_reached_a_result(page: Served) -> None:
    (recall,) = set(links(page, shown(page, "/touches"), "/recalls/"))
    rows = json.loads(shown(page, recall + ".json"))["rows"]
    reached = [row for row in rows if row["legs"][2]]
    assert reached
    assert all(row["paths"] == [f"github:o/r#1 REFERENCES {row['address']}"] for row in reached)
    assert all(row["paths"] == [] for row in rows if row not in reached)
    assert reached[0]["paths"][0] in unescape(shown(page, recall))


def test_versions_and_what_changed_between_them(page: Served) -> None:
    history = shown(page, "/stored/github:o/r%231/history")
    assert f"{VERSIONS} versions" in history
    changes = links(page, history, "/diff?")
    assert len(changes) == VERSIONS - 1
    assert "title 2" in shown(page, changes[0])
    for link in links(page, history, "as_of="):
        shown(page, link)
    assert get(page, "/stored/github:o/r%23999/history")[0] == 404


@pytest.mark.parametrize(
    ("path", "key"),
    [("/stored/github:o/r%231", "title"), ("/stored/github:o/r%231/history", "versions"),
     ("/stored/github:o/r%231/diff", "lines"), ("/stored/github:o/r/issues%3Fstate%3Dopen", "rows"),
     ("/stored", "rows"), ("/touches", "groups"), ("/status", "facts")],
)  # fmt: skip
def test_beside_every_page_are_its_facts(page: Served, path: str, key: str) -> None:
    status, headers, body = get(page, f"{path}.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body)[key]


def test_documents_and_notes_are_listed_and_have_pages(page: Served) -> None:
    assert "documents (1)" in shown(page, "/stored")
    unserved = json.loads(shown(page, "/panels.json"))["unserved"]
    assert unserved == {"unserved": LISTED + 1 + 2 - 10}  # with the repository and both of these; ten were recalled
    for kind, title in (("document", "The harbour plan"), ("note", "A second crane is needed.")):
        (row,) = json.loads(shown(page, f"/stored.json?kind={kind}"))["rows"]
        assert row["title"] == title
        assert title in shown(page, f"/stored/{row['address']}")
        assert "1 version" in shown(page, f"/stored/{row['address']}/history")


@pytest.mark.parametrize(("begins", "count"), [("o/r%231", 2), ("github:o/r%2312", 1), ("r%231", 0), ("%25", 0)])
def test_touches_are_found_by_how_their_address_begins(page: Served, begins: str, count: int) -> None:
    groups = json.loads(shown(page, f"/touches.json?address={begins}"))["groups"]
    assert sum(len(group["rows"]) for group in groups) == count


def test_looking_leaves_no_touch_and_no_event(page: Served) -> None:
    for path in ("/", "/stored", "/stored?q=crane", "/stored/github:o/r%231", "/touches", "/status"):
        shown(page, path)
    panels = json.loads(shown(page, "/panels.json"))
    assert sum(row["recalls"] for row in panels["hit_rate"]) == 1  # the one before
    groups = json.loads(shown(page, "/touches.json"))["groups"]
    assert sum(len(group["rows"]) for group in groups) == 2 + 1


def test_a_file_of_telemetry_in_trouble_costs_its_own_panels(home: dict[str, str]) -> None:
    load(HARBOR, home)
    file = Path(paths.telemetry_file(home))
    for beside in file.parent.glob(file.name + "-*"):
        beside.unlink()
    file.write_bytes(b"no database at all" * 1_000)
    found = Source(home).memory(365, "", "")
    assert "telemetry.db, cannot be used" in found.trouble[0]
    assert found.panels["reads"]
    assert found.panels["hit_rate"] == []


def _pages(home: dict[str, str], patience: float) -> Pages:
    return Pages(Source(home), "/token", 365, patience)


def _asked(query: str = "") -> Request:
    return Request({"type": "http", "path": "/", "query_string": query.encode(), "headers": []})


def test_a_long_count_is_said_and_the_page_renews_itself_once(home: dict[str, str]) -> None:
    load(HARBOR, home)
    pages = _pages(home, 0.0)
    waiting = bytes(pages.memory(_asked("agent=codex")).body).decode()
    assert "Counting a year" in waiting
    assert "Last sessions, meanwhile" in waiting
    (renewed,) = re.findall(r'http-equiv="refresh" content="1;url=([^"]+)"', waiting)
    there = bytes(pages.memory(_asked(unescape(renewed).partition("?")[2])).body).decode()
    assert "Does memory pay for itself?" in there
    assert "refresh" not in there


def test_sessions_that_are_over_are_wrapped_up(home: dict[str, str]) -> None:
    load(HARBOR, home)
    _pages(home, 60).memory(_asked())
    end = time.monotonic() + 60
    while not facts.rows(home, "session_wrap"):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_count_goes_on_is_shared_and_tells_what_failed() -> None:
    counting, go, begun = Counting[int](), Event(), []

    def count() -> int:
        begun.append(1)
        assert go.wait(60)
        return 7

    assert counting.count("a", count, 0) is None
    assert counting.count("a", count, 0) is None
    go.set()
    assert counting.count("a", count, None) == 7
    assert len(begun) == 1
    assert counting.count("a", lambda: 8, None) == 8

    def fails() -> int:
        raise ValueError("told")

    for _ in range(2):
        with pytest.raises(ValueError, match="told"):
            counting.count("b", fails, None)


@pytest.mark.skipif(sys.platform == "win32", reason="a browser that is a shell script")
def test_the_browser_is_led_by_a_private_file_that_is_gone_once_it_came(home: dict[str, str], tmp_path: Path) -> None:
    load(HARBOR, home)
    browser, log = tmp_path / "browser", tmp_path / "log"
    browser.write_text(f'#!/bin/sh\nfile="${{1#file://}}"\nstat -c %a "$file" > {log}.new\necho "$file" >> {log}.new\n'
                       f'cat "$file" >> {log}.new\nmv {log}.new {log}\n')  # fmt: skip
    browser.chmod(0o755)
    command = [word for word in COMMAND if word != "--no-open"]
    process = subprocess.Popen(command, env=home | {"BROWSER": str(browser)}, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        end = time.monotonic() + 60
        while not log.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        mode, file, html = log.read_text().split("\n", 2)
        assert (mode, url in html, url in file) == ("600", True, False)
        assert Path(file).exists()
        assert get(Served(url, process), "/static/style.css")[0] == 200
        while Path(file).exists():
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        process.terminate()
        process.communicate(timeout=60)
