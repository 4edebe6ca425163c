"""What a hook call may cost: a written list of imports, and of the files that it opens."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rg_core import paths
from tests.core.hook.running import SCRIPT, explored, identified, known, payload, run_hook, shell

VIEW = "gh issue view 12 -R memgraph/memgraph"
ITEM = "github:memgraph/memgraph#12"
# Modules of the standard library that a relevant call may import, by the names of Python 3.11 to 3.14.
LISTED = """
__future__ gc json json.decoder json.encoder json.scanner _json
re re._casefix re._compiler re._constants re._parser _sre
enum types functools _functools collections _collections _collections_abc operator _operator itertools
keyword reprlib copyreg annotationlib _types _tokenize token
_blake2 _thread time
"""
RELEVANT = frozenset(LISTED.split())
IRRELEVANT = frozenset({"__future__", "gc", "_thread", "time"})
OURS = re.compile(r"rg_core(\.|$)|rg_claude_code(\.|$)")
# Ours, but not for the hook: what is cold stays out.
COLD = re.compile(
    r"rg_core\.(config|cli|touches\.(database|drain|index|file)|store|github|sweep|reading|mcp_server|harness\.edits)(\.|$)"
)


def imported(environ: dict[str, str], *arguments: str, data: bytes = b"") -> set[str]:
    environ = {name: value for name, value in environ.items() if not name.startswith("COVERAGE_")}  # which imports
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], input=data, env=environ, capture_output=True, text=False
    )
    return {line.split("|")[-1].strip() for line in done.stderr.decode().splitlines() if "|" in line} - {
        "imported package"
    }


def beyond_bare(environ: dict[str, str], called: dict[str, object], *arguments: str) -> set[str]:
    bare = imported(environ, "-c", "pass")
    return imported(environ, str(SCRIPT), "claude_code", *arguments, data=json.dumps(called).encode()) - bare


def standard(modules: set[str]) -> set[str]:
    return {name for name in modules if not OURS.match(name)}


def test_an_irrelevant_call_imports_next_to_nothing(home: dict[str, str]) -> None:
    modules = beyond_bare(home, shell("ls -la"))
    assert standard(modules) <= IRRELEVANT
    assert modules - standard(modules) == {
        "rg_core",
        "rg_core.hook",
        "rg_core.hook.main",
        "rg_core.hook.relevance",
        "rg_claude_code",
    }


@pytest.mark.parametrize(
    "line",
    [
        VIEW,
        "gh issue list -R o/r --label bug",
        "curl -s 'https://api.github.com/repos/a/b/issues?state=all' | jq .",
        'gh api graphql -f query=\'{repository(owner:"a",name:"b"){issue(number:9){title}}}\'',
        'cd /tmp && bash -lc "for i in 1 2; do gh pr view $i -R o/r; done"',
    ],
)
def test_a_relevant_call_imports_what_is_on_the_list(home: dict[str, str], line: str) -> None:
    log = identified(home)
    log.put_known([known(ITEM, title="t"), known("github:o/r/issues?state=all", member_count=1, total_count=1)])
    run_hook(home, shell(line))  # the first reads config.toml
    modules = beyond_bare(home, shell(line, "toolu_2", session_id="another"))
    assert standard(modules) <= RELEVANT
    assert not {name for name in modules if COLD.match(name)}
    assert "rg_core.hook.recorder" in modules  # it was relevant
    assert not {name for name in modules if "sql" in name or "dbm" in name}  # no database at all


def test_an_everyday_call_needs_no_regular_expressions(home: dict[str, str]) -> None:
    identified(home).put_known([known(ITEM, title="t")])
    run_hook(home, shell("gh repo view o/r"))  # reads config.toml
    for number, line in enumerate(
        (
            f"{VIEW} --comments",
            "cd /tmp && gh pr view 5 -R o/r --json title 2>&1 | head -50",
            "gh issue list -R o/r --label bug --search 'is:open crash'",
            'gh search issues "memory leak" --repo=o/r --limit 50 --json number,title 2>/dev/null | head -20',
        )
    ):
        modules = beyond_bare(home, shell(line, f"t{number}", session_id="another"))
        assert not {"re", "enum", "functools", "json"} & modules


def test_a_session_s_begin_opens_no_file(home: dict[str, str]) -> None:
    identified(home)
    modules = beyond_bare(home, payload("SessionStart", source="startup"))
    assert standard(modules) <= RELEVANT
    assert not {name for name in modules if name.startswith("rg_core.address.")} - {"rg_core.address.model"}


WATCHED = """
import os, sys
def watch(event, arguments):
    if event == "open" and str(arguments[0]).startswith(os.environ["WATCHED"]):
        path = str(arguments[0])[len(os.environ["WATCHED"]) + 1:].split(os.sep)
        os.write(2, f"{path[0]} {'w' if arguments[2] & (os.O_WRONLY | os.O_RDWR) else 'r'}\\n".encode())
