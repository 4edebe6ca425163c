"""Nothing of an asset that may not be read is in any answer.

Random worlds, each built twice: whole, and without what a random person may not read. Every public method, asked by
that person, must answer the same in both and do the same work; and no text of a hidden asset may be in an answer.
RG_WORLDS says how many worlds, RG_BOLT_WORLDS how many on a real server, RG_WORLD which one is the first.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rg_core import paths
from rg_core.assets.code import QUESTIONS
from rg_core.assets.errors import Refused
from rg_core.assets.loadout import UNBOUND, LoadoutRequest
from rg_core.assets.manifest import About
from rg_core.assets.model import Identity
from rg_core.assets.store import Assets, Source
from rg_core.cli import main as cli
from rg_core.cli.assets.common import row, whole
from rg_core.config import set_values
from rg_core.mcp_server.asset_tools import AssetTools
from rg_core.mcp_server.launch import Launch
from rg_core.store.asset_rows import AssetRows
from rg_core.store.bolt.assets import BoltAssets
from rg_core.store.bolt.connection import Connection, Run
from rg_core.store.sqlite.assets import SqliteAssets
from tests.bolt_server import PATIENCE, BoltServers
from tests.core.assets import worlds
from tests.core.assets.people import AGENT, CLI, IMPORT, NOW

WORLDS, FIRST = int(os.environ.get("RG_WORLDS", "150")), int(os.environ.get("RG_WORLD", "0"))
IN_ONE_FILE = 25
REPAIRING = ("govern", "editable", "forget")  # what owners may do with what they may not read
BY_COMMAND = 50  # each so manieth world is asked by commands and the MCP server too
ASK = LoadoutRequest(NOW, "release")

BOLT_WORLDS = int(os.environ.get("RG_BOLT_WORLDS", "4"))

T = TypeVar("T")
Answer = tuple[str, str, str, list[str]]  # method, asset, what is said, the statements that it took
Walk = Callable[[Assets, Identity, str], object]
OF_ONE: dict[str, Walk] = {
    "revise": lambda assets, who, key: assets.revise(who, key, {}, CLI),
    "govern": lambda assets, who, key: assets.govern(who, key, {}, CLI),
    "forget": lambda assets, who, key: assets.forget(who, key, CLI),
    "get": lambda assets, who, key: whole(assets.get(who, key), who),
    "rights": lambda assets, who, key: assets.rights(who, key),
    "editable": lambda assets, who, key: assets.editable(who, key),
    "history": lambda assets, who, key: assets.history(who, key),
    "pages": lambda assets, who, key: assets.pages(who, key),
    "page": lambda assets, who, key: assets.page(who, key, f"{worlds.mark(key)}.md"),
    "ask_code": lambda assets, who, key: [assets.ask_code(who, key, question, "main") for question in QUESTIONS],
    "audited": lambda assets, who, key: audited(assets, who, key),
}
OF_ALL: dict[str, Walk] = {
    "register": lambda assets, who, key: assets.register(who, "skill", {"name": "own1"}, CLI),
    "foresee": lambda assets, who, key: assets.foresee(who, "skill", {"name": "own1"}, CLI, Source("skill:own", {})),
    "fail": lambda assets, who, key: assets.fail(who, "skill", "own1", Source("skill:own", {}), IMPORT, "gone"),
    "readable": lambda assets, who, key: [row(asset) for asset in assets.readable(who)],
    "loadout": lambda assets, who, key: [loadout(assets, who, unbound) for unbound in UNBOUND],
    "manifest": lambda assets, who, key: manifest(assets, who),
    "agents": lambda assets, who, key: assets.agents(who),
    "search": lambda assets, who, key: assets.search(who, f"release page {worlds.mark(key)}"),
    "citing": lambda assets, who, key: assets.citing(who, [worlds.mark(key)]),
    "audit": lambda assets, who, key: [row for row in assets.audit(who) if row.user != who.user],
    "parsed": lambda assets, who, key: assets.parsed("x", [key]),
    "keep_parsed": lambda assets, who, key: assets.keep_parsed("x", {"blob": b""}),
    "unchanging": lambda assets, who, key: unchanging(assets),
    "close": lambda assets, who, key: None,
}


def audited(assets: Assets, who: Identity, key: str) -> object:
    with assets.audited(who, AGENT, "get", key):
        return assets.get(who, key).id
    return None


def agents(there: World) -> list[str]:
    """A second opinion: the agents named by what this person may read as none, as that one or as any other."""
    found = set()
    for policy in (one.policy for one in there.made.values()):
        targets = (*(entry.subject for entry in policy.acl), *(bound.target for bound in policy.bindings))
        for name in {one.removeprefix("agent:") for one in targets if one.startswith("agent:")} - {"*"}:
            if any(worlds.may_read(policy, replace(there.who, agent=agent)) for agent in ("", name, "another")):
                found.add(name)
    return sorted(found)


def unchanging(assets: Assets) -> object:
    with assets.unchanging() as given:
        return given


def loadout(assets: Assets, who: Identity, unbound: str) -> str:
    made = assets.loadout(who, replace(ASK, unbound=unbound, budget=32768))
    return json.dumps(made.json()) + made.text()


def manifest(assets: Assets, who: Identity) -> str:
    return json.dumps(assets.manifest(who, ASK, About(who.agent or "none", content=True)))


def told(act: Callable[[], object]) -> str:
    """Everything that an act says, or the text of its refusal."""
    try:
        return repr(act())
    except Refused as error:
        return f"{error.word} {error}"


@dataclass
class World:
    """What is there in a project, and who asks."""

    project: str
    who: Identity
    made: dict[str, worlds.Made]
    hidden: set[str]

    def parts(self) -> tuple[list[worlds.Made], list[worlds.Made]]:
        """All there is, and what this person may read."""
        everything = list(self.made.values())
        return everything, [one for key, one in self.made.items() if key not in self.hidden]

    def owned(self, key: str) -> bool:
        """Whether this person owns an asset: it can be repaired, even if it cannot be read."""
        return self.made[key].policy.owner == self.who.user


def world(seed: int) -> World:
    chance = random.Random(seed)
    made = worlds.world(chance, f"w{seed}")
    return asked(World(f"w{seed}", worlds.people(chance, f"w{seed}"), made, set()))


def asked(there: World) -> World:
    """The world with what the person who asks may not read."""
    hidden = {key for key, one in there.made.items() if not worlds.may_read(one.policy, there.who)}
    return replace(there, hidden=hidden)


class Watched:
    """Assets in a file of their own, perhaps beside a server's, and the statements that each answer took."""

    def __init__(self, path: Path, server: AssetRows | None = None) -> None:
        self.local, self.server = SqliteAssets(str(path)), server
        self.assets = Assets(self.local, server)
        self.statements: list[str] = []
        for engine in (self.local, server):
            if isinstance(engine, SqliteAssets):
                engine.db.set_trace_callback(self._seen)
            elif isinstance(engine, BoltAssets):
                engine.connection = Listening(engine.connection, self._seen)

    def write(self, made: list[worlds.Made]) -> None:
        """Put assets where they belong."""
        private = [one for one in made if self.server is None or one.policy.visibility == "private"]
        worlds.write(self.local, private)
        if self.server:
            worlds.write(self.server, [one for one in made if one not in private])

    def _seen(self, statement: str) -> None:
        if not statement.startswith(("--", "PRAGMA", "SELECT k, v FROM")):  # those are SQLite's own
            self.statements.append(statement[:12])

    def answers(self, of: World) -> Iterator[Answer]:
        """By method and asset: what it says, and the statements that it runs."""
        for method, walk in {**OF_ONE, **OF_ALL}.items():
            for key in of.made if method in OF_ONE else list(of.made)[:1]:
                if method == "forget" and (of.owned(key) or key not in of.hidden):
                    continue
                self.statements.clear()
                said = told(lambda walk=walk, key=key: walk(self.assets, of.who, key))  # type: ignore[misc]
                yield method, key, said, list(self.statements)


