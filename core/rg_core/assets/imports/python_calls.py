"""Which call of a Python project means which definition of it: by scope, imports, self, super and written types. Pure.

What cannot be told by these is known by its name alone, and kept apart: it is never an edge.
"""

from __future__ import annotations

import builtins
import posixpath
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from rg_core.assets.imports.python_source import CLS, MODULE, OPAQUE, SELF, SUPER, Chain, Source
from rg_core.store.asset_rows import CallRow, MaybeRow, SymbolRow

DEEPEST = 12  # steps from import to import, and from variable to variable
BUILTIN = frozenset(dir(builtins))
EITHER = ("overload", "typing.overload")
FIELDS = ("property", "cached_property", "functools.cached_property")


class Value(NamedTuple):
    """What a name means: a module, a definition, an instance of a class; or something from elsewhere."""

    kind: str  # module, symbol, instance, super, foreign
    path: str = ""
    number: int = MODULE  # in its file
    how: str = "scope"


FOREIGN = Value("foreign")


class Calls:
    """The definitions and calls of all files of a project."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        """Take what was read of each file, by path."""
        self.sources = sources
        self.first: dict[str, int] = {}  # the id of a file's own symbol; those of its definitions follow
        self._tables = {path: _Table(source) for path, source in sources.items()}
        self._modules = _modules(sources)
        self._known: dict[tuple[str, int, str, bool], Value | None] = {}  # variables and fields, each told once
        following = 1
        for path, source in sorted(sources.items()):
            self.first[path] = following
            following += 1 + len(source.symbols)

    def symbols(self) -> Iterator[SymbolRow]:
        """Every definition, and every file as a module."""
        for path, source in sorted(self.sources.items()):
            first, table = self.first[path], self._tables[path]
            name = _dotted(path)
            last = max((symbol[3] for symbol in source.symbols), default=1)
            yield SymbolRow(first, name.rpartition(".")[2], name, "module", path, 1, last)
            for number, symbol in enumerate(source.symbols):
                yield SymbolRow(first + 1 + number, symbol[0], table.qualname(number), symbol[1], path, *symbol[2:4])

    def calls(self) -> Iterator[CallRow | MaybeRow]:
        """Every call: of a definition here, or known by the name of one; none of what is foreign."""
        known = {symbol[0] for source in self.sources.values() for symbol in source.symbols}
        for path, source in sorted(self.sources.items()):
            first = self.first[path]
            for scope, callee, line in source.calls:
                if callee[0] == "super":
                    continue
                value = self._evaluate(path, scope, callee)
                if value and value.kind == "symbol":
                    yield CallRow(first + 1 + scope, self.first[value.path] + 1 + value.number, line, value.how)
                elif value is None and callee[-1] in known and not (len(callee) == 1 and callee[0] in BUILTIN):
                    yield MaybeRow(first + 1 + scope, callee[-1], line)

    # -- what an expression means

    def _evaluate(self, path: str, scope: int, expression: Chain, depth: int = 0) -> Value | None:
        if depth > DEEPEST or expression[0] == OPAQUE:
            return None
        value: Value | None = None
        for place, part in enumerate(expression):
            name = part.removesuffix("()")
            if place == 0:
                value = self._root(path, scope, part, name, depth)
            elif value:
                value = self._member(value, name, depth)
            if value and part.endswith("()") and part != SUPER:
                value = self._result(value, depth)
            if value is None or value.kind == "foreign":
                return value
        return value

    def _root(self, path: str, scope: int, part: str, name: str, depth: int) -> Value | None:
        table = self._tables[path]
        if part in (SUPER, SELF, CLS):
            owner = table.class_of(scope)
            kind = {SUPER: "super", SELF: "instance", CLS: "symbol"}[part]
            return Value(kind, path, owner, "super" if part == SUPER else "self") if owner != MODULE else None
        return self._name(path, scope, name, depth)

    def _name(self, path: str, scope: int, name: str, depth: int) -> Value | None:
        """What a name means where it stands: the innermost scope that binds it; classes only bind for themselves."""
        table, here = self._tables[path], scope
        while True:
            if (here, name) not in table.outer and (here == scope or table.kind(here) != "class"):
                bound, value = self._bound(path, here, name, depth)
                if bound:
                    return value
            if here == MODULE:
                break
            here = table.source.symbols[here][4]
        for origin in table.stars:
            if (value := self._imported(path, origin, name, depth + 1)) is not FOREIGN and value is not None:
                return value
        if name in BUILTIN:
            return FOREIGN
        return None

    def _bound(self, path: str, scope: int, name: str, depth: int) -> tuple[bool, Value | None]:
        """Whether a scope binds a name, and what it means there if that can be told."""
        table = self._tables[path]
        numbers = table.defined.get((scope, name), ())
        imports = table.imports.get((scope, name), ())
        held = table.names.get((scope, name), ())
        if not (numbers or imports or held):
            return False, None
        if (numbers and (imports or held)) or (imports and held):
            return True, None  # it depends
        if numbers:
            return True, Value("symbol", path, numbers[-1])
        if imports:
            found = {self._imported(path, origin, there, depth + 1) for origin, there in imports}
            return True, found.pop() if len(found) == 1 else None
        key = (path, scope, name, False)
        if key not in self._known:
            self._known[key] = None  # what goes round in a circle holds nothing that can be told
            self._known[key] = self._held(path, scope, held, depth)
        return True, self._known[key]

    def _held(self, path: str, scope: int, held: tuple[tuple[Chain | None, bool], ...], depth: int) -> Value | None:
        """What a variable holds: what is declared, else what every assignment gives."""
        declared = [one for one in held if one[1]]
        values = set()
        for expression, is_type in declared[:1] or held:
            value = self._evaluate(path, scope, expression, depth + 1) if expression else None
            if is_type and expression and expression[0] not in (SELF, CLS):
                value = self._instance(value)
            values.add(value)
        only = values.pop() if len(values) == 1 else None
        return only if only is None or only.kind == "foreign" or only.how == "self" else only._replace(how="typed")

    def _imported(self, path: str, origin: str, there: str, depth: int) -> Value | None:
        module = self._module(path, origin)
        if module is None:
            return FOREIGN if not origin.startswith(".") else None
        if not there:
            return Value("module", module, how="import")
        value = self._of_module(module, there, depth)
        return value._replace(how="import") if value and value.kind in ("symbol", "module") else value

    def _of_module(self, module: str, name: str, depth: int) -> Value | None:
        if depth > DEEPEST:
            return None
        bound, value = self._bound(module, MODULE, name, depth + 1)
        if bound:
            return value
        for origin in self._tables[module].stars:
            value = self._imported(module, origin, name, depth + 1)
            if value and value.kind != "foreign":
                return value
        if posixpath.basename(module) == "__init__.py":
            folder = posixpath.dirname(module)
            for inside in (f"{folder}/{name}.py", f"{folder}/{name}/__init__.py"):
                if inside.lstrip("/") in self.sources:
                    return Value("module", inside.lstrip("/"), how="import")
        return None

    def _member(self, value: Value, name: str, depth: int) -> Value | None:
        if value.kind == "module":
            found = self._of_module(value.path, name, depth + 1)
            return found._replace(how="import") if found and found.kind == "symbol" else found
        if value.kind == "symbol" and self._tables[value.path].kind(value.number) != "class":
            return None
        how = {"instance": "typed", "super": "super"}.get(value.kind, value.how)
        how = "self" if value.how == "self" else how
        lineage = self._lineage(value.path, value.number)
        for path, owner in lineage[1:] if value.kind == "super" else lineage:
            table = self._tables[path]
            if numbers := table.defined.get((owner, name)):
                if set(FIELDS) & set(table.source.symbols[numbers[-1]][5]) and value.kind != "symbol":
                    return self._result(Value("symbol", path, numbers[-1]), depth)
                return Value("symbol", path, numbers[-1], how)
            if held := table.fields.get((owner, name)):
                key = (path, owner, name, True)
                if key not in self._known:
                    self._known[key] = None
                    self._known[key] = self._field(path, held, depth)
                return self._known[key]
        return None

    def _field(self, path: str, held: tuple[tuple[int, Chain | None, bool], ...], depth: int) -> Value | None:
        """What a field holds, if every method that sets it says the same."""
        by_scope: dict[int, tuple[tuple[Chain | None, bool], ...]] = {}
        for scope, expression, declared in held:
            by_scope[scope] = (*by_scope.get(scope, ()), (expression, declared))
        values = {self._held(path, scope, there, depth + 1) for scope, there in by_scope.items()}
        return values.pop() if len(values) == 1 else None

    def _result(self, value: Value, depth: int) -> Value | None:
        """What calling something gives: an instance of a class, or of what a function says that it returns."""
        if value.kind != "symbol":
            return FOREIGN if value.kind == "foreign" else None
        table = self._tables[value.path]
        if table.kind(value.number) == "class":
            return self._instance(value)
        returned = table.returns.get(value.number)
        if returned is None:
            return None
        found = self._evaluate(value.path, value.number, returned, depth + 1)
        return found if returned[0] == SELF else self._instance(found)

    def _instance(self, value: Value | None) -> Value | None:
        if value is None or value.kind == "foreign":
            return value
        is_class = value.kind == "symbol" and self._tables[value.path].kind(value.number) == "class"
        return Value("instance", value.path, value.number, "typed") if is_class else None

    @cache  # noqa: B019 - lives as long as one import
    def _lineage(self, path: str, number: int) -> tuple[tuple[str, int], ...]:
        """A class and its bases, each before its own; bases from elsewhere are left out."""
        found: dict[tuple[str, int], None] = {}
        stack = [(path, number)]
        while stack:
            at, owner = stack.pop()
            if (at, owner) in found:
                continue
            found[at, owner] = None
            table = self._tables[at]
            bases = [self._evaluate(at, table.source.symbols[owner][4], base) for base in table.bases.get(owner, ())]
            stack += [(base.path, base.number) for base in reversed(bases) if base and base.kind == "symbol"]
        return tuple(one for one in found if self._tables[one[0]].kind(one[1]) == "class")

    @cache  # noqa: B019 - likewise
    def _module(self, path: str, origin: str) -> str | None:
        """The file of a module, as a file names it."""
        if not origin.startswith("."):
            return self._modules.get(origin)
        names = origin.lstrip(".")
        folder = posixpath.dirname(path)
        for _ in range(len(origin) - len(names) - 1):
            folder = posixpath.dirname(folder)
        base = posixpath.join(folder, *names.split(".")) if names else folder
        candidates = (f"{base}.py", posixpath.join(base, "__init__.py"))
        return next((one for one in candidates if one in self.sources), None)


class _Table:
    """One file's lists by what is asked of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.outer = set(map(tuple, source.outer))
        self.defined: dict[tuple[int, str], tuple[int, ...]] = {}
        for number, symbol in enumerate(source.symbols):
            if not set(EITHER) & set(symbol[5]):
                key = (symbol[4], symbol[0])
                self.defined[key] = (*self.defined.get(key, ()), number)
        self.imports: dict[tuple[int, str], tuple[tuple[str, str], ...]] = {}
        self.stars = [module for _, name, module, _ in source.imports if name == "*"]
        for scope, name, module, there in source.imports:
            self.imports[scope, name] = (*self.imports.get((scope, name), ()), (module, there))
        self.names: dict[tuple[int, str], tuple[tuple[Chain | None, bool], ...]] = {}
        self.fields: dict[tuple[int, str], tuple[tuple[int, Chain | None, bool], ...]] = {}
        for scope, name, held, declared in source.names:
            if scope != MODULE and self.kind(scope) == "class":
                self._field(scope, name, scope, held, declared)
            elif (scope, name) not in self.outer:
                self.names[scope, name] = (*self.names.get((scope, name), ()), (held, declared))
        for scope, name, held, declared in source.fields:
            if (owner := self.class_of(scope)) != MODULE:
                self._field(owner, name, scope, held, declared)
        self.bases: dict[int, tuple[Chain, ...]] = {}
        for number, base in source.bases:
            self.bases[number] = (*self.bases.get(number, ()), base)
        self.returns = dict(source.returns)

    def kind(self, number: int) -> str:
        """The kind of a scope."""
        return "module" if number == MODULE else self.source.symbols[number][1]

    def class_of(self, scope: int) -> int:
        """The class whose method this scope is in; MODULE where there is none."""
        while scope != MODULE and self.kind(scope) != "class":
            scope = self.source.symbols[scope][4]
        return scope

    def qualname(self, number: int) -> str:
        """A definition's name with those that it stands in."""
        names = []
        while number != MODULE:
            names.append(self.source.symbols[number][0])
            number = self.source.symbols[number][4]
        return ".".join(reversed(names))

    def _field(self, owner: int, name: str, scope: int, held: Chain | None, declared: bool) -> None:
        self.fields[owner, name] = (*self.fields.get((owner, name), ()), (scope, held, declared))


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _modules(paths: Mapping[str, object]) -> dict[str, str]:
    """The files by module name: from the repository's root, and from the folder that holds the outermost package."""
    found: dict[str, str] = {}
    twice = set()
    for path in sorted(paths):
        folder = posixpath.dirname(path)
        while folder and f"{folder}/__init__.py" in paths:
            folder = posixpath.dirname(folder)
        names = {_dotted(path), _dotted(path[len(folder) + 1 :] if folder else path)}
        for name in names:
            if found.setdefault(name, path) != path:
                twice.add(name)
    return {name: path for name, path in found.items() if name not in twice or _dotted(path) == name}