sys.addaudithook(watch)
from rg_core.hook import main as hook
hook.DEADLINE = 60
hook.main()
"""


def test_a_relevant_call_opens_four_small_files(home: dict[str, str]) -> None:
    """The settings, its own event, the index, and what the session was told."""
    log = identified(home)
    log.put_known([known(ITEM, title="t")])
    run_hook(home, shell("gh repo view o/r", "toolu_0"))  # reads config.toml
    environ = home | {"WATCHED": paths.data_dir(home)}
    call = json.dumps(shell(VIEW)).encode()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "claude_code"], input=call, env=environ, capture_output=True, check=True
    )
    assert ITEM.encode() in done.stdout
    opened = [line for line in done.stderr.decode().splitlines() if "told" not in line or line.endswith("w")]
    assert opened in (["hook r", "events w", "hook r", "told w"], ["hook r", "events w", "hook r", "told w", "told w"])


DATABASES = """
import sys
def watch(event, arguments):
    text = str(arguments[0]) if arguments else ""
    if event.startswith("sqlite3.") or event == "import" and ("sqlite" in text or "telemetry" in text) \\
            or event == "open" and ".db" in text:
        sys.stderr.write(f"{event} {text}\\n")
sys.addaudithook(watch)
from rg_core.hook import main as hook
hook.INPUT = hook.DEADLINE = 60
hook.main()
"""
RECALL = "mcp__resources_graph__recall"


@pytest.mark.unmeasured  # coverage writes what it measured with SQLite
@pytest.mark.parametrize(
    ("called", "touched", "told"),
    [
        (shell("ls -la"), [], False),
        (shell("gh issue view 5 -R o/r"), ["github:o/r#5"], False),
        (shell(VIEW), [ITEM], True),
        (payload("UserPromptSubmit", prompt="what of memgraph/memgraph#12"), [ITEM], False),
        (payload("PreToolUse", tool_name=RECALL, tool_input={"query": "why"}, tool_use_id="u1"), [], False),
        (payload("SessionStart", source="startup"), [], True),
        (payload("SessionEnd", reason="exit"), [], False),
    ],
    ids=["irrelevant", "touch", "nudge", "prompt", "recall", "start", "end"],
)  # fmt: skip
def test_no_call_runs_a_statement_of_any_database(
    home: dict[str, str], called: dict[str, object], touched: list[str], told: bool
) -> None:
    """Neither SQLite nor telemetry is imported, no file of SQLite opened; the Touch and the Nudge are there."""
    log = identified(home)
    log.put_known([known(ITEM, title="t")])
    done = subprocess.run(
        [sys.executable, "-c", DATABASES, "claude_code"], input=json.dumps(called).encode(), env=home,
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stderr == b""
    assert bool(done.stdout) == told
    assert explored(log) == touched


def test_the_scripts_own_imports_are_few() -> None:
    assert len(Path(SCRIPT).read_text().splitlines()) < 10
