"""config.toml: what it says, what is refused and how, how it is written."""

import stat
from pathlib import Path

import pytest

from rg_core import config, paths
from rg_core.errors import UserError


def write(home: dict[str, str], text: str) -> Path:
    path = Path(paths.config_file(home))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_file_everything_has_its_default(home: dict[str, str]) -> None:
    loaded = config.load(home)
    assert loaded.user == ""
    assert loaded.github.api_url == "https://api.github.com"
    assert loaded.store.touches == "graph"
    assert not loaded.sweep.auto
    with pytest.raises(UserError, match=r"rg-memory config set identity\.user_id NAME"):
        loaded.require_user()


def test_every_section_is_read(home: dict[str, str]) -> None:
    write(home, """
        identity.user_id = "ann"
        [github]
        token = "abc"
        [store]
        url = "bolt://h"
        touches = "local"
        [capture]
        exclude_projects = ["~/private", "/srv/*"]
        [sweep]
        auto = true
        max_members = 10
    """)  # fmt: skip
    loaded = config.load(home)
    assert (loaded.user, loaded.github.token, loaded.store.url, loaded.store.touches) == (
        "ann",
        "abc",
        "bolt://h",
        "local",
    )
    assert loaded.capture.exclude_projects == ("~/private", "/srv/*")
    assert (loaded.sweep.auto, loaded.sweep.max_members) == (True, 10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[identity]\nuser_id = ann", "line 2"),
        ("\n[identty]\nuser_id = 'ann'", r"line 2: \[identty\]: unknown section"),
        ("[github]\n\ntokn = 'x'", r"line 3: \[github\] tokn: unknown key; \[github\] has token, api_url"),
        ("[sweep]\nauto = 'yes'", r"line 2: \[sweep\] auto: must be true or false, not 'yes'"),
        ("[sweep]\nmax_members = 0", "a whole number above 0"),
        ("[sweep]\nmax_members = true", "a whole number above 0"),
        ("[store]\ntouches = 'both'", '"graph" or "local"'),
        ("[capture]\nexclude_tools = 'Bash'", "must be a list of texts"),
        ("[capture]\nexclude_tools = [1]", "must be a list of texts"),
        ("[projects]\ndirs = ['no equals sign']", "must be a list of NAME=DIRECTORY"),
        ("[documents]\nprefixes = ['1']", "must be a list of prefixes made of letters"),
        ("[recall]\nclass_weights = ['other=1']", "must be a list of CLASS=VEC:LEX:GRAPH"),
        ("[identity]\nuser_id = 'ann'\npseudonym = true", r"rg-memory config set identity\.pseudonym true"),
        ("store = 3", r"line 1: \[store\]: unknown section"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_the_way_out(home: dict[str, str], text: str, said: str) -> None:
    path = write(home, text)
    with pytest.raises(UserError, match=said) as raised:
        config.load(home)
    assert str(path) in str(raised.value)
    assert "rg-memory config" in str(raised.value)


@pytest.mark.parametrize("token", ["123456789", "'1234 56789'", "'ghé123456789'", '"ghp\\n123456789"'])
def test_a_token_that_cannot_be_one_is_refused_and_not_shown(home: dict[str, str], token: str) -> None:
    """No HTTP header could carry it."""
    write(home, f"[github]\ntoken = {token}")
    with pytest.raises(UserError, match=r"line 2.*as GitHub made it") as raised:
        config.load(home)
    assert "123456789" not in str(raised.value)


def test_tokens_and_identities_never_come_from_the_environment(home: dict[str, str]) -> None:
    spoilt = home | {"GITHUB_TOKEN": "t", "GH_TOKEN": "t", "RG_USER_ID": "u", "USER": "u", "NEO4J_PASSWORD": "p"}
    assert config.load(spoilt) == config.load(home)


def test_setting_keeps_comments_and_order(home: dict[str, str]) -> None:
    before = '# mine\n[sweep]  # how\nauto = false # not yet\n\n[github]\ntoken = "abc"\n'
    path = write(home, before)
    config.set_values(home, {"sweep.auto": True, "capture.exclude_tools": ("Bash", "mcp__x__*")})
    after = path.read_text()
    assert after.startswith('# mine\n[sweep]  # how\nauto = true # not yet\n\n[github]\ntoken = "abc"\n')
    assert config.load(home).capture.exclude_tools == ("Bash", "mcp__x__*")


def test_the_file_is_private_and_a_link_stays_a_link(home: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("")
    target.chmod(0o644)
    path = Path(paths.config_file(home))
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    config.set_values(home, {"github.token": "abc"})
    assert path.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [name.name for name in path.parent.iterdir()] == ["config.toml"]


def test_a_refused_value_changes_nothing(home: dict[str, str]) -> None:
    path = write(home, "[sweep]\nmax_members = 5\n")
    with pytest.raises(UserError, match="above 0"):
        config.set_values(home, {"sweep.max_members": -1})
    assert path.read_text() == "[sweep]\nmax_members = 5\n"


def test_an_identity_is_made_up_once(home: dict[str, str]) -> None:
    first = config.ensure_identity(home).user
    assert first.startswith("user-")
    assert config.ensure_identity(home).user == first


def test_a_pseudonym_is_stable_keyed_and_tells_nothing(home: dict[str, str]) -> None:
    config.set_values(home, {"identity.user_id": "ann", "identity.pseudonym": True})
    ours = config.load(home).user
    assert "ann" not in ours
    config.set_values(home, {"identity.pseudonym": True})
    assert config.load(home).user == ours
    config.set_values(home, {"identity.pseudonym_key": "another"})
    assert config.load(home).user not in (ours, "ann")


@pytest.mark.parametrize(
    ("key", "word", "value"),
    [
        ("sweep.auto", "TRUE", True),
        ("sweep.max_members", "70", 70),
        ("github.token", "true", "true"),
        ("capture.exclude_tools", "Bash, WebFetch", ("Bash", "WebFetch")),
        ("capture.exclude_tools", "", ()),
    ],
)
def test_words_are_read_by_the_type_of_their_key(key: str, word: str, value: config.Value) -> None:
    assert config.read_value(key, word) == value


def test_wrong_words_are_refused() -> None:
    with pytest.raises(UserError, match="true or false"):
        config.read_value("sweep.auto", "yes")
    with pytest.raises(UserError, match=r"identity\.user_id"):
        config.read_value("identity.name", "x")
