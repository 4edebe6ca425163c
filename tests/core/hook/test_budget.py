"""What a hook call may cost: a written list of imports, one transaction, one lookup."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rg_core.harness.events import ToolStarted
from rg_core.hook.recorder import Hooked, handle
from rg_core.touches.database import TouchLog
from tests.core.hook.running import SCRIPT, identified, known, payload, run_hook, shell

VIEW = "gh issue view 12 -R memgraph/memgraph"
ITEM = "github:memgraph/memgraph#12"
# Modules of the standard library that a relevant call may import, by the names of Python 3.11 to 3.14.
LISTED = """
__future__ gc json json.decoder json.encoder json.scanner _json
re re._casefix re._compiler re._constants re._parser _sre
enum types functools _functools collections _collections _collections_abc operator _operator itertools
keyword reprlib copyreg annotationlib _types _tokenize token
_sqlite3 _blake2 _thread time
"""
RELEVANT = frozenset(LISTED.split())
IRRELEVANT = frozenset({"__future__", "gc", "_thread", "time"})
OURS = re.compile(r"rg_core(\.|$)|rg_claude_code(\.|$)")
# Ours, but not for the hook: what is cold stays out.
COLD = re.compile(r"rg_core\.(config|cli|touches\.database|store|github|sweep|reading|mcp_server|harness\.edits)(\.|$)")


def imported(environ: dict[str, str], *arguments: str, data: bytes = b"") -> set[str]:
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
    assert "_sqlite3" in modules


def test_a_session_s_begin_opens_no_file(home: dict[str, str]) -> None:
    identified(home)
    modules = beyond_bare(home, payload("SessionStart", source="startup"))
    assert standard(modules) <= RELEVANT
    assert not {name for name in modules if name.startswith("rg_core.address.")} - {"rg_core.address.model"}


def test_one_transaction_and_one_lookup(home: dict[str, str]) -> None:
    log: TouchLog = identified(home)
    log.put_known([known(ITEM, title="t")])
    hooked = Hooked("claude_code", home, "resource", tells=True)
    handle(ToolStarted("s", "Bash", {"command": "gh repo view o/r"}, "/", "t0"), hooked)  # reads config.toml
    statements: list[str] = []
    told = handle(ToolStarted("s", "Bash", {"command": VIEW}, "/", "t1"), hooked, trace=statements.append)
    assert told.note
    verbs = [statement.split()[0] for statement in statements]
    assert verbs == ["PRAGMA", "SELECT", "SELECT", "BEGIN", "INSERT", "INSERT", "COMMIT"]
    assert "FROM settings" in statements[1]
    assert "FROM known" in statements[2]


def test_the_lookup_and_the_insert_use_an_index(home: dict[str, str]) -> None:
    from rg_core import paths
    from rg_core.touches import outbox

    log = identified(home)
    log.put_known([known(f"github:o/r#{number}") for number in range(1, 50)])
    statements: list[str] = []
    db = outbox.open_outbox(paths.outbox_file(home), trace=statements.append)
    outbox.look_up(db, ["github:o/r#1", "github:o/r#2"], [("github:o/r/issues?", "github:o/r/issues?state=open")])
    plan = " ".join(row[3] for row in db.execute("EXPLAIN QUERY PLAN " + statements[-1]))
    db.close()
    assert "SCAN" not in plan
    assert "SEARCH known USING INDEX" in plan


def test_the_scripts_own_imports_are_few() -> None:
    assert len(Path(SCRIPT).read_text().splitlines()) < 10
