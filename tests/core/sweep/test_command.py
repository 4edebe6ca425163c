"""rg-memory sweep as a person or a scheduler runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rg_core import paths
from rg_core.store.sqlite.store import EmbeddedStore
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import FETCHED, Touch
from tests.github_standin.samples import busy_world, small_world
from tests.github_standin.server import TOKEN, Standin

CODE = "from rg_core.cli.main import main; raise SystemExit(main(['sweep', *sys.argv[1:]]))"
Done = subprocess.CompletedProcess[str]


def configure(environ: dict[str, str], text: str) -> None:
    config = Path(paths.config_file(environ))
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")


def touch(environ: dict[str, str], *keys: str) -> TouchLog:
    log = TouchLog(paths.outbox_file(environ))
    log.record(
        Touch(key, "ada", key, "issues" if "?" in key else "item", FETCHED, "2026-11-29T21:00:00Z", "s", "claude_code")
        for key in keys
    )
    return log


def run(environ: dict[str, str], *arguments: str, before: str = "") -> Done:
    return subprocess.run(
        [sys.executable, "-c", f"import sys\n{before}\n{CODE}", *arguments],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip


def identity(github: Standin, token: str = TOKEN) -> str:
    return f'[identity]\nuser_id = "ada"\n[github]\ntoken = "{token}"\napi_url = "{github.url}"\n'


def test_a_summary_for_people(home: dict[str, str]) -> None:
    with Standin(small_world()) as github:
        configure(home, identity(github))
        touch(home, "github:acme/widgets#1", "github:acme/widgets#99", "github:acme/secret#1")
        done = run(home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 resolved: 1 fetched, 0 unchanged" in done.stdout
    assert "1 not found on GitHub" in done.stdout
    assert "1 not public, so not stored" in done.stdout
    assert "acme" not in done.stdout


def test_nothing_to_do(home: dict[str, str]) -> None:
    configure(home, '[identity]\nuser_id = "ada"\n')
    done = run(home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Nothing waits")


def test_another_users_addresses_are_not_named(home: dict[str, str]) -> None:
    with Standin(small_world()) as github:
        configure(home, identity(github).replace("ada", "eve"))
        touch(home, "github:acme/widgets#1")
        done = run(home, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["resolved"] == 0
    assert github.asked == []


def test_a_rate_limit_is_exit_code_3_and_tells_when_it_ends(home: dict[str, str]) -> None:
    with Standin(busy_world(80, 300)) as github:
        configure(home, identity(github, token=""))
        log = touch(home, "github:acme/busy/issues?state=all")
        done = run(home, "--json")
        assert done.returncode == 3
        summary = json.loads(done.stdout)
        assert summary["unresolved"] == {"rate_limited": 1}
        assert summary["resets_at"].endswith("Z")
        people = run(home)
        assert people.returncode == 3
        assert "rg-memory config set github.token -" in people.stdout
    assert [(each.status, each.reason) for each in log.touches("ada")] == [("unresolved", "rate_limited")]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("", ["no identity", "rg-memory config set identity.user_id"]),
        ("[identity\n", ["config.toml"]),
        ('[identity]\nuser_id = "ada"\n[github]\ntoken = 5\n', ["config.toml", "token"]),
        (
            '[identity]\nuser_id = "ada"\n[github]\ntoken = "tok"\napi_url = "http://127.0.0.1:9"\n',
            ["http://127.0.0.1:9", "network"],
        ),
        (
            '[identity]\nuser_id = "ada"\n[github]\napi_url = "http://name.invalid"\n',
            ["http://name.invalid", "network"],
        ),
        ('[identity]\nuser_id = "ada"\n[github]\napi_url = "not a url"\n', ["not a url", "rg-memory config edit"]),
        (
            '[identity]\nuser_id = "ada"\n[github]\ntoken = "tok"\napi_url = "http://github.example"\n',
            ["http://github.example", "unencrypted", "https"],
        ),
    ],
)
def test_errors_say_what_to_do(config: str, words: list[str], home: dict[str, str]) -> None:
    configure(home, config)
    log = touch(home, "github:acme/widgets#1")
    done = run(home)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert [each.status for each in log.touches("ada")] == ["pending"]
    as_json = run(home, "--json")
    assert as_json.returncode == 1
    summary = json.loads(as_json.stdout)
    assert summary["resolved"] == 0
    for word in words:
        assert word in summary["problem"]


def test_a_wrong_token_is_said_and_never_shown(home: dict[str, str]) -> None:
    wrong = "ghp_wrongTokenThatMustNotBeShown"
    with Standin(small_world()) as github:
        configure(home, identity(github, wrong))
        log = touch(home, "github:acme/widgets#1")
        done = run(home)
    assert done.returncode == 1
    assert "rg-memory config set github.token" in done.stderr
    assert wrong not in done.stderr + done.stdout
    assert [each.status for each in log.touches("ada")] == ["pending"]


def test_a_full_disk_loses_nothing(home: dict[str, str]) -> None:
    """A limit on the size of files stands in for a full disk."""
    key = "github:acme/busy/issues?state=all"
    with Standin(busy_world(200, 300)) as github:
        configure(home, identity(github))
        log = touch(home, key)
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))"
        done = run(home, before=limit)
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        assert [each.status for each in log.touches("ada")] == ["pending"]
        assert run(home).returncode == 0
    with closing(EmbeddedStore(paths.memory_file(home))) as store:
        assert store.counts()["issues"] == 200


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a place that nobody can write to")
def test_a_read_only_home(home: dict[str, str]) -> None:
    configure(home, '[identity]\nuser_id = "ada"\n')
    done = run(home | {"XDG_DATA_HOME": "/proc"})
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "/proc/rg-memory" in done.stderr


def test_a_pseudonym_sweeps_its_own_touches(home: dict[str, str]) -> None:
    with Standin(small_world()) as github:
        pseudonym = 'pseudonym = true\npseudonym_key = "00ff"\n'
        configure(home, identity(github).replace("[github]", f"{pseudonym}[github]"))
        from rg_core import config

        user = config.load(home).user
        log = TouchLog(paths.outbox_file(home))
        log.record([Touch("t", user, "github:acme/widgets#1", "item", FETCHED, "2026-11-29T21:00:00Z", "s", "codex")])
        assert json.loads(run(home, "--json").stdout)["resolved"] == 1


def status(environ: dict[str, str], *arguments: str) -> Done:
    code = "import sys; from rg_core.cli.main import main; raise SystemExit(main(['status', *sys.argv[1:]]))"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environ, capture_output=True, text=True, check=False
    )  # fmt: skip


def log_lines(environ: dict[str, str]) -> str:
    return Path(paths.log_file(environ)).read_text(encoding="ascii")


def test_the_last_sweep_is_seen_in_status_and_in_the_log(home: dict[str, str]) -> None:
    configure(home, '[identity]\nuser_id = "ada"\n')
    assert json.loads(status(home, "--json").stdout)["last_sweep"] is None
    assert "last sweep  none" in status(home).stdout
    with Standin(small_world()) as github:
        configure(home, identity(github))
        touch(home, "github:acme/widgets#1")
        run(home)
        shown = json.loads(status(home, "--json").stdout)["last_sweep"]
        assert (shown["ending"], shown["reason"], shown["user"]) == ("done", "", "ada")
        assert "1 resolved: 1 fetched" in log_lines(home)
    touch(home, "github:acme/widgets#2")
    run(home)  # GitHub is gone
    shown = json.loads(status(home, "--json").stdout)["last_sweep"]
    assert shown["ending"] == "failed"
    assert "cannot be reached" in shown["reason"]
    assert "failed" in status(home).stdout
    assert "cannot be reached" in log_lines(home)
    assert TOKEN not in log_lines(home)
    configure(home, '[identity]\nuser_id = "eve"\n')
    assert json.loads(status(home, "--json").stdout)["last_sweep"] is None


def test_a_sweep_that_was_killed_is_seen_as_one_that_has_not_ended(home: dict[str, str]) -> None:
    configure(home, '[identity]\nuser_id = "ada"\n')
    run(home, before="import os; from rg_core.cli import sweep; sweep._sweep = lambda *_, **__: os._exit(9)")
    assert "has not ended" in status(home).stdout


def test_s04_words_of_github_reach_nobody_as_escape_codes_and_no_log(home: dict[str, str]) -> None:
    with Standin(small_world()) as github:
        configure(home, identity(github))
        touch(home, "github:acme/widgets")
        words = "\x1b]0;owned\x07 see \n Authorization: Bearer " + TOKEN + " ghp_0123456789abcdefABCDEF0123456789abcd"
        github.fail("said", times=1000, where="rest", message=words)
        done = run(home)
    assert done.returncode == 1
    for text in (done.stderr, done.stdout, log_lines(home), status(home).stdout):
        assert TOKEN not in text
        assert "ghp_0123456789" not in text
        assert all(line.isprintable() for line in text.splitlines())
    assert "GitHub answered 400" in log_lines(home)
    assert "owned" in done.stderr
    assert "owned" not in log_lines(home) + status(home).stdout
