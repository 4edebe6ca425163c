"""Go: what a file says, by its syntax tree alone, and how packages are found. Nothing is run. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from rg_core.assets.imports.code.language import Language
from rg_core.assets.imports.code.source import (
    CALL,
    DEEPEST,
    ELEMENT,
    FUNCTION,
    INSTANCE,
    LIST,
    LONGEST,
    MODULE,
    OPAQUE,
    RESULT,
    SELF,
    Chain,
    Source,
    empty,
    field,
    text,
    words,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

BUILTIN = words(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover "
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string "
    "uint uint8 uint16 uint32 uint64 uintptr true false iota nil"
)

LEAVES = (
    "comment",
    "interpreted_string_literal",
    "raw_string_literal",
    "int_literal",
    "identifier",
    "field_identifier",
)
BLOCKS = ("block", "if_statement", "for_statement", "expression_switch_statement", "expression_case", "default_case",
          "communication_case", "select_statement")  # fmt: skip
MODULE_LINE = re.compile(rb'^[ \t]*module[ \t]+"?([^\s"]+)', re.MULTILINE)
VERSION = re.compile(r"v\d+")


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_go

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


def extract(data: bytes, path: str) -> Source:
    """Read one file; what is no Go is left out."""
    root = _parser().parse(data).root_node
    clause = next((node for node in root.named_children if node.type == "package_clause"), None)
    found = empty(text(clause.named_children[0]) if clause and clause.named_children else "")
    stack: list[tuple[Node, int]] = [(root, MODULE)]
    known: set[tuple[int, str]] = set()  # the names so far
    counted = 0
    while stack:
        node, scope = stack.pop()
        kind = node.type
        if kind in LEAVES:
            continue
        if kind in BLOCKS:
            scope = found.block(scope)
        match kind:
            case "function_declaration" | "method_declaration" | "func_literal":
                scope = _function(found, node, scope)
            case "type_spec":
                stack += _type(found, node, scope)
                continue
            case "type_alias":
                found.names.append((scope, text(field(node, "name")), type_chain(field(node, "type")), True))
            case "call_expression":
                if (callee := field(node, "function")) is not None:
                    found.calls.append((scope, chain(callee), callee.end_point[0] + 1))
            case "type_conversion_expression" if target := _generic(node):
                found.calls.append((scope, target, node.start_point[0] + 1))
            case "import_spec":
                found.imports.extend(_import(node))
            case "var_spec" | "const_spec":
                _variables(found, scope, node.children_by_field_name("name"), field(node, "value"), field(node, "type"))
            case "short_var_declaration" | "receive_statement" | "range_clause":
                left, right = field(node, "left"), field(node, "right")
                if left is not None and any(child.type == ":=" for child in node.children):
                    known.update((name[0], name[1]) for name in islice(found.names, counted, None))
                    counted = len(found.names)
                    new = {name for one in left.named_children if (scope, name := text(one)) not in known}
                    outer = found.parent(scope) if scope < MODULE and right and _mentions(right, new) else scope
                    _variables(found, scope, left.named_children, right, None, ranged=kind == "range_clause")
                    stack.append((right or left, outer))
                    continue
            case "type_switch_statement":
                scope = found.block(scope)
                stack += reversed(list(_type_switch(found, node, scope)))
                continue
        stack.extend((child, scope) for child in reversed(node.named_children))
    bound: dict[tuple[int, str], tuple[int, str, Chain | None, bool]] = {}
    for row in found.names:  # := keeps the type of a name that its block has already
        bound.setdefault(row[:2], row)
    return found._replace(names=list(bound.values()))


def chain(node: Node | None) -> Chain:
    """An expression as names and steps; OPAQUE is its root where it is more than that."""
    parts: Chain = []  # backwards
    called = ""
    steps = 0
    while node is not None and len(parts) < LONGEST and (steps := steps + 1) < DEEPEST:
        match node.type:
            case "identifier":
                return [text(node) + called, *reversed(parts)]
            case "selector_expression":
                parts.append(text(field(node, "field")) + called)
                called, node = "", field(node, "operand")
            case "call_expression":
                function = field(node, "function")
                if called or function is None:
                    break
                if (made := _built_in(text(function), field(node, "arguments"))) is not None:
                    return [*made, *reversed(parts)]
                called, node = CALL, function
            case "parenthesized_expression" if node.named_child_count == 1:
                node = node.named_children[0]
            case "index_expression" | "slice_expression":
                if called:  # of a function with its types written out, or of a list of functions
                    parts.append(CALL)
                    called = ""
                if node.type == "index_expression":
                    parts.append(ELEMENT)
                node = field(node, "operand")
            case "unary_expression":
                if called:
                    break
                if text(field(node, "operator")) == "<-":
                    parts.append(ELEMENT)
                node = field(node, "operand")
            case "type_conversion_expression" if not called and (generic := _generic(node)):
                return [*generic[:-1], generic[-1] + CALL, *reversed(parts)]
            case "composite_literal" | "type_assertion_expression" | "type_conversion_expression" if not called:
                type_ = type_chain(field(node, "type"))
                return [*(type_ or [OPAQUE]), INSTANCE, *reversed(parts)]
            case _:
                break
    return [OPAQUE, *reversed(parts)]


def type_chain(node: Node | None) -> Chain | None:
    """A type as a chain; None for what has no name."""
    wraps: Chain = []  # the outermost first
    steps = 0
    while node is not None and (steps := steps + 1) < DEEPEST:
        match node.type:
            case "type_identifier" | "identifier":
                return [text(node), *reversed(wraps)]
            case "qualified_type":
                return [text(field(node, "package")), text(field(node, "name")), *reversed(wraps)]
            case "selector_expression":
                return [*chain(node), *reversed(wraps)]
            case "generic_type":
                node = field(node, "type")
            case "pointer_type" | "parenthesized_type" | "type_elem" | "type_constraint" if node.named_child_count == 1:
                node = node.named_children[0]
            case "slice_type" | "array_type" | "implicit_length_array_type":
                wraps.append(LIST)
                node = field(node, "element")
            case "map_type" | "channel_type":
                wraps.append(LIST)
                node = field(node, "value")
            case "function_type":
                wraps.append(FUNCTION)
                results = _results(node)
                node = results[0] if results else None
            case _:
                break
    return None


def _generic(conversion: Node) -> Chain | None:
    """What F[T](x) calls, which looks like a conversion to a generic type."""
    type_ = field(conversion, "type")
    return type_chain(type_) if type_ is not None and type_.type == "generic_type" else None


def _built_in(name: str, arguments: Node | None) -> Chain | None:
    """What a built-in function gives."""
    first = next(iter(arguments.named_children), None) if arguments else None
    match name:
        case "new" | "make":
            return [*(type_chain(first) or [OPAQUE]), INSTANCE]
        case "append" | "min" | "max":
            return chain(first)
    return None


def _results(node: Node) -> list[Node | None]:
    """The types of a function's results, one for each."""
    result = field(node, "result")
    if result is None:
        return []
    if result.type != "parameter_list":
        return [result]
    return [field(one, "type") for one in result.named_children if one.type == "parameter_declaration"
            for _ in range(max(1, len(one.children_by_field_name("name"))))]  # fmt: skip


