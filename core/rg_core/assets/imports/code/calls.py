"""Which call means which definition: by scope, imports, self, super and written types, in all languages alike. Pure.

What cannot be told by these is known by its name alone, and kept apart: it is never an edge. Files are read as they are
needed, and what a file's calls depended on is told with them, so that a later reading need not resolve them again.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from rg_core.assets.imports.code.language import Language, Modules
from rg_core.assets.imports.code.source import (
    AWAITED,
    CALL,
    CLASSES,
    CLS,
    ELEMENT,
    FUNCTION,
    INSTANCE,
    LIST,
    MODULE,
    OPAQUE,
    RESULT,
    SELF,
    SPACES,
    SUPER,
    TYPE,
    TYPES,
    Chain,
    Source,
)
from rg_core.store.asset_rows import CallRow, MaybeRow, SymbolRow

DEEPEST = 12  # steps from import to import, and from variable to variable
EITHER = frozenset({"overload", "typing.overload"})
FIELDS = frozenset(
    {"property", "cached_property", "functools.cached_property"}
)  # definitions that are read, not called
ANYWHERE = ""  # the place of a need for any definition of a name

Need = tuple[str, str]  # a place and a name there that a file's calls depend on
Held = tuple[Chain | None, bool]  # what is assigned; whether that is a declared type


class Value(NamedTuple):
    """What an expression means: a module, a definition, an instance of a class; or something from elsewhere."""

    kind: str  # module, symbol, instance, super, foreign
    path: str = ""
    number: int = MODULE  # in its file
    how: str = "scope"
    wraps: str = ""  # "[" for each list and "(" for each function around it, the outermost last
    this: tuple[str, int] | None = None  # of a method: the class of what it is called on


FOREIGN = Value("foreign")


class Resolved(NamedTuple):
    """One file's part of a graph."""

    symbols: list[SymbolRow]
    calls: list[CallRow]
    maybes: list[MaybeRow]
    homes: Mapping[int, str]  # the files of definitions that are called
    needs: set[Need]  # names of places that this depends on
    found: set[Need]  # file and origin of every import that it depends on


