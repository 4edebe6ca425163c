"""Settings that have no effect because of another one are said, with the command that gives them one."""

import pytest

from rg_core.cli.idle import NEEDS, TO_SET, idle
from rg_core.cli.main import main
from rg_core.config import KEYS, parse, read_value

ME = '[identity]\nuser_id = "ann"\n'


@pytest.mark.parametrize(
    ("text", "changed", "said"),
    [
        ("", KEYS, []),
        (ME + "[assets]\ndeliver = true\nmcp = 'read'\n", KEYS, []),
        (ME + "[assets]\nmcp = 'read'\n", KEYS, []),
        (ME + "[assets]\nsession_budget = 1600\n", KEYS, []),
        (
            ME + "[assets]\ndeliver = true\n",
            ["assets.deliver"],
            ["assets.deliver has no effect while assets.mcp is off: rg-memory config set assets.mcp read"],
        ),
        (
            ME + "[assets]\ndeliver = true\n",
            ["assets.mcp"],
            ["assets.deliver has no effect while assets.mcp is off: rg-memory config set assets.mcp read"],
        ),
        (ME + "[assets]\ndeliver = true\n", ["sweep.auto"], []),
        (
            ME + "[assets]\nmax_age_hours = 2\n",
            KEYS,
            [
                "assets.max_age_hours has no effect while assets.deliver is false: "
                "rg-memory config set assets.deliver true",
                "assets.max_age_hours has no effect while store.url is not set: rg-memory config set store.url URL",
            ],
        ),
        (
            "[telemetry]\nenabled = false\nquery_text = false\n",
            KEYS,
            ["telemetry.query_text has no effect while telemetry.enabled is false: "
             "rg-memory config set telemetry.enabled true"],
        ),
        (
            "[sweep]\nauto = true\n",
            KEYS,
            ["sweep.auto has no effect while identity.user_id is not set: rg-memory config set identity.user_id NAME"],
        ),
    ],
)  # fmt: skip
def test_what_is_said(text: str, changed: list[str], said: list[str]) -> None:
    assert list(idle(parse(text, "config.toml"), changed)) == said


def test_every_key_is_one_and_what_is_advised_can_be_set() -> None:
    assert {*NEEDS, *TO_SET} <= {*KEYS}
    assert {need for needs in NEEDS.values() for need in needs} == {*TO_SET}
    for key, word in TO_SET.items():
        assert read_value(key, word)


def test_setting_either_of_the_two_says_it(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in home.items():
        monkeypatch.setenv(name, value)

    def said(key: str, word: str) -> str:
        assert main(["config", "set", key, word]) == 0
        return capsys.readouterr().err

    off = "assets.deliver has no effect while assets.mcp is off"
    assert said("identity.user_id", "ann") == ""
    assert off in said("assets.deliver", "true")
    assert said("assets.mcp", "read") == ""
    assert off in said("assets.mcp", "off")