class Listening(Connection):
    """A connection that tells of each statement."""

    def __init__(self, of: Connection, seen: Callable[[str], None]) -> None:
        vars(self).update(vars(of))
        self.seen = seen

    def read(self, work: Callable[[Run], T], seconds: float = PATIENCE) -> T:
        """Read, and tell what is read."""

        def listened(run: Run) -> T:
            def telling(statement: str, **parameters: Any) -> list[dict[str, Any]]:
                self.seen(statement.strip())
                return run(statement, **parameters)

            return work(telling)

        return super().read(listened, seconds)


def checked(there: World, got: Answer, wanted: Answer) -> None:
    """See that an answer is the one without what may not be read, and holds nothing of it."""
    method, key, said, _ = got
    if method in REPAIRING and there.owned(key):
        return
    if method == "agents":  # what this person may read as another agent counts too
        assert said == repr(agents(there)), there.project
    else:
        assert got == wanted, (there.project, method)
    assert not [one for one in there.hidden if worlds.mark(one) in said], (there.project, method)
    assert method != "readable" or all(one.asset.id in said for one in there.parts()[1]), there.project


def test_no_byte_of_what_may_not_be_read_is_in_any_answer(tmp_path: Path) -> None:
    hidden = shown = 0
    for first in range(FIRST, FIRST + WORLDS, IN_ONE_FILE):
        shared = first // IN_ONE_FILE % 3 == 2  # a second file stands for the server
        whole, readable = (
            Watched(path, SqliteAssets(f"{path}.server") if shared else None)
            for path in (tmp_path / f"{name}{first}.db" for name in ("whole", "readable"))
        )
        for seed in range(first, min(first + IN_ONE_FILE, FIRST + WORLDS)):
            there = world(seed)
            everything, left = there.parts()
            whole.write(everything)
            readable.write(left)
            hidden, shown = hidden + len(there.hidden), shown + len(left)
            for got, wanted in zip(whole.answers(there), readable.answers(there), strict=True):
                checked(there, got, wanted)
        whole.assets.close()
        readable.assets.close()
    assert hidden > WORLDS / 2
    assert shown > WORLDS / 2


