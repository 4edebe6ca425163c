"""The main job in each real program: offline, with a scripted model, in a home of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rg_core import config, paths
from rg_core.store import open_store
from rg_core.store.model import Batch, Comment, Item, Repository
from rg_core.touches.database import TouchLog
from rg_core.touches.known import Known
from tests.e2e.install import PROGRAMS as INSTALLED
from tests.e2e.install import command
from tests.e2e.programs import (
    CLAUDE_CODE,
    CODEX,
    CODEX_REVIEWED,
    COPILOT,
    CURSOR,
    GITHUB,
    GROK,
    MAIN,
    OPENCODE,
    PROGRAMS,
    SUB,
    Program,
)
from tests.e2e.versions import note, pages
from tests.e2e.world import Run, World, unshare
from tests.github_standin.server import Standin
from tests.github_standin.world import World as GitHub
from tests.installer.separate import Separate

pytestmark = pytest.mark.e2e

AT = "2026-11-01T10:00:00Z"
BODY, COMMENT = "THE-STORED-BODY", "THE-STORED-COMMENT"
HINTS = {
    "hook": "fetched before are in memory",
    "instructions": "before fetching a GitHub issue, pull request, repository",
}
# What memory has: what the shell, the web fetch and the subagent fetch, and what the prompt names.
STORED = {"o/r": 5, "o/fetched": 7, "o/sub": 8, "o/prompted": 9}


def nudge(address: str) -> str:
    return f"Memory already has github:{address}"


def repository(name: str) -> Repository:
    return Repository(f"R_{name}", name, "a repository", "# r", AT, AT, AT)


def item(name: str, number: int) -> Item:
    comment = Comment(f"C_{name}", "someone", AT, AT, COMMENT)
    return Item(
        kind="issue", node_id=f"I_{name}", repository_id=f"R_{name}", repository=name, number=number, title="It leaks",
        body=BODY, state="open", author="someone", labels=("bug",), assignees=(), milestone=None,
        milestone_number=None, created_at=AT, updated_at=AT, closed_at=None, fetched_at=AT, comments=(comment,),
    )  # fmt: skip


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.name)
def program(request: pytest.FixtureRequest) -> Program:
    """Each program that can be driven on this machine."""
    program: Program = request.param
    row = INSTALLED[program.installed]
    if unshare() is None:
        pytest.skip("no network namespaces here (unshare -n and ip): real programs are not driven")
    if command(program.installed) is None:
        pytest.skip(f"{row.package} {row.version} is not installed: run `make e2e-deps`")
    return program


def seeded(root: Path, program: Program) -> World:
    """A home whose memory has the items of STORED."""
    world = World(root, program)
    environ = world.environ
    store = open_store(config.load(environ), environ)
    store.init()
    items = [item(name, number) for name, number in STORED.items()]
    store.write(Batch(at=AT, repositories=[repository(name) for name in STORED], items=items))
    store.close()
    log = TouchLog(paths.outbox_file(environ))
    log.put_known([Known(stored.address, "", AT, AT, stored.title, 1) for stored in items])
    return world


def test_a_session_reads_github_and_memory(tmp_path: Path, program: Program) -> None:
    world = seeded(tmp_path, program)
    before = world.files()
    world.rg("rg-install", "--harness", program.harness, "--yes")
    run = world.run()

    assert run.code == 0, run.stderr
    assert_fetched(run)
    assert_recorded(world)
    assert_told(run, program)
    assert BODY in run.sent(MAIN)[-1], "the model did not get the stored issue"
    assert COMMENT in run.sent(MAIN)[-1]

    used = world.files()
    world.rg("rg-install", "--harness", program.harness, "--uninstall", "--yes")
    for name, text in world.files().items():
        # A file that the program rewrote meanwhile cannot be as it was; then nothing of ours may be left in it.
        assert text == before[name] or (used[name] != before[name] and not ours(text)), name
    assert not [path for path in world.left() if ours(path.read_bytes())]
    note(program, world.version())


def test_a_removed_program_is_harmless(tmp_path: Path, program: Program) -> None:
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", program.harness, "--yes")
    world.remove_commands()
    run = world.run()

    assert run.code == 0, run.stderr
    assert_fetched(run)
    told = run.sent(MAIN)[-1] + run.stdout + run.stderr
    assert "rg-hook" not in told
    assert "hook error" not in told.lower()
    assert world.touches() == []


@pytest.mark.parametrize("package", ["rg_core", "rg_{}"])
@pytest.mark.parametrize("program", [CURSOR, COPILOT], indirect=True, ids=["cursor", "copilot"])
def test_s10_a_half_written_installation_is_harmless(tmp_path: Path, program: Program, package: str) -> None:
    """These two deny a tool call when a hook before it fails; Cursor also when it does not answer with an object."""
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", program.harness, "--yes")
    broken = Separate(tmp_path / "venv")
    half = next((tmp_path / "venv/lib").iterdir()) / "site-packages" / package.format(program.harness)
    half.mkdir()
    (half / "__init__.py").write_text('raise SystemError("half written")\n')
    world.move_commands(broken.bin)
    run = world.run()

    assert run.code == 0, run.stderr
    assert_fetched(run)
    assert "half written" not in run.sent(MAIN)[-1] + run.stdout
    assert world.touches() == []


@pytest.mark.parametrize("program", [CURSOR, GROK], indirect=True, ids=["cursor", "grok"])
def test_a_call_that_claude_codes_hooks_see_too_is_recorded_once(tmp_path: Path, program: Program) -> None:
    """These two also run the hooks of ~/.claude/settings.json, with payloads of their own."""
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", "claude_code", program.harness, "--yes")
    run = world.run()

    assert run.code == 0, run.stderr
    assert_fetched(run)
    assert_recorded(world)
    assert_told(run, program)


@pytest.mark.parametrize("program", [CLAUDE_CODE, CODEX], indirect=True, ids=["claude_code", "codex"])
def test_hooks_that_ask_the_running_server_do_the_same(tmp_path: Path, program: Program) -> None:
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", program.harness, "--fast-hooks", "--yes")
    run = world.run()

    assert run.code == 0, run.stderr
    assert_fetched(run)
    assert_recorded(world)
    assert_told(run, program)
    world.rg("rg-install", "--harness", program.harness, "--uninstall", "--yes")
    assert not [path for path in world.left() if ours(path.read_bytes())]


@pytest.mark.parametrize("program", [CODEX_REVIEWED], indirect=True, ids=["codex"])
def test_codex_hooks_run_once_they_are_trusted(tmp_path: Path, program: Program) -> None:
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", "codex", "--yes")
    run = world.run()
    assert_fetched(run)
    assert [touch for touch in world.touches() if touch["provenance"] != "CACHE_READ"] == [], "ran without a review"

    world.rg("rg-install", "--harness", "codex", "--trust-hooks", "--yes")
    run = world.run()
    assert_fetched(run)
    assert_told(run, program)
    assert "github:o/r#5" in {touch["address"] for touch in world.touches() if touch["provenance"] == "FETCHED"}


@pytest.mark.parametrize("program", [OPENCODE], indirect=True, ids=["opencode"])
def test_opencode_hints_where_a_server_gives_no_instructions(tmp_path: Path, program: Program) -> None:
    world = seeded(tmp_path, program)
    world.rg("rg-install", "--harness", "opencode", "--yes")
    world.edit(".config/opencode/opencode.json", lambda text: re.sub(r'"[^"]*/rg-mcp"', json.dumps(GITHUB)[1:-1], text))
    run = world.run()
    assert HINTS["hook"] in run.sent(MAIN)[0]
    titles = [json.dumps(request["body"]) for request in run.requests if not request["conversation"]]
    assert titles
    assert not any(HINTS["hook"] in title for title in titles)


@pytest.mark.parametrize("program", [CLAUDE_CODE], indirect=True, ids=["claude_code"])
def test_what_one_session_fetched_the_next_reads_from_memory(tmp_path: Path, program: Program) -> None:
    """The whole circle, with GitHub's stand-in: nothing is in memory, a Sweep fetches it, the next session has it."""
    github = GitHub()
    repository = github.repo("o/r", "a repository", readme="# r")
    for number in range(1, 6):
        repository.issue(f"Issue {number}", f"BODY-OF-{number}").comment(f"COMMENT-ON-{number}", "bob")
    with Standin(github) as standin:
        world = World(tmp_path, program, f'[github]\napi_url = "{standin.url}"\ntoken = "{standin.token}"\n')
        world.rg("rg-install", "--harness", program.harness, "--yes")

        first = world.run()
        assert_fetched(first)
        assert "Memory already has" not in first.sent(MAIN)[-1]
        assert "BODY-OF-5" not in first.sent(MAIN)[-1]

        swept = json.loads(world.rg("rg-memory", "sweep", "--json"))
        assert swept["resolved"] == 1
        assert swept["unresolved"] == {"not_found": 4}

        second = world.run()
        assert nudge("o/r#5") in second.sent(MAIN)[1]
        assert "BODY-OF-5" in second.sent(MAIN)[-1]
        assert "COMMENT-ON-5" in second.sent(MAIN)[-1]


