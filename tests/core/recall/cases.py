"""Runs one row of cases.jsonl with the product's own functions."""

import atexit
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rg_core.config import Value, set_values
from rg_core.documents.edges import mentions, passages
from rg_core.documents.plan import plan
from rg_core.documents.share import share
from rg_core.documents.sync import Settings, apply
from rg_core.documents.tokens import PREFIXES
from rg_core.recall import fusion
from rg_core.recall.answer import Question
from rg_core.recall.own import OwnRecall
from rg_core.recall.places import Places
from rg_core.recall.query_class import query_class
from rg_core.store import open_store
from rg_core.store.protocol import Store
from rg_core.store.search import GraphEdge, Scope, Searchable
from rg_core.store.texts import Root
from tests.bolt_server import PATIENCE, Server

SPECS = Path(__file__).with_name("specs")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
USER = "ada"

Row = dict[str, Any]
ABSENT = {"named": None, "superseded_by": None} | {
    f"{leg}_{part}": None for leg in fusion.FINDING for part in ("rank", "z")
}


def run_edges(row: Row) -> list[list[str]]:
    """The section edges of a row's Markdown as [verb, target], sorted."""
    return [[edge.verb, edge.target] for edge in mentions(passages(row["markdown"]), (row["self"],), PREFIXES)]


def run_class(row: Row) -> str:
    """The class of a row's query."""
    return query_class(row["query"], row.get("as_of"))


def run_fusion(row: Row) -> dict[str, list[str]]:
    """The row's `order`: with all legs, and without each leg that the row asks for."""
    candidates = [ABSENT | candidate for candidate in row["candidates"]]
    settings = (row["weights"], row["k"], row["half_life_days"], row["class"])
    return {
        without: fusion.order(candidates, *settings, without="" if without == "all" else without)
        for without in row["order"]
    }


def run_recall(row: Row, *, vectors: bool = True, server: Server | None = None) -> list[str]:
    """The names of what recall finds for a row on the specifications, in order: the first `top`, or ten.

    With a server it is somebody else who asks, and only the server has what is found.
    """
    answer = specifications(server).asker.ask(question(row), now=NOW, embed=vectors)
    return [name_of(result.address) for result in answer.results][: row.get("top", 10)]


def run_acceptance(row: Row, *, vectors: bool = True, server: Server | None = None) -> bool | str:
    """True, or in words what of an acceptance row does not hold; `server` as in `run_recall`."""
    if "documents" in row:
        with closing(notes(row, server)) as world:
            answer = world.asker.ask(question(row), now=_time(row["now"]))
        found = [name_of(result.address) for result in answer.results]
        return found == row["order"] or f"the order is {found}"
    if "outbound_at_least" in row:
        return _outbound(row)
    if "edit" in row:
        return _edited(row, server)
    legs = row.get("legs", fusion.FINDING)
    answer = specifications(server).asker.ask(question(row), now=NOW, legs=legs, embed=vectors and "vec" in legs)
    top = {name_of(result.address): result for result in answer.results[: row.get("top", 10)]}
    if missing := [name for name in row.get("must", ()) if name not in top]:
        return f"{missing} not among {list(top)}"
    if unwanted := [name for name in row.get("must_not", ()) if name in top]:
        return f"{unwanted} among {list(top)}"
    if flat := [
        name for name in row.get("graph_score_above_zero", ()) if not (top[name].candidate["graph_z"] or 0) > 0
    ]:
        return f"{flat} without a graph score"
    if "count" in row and len(answer.results) != row["count"]:
        return f"{len(answer.results)} results"
    for name, superseded in row.get("superseded", {}).items():
        if top[name].staleness.superseded is not superseded:
            return f"superseded of {name} is not {superseded}"
    return True


def question(row: Row) -> Question:
    """The question of a row; twenty results, so that what is missing among the first can be named."""
    return Question(row["query"], row.get("as_of"), limit=max(20, row.get("top", 0)))


def name_of(address: str) -> str:
    """The name of a document of the cases, from its address."""
    return Path(address).stem


