"""How TypeScript and JavaScript find modules: by paths, `paths` of tsconfig.json, packages of a workspace. Pure."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
COMPILED = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts", ".d.mts"), ".cjs": (".cts", ".d.cts")}
BUILT = ("dist", "lib", "build", "out", "esm", "cjs")  # folders of what is compiled from src
COMMENT = re.compile(r'("(?:\\.|[^"\\])*(?:"|\Z))|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)', re.DOTALL)
TRAILING = re.compile(r",(?=\s*[}\]])")


class EcmaModules:
    """The files of a repository by what they are imported as."""

    def __init__(self, paths: Sequence[str], manifests: Mapping[str, bytes]) -> None:
        """Take all paths, and every package.json, tsconfig.json and jsconfig.json by path."""
        self._paths = frozenset(paths)
        self._configs: dict[str, list[tuple[str, list[str]]]] = {}  # folder -> patterns and where they lead
        self._packages: dict[str, tuple[str, Any]] = {}  # name -> folder, what package.json says
        self._folders: dict[str, Any] = {}  # folder -> what its package.json says
        self._found: dict[tuple[str, str], str | None] = {}
        for path, data in sorted(manifests.items()):
            folder, name = posixpath.split(path)
            said = _json(data)
            if name == "package.json":
                self._folders[folder] = said
                if isinstance(said.get("name"), str):
                    self._packages.setdefault(said["name"], (folder, said))
            elif patterns := list(_patterns(folder, said)):
                self._configs.setdefault(folder, patterns)

    def find(self, path: str, origin: str) -> str | None:
        """The file that an import means; None for what is elsewhere."""
        folder = posixpath.dirname(path)
        key = folder, origin
        if key not in self._found:
            tries = self._relative(folder, origin) if origin.startswith(".") else self._absolute(folder, origin)
            self._found[key] = next((found for one in tries if (found := self._file(one))), None)
        return self._found[key]

    def files(self, path: str) -> Sequence[str]:
        """A file is a module of its own."""
        return (path,)

    def place(self, path: str) -> str:
        """A file is a module of its own."""
        return path

    def within(self, path: str, name: str) -> str:
        """No module has others inside."""
        return ""

    def name(self, path: str) -> str:
        """The path without its ending."""
        ending = max((one for one in ENDINGS if path.endswith(one)), key=len, default="")
        return path.removesuffix(ending).removesuffix("/index")

    def _relative(self, folder: str, origin: str) -> Iterator[str]:
        yield posixpath.normpath(posixpath.join(folder, origin))

    def _absolute(self, folder: str, origin: str) -> Iterator[str]:
        """Where a name may lead: by the nearest configuration, then by the packages that are here."""
        for above in _upwards(folder):
            if above in self._configs:
                for pattern, targets in self._configs[above]:
                    yield from _matched(pattern, origin, targets)
                break
        if origin.startswith("#"):
            for above in _upwards(folder):
                if above in self._folders:
                    yield from _declared(above, self._folders[above].get("imports"), origin)
                    break
        names = origin.split("/")
        name = "/".join(names[: 2 if origin.startswith("@") else 1])
        if name in self._packages:
            inside = "/".join(names[2 if origin.startswith("@") else 1 :])
            home, said = self._packages[name]
            yield from _declared(home, said.get("exports"), f"./{inside}" if inside else ".")
            if not inside:
                for field in ("source", "types", "module", "main"):
                    if isinstance(said.get(field), str):
                        yield from _sources(home, said[field])
            yield from (posixpath.normpath(posixpath.join(home, *where, inside)) for where in (("src",), ()))

    def _file(self, base: str) -> str | None:
        """The file of a path that may lack its ending, name a folder, or name what a compiler makes of it."""
        if base in self._paths:
            return base
        stem, ending = posixpath.splitext(base)
        tries = [stem + other for other in COMPILED.get(ending, ())]
        tries += [base + other for other in ENDINGS]
        tries += [posixpath.normpath(f"{base}/index{other}") for other in ENDINGS]
        return next((one for one in tries if one in self._paths), None)


def _json(data: bytes) -> dict[str, Any]:
    """JSON with comments and commas too many, as tsconfig.json may have them; empty where it is none."""
    text = COMMENT.sub(lambda match: match[1] or " ", data.decode("utf-8", "replace"))
    try:
        found = json.loads(TRAILING.sub("", text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _patterns(folder: str, said: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """What a configuration maps; what is below its base URL comes last."""
    options = said.get("compilerOptions")
    if not isinstance(options, dict):
        return
    base = options.get("baseUrl")
    root = posixpath.normpath(posixpath.join(folder, base if isinstance(base, str) else "."))
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            yield pattern, [posixpath.join(root, one) for one in targets if isinstance(one, str)]
    if isinstance(base, str):
        yield "*", [posixpath.join(root, "*")]


def _matched(pattern: str, origin: str, targets: Sequence[str]) -> Iterator[str]:
    before, star, after = pattern.partition("*")
    if star and len(origin) >= len(before) + len(after) and origin.startswith(before) and origin.endswith(after):
        middle = origin[len(before) : len(origin) - len(after)]
        yield from (posixpath.normpath(target.replace("*", middle, 1)) for target in targets)
    elif pattern == origin:
        yield from map(posixpath.normpath, targets)


def _declared(home: str, table: Any, asked: str) -> Iterator[str]:
    """Where `exports` or `imports` of a package.json lead: every condition's, and the source of what is built."""
    if isinstance(table, str) and asked == ".":
        yield from _sources(home, table)
    if not isinstance(table, dict):
        return
    if not any(key.startswith((".", "#")) for key in table):
        table = {".": table}
    for pattern, target in table.items():
        for one in _leaves(target):
            for matched in _matched(pattern, asked, [one]):
                yield from _sources(home, matched)


def _leaves(target: Any) -> Iterator[str]:
    """The paths in a target; conditions nest, the one for Node first."""
    if isinstance(target, str):
        yield target
    elif isinstance(target, dict):
        for key in sorted(target, key=lambda key: key != "node"):
            yield from _leaves(target[key])
    elif isinstance(target, list):
        for one in target:
            yield from _leaves(one)


def _sources(home: str, target: str) -> Iterator[str]:
    """A file of a package, or what it is compiled from."""
    path = posixpath.normpath(target)
    first, _, rest = path.partition("/")
    if first in BUILT:
        stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", rest)
        yield from (posixpath.join(home, where) for where in (f"src/{stem}", stem))
    yield posixpath.normpath(posixpath.join(home, path))


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