def assert_fetched(run: Run) -> None:
    """Every tool call ran as if we were not there."""
    main, sub = run.sent(MAIN), run.sent(SUB)
    assert "FETCHED BY GH issue view 5 -R o/r" in main[-1]
    assert "FETCHED BY MCP" in main[-1]
    assert "FETCHED BY GH pr view 8 -R o/sub" in sub[-1]


def assert_recorded(world: World) -> None:
    """Each fetch is one Touch with its session; the subagent's names the agent, and its task is no prompt."""
    touches = world.touches()
    seen = sorted((touch["provenance"], touch["address"]) for touch in touches)
    assert seen == [
        ("CACHE_READ", "github:o/r#5"),
        ("FETCHED", "github:o/fetched#7"),
        ("FETCHED", "github:o/mcp#3"),
        ("FETCHED", "github:o/r#5"),
        ("FETCHED", "github:o/sub#8"),
        ("PROMPTED", "github:o/prompted#9"),
    ]
    by_address = {touch["address"]: touch for touch in touches if touch["provenance"] != "CACHE_READ"}
    (read,) = (touch for touch in touches if touch["provenance"] == "CACHE_READ")
    assert read["outcome"] == "hit"
    assert all(touch["harness"] == world.program.harness for touch in touches)
    assert bool(by_address["github:o/sub#8"]["agent"]) == world.program.names_agents
    assert not by_address["github:o/r#5"]["agent"]
    sessions = {touch["session_id"] for touch in touches if touch["address"] != "github:o/sub#8"}
    assert len(sessions) == 1
    assert sessions != {""}