def _function(found: Source, node: Node, scope: int) -> int:
    """Note a function with its parameters; the scope inside."""
    receiver = field(node, "receiver")
    if node.type == "func_literal":
        inside = found.block(scope)
    else:
        inside = found.define(text(field(node, "name")), "method" if receiver else "function", node, scope)
        found.returns.extend((inside, type_chain(one) or [OPAQUE]) for one in _results(node))
    for one in receiver.named_children if receiver else ():
        if type_ := type_chain(field(one, "type")):
            found.receivers.append((inside, type_[0]))
            if name := field(one, "name"):
                found.names.append((inside, text(name), [SELF], True))
    for list_ in (field(node, "type_parameters"), field(node, "parameters"), field(node, "result")):
        if list_ is not None and list_.type != "type_identifier":
            _parameters(found, inside, list_)
    return inside


def _parameters(found: Source, scope: int, list_: Node) -> None:
    for one in list_.named_children:
        if one.type not in ("parameter_declaration", "variadic_parameter_declaration", "type_parameter_declaration"):
            continue
        type_ = type_chain(field(one, "type"))
        if type_ and one.type == "variadic_parameter_declaration":
            type_ = [*type_, LIST]
        for name in one.children_by_field_name("name"):
            found.names.append((scope, text(name), type_, True))


def _type(found: Source, node: Node, scope: int) -> list[tuple[Node, int]]:
    """Note a type with its members; what is inside of it is returned with its scope."""
    type_ = field(node, "type")
    if type_ is None:
        return []
    kind = {"struct_type": "struct", "interface_type": "interface"}.get(type_.type, "type")
    number = found.define(text(field(node, "name")), kind, node, scope)
    if (parameters := field(node, "type_parameters")) is not None:
        _parameters(found, number, parameters)
    match kind:
        case "struct":
            for list_ in type_.named_children:
                for one in list_.named_children:
                    _field(found, number, one)
        case "interface":
            for one in type_.named_children:
                if one.type == "method_elem":
                    method = found.define(text(field(one, "name")), "method", one, number)
                    found.returns.extend((method, type_chain(result) or [OPAQUE]) for result in _results(one))
                elif one.type == "type_elem" and (base := type_chain(one)):
                    found.bases.append((number, base))
        case _:
            if under := type_chain(type_):
                if under[-1] == LIST:
                    found.names.append((number, ELEMENT, under[:-1], True))
                elif under[-1] == FUNCTION:
                    found.names.append((number, CALL, under[:-1], True))
    return [(type_, number)] if kind == "type" else []