class Calls:
    """The definitions and calls of the files of one language."""

    def __init__(
        self, language: Language, modules: Modules, source: Callable[[str], Source], defined: Container[str]
    ) -> None:
        """Take how to read what a file says, and the names that any file of the repository defines."""
        self.language, self.modules, self.defined = language, modules, defined
        self._source = source
        self._tables: dict[str, _Table] = {}
        self._known: dict[tuple[object, ...], tuple[Value | None, set[Need], set[Need]]] = {}
        self._lineages: dict[tuple[str, int], tuple[tuple[tuple[str, int], ...], set[Need], set[Need]]] = {}
        self._reached: dict[str, tuple[tuple[str, ...], set[Need]]] = {}
        self._packages: dict[str, tuple[str, ...]] = {}
        self._needs: set[Need] = set()
        self._found: set[Need] = set()

    def file(self, path: str) -> Resolved:
        """What a file adds to the graph."""
        self._needs, self._found = set(), set()
        table = self._table(path)
        name = self.modules.name(path)
        last = max((symbol[3] for symbol in table.source.symbols), default=1)
        symbols = [SymbolRow(table.id(MODULE), name.rpartition(".")[2] or name, name, "module", path, 1, last)]
        symbols += [
            SymbolRow(table.id(number), symbol[0].lstrip(TYPE), table.qualname(number), symbol[1], path, *symbol[2:4])
            for number, symbol in enumerate(table.source.symbols)
        ]
        calls, maybes, homes = [], [], {}
        for scope, callee, line in table.source.calls:
            value = self._evaluate(path, scope, callee)
            caller = table.id(table.source.owner(scope))
            if value is None:
                if name := self._maybe(callee):
                    maybes.append(MaybeRow(caller, name, line))
            elif target := self._called(value):
                number = self._table(target[0]).id(target[1])
                homes[number] = target[0]
                calls.append(CallRow(caller, number, line, value.how))
        own = self.modules.place(path)
        needs = {need for need in self._needs if need[0] != own or own != path}
        return Resolved(symbols, calls, maybes, homes, needs, self._found)

    def _called(self, value: Value) -> tuple[str, int] | None:
        """The definition that is called, if it is one."""
        if value.kind == "super":
            return next(iter(self._lineage(value.path, value.number)[1:2]), None)
        if value.kind != "symbol" or value.wraps:
            return None
        if self.language.converts and self._table(value.path).source.kind(value.number) in CLASSES:
            return None
        return value.path, value.number

    def _maybe(self, callee: Chain) -> str:
        """The name by which alone a call is known, if anything here has it."""
        name = callee[-1]
        if name in (OPAQUE, SUPER) or not (name[0].isalpha() or name[0] in "_$#"):
            return ""
        if len(callee) == 1 and name in self.language.builtin:
            return ""
        self._needs.add((ANYWHERE, name))
        return name if name in self.defined else ""

    def _table(self, path: str) -> _Table:
        if path not in self._tables:
            self._tables[path] = _Table(path, self._source(path))
        return self._tables[path]

    # -- what an expression means

    def _evaluate(
        self, path: str, scope: int, expression: Chain, depth: int = 0, this: Value | None = None
    ) -> Value | None:
        if depth > DEEPEST or expression[0] == OPAQUE:
            return None
        value: Value | None = None
        last = len(expression) - 1
        for place, part in enumerate(expression):
            called = part.endswith(CALL) and part != SUPER
            name = part.removesuffix(CALL) if called else part
            if place == 0:
                value = this if this and name == SELF else self._root(path, scope, name, depth)
            elif value and name:
                value = self._step(value, name, depth)
            if value and called:
                following = expression[place + 1] if place < last else ""
                value = self._result(value, int(following[1:]) if _is_result(following) else 0, depth)
            if value is None or value.kind == "foreign":
                return value
        return value

    def _root(self, path: str, scope: int, name: str, depth: int) -> Value | None:
        if name in (SUPER, SELF, CLS):
            owner = self._class_of(path, scope)
            kind = {SUPER: "super", SELF: "instance", CLS: "symbol"}[name]
            return Value(kind, *owner, "super" if name == SUPER else "self") if owner else None
        return self._name(path, scope, name, depth)

    def _step(self, value: Value, name: str, depth: int) -> Value | None:
        """What a part of a chain makes of the value before it."""
        if _is_result(name):
            return value  # told with the call
        if name == INSTANCE:
            return self._instance(value)
        if name in (LIST, FUNCTION):
            inside = self._instance(value)
            return inside and inside._replace(wraps=inside.wraps + name[1])
        if name in (ELEMENT, AWAITED):
            if value.wraps.endswith("["):
                return value._replace(wraps=value.wraps[:-1])
            if name == AWAITED or (value.kind == "symbol" and not value.wraps):
                return value  # a generic definition with its types written out
        return self._member(value, name, depth)

    def _class_of(self, path: str, scope: int) -> tuple[str, int] | None:
        """The class whose method this scope is in."""
        table = self._table(path)
        for here in table.source.around(scope):
            if here in table.receivers:
                return self._type_beside(path, table.receivers[here])
            if table.source.kind(here) in TYPES:
                return path, here
            if (here, SELF) in table.names:
                return None  # it has a self of its own, that nobody can tell
        return None

    def _type_beside(self, path: str, name: str) -> tuple[str, int] | None:
        """A type of the file's package."""
        self._needs.add((self._place(path), name))
        for sibling in self._package(path):
            if numbers := self._table(sibling).defined.get((MODULE, name)):
                return sibling, numbers[-1]
        return None

    def _name(self, path: str, scope: int, name: str, depth: int) -> Value | None:
        """What a name means where it stands: the innermost scope that binds it."""
        table = self._table(path)
        source = table.source
        for here in source.around(scope):
            if (here, name) in table.outer:
                continue
            closed = source.kind(here) in CLASSES and not (here == scope and self.language.open_classes)
            if closed and name[0] != TYPE:
                continue
            bound, value = self._bound(path, here, name, depth)
            if bound:
                return value
        for sibling in self._package(path):
            if sibling != path:
                bound, value = self._bound(sibling, MODULE, name, depth, beside=True)
                if bound:
                    return value
        if table.stars and (value := self._starred(path, name, depth)):
            return value
        if name.lstrip(TYPE) in self.language.builtin:
            return FOREIGN
        return self._package_named(path, name) if self.language.packages else None

    def _package_named(self, path: str, name: str) -> Value | None:
        """The imported package that calls itself so, whatever its folder is called."""
        for origin in dict.fromkeys(origin for imports in self._table(path).imports.values() for origin, _ in imports):
            if module := self._module(path, origin):
                self._needs.add((self._place(module), name))
                if self._table(module).source.package == name:
                    return Value("module", module, how="import")
        return None

    def _bound(
        self, path: str, scope: int, name: str, depth: int, *, beside: bool = False
    ) -> tuple[bool, Value | None]:
        """Whether a scope binds a name, and what it means there if that can be told.

        Beside: as another file of the package sees it, without what the file imports.
        """
        table = self._table(path)
        if scope == MODULE:
            self._needs.add((self._place(path), name.lstrip(TYPE)))
        numbers: Sequence[int] = table.defined.get((scope, name), ())
        imports: Sequence[tuple[str, str]] = () if beside else table.imports.get((scope, name), ())
        held: Sequence[Held] = table.names.get((scope, name), ())
        if name[0] == TYPE and not (numbers or imports or held):
            numbers = [one for one in table.defined.get((scope, name[1:]), ()) if table.source.kind(one) in SPACES]
            imports = () if numbers or beside else table.imports.get((scope, name[1:]), ())
            imports = [(origin, there if there in ("", "*", "=") else TYPE + there) for origin, there in imports]
        if not (numbers or imports or held):
            return False, None
        if (numbers and (imports or held)) or (imports and held):
            return True, None  # it depends
        if numbers:
            return True, Value("symbol", path, numbers[-1])
        if imports:
            return True, self._once((path, scope, name, "import"), partial(self._import, path, imports, depth))
        return True, self._once((path, scope, name, "name"), partial(self._held, path, scope, held, depth, name))

    def _once(self, key: tuple[object, ...], tell: Callable[[], Value | None]) -> Value | None:
        """What a name, field or call gives, told once; what goes round in a circle gives nothing that can be told."""
        if key not in self._known:
            self._known[key] = None, set(), set()
            needs, found = self._needs, self._found
            self._needs, self._found = set(), set()
            try:
                self._known[key] = tell(), self._needs, self._found
            finally:
                self._needs, self._found = needs, found
        value, needs, found = self._known[key]
        self._needs |= needs
        self._found |= found
        return value

    def _held(self, path: str, scope: int, held: Sequence[Held], depth: int, name: str = "") -> Value | None:
        """What a variable holds: what is declared, if that can be told, else what every assignment gives."""
        if scope < MODULE and len(held) == 1 and held[0][0] and held[0][0][0].removesuffix(CALL) == name:
            scope = self._table(path).source.parent(scope)  # x := x.y: the one outside
        declared = [one for one in held if one[1]][:1]
        told = self._agreed(path, scope, declared, depth)
        return told or self._agreed(path, scope, [one for one in held if not one[1]], depth)

    def _agreed(self, path: str, scope: int, held: Sequence[Held], depth: int) -> Value | None:
        """What all of these give, if it is the same."""
        values = set()
        for expression, is_type in held:
            value = self._evaluate(path, scope, expression, depth + 1) if expression else None
            if is_type and expression and expression[0] not in (SELF, CLS):
                value = self._instance(value)
            values.add(value)
        only = values.pop() if len(values) == 1 else None
        return only if only is None or only.kind == "foreign" or only.how == "self" else only._replace(how="typed")

    def _import(self, path: str, imports: Iterable[tuple[str, str]], depth: int) -> Value | None:
        """What all imports of a name give, if it is the same."""
        found = {self._imported(path, origin, there, depth + 1) for origin, there in imports}
        return found.pop() if len(found) == 1 else None

    def _imported(self, path: str, origin: str, there: str, depth: int) -> Value | None:
        module = self._module(path, origin)
        if module is None:
            return FOREIGN if not origin.startswith(".") else None
        if not there:
            return Value("module", module, how="import")
        value = self._of_module(module, there, depth)
        return value._replace(how="import") if value and value.kind in ("symbol", "module") else value

    def _module(self, path: str, origin: str) -> str | None:
        self._found.add((path, origin))
        return self.modules.find(path, origin)

    def _of_module(self, module: str, name: str, depth: int) -> Value | None:
        if depth > DEEPEST:
            return None
        package = self._package(module)
        for path in package:
            bound, value = self._bound(path, MODULE, name, depth + 1, beside=len(package) > 1)
            if bound:
                return value
        if self._table(module).stars and (value := self._starred(module, name, depth)):
            return value
        if (origin := self.modules.within(module, name)) and (inside := self._module(module, origin)):
            return Value("module", inside, how="import")
        bound, value = self._bound(module, MODULE, "=", depth + 1)  # what stands for the whole module
        if name in ("=", "default"):
            return value if bound else Value("module", module, how="import")
        return self._member(value, name, depth + 1) if value else None

    def _starred(self, module: str, name: str, depth: int) -> Value | None:
        """What a name means in the modules that a module imports all names of, and in those that these do."""
        if module not in self._reached:
            found, self._found = self._found, set()
            reached = {module: None}
            waiting = [module]
            while waiting:
                at = waiting.pop(0)
                further = [self._module(at, origin) for origin in self._table(at).stars]
                fresh = [one for one in further if one and one not in reached]
                reached |= dict.fromkeys(fresh)
                waiting += fresh
            self._reached[module] = tuple(reached), self._found
            self._found = found
        reached_, found = self._reached[module]
        self._found |= found
        for at in reached_[1:]:
            bound, value = self._bound(at, MODULE, name, depth + 1)
            if not bound and (origin := self.modules.within(at, name)) and (inside := self._module(at, origin)):
                value = Value("module", inside)
            if value and value.kind != "foreign":
                return value._replace(how="import") if value.kind in ("symbol", "module") else value
        return None

    def _member(self, value: Value, name: str, depth: int) -> Value | None:
        if value.wraps:
            given = self.language.elements.get(name) if value.wraps.endswith("[") else None
            if given:
                return value._replace(wraps=(value.wraps if given == LIST else value.wraps[:-1]) + "(")
            return FOREIGN  # the language's own
        if value.kind == "module":
            found = self._of_module(value.path, name, depth + 1)
            return found._replace(how="import") if found and found.kind == "symbol" else found
        if value.kind == "symbol" and self._table(value.path).source.kind(value.number) not in SPACES:
            return None
        how = {"instance": "typed", "super": "super"}.get(value.kind, value.how)
        how = "self" if value.how == "self" else how
        lineage = self._lineage(value.path, value.number)
        for path, owner in lineage[1:] if value.kind == "super" else lineage:
            if own := self._own(path, owner, name):
                is_field = not FIELDS.isdisjoint(self._table(own[0]).source.symbols[own[1]][5])
                if is_field and value.kind != "symbol":
                    return self._result(Value("symbol", *own), 0, depth)
                return Value("symbol", *own, how, this=(value.path, value.number))
            if held := self._table(path).fields.get((owner, name)):
                return self._once((path, owner, name, "field"), partial(self._field, path, held, depth))
        return None

    def _own(self, path: str, owner: int, name: str) -> tuple[str, int] | None:
        """A method or inner class that a class itself has; its methods may stand beside it."""
        table = self._table(path)
        for key in dict.fromkeys((name, name.lstrip(TYPE))):
            if numbers := table.defined.get((owner, key)):
                return path, numbers[-1]
        if table.source.parent(owner) == MODULE:
            type_ = table.source.symbols[owner][0]
            for sibling in self._package(path):
                if numbers := self._table(sibling).beside.get((type_, name)):
                    return sibling, numbers[-1]
        return None

    def _field(self, path: str, held: Sequence[tuple[int, Chain | None, bool]], depth: int) -> Value | None:
        """What a field holds: as declared, if that can be told, else what every method that sets it says."""
        by_scope: defaultdict[int, list[Held]] = defaultdict(list)
        for scope, expression, is_type in held:
            by_scope[scope].append((expression, is_type))
        declared = [scope for scope, there in by_scope.items() if any(one[1] for one in there)]
        for scopes in (declared, by_scope):
            values = {self._held(path, scope, by_scope[scope], depth + 1) for scope in scopes}
            if len(values) == 1 and (only := values.pop()):
                return only
        return None

    def _result(self, value: Value, place: int, depth: int) -> Value | None:
        """What calling something gives: an instance of a class, or of what a function says that it returns."""
        if value.wraps:
            return value._replace(wraps=value.wraps[:-1]) if value.wraps.endswith("(") and not place else None
        if value.kind == "foreign":
            return FOREIGN
        if value.kind == "instance":
            return self._member(value, CALL, depth)
        if value.kind != "symbol":
            return None
        table = self._table(value.path)
        if table.source.kind(value.number) in TYPES:
            return self._instance(value)
        returned = table.returns.get(value.number, ())
        if place >= len(returned):
            return None
        key = (value.path, value.number, place, value.this)
        return self._once(key, partial(self._returned, value, returned[place], depth))

    def _returned(self, value: Value, returned: Chain, depth: int) -> Value | None:
        this = Value("instance", *value.this, "typed") if value.this else None
        found = self._evaluate(value.path, value.number, returned, depth + 1, this)
        return found if returned[0] == SELF else self._instance(found)

    def _instance(self, value: Value | None) -> Value | None:
        if value is None or value.wraps or value.kind in ("foreign", "instance"):
            return value
        is_class = value.kind == "symbol" and self._table(value.path).source.kind(value.number) in TYPES
        return Value("instance", value.path, value.number, "typed") if is_class else None

    def _lineage(self, path: str, number: int) -> tuple[tuple[str, int], ...]:
        """A class and its bases, each before its own; bases from elsewhere are left out."""
        key = path, number
        if key not in self._lineages:
            needs, found = self._needs, self._found
            self._needs, self._found = set(), set()
            try:
                told = self._told_lineage(path, number)
                self._lineages[key] = told, self._needs, self._found
            finally:
                self._needs, self._found = needs, found
        told, needs, found = self._lineages[key]
        self._needs |= needs
        self._found |= found
        return told

    def _told_lineage(self, path: str, number: int) -> tuple[tuple[str, int], ...]:
        found: dict[tuple[str, int], None] = {}
        stack = [(path, number)]
        while stack:
            at, owner = stack.pop()
            if (at, owner) in found:
                continue
            found[at, owner] = None
            table = self._table(at)
            self._needs.add((self._place(at), table.outermost(owner)))
            scope = table.source.parent(owner)
            bases = [self._evaluate(at, scope, base) for base in table.bases.get(owner, ())]
            stack += [
                (base.path, base.number) for base in reversed(bases) if base and base.kind in ("symbol", "instance")
            ]
        return tuple(one for one in found if self._table(one[0]).source.kind(one[1]) in SPACES)

    def _package(self, path: str) -> tuple[str, ...]:
        """The files whose definitions a file sees, itself first."""
        if path not in self._packages:
            files = self.modules.files(path)
            if len(files) > 1:
                mine = self._table(path).source.package
                files = [path, *(one for one in files if one != path and self._table(one).source.package == mine)]
            self._packages[path] = tuple(files)
        return self._packages[path]

    def _place(self, path: str) -> str:
        return self.modules.place(path)


