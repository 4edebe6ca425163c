from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets.imports.code.languages import language_of
from rg_core.assets.imports.code.reading import Cache, Reading, read
from rg_core.store.asset_rows import FileRows

Run = Callable[..., Any]


class Memory:
    """What reading gave, in this process."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], bytes] = {}

    def parsed(self, extractor: str, blobs: Sequence[str]) -> Mapping[str, bytes]:
        found = {blob: self.results.get((extractor, blob)) for blob in blobs}
        return {blob: result for blob, result in found.items() if result is not None}

    def keep_parsed(self, extractor: str, results: Mapping[str, bytes]) -> None:
        self.results.update({(extractor, blob): result for blob, result in results.items()})


def reading(files: Mapping[str, str], cache: Cache | None = None) -> Reading:
    """A repository of these files."""
    blobs = {hashlib.sha1(text.encode()).hexdigest(): text.encode() for text in files.values()}
    named = {path: hashlib.sha1(text.encode()).hexdigest() for path, text in files.items()}
    code = {path: blob for path, blob in named.items() if language_of(path)}
    manifests = {path: blob for path, blob in named.items() if path not in code}
    return read("x", code, manifests, lambda ids: [(id_, blobs.get(id_)) for id_ in ids], cache or Memory(), keep=True)


def rows(read_: Reading) -> list[FileRows]:
    return [read_.file_part(path).load() for path, file in sorted(read_.files.items()) if file.part]


def edges(read_: Reading) -> tuple[set[str], set[str]]:
    """`caller -> callee (how)` of resolved calls, and `caller -> name` of the others."""
    parts = rows(read_)
    names = {symbol.id: symbol.qualname for part in parts for symbol in part.symbols}
    found = {f"{names[one.source]} -> {names[one.target]} ({one.how})" for part in parts for one in part.calls}
    return found, {f"{names[one.source]} -> {one.name}" for part in parts for one in part.maybes}


CASES: dict[str, tuple[dict[str, str], set[str], set[str]]] = {
    "scope": (
        {"m.py": "def f(): g()\ndef g():\n  def h(): pass\n  h()\n  len([])\nf()\n"},
        {"f -> g (scope)", "g -> g.h (scope)", "m -> f (scope)"}, set(),
    ),
    "imports and re-exports": (
        {
            "p/__init__.py": "from .a import f as made\nfrom .b import *\n", "p/a.py": "def f(): pass\n",
            "p/b.py": "class B:\n  def m(self): pass\n", "q.py": "import p\n"
            "from p import made, B as C\nimport p.a as a\n"
            "import json\ndef run():\n  made(); p.made(); C(); a.f(); json.f(); p.B()\n",
        },
        {"run -> f (import)", "run -> B (import)"}, set(),
    ),
    "self, bases and super": (
        {
            "p/base.py": "class Base:\n  def m(self): pass\n  def n(self): self.m()\n",
            "p/sub.py": "from .base import Base\nclass Sub(Base):\n  def m(self):\n"
            "    super().m()\n    self.n()\n    self.gone()\n"
            "  @classmethod\n  def make(cls): return cls.build()\n  @classmethod\n  def build(cls): return cls()\n",
            "p/__init__.py": "",
        },
        {"Base.n -> Base.m (self)", "Sub.m -> Base.m (super)", "Sub.m -> Base.n (self)", "Sub.make -> Sub.build (self)",
         "Sub.build -> Sub (self)"}, set(),
    ),
    "written types": (
        {
            "m.py": "from __future__ import annotations\nfrom typing import Optional\n"
            "class A:\n  field: B\n  def m(self) -> B: ...\n"
            "  def own(self) -> 'Self': ...\nclass B:\n  def __init__(self): self.a = A()\n  def n(self): self.a.m()\n"
            "def f(a: A, b: B | None, c: Optional['A'] = None, *, d=None):\n  a.m().n()\n"
            "  b.n()\n  c.field.n()\n  d.n()\n"
            "def g():\n  x = A()\n  x.m()\n  y = unknown()\n  y.m()\n",
        },
        {"B.__init__ -> A (scope)", "B.n -> A.m (typed)", "f -> A.m (typed)", "f -> B.n (typed)", "g -> A (scope)",
         "g -> A.m (typed)"}, {"f -> n", "g -> m"},
    ),
    "what shadows is not seen through": (
        {
            "m.py": "def f(): pass\nclass A:\n  def m(self): pass\ndef g(f): f()\ndef h():\n  for f in []: f()\n"
            "def i(a: A):\n  x = A()\n  x = other()\n  x.m()\ndef j(a: 'A | str'): a.m()\n"
            "try:\n  from fast import k\nexcept ImportError:\n  def k(): pass\nk()\n"
        },
        {"i -> A (scope)"}, {"g -> f", "h -> f", "i -> m", "j -> m", "m -> k"},
    ),
    "the same name twice is not guessed": (
        {"a.py": "class A:\n  def close(self): pass\n", "b.py": "class B:\n  def close(self): pass\n",
         "c.py": "def f(x):\n  x.close()\n"}, set(), {"f -> close"},
    ),
    "circles end": (
        {"p/__init__.py": "", "p/a.py": "from .b import x\nfrom .b import *\nx()\n"
        "class A(B): pass\nclass B(A): pass\nA().m()\n",
         "p/b.py": "from .a import x\nfrom .a import *\ndef f():\n  y = y\n  y()\n"},
        {"p.a -> A (scope)"}, set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_calls_are_told_by_what_is_written(case: str) -> None:
    files, found, maybe = CASES[case]
    assert edges(reading(files)) == (found, maybe)


@pytest.mark.parametrize(
    "text",
    ["(" * 100_000, "f(" * 50_000, "def " * 10_000, "\0\xff class", "a" + ".b()" * 5_000, "class A(A): pass\nA.b()"],
)
def test_hostile_files_are_read_without_harm(text: str) -> None:
    for ending in ("py", "go", "tsx", "js"):
        reading({f"m.{ending}": text})


def git(*words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)


@pytest.fixture
def repository(harbor: Path) -> None:
    Path("app").mkdir()
    Path("app/__init__.py").write_text("", "utf-8")
    Path("app/core.py").write_text("def send(): pass\ndef flush(): send()\n", "utf-8")
    Path("app/main.py").write_text("from .core import flush\ndef main(x): flush(); x.send()\n", "utf-8")
    Path("vendor").mkdir()
    Path("vendor/v.py").write_text("def vendored(): pass\n", "utf-8")
    Path("gen.py").write_text("# @generated\ndef generated(): pass\n", "utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")


def test_a_graph_answers_once_a_person_approved_it(run: Run, repository: None) -> None:
    Path("untracked.py").write_text("def untracked(): pass\nraise SystemExit('run')\n", "utf-8")
    assert (run("import", "code", "--dry-run")["new"], run("list")) == (1, [])
    done = run("import", "code", ".", "--name", "app")
    key = done["assets"][0]["id"]
    shown = run("show", key)
    assert (shown["status"], shown["content"]["payload"]["symbols"]) == ("candidate", 3)
    assert "- flush (function, app/core.py:2): 1 caller\n" in shown["content"]["body"]
    assert len(shown["provenance"]["commit"]) == 40
    assert "there is no symbol" in run("callers", key, "send", code=1)
    run("govern", key, "--status", "approved", "--follow")
    callers = run("callers", key, "send")
    assert [(one["qualname"], one["how"]) for one in callers["callers"]] == [("flush", "scope")]
    assert callers["maybe"] == 1
    assert [one["qualname"] for one in run("callees", key, "main")["callees"]] == ["flush"]
    assert {one["qualname"] for one in run("impact", key, "send")["callers"]} == {"flush", "main"}
    assert run("symbol", key, "flush")["symbol"]["line"] == 2
    for name in ("untracked", "vendored", "generated"):
        assert "there is no symbol" in run("symbol", key, name, code=1)


def test_importing_again_changes_nothing_and_a_commit_is_followed(run: Run, repository: None) -> None:
    key = run("import", "code")["assets"][0]["id"]
    run("govern", key, "--status", "approved", "--follow")
    assert run("import", "code")["unchanged"] == 1
    git("commit", "-qm", "empty", "--allow-empty")
    assert run("import", "code")["unchanged"] == 1
    Path("app/main.py").write_text("from .core import send\ndef main(): send()\n", "utf-8")
    assert run("import", "code")["unchanged"] == 1
    git("commit", "-qam", "y")
    assert run("import", "code")["changed"] == 1
    assert run("show", key)["status"] == "approved"
    assert {one["qualname"] for one in run("callers", key, "send")["callers"]} == {"flush", "main"}


def test_a_repository_cannot_have_git_run_anything(run: Run, repository: None) -> None:
    Path("hook.sh").write_text("#!/bin/sh\ntouch ran\n", "utf-8")
    Path("hook.sh").chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "core.hooksPath"):
        git("config", name, os.path.abspath("hook.sh"))
    run("import", "code")
    assert not Path("ran").exists()


def test_what_is_no_repository_fails_and_says_why(run: Run) -> None:
    Path("plain").mkdir()
    run("import", "code", "plain", code=1)
    (row,) = run("list", "--all")
    assert (row["status"], "no commit" in run("history", row["id"])[-1]["note"]) == ("failed", True)
    assert "is not a directory" in run("import", "code", "gone", code=1)
