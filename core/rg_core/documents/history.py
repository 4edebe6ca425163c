"""A project's files and their versions, asked of Git.

With an argument list, and without anything that a repository could have Git run: hooks, a file-system monitor, an
external diff, a lazy fetch.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rg_core.errors import UserError

SAFE = (
    "--no-pager",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=false",
    "-c", "log.showSignature=false",
    "-c", "diff.renames=true",
    "-c", "diff.renameLimit=5000",
)  # fmt: skip
OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE")  # fmt: skip
SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Commit:
    """That a commit changed a file: what the file was called before it, and the blob that it left."""

    id: str
    at: int  # author date, seconds since the epoch
    blob: str
    path: str
    former: str  # the path before, where the commit moved it; else the same


class NoGit(UserError):
    """Git could not read a repository; what it said, and what to do."""


def git(directory: str, *arguments: str, seconds: float = SECONDS) -> bytes:
    """What a git command prints.

    Raises:
        NoGit: if it fails, or takes too long.
    """
    try:
        done = subprocess.run(
            ["git", "-C", directory, *SAFE, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, env=_environ(), timeout=seconds,
        )  # fmt: skip
    except FileNotFoundError:
        raise NoGit("git is not installed; install it, or add the directory with --no-history") from None
    except subprocess.TimeoutExpired:
        raise NoGit(f"git did not answer within {seconds:.0f} s in {directory}; try --no-history") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:500]
        raise NoGit(f"git cannot read {directory}: {said}; repair the repository, or add it with --no-history")
    return done.stdout


def head(directory: str) -> str | None:
    """The commit that is checked out; "" in a repository without one, None where there is no repository.

    Raises:
        NoGit: if there is one that cannot be read.
    """
    if not _in_repository(directory):
        return None
    git(directory, "rev-parse", "--git-dir")
    try:
        return git(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except NoGit:
        if git(directory, "rev-list", "--all", "--max-count=1").strip():
            raise  # there are commits: HEAD is broken, not new
        return ""


def tracked(directory: str, only: str = ".") -> list[str]:
    """The paths of plain files that Git tracks, relative to a directory of the repository.

    Raises:
        NoGit: if Git cannot tell.
    """
    listed = git(directory, "ls-files", "-z", "--stage", "--", only)
    paths: dict[str, None] = {}
    for entry in listed.split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if facts.startswith(b"100"):  # neither links nor other repositories
            paths[path.decode("utf-8", "surrogateescape")] = None
    return list(paths)


def is_ancestor(directory: str, commit: str) -> bool:
    """Whether a commit is part of what is checked out."""
    try:
        git(directory, "merge-base", "--is-ancestor", commit, "HEAD")
    except NoGit:
        return False
    return True


def commits(directory: str, only: str = ".", since: str = "") -> dict[str, list[Commit]]:
    """By today's path, the commits that changed each file, following renames, oldest first.

    Args:
        directory: paths are relative to it.
        only: a pathspec, relative to it too.
        since: only what came after this commit.

    Raises:
        NoGit: if Git cannot read its history.
    """
    span = f"{since}..HEAD" if since else "HEAD"
    out = git(
        directory, "log", span, "--first-parent", "-m", "--raw", "-z", "--no-abbrev", "-M", "--relative",
        "--no-ext-diff", "--no-textconv", "--ignore-submodules", "--format=%x01%H %at", "--", only,
    )  # fmt: skip
    found: dict[str, list[Commit]] = {}
    today: dict[str, str | None] = {}  # a path as of the commit that is read -> today's; None: of another file
    for id_, at, changes in _log(out):
        before: dict[str, str | None] = {}
        for blob, former, path in changes:
            if (now := today.get(path, path)) is None:
                continue
            found.setdefault(now, []).append(Commit(id_, at, blob, path, former))
            if former != path:
                before |= {path: None, former: now}
        today |= before
    return {path: there[::-1] for path, there in found.items()}


def blobs(directory: str, ids: Sequence[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
    """The contents of blobs, through one process; None for one that is larger than so many bytes, or missing.

    Raises:
        NoGit: if Git ends before it has answered.
    """
    process = subprocess.Popen(
        ["git", "-C", directory, *SAFE, "cat-file", "--batch"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environ(),
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    try:
        for id_ in ids:
            process.stdin.write(id_.encode() + b"\n")
            process.stdin.flush()
            facts = process.stdout.readline().split()
            if len(facts) != 3 or facts[1] != b"blob":
                if not facts:
                    raise NoGit(f"git ended while it read {directory}; repair the repository, or use --no-history")
                yield id_, None
                continue
            left, parts = int(facts[2]) + 1, []
            keep = left <= largest + 1
            while left:
                part = process.stdout.read(min(left, 1 << 16))
                if not part:
                    raise NoGit(f"git ended while it read {directory}; repair the repository, or use --no-history")
                left -= len(part)
                if keep:
                    parts.append(part)
            yield id_, b"".join(parts)[:-1] if keep else None
    except BrokenPipeError:
        raise NoGit(f"git ended while it read {directory}; repair the repository, or use --no-history") from None
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def _log(out: bytes) -> Iterator[tuple[str, int, list[tuple[str, str, str]]]]:
    """The commits of `git log --raw -z`, newest first: id, author date, and (blob, path before, path) of each file."""
    for part in out.split(b"\x01")[1:]:
        fields = iter(part.split(b"\0"))
        id_, _, at = next(fields).strip().partition(b" ")
        changes: list[tuple[str, str, str]] = []
        for field in fields:
            facts = field.strip().split(b" ")
            if len(facts) != 5:
                continue
            former = path = next(fields).decode("utf-8", "surrogateescape")
            if facts[4][:1] in b"RC":
                path = next(fields).decode("utf-8", "surrogateescape")
            if facts[1].startswith(b"100"):  # a plain file: neither gone nor a link
                changes.append((facts[3].decode(), former, path))
        yield id_.decode(), int(at or 0), changes


def _in_repository(directory: str) -> bool:
    """Whether a directory or one above it has a .git."""
    while True:
        if os.path.lexists(os.path.join(directory, ".git")):
            return True
        parent = os.path.dirname(directory)
        if parent == directory:
            return False
        directory = parent


def _environ() -> Mapping[str, str]:
    environ = {name: value for name, value in os.environ.items() if name not in OURS}
    return environ | {
        "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C",
    }  # fmt: skip
