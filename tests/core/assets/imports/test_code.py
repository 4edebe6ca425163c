from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rg_core.assets.imports.code.importer import outline
from rg_core.assets.imports.code.languages import language_of
from rg_core.assets.imports.code.reading import Cache, Reading, read
from rg_core.store.asset_rows import FileRows
from tests.foreign import faults

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


def digest(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


OLD: dict[str, bytes] = {}  # blobs stay in a repository


def reading(files: Mapping[str, str], cache: Cache | None = None, asked: list[str] | None = None) -> Reading:
    """A repository of these files; notes the blobs that it is asked for."""
    OLD.update({digest(text): text.encode() for text in files.values()})
    named = {path: digest(text) for path, text in files.items()}
    code = {path: blob for path, blob in named.items() if language_of(path)}
    manifests = {path: blob for path, blob in named.items() if path not in code}

    def blobs(ids: Sequence[str]) -> list[tuple[str, bytes | None]]:
        if asked is not None:
            asked.extend(ids)
        return [(id_, OLD.get(id_)) for id_ in ids]

    return read("x", code, manifests, blobs, cache or Memory(), keep=True)


def rows(read_: Reading) -> list[FileRows]:
    return [read_.file_part(path).load() for path, file in sorted(read_.files.items()) if file.part]


def edges(read_: Reading) -> tuple[set[str], set[str]]:
    """`caller -> callee (how)` of resolved calls, and `caller -> name` of the others."""
    parts = rows(read_)
    names = {symbol.id: symbol.qualname for part in parts for symbol in part.symbols}
    found = {f"{names[one.source]} -> {names[one.target]} ({one.how})" for part in parts for one in part.calls}
    return found, {f"{names[one.source]} -> {one.name}" for part in parts for one in part.maybes}


GRAPHS = sorted((Path(__file__).parent / "graphs").glob("*.txt"))


def repository_of(text: str) -> tuple[dict[str, str], set[str], set[str]]:
    """The files of a text archive, and what was worked out by hand: the calls, and those known by name only."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    files = dict(zip(parts[1::2], parts[2::2], strict=True))
    return files, set(files.pop("calls").splitlines()), set(files.pop("by name").splitlines())


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_calls_are_told_by_what_is_written(path: Path) -> None:
    files, found, maybe = repository_of(path.read_text("utf-8"))
    assert edges(reading(files)) == (found, maybe)


def without_a_line(files: Mapping[str, str], step: int) -> Iterator[dict[str, str]]:
    """The files with one of their lines gone, each time another; and without each file."""
    for number, (path, text) in enumerate(files.items()):
        lines = text.splitlines(keepends=True)
        for place in range(number % step, len(lines), step):
            yield {**files, path: "".join(lines[:place] + lines[place + 1 :])}
        yield {other: kept for other, kept in files.items() if other != path}


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_what_is_read_after_a_change_is_what_is_read_anew(path: Path) -> None:
    files, *_ = repository_of(path.read_text("utf-8"))
    for changed in without_a_line(files, int(os.environ.get("RG_CODE_STEP", "4"))):
        cache = Memory()
        reading(files, cache)
        assert rows(reading(changed, cache)) == rows(reading(changed))
        assert rows(reading(files, cache)) == rows(reading(files))


def test_only_what_changed_and_what_depends_on_it_is_read() -> None:
    cache = Memory()
    files = {"a.py": "def f(): pass\ndef g(): pass\n", "b.py": "from a import f\nf()\n", "c.py": "import b\nx.h()\n"}
    assert read_anew(files, cache) == {"a.py", "b.py", "c.py"}
    assert read_anew(files, cache) == set()
    assert read_anew({**files, "a.py": "# moved\ndef f(): g()\ndef g(): pass\n"}, cache) == {"a.py"}
    assert read_anew({**files, "a.py": "def k(): pass\ndef g(): pass\n"}, cache) == {"a.py", "b.py"}
    assert read_anew({**files, "a.py": "def h(): pass\ndef g(): pass\n"}, cache) == {"a.py", "c.py"}


def read_anew(files: Mapping[str, str], cache: Memory) -> set[str]:
    """The paths that a reading needs the texts of, where nobody remembers what parsing them gave."""
    cache.results = {key: result for key, result in cache.results.items() if not key[0].startswith("python")}
    asked: list[str] = []
    reading(files, cache, asked)
    return {path for path, text in files.items() if digest(text) in asked}


def written(text: str) -> str:
    """With so many lines that it does not pass for minified."""
    return text + "\n" * (len(text) // 1_000)


@pytest.mark.parametrize(
    "text",
    ["(" * 100_000, "f(" * 20_000, "def " * 10_000, "\0\xff class", "a" + ".b()" * 2_000, "class A(A): pass\nA.b()",
     "{" * 3_000 + "f()", "function f() { f();" * 3_000, "x = {a: " * 3_000, "var f = func() { f()\n" * 3_000,
     "a" + " || a" * 3_000, "type A = " + "A | " * 3_000 + "A; a()", "const [" * 3_000,
     "package p\n" + "x := x.y()\n" * 3_000,
     "class A { m() { return " + "this.m()." * 20 + "m(); } }", "a" + "?.b" * 3_000],
    ids=lambda text: text[:16],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["py", "go", "tsx", "js"])
def test_hostile_files_are_read_without_harm(text: str, ending: str) -> None:
    reading({f"m.{ending}": written(text), "n.py": "def f(): pass\n"})


def test_s04_a_path_cannot_forge_a_line_of_the_outline() -> None:
    evil = "src\x1b[31m\n- forged (function, a.py:1)\u202e/m.py"
    shown = outline(reading({evil: "def f(): pass\ndef g(): f()\n"}))
    assert [line.partition(" (")[0] for line in shown.splitlines()] == ["- f", "- g"]
    assert faults(shown, one_line=False) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("package.json", "/*" * 100_000), ("package.json", '\\"' * 100_000), ("tsconfig.json", "[" * 100_000),
     ("tsconfig.json", ", " * 100_000), ("go.mod", "\n" * 200_000),
     ("m.go", "package p\nvar x = " + "!" * 100_000 + "f()"),
     ("m.ts", "let x: " + "A | null | " * 30_000 + "null"), ("m.js", "a.b = " * 8_000 + "f()"),
     ("m.py", "def f(x: '" + "a" * 300_000 + "'): x.f()")],
    ids=lambda text: text[:16],
)  # fmt: skip
def test_long_files_are_read_in_a_time_that_grows_with_them(name: str, text: str) -> None:
    reading({name: written(text), "a.ts": "import 'x'\n", "b.go": 'package b\nimport "m"\n'})


@pytest.mark.parametrize(
    ("ending", "line"),
    [("py", "from m{} import *\nfrom m{} import x"), ("ts", "export * from './m{}';\nexport {{ x }} from './m{}';")],
)
def test_files_that_all_import_each_other_are_read_without_harm(ending: str, line: str) -> None:
    text = "\n".join(line.format(other, other) for other in range(12)) + "\nx()\ny()\n"
    files = {f"m{number}.{ending}": text for number in range(12)}
    assert edges(reading({**files, f"m12.{ending}": "x = 1\n"})) == (set(), set())


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


def test_a_repository_of_several_languages_is_one_graph(run: Run, repository: None) -> None:
    Path("web").mkdir()
    Path("web/api.ts").write_text("export interface Api { send(): void }\n", "utf-8")
    Path("web/view.jsx").write_text("const { f } = require('./f');\nexport const View = () => <b>{f()}</b>;\n", "utf-8")
    Path("web/f.js").write_text("exports.f = () => 1;\n", "utf-8")
    Path("go.mod").write_text("module m\n", "utf-8")
    Path("main.go").write_text("package main\n\nfunc main() { flush() }\n\nfunc flush() {}\n", "utf-8")
    git("add", ".")
    git("commit", "-qm", "more")
    key = run("import", "code")["assets"][0]["id"]
    content = run("show", key)["content"]
    assert content["labels"] == ["go", "javascript", "python", "typescript"]
    assert content["payload"]["languages"] == {"go": 1, "javascript": 2, "python": 3, "typescript": 1}
    assert "7 files of Python, JavaScript, Go and TypeScript, " in content["description"]
    run("govern", key, "--status", "approved")
    assert run("symbol", key, "Api")["symbol"]["kind"] == "interface"
    assert [one["qualname"] for one in run("callers", key, "f")["callers"]] == ["View"]
    flushes = {
        one["symbol"]["path"]: [row["qualname"] for row in one["callers"]] for one in run("callers", key, "flush")
    }
    assert flushes == {"app/core.py": ["main"], "main.go": ["main"]}


@pytest.mark.parametrize("missing", ["app/core.py", "app/__init__.py"])
def test_what_a_partial_clone_does_not_have_is_left_out(run: Run, repository: None, missing: str) -> None:
    blob = subprocess.run(["git", "rev-parse", f"HEAD:{missing}"], check=True, capture_output=True, text=True).stdout
    Path(".git/objects", blob[:2], blob[2:].strip()).unlink()
    shown = run("show", run("import", "code")["assets"][0]["id"])
    assert shown["content"]["payload"]["files"] == 2


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


def test_a_definition_begins_where_its_name_stands() -> None:
    text = (
        "const a =\n  () => {};\nclass B {\n  @c()\n  d() {}\n  e =\n    () => {};\n}\n"
        "@c()\nclass F {}\nx.g =\n  function () {};\n"
    )
    (part,) = rows(reading({"a.ts": text}))
    assert {one.qualname: one.line for one in part.symbols} == {
        "a": 1, "B": 3, "B.d": 5, "B.e": 6, "F": 10, "x.g": 11,
    }  # fmt: skip