def _field(found: Source, number: int, node: Node) -> None:
    if node.type != "field_declaration":
        return
    type_ = type_chain(field(node, "type"))
    names = node.children_by_field_name("name")
    for name in names:
        found.names.append((number, text(name), type_, True))
    if not names and type_:  # embedded
        found.bases.append((number, type_))
        found.names.append((number, type_[-1], type_, True))


def _variables(
    found: Source, scope: int, names: Sequence[Node], right: Node | None, type_: Node | None, *, ranged: bool = False
) -> None:
    """Note what variables hold: a declared type, or each its own expression, or one call's several results."""
    names = [name for name in names if name.type == "identifier"] if not ranged else names
    values = [right] if right is not None and right.type != "expression_list" else right.named_children if right else []
    for place, name in enumerate(names):
        held: Chain | None = None
        if type_ is not None:
            held = type_chain(type_)
        elif ranged:
            held = [*chain(values[0]), ELEMENT] if place == 1 and values else None
        elif len(values) == len(names):
            held = chain(values[place])
        elif len(values) == 1 and place == 0 and values[0].type != "call_expression":
            held = chain(values[0])  # with whether it was there
        elif len(values) == 1 and values[0].type == "call_expression":
            held = [*chain(values[0]), f"{RESULT}{place}"]
        if text(name) != "_":
            found.names.append((scope, text(name), None if held and held[0] == OPAQUE else held, type_ is not None))


def _mentions(node: Node, names: Set[str]) -> bool:
    """Whether what is assigned speaks of an outer thing whose name begins to mean another one here."""
    choices = "|".join(map(re.escape, sorted(names)))
    return bool(names) and re.search(rf"(?<![\w.])(?:{choices})\s*[.(]", text(node)) is not None


def _type_switch(found: Source, node: Node, scope: int) -> Iterator[tuple[Node, int]]:
    """What is in a switch over types, with its scopes; the variable has the type of its case."""
    alias = field(node, "alias")
    for child in node.named_children:
        if child.type not in ("type_case", "default_case"):
            yield child, scope
            continue
        inside = found.block(scope)
        types = child.children_by_field_name("type")
        for name in alias.named_children if alias else ():
            held = type_chain(types[0]) if len(types) == 1 else None
            found.names.append((inside, text(name), held, True))
        yield from ((one, inside) for one in child.named_children)


def _import(node: Node) -> Iterator[tuple[int, str, str, str]]:
    origin = text(field(node, "path")).strip('"`')
    name = text(field(node, "name"))
    if name == ".":
        yield MODULE, "*", origin, "*"
    elif name != "_":
        yield MODULE, name or _package_name(origin), origin, ""


def _package_name(origin: str) -> str:
    """What a package is called, as far as its path tells."""
    names = origin.split("/")
    if len(names) > 1 and VERSION.fullmatch(names[-1]):
        names.pop()
    return re.sub(r"\.v\d+$", "", names[-1]).removeprefix("go-").removesuffix("-go").replace("-", "_")


class Modules:
    """Packages by path: the module's, from its go.mod, and the folder below."""

    def __init__(self, paths: Sequence[str], manifests: Mapping[str, bytes]) -> None:
        self._folders: dict[str, list[str]] = {}
        for path in sorted(paths):
            self._folders.setdefault(posixpath.dirname(path), []).append(path)
        self._named: dict[str, str] = {}
        roots = {posixpath.dirname(path): match[1].decode("utf-8", "replace")
                 for path, data in manifests.items() if (match := MODULE_LINE.search(data))}  # fmt: skip
        for folder, files in self._folders.items():
            root: str | None = folder
            while root and root not in roots:
                root = posixpath.dirname(root)
            if root in roots:
                below = folder[len(root) :].strip("/")
                first = next((one for one in files if not one.endswith("_test.go")), files[0])
                self._named[posixpath.join(roots[root], below).rstrip("/")] = first

    def find(self, path: str, origin: str) -> str | None:
        """The file that an import means; None for what is elsewhere."""
        return self._named.get(origin)

    def files(self, path: str) -> Sequence[str]:
        """The files of its folder."""
        return self._folders[posixpath.dirname(path)]

    def place(self, path: str) -> str:
        """The folder."""
        return posixpath.dirname(path)

    def within(self, path: str, name: str) -> str:
        """A package has no names but its own."""
        return ""

    def name(self, path: str) -> str:
        """The path without its ending."""
        return path.removesuffix(".go").replace("/", ".")


GO = Language(
    extractor="go-1",
    suffixes={".go": "go"},
    grammars=("tree_sitter_go",),
    extract=extract,
    modules=Modules,
    builtin=BUILTIN,
    generated=(".pb.go", "_generated.go"),
    manifests=frozenset({"go.mod"}),
    packages=True,
    converts=True,
)