@dataclass(frozen=True)
class World:
    """A project of somebody who writes, and somebody who asks: the same person, or one who has only the server."""

    writer: OwnRecall
    asker: OwnRecall
    stores: tuple[Store, Store]  # of both

    def close(self) -> None:
        """Close what is open."""
        for one in (self.writer, self.asker, *self.stores):
            one.close()

    @property
    def project(self) -> str:
        """The name of the project."""
        return self.writer.config.projects.dirs[0].partition("=")[0]

    def scan(self) -> None:
        """Read the writer's files again, and bring everything up to date."""
        own = self.writer
        found = plan(own.texts.store, USER, own.config, [Root(self.project, own.texts.directory, own.texts.directory)])
        apply(own.texts.store, USER, found, Settings(own.config.documents.prefixes, front_matter=True), NOW)
        assert not share(own.texts.store, own.config, self.stores[0]).problem
        assert own.catch_up().is_empty


WORLDS: dict[Server | None, World] = {}


def specifications(server: Server | None = None) -> World:
    """The synthetic specifications, scanned and indexed by the product; made again where a server lost them."""
    known = WORLDS.get(server)
    if known is None or (server and not known.stores[1].documents_of([known.project]).named("SPEC-054")):
        WORLDS[server] = _world({path.name: path.read_text("utf-8") for path in sorted(SPECS.glob("*.md"))}, server)
    return WORLDS[server]


def notes(row: Row, server: Server | None = None) -> World:
    """The documents that a row brings along."""
    texts = {
        f"{one['id']}.md": f"---\nversion: 1\ndate: {one['date']}\n---\n# {one['title']}\n\n{one['body']}\n"
        for one in row["documents"]
    }
    return _world(texts, server)


def _outbound(row: Row) -> bool | str:
    own = specifications().writer
    drawn: dict[str, int] = {}
    for key, _, _, _ in own.texts.store.edges(USER):
        drawn[key] = drawn.get(key, 0) + 1
    pages = own.texts.store.pages(USER)
    few = [key for key in pages if drawn.get(key, 0) < row["outbound_at_least"]]
    if len(pages) != row["specs"]:
        return f"there are {len(pages)} specifications"
    return not few or f"{few} draw no edge"


def _edited(row: Row, server: Server | None) -> bool | str:
    edit, then = row["edit"], row["then"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(SPECS.glob("*.md"))}
    with closing(_world(texts, server)) as world:
        return _edit(world, edit, then)


def _edit(world: World, edit: Row, then: Row) -> bool | str:
    file = Path(world.writer.texts.directory) / f"{edit['id']}.md"
    text = file.read_text(encoding="utf-8")
    if edit["remove"] not in text:
        return "there is nothing to remove"
    file.write_text(text.replace(edit["remove"], ""), encoding="utf-8")
    world.scan()
    scope = Scope(world.asker.texts.user, projects=(world.project,))

    def drawn(each: Sequence[Searchable]) -> list[GraphEdge]:
        (node,) = Places(each).named([then["source"]], scope)[then["source"]]
        return Places(each).edges([node], scope)

    left = [edge for edge in world.asker.over(drawn) if then["no_edge_to"] == edge.target.label]
    return not left or f"there is {left}"


def _world(texts: dict[str, str], server: Server | None) -> World:
    """A project of these files in a new place of its own, shared on the server where there is one."""
    home = Path(tempfile.mkdtemp(prefix="rg-memory-cases-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    project = f"cases{secrets.token_hex(4)}"
    directory, elsewhere = home / "project", home / "elsewhere"
    for each in (directory, elsewhere):
        each.mkdir()
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    where: dict[str, Value] = {}
    if server:
        where = {"store.url": server.url, "store.user": server.user, "store.password": server.password}
    writer, store = _person(home / USER, USER, directory, {"projects.dirs": (f"{project}={directory}",)} | where
                            | {"projects.shared": (project,) if server else ()})  # fmt: skip
    asker, other = writer, store
    if server:
        asker, other = _person(home / "bob", "bob", elsewhere, {"projects.dirs": (f"{project}={elsewhere}",)} | where)
    world = World(writer, asker, (store, other))
    atexit.register(world.close)
    world.scan()
    return world


def _person(home: Path, user: str, directory: Path, values: dict[str, Value]) -> tuple[OwnRecall, Store]:
    environ = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data")}
    config = set_values(environ, {"identity.user_id": user} | values)
    store = open_store(config, environ, PATIENCE)
    return OwnRecall(config, environ, str(directory), store), store


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