class _Table:
    """One file's lists by what is asked of them."""

    def __init__(self, path: str, source: Source) -> None:
        self.path, self.source = path, source
        self.outer = set(map(tuple, source.outer))
        self.receivers = dict(source.receivers)
        self.defined: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        self.beside: defaultdict[tuple[str, str], list[int]] = defaultdict(list)  # methods by type and name
        for number, (name, _, _, _, scope, decorators) in enumerate(source.symbols):
            if number in self.receivers:
                beside = self.receivers[number], name
                self.beside[beside].append(number)
            elif not decorators or EITHER.isdisjoint(decorators):
                key = scope, name
                self.defined[key].append(number)
        self.imports: defaultdict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
        self.stars = [module for _, name, module, _ in source.imports if name == "*"]
        for scope, name, module, there in source.imports:
            self.imports[scope, name].append((module, there))
        self.names: defaultdict[tuple[int, str], list[Held]] = defaultdict(list)
        self.fields: defaultdict[tuple[int, str], list[tuple[int, Chain | None, bool]]] = defaultdict(list)
        for scope, name, held, declared in source.names:
            if source.kind(scope) in CLASSES and name[0] != TYPE:
                self._field(scope, name, scope, held, declared)
            elif (scope, name) not in self.outer:
                self.names[scope, name].append((held, declared))
        for scope, name, held, declared in source.fields:
            owner = next((one for one in source.around(scope) if source.kind(one) in TYPES), MODULE)
            if owner != MODULE:
                self._field(owner, name, scope, held, declared)
        self.bases: defaultdict[int, list[Chain]] = defaultdict(list)
        for number, base in source.bases:
            self.bases[number].append(base)
        self.returns: defaultdict[int, list[Chain]] = defaultdict(list)
        for number, returned in source.returns:
            self.returns[number].append(returned)
        self._ids: dict[int, int] = {}
        self._qualnames: dict[int, str] = {}

    def qualname(self, number: int) -> str:
        """A definition's name with those that it stands in."""
        if number not in self._qualnames:
            name = self.source.symbols[number][0].lstrip(TYPE)
            outer = self.source.owner(self.source.parent(number))
            if number in self.receivers:
                name = f"{self.receivers[number]}.{name}"
            elif outer != MODULE:
                name = f"{self.qualname(outer)}.{name}"
            self._qualnames[number] = name
        return self._qualnames[number]

    def id(self, number: int) -> int:
        """A number for a definition that no change elsewhere changes: by path, qualified name, and which of these."""
        if not self._ids:
            self._ids[MODULE] = _id(self.path, "", 0)
            seen: dict[str, int] = {}
            for one in range(len(self.source.symbols)):
                name = self.qualname(one)
                seen[name] = seen.get(name, -1) + 1
                self._ids[one] = _id(self.path, name, seen[name])
        return self._ids[number]

    def outermost(self, number: int) -> str:
        """The name in the module that a definition belongs to."""
        *_, number = (one for one in self.source.around(number) if one >= 0)
        return self.receivers.get(number, self.source.symbols[number][0].lstrip(TYPE))

    def _field(self, owner: int, name: str, scope: int, held: Chain | None, declared: bool) -> None:
        self.fields[owner, name].append((scope, held, declared))


def _is_result(part: str) -> bool:
    return part[:1] == RESULT and part[1:].isdigit()


def _id(path: str, qualname: str, place: int) -> int:
    digest = hashlib.blake2b(f"{path}\0{qualname}\0{place}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
