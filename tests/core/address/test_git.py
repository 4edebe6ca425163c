"""Remotes read from real Git files, compared with what Git itself says where Git is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rg_core import git
from rg_core.address import of_call


def checkout(path: Path, config: str) -> Path:
    (path / ".git").mkdir(parents=True)
    (path / ".git" / "config").write_text(config)
    return path


def viewed(directory: Path, home: Path) -> list[str]:
    """The keys that `gh issue view 7` in the directory yields."""
    environ = {"HOME": str(home)}
    found = of_call(
        "Bash", {"command": "gh issue view 7"}, str(directory), lambda where: git.remotes(where, environ), environ
    )
    return [str(address) for address in found.addresses]


def origin(url: str) -> str:
    return f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def test_remote_of_a_checkout_counts_below_it_too(tmp_path: Path) -> None:
    repository = checkout(tmp_path / "r", origin("git@github.com:o/r.git"))
    (repository / "a" / "b").mkdir(parents=True)
    assert viewed(repository, tmp_path) == ["github:o/r#7"]
    assert viewed(repository / "a" / "b", tmp_path) == ["github:o/r#7"]
    assert viewed(tmp_path, tmp_path) == []


def test_gh_resolved_beats_the_rank(tmp_path: Path) -> None:
    config = origin("git@github.com:me/r.git") + '[remote "upstream"]\n\turl = https://github.com/o/r\n'
    assert viewed(checkout(tmp_path / "ranked", config), tmp_path) == ["github:o/r#7"]
    resolved = config.replace("me/r.git\n", "me/r.git\n\tgh-resolved = base\n")
    assert viewed(checkout(tmp_path / "resolved", resolved), tmp_path) == ["github:me/r#7"]


def test_worktree_has_the_remotes_of_its_main_checkout(tmp_path: Path) -> None:
    repository = checkout(tmp_path / "r", origin("https://github.com/o/r"))
    entry = repository / ".git" / "worktrees" / "w"
    entry.mkdir(parents=True)
    (entry / "commondir").write_text("../..\n")
    worktree = tmp_path / "w"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {entry}\n")
    assert viewed(worktree, tmp_path) == ["github:o/r#7"]


def test_submodule_has_its_own_remotes(tmp_path: Path) -> None:
    repository = checkout(tmp_path / "r", origin("https://github.com/o/r"))
    modules = repository / ".git" / "modules" / "sub"
    modules.mkdir(parents=True)
    (modules / "config").write_text(origin("https://github.com/o/sub"))
    (repository / "sub").mkdir()
    (repository / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    assert viewed(repository / "sub", tmp_path) == ["github:o/sub#7"]


@pytest.mark.parametrize(
    ("url", "gitconfig"),
    [
        ("gh:o/r", '[url "https://github.com/"]\n\tinsteadOf = gh:\n'),
        ("gh:o/r", '[url "git@github.com:"]\n\tinsteadOf = "gh:" # short\n'),
        ("https://mirror/x/r", '[url "https://m/"]\ninsteadOf=https://mirror/\n[url "https://github.com/o/"]\ninsteadOf=https://mirror/x/\n'),
        ("work:o/r.git", "[user]\n\tname = x\n"),
    ],
)  # fmt: skip
def test_instead_of_and_ssh_aliases_are_resolved(tmp_path: Path, url: str, gitconfig: str) -> None:
    (tmp_path / ".gitconfig").write_text(gitconfig)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host other work\n  HostName github.com\n  User git\n")
    assert viewed(checkout(tmp_path / "r", origin(url)), tmp_path) == ["github:o/r#7"]


@pytest.mark.parametrize(
    "config",
    [
        origin("https://gitlab.com/o/r.git"),
        origin("git@unknown-alias:o/r.git"),
        origin("git@github.com:o/r.git") + "[include]\n\tpath = other\n",
        origin("/srv/git/r.git"),
        "not a configuration",
        "",
    ],
    ids=["another host", "unknown ssh alias", "include", "local path", "garbage", "empty"],
)
def test_what_cannot_be_told_yields_nothing(tmp_path: Path, config: str) -> None:
    assert viewed(checkout(tmp_path / "r", config), tmp_path) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")
def test_urls_are_those_that_git_shows(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CONFIG_NOSYSTEM": "1"}
    (tmp_path / ".gitconfig").write_text(
        '[url "https://github.com/"]\n\tinsteadOf = gh:\n\tpushInsteadOf = https://read.example/\n'
    )
    repository = tmp_path / "r"

    def run(*words: str) -> str:
        return subprocess.run(["git", *words], env=environ, check=True, capture_output=True, text=True).stdout

    run("init", "-q", str(repository))
    for name, url in (
        ("origin", "gh:o/r.git"),
        ("we.ird-x", "https://read.example/o/r"),
        ("plain", "https://github.com/o/q"),
    ):
        run("-C", str(repository), "remote", "add", name, url)
    shown = {}
    for line in run("-C", str(repository), "remote", "-v").splitlines():
        name, url, which = line.split()
        shown[name, which] = url
    read = git.remotes(str(repository), environ)
    assert read is not None
    for (name, which), url in shown.items():
        remote = read[name]
        assert (remote.get("pushurl", remote["url"]) if which == "(push)" else remote["url"]) == url
