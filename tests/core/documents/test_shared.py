"""projects.shared: what others find of a project's documents and notes, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rg_core.config import load, set_values
from rg_core.documents import share
from rg_core.errors import UserError
from rg_core.store import open_documents, open_store
from rg_core.store.bolt.store import BoltStore
from tests.bolt_server import BoltServers
from tests.core.documents.conftest import Project
from tests.core.recall.conftest import point_to
from tests.core.store.shared_database import rows

pytestmark = pytest.mark.bolt


@dataclass
class Person(Project):
    """Somebody's home and working directory; every command is run there."""

    def run(self, *arguments: str, text: str = "", code: int = 0) -> str:
        """What `rg-memory ARGUMENTS` prints."""
        for name, value in self.environ.items():
            self.patch.setenv(name, value)
        self.patch.chdir(self.root)
        return super().run(*arguments, text=text, code=code)

    def found(self, words: str, *arguments: str) -> list[str]:
        """The addresses that recall finds by these words, or as named; what is only near in meaning aside."""
        results: list[dict[str, Any]] = self.json("recall", words, *arguments)["results"]
        return [result["address"] for result in results if result["named"] or result["legs"]["lex"]]


@pytest.fixture
def store(bolt_servers: BoltServers) -> Iterator[BoltStore]:
    """The empty store of a team."""
    with closing(bolt_servers.empty_store()) as store:
        yield store


@pytest.fixture
def person(project: Project, store: BoltStore, bolt_servers: BoltServers, tmp_path: Path) -> Callable[..., Person]:
    """Makes somebody whose memory is on that server, with a directory of a project."""

    def make(name: str, of: str = "harbor", machine: str = "") -> Person:
        home = tmp_path / f"{name}{machine}"
        root = home / of
        root.mkdir(parents=True)
        environ = project.environ | {
            "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
        }  # fmt: skip
        set_values(environ, {"identity.user_id": name, "projects.dirs": (f"{of}={root}",)})
        point_to(environ, bolt_servers.server())
        return Person(root, environ, project.patch)

    return make


@pytest.fixture
def ann(person: Callable[..., Person]) -> Person:
    """She has two specifications and a note in memory, and shares nothing yet."""
    made = person("ann")
    made.write("SPEC-001.md", "---\nversion: 1\ndate: 2026-01-01\n---\n# SPEC-001 Okapi\n\nZebraquagga first.\n")
    made.write("SPEC-002.md", "# SPEC-002 Gerenuk\n\n## Depends on\n\n- SPEC-001\n")
    made.run("documents", "add", ".", "--yes")
    made.run("remember", "Hartebeest stays at five", "--about", "SPEC-001")
    return made


@pytest.fixture
def bob(person: Callable[..., Person]) -> Person:
    """He has the project, and no documents of it."""
    return person("bob")


def on_server(store: BoltStore) -> str:
    """Everything that the server holds, as one text in lower case."""
    nodes = rows(store, "MATCH (n) OPTIONAL MATCH (n)-[r]-() RETURN properties(n) AS n, collect(properties(r)) AS r")
    return repr(nodes).lower()


PRIVATE = ("okapi", "zebraquagga", "gerenuk", "hartebeest", "harbor", "spec-001", "ann")


def test_nothing_is_on_the_server_until_the_project_is_shared(ann: Person, bob: Person, store: BoltStore) -> None:
    assert ann.found("okapi") == ["doc:harbor/SPEC-001.md"]
    assert not [word for word in PRIVATE if word in on_server(store)]
    assert bob.found("okapi") == []
    said = ann.run("config", "set", "projects.shared", "harbor")
    assert said == "documents and notes that you share: 3 sent to the server\n"
    assert f"3 of your documents and notes on {store.where}" in ann.run("status")
    assert ann.found("okapi")[0] == "doc:harbor/SPEC-001.md"  # which brings the index up to date
    assert bob.found("okapi")[0] == "doc:harbor/SPEC-001.md"