def assert_told(run: Run, program: Program) -> None:
    """The Hint comes by every route of its harness in the first request, a Nudge once, with the call's result."""
    main, sub = run.sent(MAIN), run.sent(SUB)
    for route in program.hints:
        assert HINTS[route] in main[0], f"no Hint by {route}"
    if program.hints_subagents:
        assert HINTS["hook"] in sub[0], "no Hint for the subagent"
    assert (nudge("o/prompted#9") in main[0]) == program.nudges_prompts
    assert nudge("o/r#5") not in main[0]
    assert nudge("o/r#5") in main[1], "no Nudge"
    assert program.told_tool in main[1], "the Nudge does not name the tool"
    assert nudge("o/fetched#7") in main[2], "no Nudge with a fetch that failed"
    assert nudge("o/sub#8") in sub[-1], "no Nudge in the subagent"
    assert [main[-1].count(nudge(address)) for address in ("o/r#5", "o/fetched#7")] == [1, 1]


def ours(text: bytes) -> bool:
    return any(name in text for name in (b"rg-hook", b"rg-mcp", b"resources-graph"))


def test_versions_are_those_of_the_table() -> None:
    """What the READMEs show is what a run of these versions wrote: `python -m tests.e2e.versions`."""
    table = json.loads((Path(__file__).parent / "versions.json").read_text(encoding="utf-8"))
    assert {name: row["version"] for name, row in table.items()} == {
        program.installed: INSTALLED[program.installed].version for program in PROGRAMS
    }
    assert {path: path.read_text(encoding="utf-8") for path in pages()} == pages()
