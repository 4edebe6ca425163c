"""rg-memory config: what it prints, what it writes, what it never shows."""

import json
import stat
import sys
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.config import load
from tests.core.cli.test_own_touches import rg_memory


def test_set_get_and_path(home: dict[str, str]) -> None:
    assert rg_memory(home, "config", "path").strip() == paths.config_file(home)
    rg_memory(home, "config", "set", "identity.user_id", "ann")
    rg_memory(home, "config", "set", "sweep.auto", "true")
    rg_memory(home, "config", "set", "capture.exclude_projects", "~/a, ~/b")
    assert rg_memory(home, "config", "get", "identity.user_id") == "ann\n"
    assert rg_memory(home, "config", "get", "sweep.auto") == "true\n"
    assert rg_memory(home, "config", "get", "capture.exclude_projects") == "~/a, ~/b\n"
    assert stat.S_IMODE(Path(paths.config_file(home)).stat().st_mode) == 0o600


def test_a_token_is_read_from_stdin_and_masked(home: dict[str, str]) -> None:
    rg_memory(home, "config", "set", "github.token", "-", stdin="s3cret\n")
    assert load(home).github.token == "s3cret"
    assert "s3cret" not in rg_memory(home, "config", "show")
    shown = json.loads(rg_memory(home, "config", "show", "--json"))
    assert shown["github.token"] == "********"
    assert shown["store.password"] == ""
    assert rg_memory(home, "config", "get", "github.token") == "s3cret\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("get", "github.tokn"), "there is no key 'github.tokn'"),
        (("set", "sweep.auto", "maybe"), "true or false"),
        (("set", "sweep.max_members", "0"), "above 0"),
        (("set", "github.api_url", "notaurl"), "a URL such as https://api.github.com"),
        (("set", "github.api_url", "ftp://ghe.example"), "a URL such as https://api.github.com"),
        (("set", "github.api_url", "https://[::1"), "a URL such as https://api.github.com"),
        (("set", "github.api_url", "https://ghe.example/?page=1"), "a URL such as https://api.github.com"),
        (("set", "github.api_url", "https://ghe.example:99999"), "a URL such as https://api.github.com"),
        (("set", "store.url", "nonsense"), "bolt://"),
        (("set", "store.url", "https://graph.example"), "bolt://"),
        (("set", "store.url", "bolt://"), "bolt://"),
        (("set", "store.url", "neo4j://graph.example:99999"), "bolt://"),
        (("set", "store.url", "bolt://[::1"), "bolt://"),
        (("set", "store.url", "bolt://ann:secret-word@graph.example"), "must not hold a user or password"),
    ],
)
def test_n06_what_is_refused(home: dict[str, str], arguments: tuple[str, ...], said: str) -> None:
    assert said in rg_memory(home, "config", *arguments, code=1)
    assert not Path(paths.config_file(home)).exists()


def test_a_broken_file_is_said_with_its_line(home: dict[str, str]) -> None:
    path = Path(paths.config_file(home))
    path.parent.mkdir(parents=True)
    path.write_text("[identity]\nuser_id = 3\n")
    for command in (("config", "show"), ("config", "get", "sweep.auto"), ("touches",), ("status",)):
        said = rg_memory(home, *command, code=1)
        assert f"{path}, line 2: [identity] user_id" in said
        assert "rg-memory config edit" in said


@pytest.mark.parametrize("text", [f"a = {'9' * 5000}\n", f"a = {'[' * 20_000}\n", "a = = 1\n", "\x00"])
def test_s08_what_no_program_can_read_is_said_in_one_line(home: dict[str, str], text: str) -> None:
    path = Path(paths.config_file(home))
    path.parent.mkdir(parents=True)
    path.write_text(text)
    said = rg_memory(home, "status", code=1)
    assert said.startswith(f"rg-memory: {path} is not valid TOML")
    assert "rg-memory config edit" in said
    assert said.count("\n") == 1


def editor(tmp_path: Path, text: str) -> str:
    """A program that writes this text over the file it is given."""
    script = tmp_path / "editor.py"
    script.write_text(f"import sys; open(sys.argv[-1], 'w').write({text!r})")
    return f"{sys.executable} {script}"


def test_editing_begins_with_every_key_explained(home: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys; text = open(sys.argv[-1]).read(); open(sys.argv[-1], 'a').write('# seen'); print(text)"
    )
    rg_memory(home | {"EDITOR": f"{sys.executable} {script}"}, "config", "edit")
    text = Path(paths.config_file(home)).read_text()
    assert text.endswith("# seen")
    for key in ("user_id", "token", "url", "exclude_projects", "auto", "max_members"):
        assert f"# {key} = " in text
    assert load(home).user == ""


def test_what_is_valid_is_kept_and_what_is_not_changes_nothing(home: dict[str, str], tmp_path: Path) -> None:
    rg_memory(home | {"VISUAL": editor(tmp_path, "[identity]\nuser_id = 'ann'\n")}, "config", "edit")
    assert load(home).user == "ann"
    said = rg_memory(home | {"VISUAL": editor(tmp_path, "[identity]\nuser = 'bob'\n")}, "config", "edit", code=1)
    assert "unknown key" in said
    assert "unchanged" in said
    assert load(home).user == "ann"
    assert "editor failed" in rg_memory(home | {"VISUAL": "no-such-editor"}, "config", "edit", code=1)


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_env12_only_the_line_that_is_set_differs(home: dict[str, str], bom: str, end: str) -> None:
    path = Path(paths.config_file(home))
    path.parent.mkdir(parents=True)
    lines = ["# mine", "[identity]", 'user_id = "ann"  # me', "", "[sweep]", "auto = false  # not yet", ""]
    path.write_bytes((bom + end.join(lines)).encode())
    rg_memory(home, "config", "set", "sweep.auto", "true")
    lines[5] = "auto = true  # not yet"
    assert path.read_bytes() == (bom + end.join(lines)).encode()
    rg_memory(home, "config", "set", "github.api_url", "https://ghe.example/api")
    added = path.read_bytes()
    assert added.startswith((bom + end.join(lines)).encode().rstrip())
    assert added.count(b"\n") == added.count(end.encode())
    assert load(home).sweep.auto