def test_others_find_and_read_documents_edges_notes_and_the_past(ann: Person, bob: Person) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.write("SPEC-001.md", "---\nversion: 2\ndate: 2026-06-01\n---\n# SPEC-001 Okapi\n\nTopikudu second.\n")
    assert "1 sent" in ann.run("documents", "sync", "--yes")
    ann.run("sweep")
    assert bob.found("topikudu")[0] == "doc:harbor/SPEC-001.md"
    then = bob.json("recall", "zebraquagga", "--as-of", "2026-02-01")["results"]
    assert [one["address"] for one in then] == ["doc:harbor/SPEC-001.md"]
    (gerenuk,) = [
        one for one in bob.json("recall", "what depends on SPEC-001")["results"] if "SPEC-002" in one["address"]
    ]
    assert gerenuk["paths"] == ["SPEC-002 DEPENDS_ON SPEC-001"]
    assert gerenuk["staleness"]["last_verified_at"]
    note = next(address for address in bob.found("hartebeest five") if address.startswith("note:harbor/"))
    assert "Hartebeest stays at five" in bob.run("show", note)
    assert "Topikudu second" in bob.run("show", "SPEC-001")
    assert "Zebraquagga first" in bob.run("show", "doc:harbor/SPEC-001.md", "--as-of", "2026-02-01")
    assert len(bob.states("SPEC-001")) == 2
    assert "+Topikudu second." in bob.run("diff", "SPEC-001")
    assert "-> REFERENCES" not in bob.run("recall", "--graph", "SPEC-002")
    assert "  -> DEPENDS_ON SPEC-001  SPEC-001 Okapi" in bob.run("recall", "--graph", "SPEC-002")
    assert "not in memory" in bob.run("show", "SPEC-003")


def test_somebody_without_the_project_finds_nothing_of_it(ann: Person, person: Callable[..., Person]) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.run("sweep")
    eve = person("eve", of="other")
    assert eve.found("okapi zebraquagga hartebeest") == []
    assert eve.found("SPEC-001") == []
    assert "not in memory" in eve.run("show", "doc:harbor/SPEC-001.md")
    assert "not in memory" in eve.run("show", "SPEC-001")


def test_ones_own_text_is_meant_before_another_s(ann: Person, bob: Person) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.run("sweep")
    bob.write("SPEC-001.md", "# SPEC-001 Okapi\n\nOf Bob himself.\n")
    bob.run("documents", "add", ".", "--yes")
    assert bob.found("okapi").count("doc:harbor/SPEC-001.md") == 1
    assert "Of Bob himself" in bob.run("show", "SPEC-001")
    assert "doc:harbor/SPEC-002.md" in bob.found("what depends on SPEC-001")
    assert ann.found("bob himself").count("doc:harbor/SPEC-001.md") <= 1
    assert "Zebraquagga" in ann.run("show", "SPEC-001")


@pytest.mark.parametrize("how", ["switch off", "remove the project", "documents remove", "forget", "delete and sync"])
def test_what_is_taken_back_is_gone_from_the_server(ann: Person, bob: Person, store: BoltStore, how: str) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.run("sweep")
    assert bob.found("zebraquagga")
    note = next(address for address in bob.found("hartebeest") if address.startswith("note:"))
    words = set(PRIVATE) - {"ann"}
    match how:
        case "switch off":
            assert "3 taken back" in ann.run("config", "set", "projects.shared", "")
        case "remove the project":
            assert "3 taken back" in ann.run("project", "remove", "harbor")
        case "documents remove":
            ann.run("documents", "remove", ".", "--yes")
            ann.run("forget", note, "--yes")
        case "forget":
            for address in ("SPEC-001", "SPEC-002", note):
                ann.run("forget", address, "--yes")
        case _:
            (ann.root / "SPEC-001.md").unlink()
            ann.run("documents", "sync", "--yes")
            ann.run("sweep")
            assert bob.found("zebraquagga", "--kind", "document") == []
            assert "deleted" in bob.run("history", "doc:harbor/SPEC-001.md")  # as on the machine of its owner
            return
    assert not [word for word in words if word in on_server(store)]
    assert bob.found("zebraquagga gerenuk hartebeest") == []
    assert "not in memory" in bob.run("show", "doc:harbor/SPEC-001.md")


