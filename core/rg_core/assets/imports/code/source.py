"""What one file defines, imports, names and calls, in the same shape for every language. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

MODULE = -1  # the scope of what stands in no definition; blocks are -2, -3, ...; definitions 0, 1, ...
SELF, CLS, SUPER, OPAQUE = "<self>", "<cls>", "super()", "?"  # roots of a chain
CALL = "()"  # ends a part that is called
TYPE = ":"  # begins a part that names a type, where a language has types and values of one name
# Parts of a chain that are no names:
INSTANCE = "!"  # of a type: a value of it
LIST, FUNCTION = "*[", "*("  # of a type: something that holds values of it, something that returns one
ELEMENT = "[]"  # of what holds values: one of them; the field of this name says it of a definition
AWAITED = "?[]"  # likewise; of anything else: itself
RESULT = "#"  # before a number, behind a call: that one of several results
CLASSES = frozenset({"class", "struct", "interface", "type", "object"})  # kinds whose body is a list of members
TYPES = CLASSES | {"constructor"}  # kinds of definitions that have members
SPACES = TYPES | {"namespace"}

LONGEST = 30  # parts of a chain that is followed
DEEPEST = 100  # scopes in each other, steps into an expression

Chain = list[str]  # a.b().c as ["a", "b()", "c"]


class Source(NamedTuple):
    """One file; as JSON a list of these lists. Scopes are numbers as at MODULE."""

    symbols: list[tuple[str, str, int, int, int, list[str]]]  # name, kind, line, last, scope, decorators
    bases: list[tuple[int, Chain]]  # class, base
    returns: list[tuple[int, Chain]]  # function, type; one for each result
    imports: list[tuple[int, str, str, str]]  # scope, name here, module, name there ("" for the module, * for all)
    names: list[tuple[int, str, Chain | None, bool]]  # scope, variable, what it holds, whether that is declared
    fields: list[tuple[int, str, Chain | None, bool]]  # method that sets self.NAME, likewise
    outer: list[tuple[int, str]]  # names of a scope that are those of an outer one
    calls: list[tuple[int, Chain, int]]  # scope, callee, line
    blocks: list[int]  # the scope that each block stands in
    receivers: list[tuple[int, str]]  # method that stands beside its type, that type
    package: str  # files of one folder and package see each other's definitions

    def block(self, scope: int) -> int:
        """A new block in a scope.

        Raises:
            RecursionError: where scopes stand in each other more deeply than people write.
        """
        self._deeper(scope)
        self.blocks.append(scope)
        return -1 - len(self.blocks)

    def define(
        self,
        name: str,
        kind: str,
        node: Node,
        scope: int,
        decorators: list[str] | None = None,
        named: Node | None = None,
    ) -> int:
        """A new definition in a scope; it begins where its name stands, if that is told.

        Raises:
            RecursionError: as `block`.
        """
        self._deeper(scope)
        line = (named or node).start_point[0] + 1
        self.symbols.append((name, kind, line, node.end_point[0] + 1, scope, decorators or []))
        return len(self.symbols) - 1

    def kind(self, scope: int) -> str:
        """The kind of a scope."""
        return "module" if scope == MODULE else "block" if scope < MODULE else self.symbols[scope][1]

    def parent(self, scope: int) -> int:
        """The scope that a definition or block stands in."""
        return self.blocks[-2 - scope] if scope < MODULE else self.symbols[scope][4]

    def owner(self, scope: int) -> int:
        """The definition that a scope belongs to; MODULE where there is none."""
        while scope < MODULE:
            scope = self.parent(scope)
        return scope

    def _deeper(self, scope: int) -> None:
        if next(islice(self.around(scope), DEEPEST, None), None) is not None:
            raise RecursionError("scopes stand in each other too deeply")

    def around(self, scope: int) -> Iterator[int]:
        """A scope and those that it stands in, MODULE last."""
        while scope != MODULE:
            yield scope
            scope = self.parent(scope)
        yield MODULE


def empty(package: str = "") -> Source:
    """A file that says nothing yet."""
    return Source([], [], [], [], [], [], [], [], [], [], package)


def text(node: Node | None) -> str:
    """What stands at a node."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""


def field(node: Node, name: str) -> Node | None:
    """A node's child by its field."""
    return node.child_by_field_name(name)


def words(said: str) -> frozenset[str]:
    """A set of words, written with blanks between them."""
    return frozenset(said.split())
