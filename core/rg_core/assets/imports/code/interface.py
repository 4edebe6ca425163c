"""What other files see of a file, by name: where none of it changed, calls elsewhere mean what they did. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rg_core.assets.imports.code.source import CALL, CLASSES, MODULE, TYPE, Chain, Source

EVERYTHING = "*"  # a change of it may change what any name means


def interface(source: Source) -> Mapping[str, list[Any]]:
    """What each name of the module stands for, without lines and without what stays inside of functions."""
    found: dict[str, list[Any]] = {}
    for name, fact in _facts(source):
        found.setdefault(name, []).append(fact)
    return found


def changed(before: Source | None, after: Source | None) -> set[str]:
    """The names that mean something else now; with EVERYTHING any may."""
    old, new = (interface(source) if source else {} for source in (before, after))
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _facts(source: Source) -> Iterator[tuple[str, Any]]:
    names = _Names(source)
    yield EVERYTHING, source.package
    for number, (name, kind, _, _, _, decorators) in enumerate(source.symbols):
        yield names.outermost(number), ("symbol", names.of(number), name, kind, decorators)
    for what, rows in (("base", source.bases), ("returns", source.returns)):
        for number, said in rows:
            yield names.outermost(number), (what, names.of(number), said)
    for number, type_ in source.receivers:
        yield type_, ("receiver", names.of(number))
    for scope, name, origin, there in source.imports:
        key = name if scope == MODULE else names.outermost(scope)
        yield key, ("import", names.of(scope), name, origin, there)
    visible = _visible(source)
    for scope, name, held, declared in source.names:
        inner = scope != MODULE and source.kind(scope) not in CLASSES
        if not inner or name in visible:
            key = name.lstrip(TYPE) if scope == MODULE else names.outermost(scope)
            yield key, ("name", names.of(scope), name, held, declared)
    for scope, name, held, declared in source.fields:
        yield names.outermost(scope), ("field", names.of(scope), name, held, declared)


def _visible(source: Source) -> set[str]:
    """Names inside of functions that what is seen from outside depends on."""
    held: dict[str, list[Chain]] = {}
    needed = [chain for _, chain in (*source.returns, *source.bases)]
    needed += [chain for _, _, chain, _ in source.fields if chain]
    for _, name, chain, _ in source.names:
        if chain:
            held.setdefault(name, []).append(chain)
    needed += [chain for scope, _, chain, _ in source.names
               if chain and (scope == MODULE or source.kind(scope) in CLASSES)]  # fmt: skip
    found: set[str] = set()
    while needed:
        root = needed.pop()[0].removesuffix(CALL)
        for name in {root, TYPE + root.lstrip(TYPE)} - found:
            found.add(name)
            needed += held.get(name, ())
    return found


class _Names:
    """Scopes by names, which stay where numbers move."""

    def __init__(self, source: Source) -> None:
        self.source, self.receivers = source, dict(source.receivers)

    def of(self, scope: int) -> str:
        """The definitions that a scope stands in."""
        return ".".join(self.source.symbols[one][0] for one in self.source.around(scope) if one >= 0)

    def outermost(self, scope: int) -> str:
        """The name in the module that a scope belongs to."""
        numbers = [one for one in self.source.around(scope) if one >= 0]
        if not numbers:
            return EVERYTHING  # a block of the module's own
        return self.receivers.get(numbers[-1], self.source.symbols[numbers[-1]][0].lstrip(TYPE))