def test_a_server_that_is_away_is_told_of_and_reached_later(
    ann: Person, store: BoltStore, bolt_servers: BoltServers
) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.run("config", "set", "store.url", "bolt://127.0.0.1:1")
    said = ann.run("forget", "SPEC-001", "--yes", code=1)
    place = bolt_servers.server().url
    assert f"what was shared on {place} is still there; set [store] url to it and run: rg-memory documents sync" in said
    assert "what you share is not brought up to date: memory at bolt://127.0.0.1:1 cannot be reached" in said
    assert "zebraquagga" in on_server(store)
    point_to(ann.environ, bolt_servers.server())
    (ann.root / "SPEC-001.md").unlink()
    assert "1 taken back" in ann.run("documents", "sync", "--yes")
    assert not [word for word in ("zebraquagga", "spec-001.md") if word in on_server(store)]


def test_sending_again_changes_nothing_and_goes_on_where_it_was_killed(
    ann: Person, store: BoltStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    before = on_server(store)
    config = load(ann.environ)
    with closing(open_documents(ann.environ)) as texts, closing(open_store(config, ann.environ, 60)) as there:
        assert share.share(texts, config, there) == share.Shared()
        assert on_server(store) == before
        texts.mark_sent("ann", there.where, {"doc:harbor/SPEC-001.md": ""})  # killed while it was sent
        assert share.share(texts, config, there).sent == 1
        texts.mark_sent("ann", there.where, {"doc:harbor/gone.md": ""})  # ... and forgotten since
        assert share.share(texts, config, there).taken_back == 1
        assert share.share(texts, config, there) == share.Shared()


def test_two_machines_of_one_person_do_not_take_each_other_s_back(
    ann: Person, bob: Person, person: Callable[..., Person]
) -> None:
    laptop = person("ann", machine="-laptop")
    ann.run("config", "set", "projects.shared", "harbor")
    laptop.write("SPEC-009.md", "# SPEC-009 Nyala\n")
    laptop.run("documents", "add", ".", "--yes")
    laptop.run("config", "set", "projects.shared", "harbor")
    ann.run("sweep")
    assert bob.found("okapi")[:1] == laptop.found("okapi")[:1] == ["doc:harbor/SPEC-001.md"]
    assert bob.found("nyala")[:1] == ["doc:harbor/SPEC-009.md"]
    laptop.run("config", "set", "projects.shared", "")
    assert bob.found("nyala") == []
    assert bob.found("okapi")[:1] == ["doc:harbor/SPEC-001.md"]


def test_what_is_shared_is_in_no_export(ann: Person, tmp_path: Path) -> None:
    ann.run("config", "set", "projects.shared", "harbor")
    ann.run("export", str(tmp_path / "out.jsonl"))
    assert not [word for word in PRIVATE if word in (tmp_path / "out.jsonl").read_text().lower()]


def test_sharing_without_a_server_says_that_one_is_needed(ann: Person) -> None:
    ann.run("config", "set", "store.url", "")
    assert "projects.shared has no effect while store.url is not set" in ann.run(
        "config", "set", "projects.shared", "harbor"
    )


def test_the_store_of_this_machine_holds_no_documents_of_others(ann: Person) -> None:
    ann.run("config", "set", "store.url", "")
    with closing(open_store(load(ann.environ), ann.environ)) as store:
        assert not store.can.documents
        with pytest.raises(UserError, match="holds no documents of others"):
            store.documents_of(["harbor"])