@pytest.mark.bolt
def test_no_byte_of_it_is_in_any_answer_of_a_real_server_which_answers_as_a_file_does(
    bolt_servers: BoltServers, tmp_path: Path
) -> None:
    there = [world(seed) for seed in range(FIRST, FIRST + BOLT_WORLDS)]
    said: list[list[list[Answer]]] = []
    for number in range(3):
        server: AssetRows = SqliteAssets(str(tmp_path / "server.db"))
        if number:
            server = BoltAssets(bolt_servers.empty_store().connection, read_seconds=PATIENCE)
        watched = Watched(tmp_path / f"{number}.db", server)
        for one in there:
            watched.write(one.parts()[number == 2])
        said.append([list(watched.answers(one)) for one in there])
        watched.assets.close()
    for one, *answers in zip(there, *said, strict=True):
        for file, got, wanted in zip(*answers, strict=True):
            checked(one, got, wanted)
            assert file[:3] == got[:3], (one.project, got[0])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + WORLDS, BY_COMMAND))
def test_commands_and_the_server_say_nothing_of_it_either(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    there = world(seed)
    there = asked(replace(there, who=replace(there.who, framework="")))  # as commands have none
    said = []
    for name, part in zip(("whole", "readable"), there.parts(), strict=True):
        environ = {**home, "HOME": str(tmp_path / name), "XDG_CONFIG_HOME": str(tmp_path / name / "config"),
                   "XDG_DATA_HOME": str(tmp_path / name / "data")}  # fmt: skip
        settled(environ, there, tmp_path)
        local = SqliteAssets(paths.assets_file(environ))
        worlds.write(local, part)
        local.close()
        for variable, value in environ.items():
            monkeypatch.setenv(variable, value)
        said.append([TIME.sub("", one) for one in (*served(environ, there), *commanded(there, capsys))])
    for got, wanted in zip(*said, strict=True):
        assert got == wanted
        assert not [key for key in there.hidden if worlds.mark(key) in got]


TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def settled(environ: dict[str, str], there: World, directory: Path) -> None:
    """Configure a home for the person who asks."""
    who = there.who
    values: dict[str, str | tuple[str, ...]] = {
        "identity.user_id": who.user, "projects.dirs": (f"{there.project}={directory}",), "assets.mcp": "full",
        "assets.teams": who.teams, "assets.roles": who.roles, "assets.agent": who.agent, "assets.task": who.task,
    }  # fmt: skip
    set_values(environ, {name: value for name, value in values.items() if value})


def served(environ: dict[str, str], there: World) -> Iterator[str]:
    """What the MCP server says."""
    tools = AssetTools(environ, Launch(project=there.project))
    of_all = [{}, {"op": "loadout", "query": "release"}, {"op": "search", "query": "release page"}]
    of_one = [{"id": key, "op": op, "name": "main"} for key in there.made for op in ("get", "callers")]
    for given in (*of_all, *of_one):
        yield repr(tools.call("asset_catalog", given, ""))
    for key in there.made:
        if not there.owned(key):
            yield repr(tools.call("manage_asset", {"op": "govern", "id": key, "patch": {"status": "draft"}}, ""))
    place = f"resources-graph://project/{there.project}"
    for path in ("assets", *(f"asset/{key}" for key in there.made), *(f"asset/{key}/version/1" for key in there.made)):
        yield repr(tools.resource(f"{place}/{path}", ""))
    yield repr(tools.resource(f"{place}/agent/{there.who.agent or 'none'}/manifest", ""))
    yield repr([tools.complete(name, "", "") for name in ("project", "id")])


def commanded(there: World, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """What commands print."""
    of_all = ["list --all", "list --all --json", "loadout release --unbound all", "loadout --json", "audit"]
    of_one = ["show {}", "show {} --json", "history {}", "audit {}", "callers {} main", "show {} --diff"]
    of_one += ["govern {} --status candidate --allow user:ben=use", "forget {} --yes"]
    keys = [key for key in there.made if not there.owned(key)]
    for words in (*of_all, *(one.format(key) for key in keys for one in of_one)):
        code = cli.main(["asset", *words.split(), "--project", there.project])
        yield f"{words} {code} {capsys.readouterr()}"


STRANGER = Identity("mallory", "harbor", ("core",), ("lead",), "reviewer", "t", "codex")
OWNER = Identity("ann", "harbor")


@pytest.mark.parametrize("method", [*OF_ONE, *OF_ALL])
def test_a_stranger_changes_nothing_by_any_method(tmp_path: Path, method: str) -> None:
    assets = Assets(SqliteAssets(str(tmp_path / "assets.db")))
    content = {"name": "zebra", "description": "zebra", "body": "zebra", "labels": ["zebra"]}
    key = assets.register(OWNER, "skill", content, CLI, patch={"bindings": [{"target": "agent:reviewer"}]}).id
    said = told(lambda: {**OF_ONE, **OF_ALL}[method](assets, STRANGER, key))
    assert "zebra" not in said
    kept = assets.get(OWNER, key)
    assert (kept.head.n, kept.head.status, kept.head.content.body) == (1, "approved", "zebra")
    assets.close()
