"""The one border between what others wrote and a person's terminal, for every command."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import rg_core.cli
from rg_core import border, config, paths
from rg_core.cli.main import main
from rg_core.store import open_store
from rg_core.store.model import Batch, Item, Repository
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, PENDING, RESOLVED, Touch
from tests import foreign

AT = "2026-11-29T20:00:00Z"
COMMANDS = Path(rg_core.cli.__file__).parent
FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def me(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Somebody with a token, in the environment of this process."""
    monkeypatch.setattr(border, "_secrets", set())
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, home[name])
    config.set_values(home, {"identity.user_id": "ann", "github.token": foreign.SECRET})
    return home


def printed(*arguments: str) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of a command."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


@FEW
@given(evil=foreign.texts)
def test_s04_what_a_payload_says_of_itself_cannot_forge_a_line(me: dict[str, str], evil: str) -> None:
    log = TouchLog(paths.outbox_file(me))
    log.forget("ann", address=None, session=None, everything=True)
    evil = evil.encode("utf-8", "replace").decode()
    for number, (provenance, status) in enumerate([(FETCHED, PENDING), (CACHE_READ, RESOLVED)]):
        log.record([Touch(
            id=f"{number}", user="ann", address="github:o/r#1", kind="item", provenance=provenance, at=AT,
            session=evil, harness=evil, tool_name=evil, agent=evil, agent_type=evil, status=status, outcome="hit",
        )])  # fmt: skip
    for command in (["touches"], ["status"], ["stats"]):
        code, out, err = printed(*command)
        assert (code, err) == (0, "")
        assert foreign.faults(out, one_line=False) == []
    assert printed("touches")[1].count("\n") == 2
    shown = json.loads(printed("touches", "--json")[1])
    assert len(shown) == 2


@FEW
@given(evil=foreign.texts)
def test_s04_what_github_says_cannot_forge_a_line(me: dict[str, str], evil: str) -> None:
    store = open_store(config.load(me), me)
    store.init()
    evil = evil.encode("utf-8", "replace").decode()
    item = Item(
        kind="issue", node_id="I1", repository_id="R1", repository="o/r", number=1, title=evil, body=evil,
        state="open", author=evil, labels=(evil,), assignees=(evil,), milestone=evil, milestone_number=1,
        created_at=AT, updated_at=AT, closed_at=None, fetched_at=AT, comments=(), references=(), closes=(),
    )  # fmt: skip
    store.write(Batch(AT, repositories=[Repository("R1", "o/r", evil, evil, AT, AT, AT)], items=[item]))
    store.close()
    for command in (["show", "o/r#1"], ["show", "o/r"], ["list"], ["history", "o/r#1"], ["list", "--json"]):
        code, out, err = printed(*command)
        assert (code, err) == (0, "")
        assert foreign.faults(out, one_line=False) == []
    assert printed("list")[1].count("\n") == 2
    json.loads(printed("list", "--json")[1])
    json.loads(printed("show", "o/r#1", "--json")[1])


@FEW
@example(evil="lone \ud83d surrogate", command=["import"])
@example(evil="lone \ud83d surrogate", command=["list"])
@given(evil=foreign.texts.filter(lambda text: "\0" not in text), command=st.sampled_from([
    ["show"], ["history"], ["diff"], ["import"], ["touches"], ["forget", "--yes"], ["reverify"], ["list"],
    ["config", "get"], ["touches", "--since"], ["touches", "--session"], ["explain", "--address"],
    ["explain", "--prompt"], [],
]))  # fmt: skip
def test_s04_what_is_typed_cannot_forge_a_line(me: dict[str, str], evil: str, command: list[str]) -> None:
    code, out, err = printed(*command, f"x{evil}")
    assert code in (0, 1, 2)
    assert foreign.faults(out + err, one_line=False) == []
    if code == 1:
        assert err.startswith("rg-memory: ")
        assert err.count("\n") == 1


@FEW
@given(text=foreign.texts)
def test_s04_a_screen_shows_nothing_else_whoever_writes_to_it(me: dict[str, str], text: str) -> None:
    config.load(me)
    plain = io.StringIO()
    print(text, file=border.Screen(plain))
    assert foreign.faults(plain.getvalue(), one_line=False) == []


def test_a_screen_says_what_its_encoding_can_say() -> None:
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print("müde …", file=border.Screen(plain))
    plain.flush()
    assert plain.buffer.getvalue() == b"m?de ?\n"


def test_a_secret_is_shown_to_whom_asks_for_it_by_name_only(me: dict[str, str]) -> None:
    assert printed("config", "get", "github.token")[1] == f"{foreign.SECRET}\n"
    assert foreign.SECRET not in printed("config", "show")[1]
    assert foreign.SECRET not in printed("config", "show", "--json")[1]


def test_s04_a_directory_of_any_name_is_a_project_and_shown_on_its_own_line(me: dict[str, str], tmp_path: Path) -> None:
    evil = tmp_path / "a \x1b[31m\nforged \u202e"
    evil.mkdir()
    for command in (["project", "add", "p", str(evil)], ["project", "list"], ["config", "show"]):
        code, out, err = printed(*command)
        assert (code, err, foreign.faults(out, one_line=False)) == (0, "", [])
        assert not [line for line in out.splitlines() if line.startswith("forged")]


def test_s11_passwords_in_urls_are_secrets(me: dict[str, str]) -> None:
    config.set_values(me, {"github.api_url": "https://ann:pass-word-1@ghe.example/api"})
    config.load(me)
    assert (
        border.line("https://ann:pass-word-1@ghe.example cannot be reached")
        == "https://ann:***@ghe.example cannot be reached"
    )


def test_s04_no_command_makes_a_way_around_the_border() -> None:
    around = re.compile(r"\bConsole\(|__stdout__|__stderr__|stdout\.buffer\.write|os\.write\(|\\033|\\x1b")
    found = {path.name for path in COMMANDS.rglob("*.py") if around.search(path.read_text("utf-8"))}
    assert found == {"screen.py"}
