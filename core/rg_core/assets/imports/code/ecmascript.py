"""TypeScript and JavaScript: what a file says, by its syntax tree alone. Nothing is run. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from rg_core.assets.imports.code import ecmascript_docs as docs
from rg_core.assets.imports.code.ecmascript_chains import chain, member_name, required, string, type_chain, unwrapped
from rg_core.assets.imports.code.ecmascript_modules import EcmaModules
from rg_core.assets.imports.code.language import Language
from rg_core.assets.imports.code.source import (
    AWAITED,
    CALL,
    ELEMENT,
    INSTANCE,
    LIST,
    MODULE,
    OPAQUE,
    SELF,
    TYPE,
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
    "Array ArrayBuffer BigInt Boolean Buffer DataView Date Error EvalError Function Infinity Intl JSON Map Math NaN "
    "Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError "
    "URIError Uint8Array WeakMap WeakRef WeakSet AbortController AbortSignal Blob Event EventTarget File FormData "
    "Headers ReadableStream Request Response TextDecoder TextEncoder TransformStream URL URLSearchParams WebSocket "
    "WritableStream atob btoa clearInterval clearTimeout console crypto decodeURIComponent document encodeURIComponent "
    "eval fetch global globalThis import isFinite isNaN navigator parseFloat parseInt performance process "
    "queueMicrotask require setImmediate setInterval setTimeout structuredClone undefined window"
)
ELEMENTS = {**dict.fromkeys(("at", "find", "findLast", "get", "pop", "shift"), ELEMENT),
            **dict.fromkeys(("filter", "slice", "concat", "reverse", "sort", "values"), LIST)}  # fmt: skip

LEAVES = ("comment", "string", "number", "identifier", "property_identifier", "type_identifier", "type_annotation",
          "type_arguments", "type_parameters", "import_statement", "regex", "predefined_type")  # fmt: skip
FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "function_declaration",
             "generator_function_declaration")  # fmt: skip
VALUES = ("arrow_function", "function_expression", "generator_function")
CLASS_NODES = ("class_declaration", "abstract_class_declaration", "class")
BEHIND = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")
NOTHING = ("null", "undefined")
BLOCKS = ("statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body")
EACH = words("map forEach filter find findLast findIndex some every flatMap")  # call with an element each


@cache
def _parser(ending: str) -> Parser:
    import tree_sitter
    import tree_sitter_javascript
    import tree_sitter_typescript

    if ending == "tsx":
        grammar = tree_sitter_typescript.language_tsx()
    elif ending.endswith("ts"):
        grammar = tree_sitter_typescript.language_typescript()
    else:
        grammar = tree_sitter_javascript.language()
    return tree_sitter.Parser(tree_sitter.Language(grammar))


def extract(data: bytes, path: str) -> Source:
    """Read one file; what is no code is left out."""
    ending = path.rpartition(".")[2]
    reader = _Reader(typed_by_comments=not ending.startswith(("ts", "mts", "cts")))
    reader.read(_parser(ending).parse(data).root_node)
    return reader.finished()


def _typescript(said: bytes) -> Node:
    return _parser("ts").parse(said).root_node


class _Reader:
    """Goes through one file's tree, the definitions before what is in them."""

    def __init__(self, *, typed_by_comments: bool) -> None:
        self.found = empty()
        self._typed_by_comments = typed_by_comments
        self._docs: dict[int, docs.Doc] = {}  # what a comment says of the node behind it
        self._unset: set[tuple[int, str]] = set()  # variables that hold nothing where they are made
        self._assigned: list[tuple[int, str, Chain | None, tuple[str, str] | None]] = []  # later: a value, or an import
        self._functions = {MODULE}  # scopes that `var` is of
        self._prototypes: set[str] = set()
        # What is known of nodes by what they stand in: to ask a node for its parent is slow.
        self._vars: set[int] = set()
        self._ambient: set[int] = set()
        self._given: dict[int, Node] = {}  # a function that is handed over, to what
        self._stack: list[tuple[Node, int]] = []
        self._parts: Mapping[str, Callable[[Node, int], bool]] = {
            "call_expression": self._call,
            "new_expression": self._call,
            "jsx_opening_element": self._element,
            "jsx_self_closing_element": self._element,
            "variable_declaration": self._var,
            "variable_declarator": self._variable,
            "ambient_declaration": self._declare,
            "assignment_expression": self._assignment,
            "export_statement": self._export,
            "interface_declaration": self._interface,
            "type_alias_declaration": self._alias,
            "enum_declaration": self._enum,
            "internal_module": self._namespace,
            "function_signature": self._signature,
            "method_definition": self._method,
            "abstract_method_signature": self._abstract,
            "public_field_definition": self._field,
            "field_definition": self._field,
            "for_in_statement": self._for,
            "catch_clause": self._catch,
        }

    def read(self, root: Node) -> None:
        """Note everything below a node."""
        for node in root.named_children:
            if node.type == "import_statement":
                self.found.imports.extend(_imports(node))
        self._push(root.named_children, MODULE)
        while self._stack:
            node, scope = self._stack.pop()
            kind = node.type
            if kind in LEAVES:
                continue
            if kind in FUNCTIONS:
                self._function(node, scope)
            elif kind in CLASS_NODES:
                self._class(node, scope)
            else:
                if kind in BEHIND and (doc := self._docs.get(node.id)):
                    self._docs.update((one.id, doc) for one in node.named_children)
                if kind in BLOCKS:
                    scope = self.found.block(scope)
                if (part := self._parts.get(kind)) is None or not part(node, scope):
                    self._push(node.named_children, scope)

    def finished(self) -> Source:
        """The file; functions with a prototype make objects."""
        self._settle()
        symbols = self.found.symbols
        for number, symbol in enumerate(symbols):
            if symbol[0] in self._prototypes and symbol[1] == "function":
                symbols[number] = (symbol[0], "constructor", *symbol[2:])
        return self.found

    def _settle(self) -> None:
        """Give what is assigned to the scope that has the variable."""
        found = self.found
        made = {(symbol[4], symbol[0]) for symbol in found.symbols}
        bound = {(scope, name) for scope, name, _, _ in found.names} | {one[:2] for one in found.imports} | made
        left = set(self._unset)
        for scope, name, held, imported in self._assigned:
            here = next(
                (one for one in found.around(scope) if (one, name) in bound or (one, name) in self._unset), None
            )
            if here is None:
                continue
            if (here, name) in self._unset:
                left.discard((here, name))
                if imported:  # says more than a comment
                    found.names[:] = [one for one in found.names if one[:2] != (here, name)]
                    found.imports.append((here, name, *imported))
                else:
                    found.names.append((here, name, held, False))
            elif (here, name) in made:  # no longer what it was made as, or that still
                found.names.append((here, name, None, False))
        found.names.extend((scope, name, None, False) for scope, name in sorted(left))

    def _push(self, nodes: Sequence[Node], scope: int) -> None:
        if self._typed_by_comments:
            self._documented(nodes)
        self._stack.extend((node, scope) for node in reversed(nodes))

    def _documented(self, nodes: Sequence[Node]) -> None:
        """Note what comments say of what stands behind them."""
        doc = None
        for node in nodes:
            if node.type == "comment":
                said = text(node)
                doc = docs.read(said, _typescript) if said.startswith("/**") and "@" in said else None
                for name, module, there in doc.imports if doc else ():
                    self.found.imports.append((MODULE, name, module, there))
            elif doc:
                self._docs[node.id], doc = doc, None

    def _doc(self, node: Node, key: str) -> Chain | None:
        return doc.types.get(key) if (doc := self._docs.get(node.id)) else None

    def _name(self, scope: int, name: str, held: Chain | None, *, declared: bool = False) -> None:
        if name:
            self.found.names.append((scope, name, None if held and held[0] == OPAQUE else held, declared))

    # -- definitions

    def _function(
        self, node: Node, scope: int, name: str = "", kind: str = "function", named: Node | None = None
    ) -> int:
        """A function, of a name where it has one; what is in it is still to be read. Its scope."""
        name = name or (text(field(node, "name")) if node.type not in VALUES else "")
        arrow = node.type == "arrow_function"
        if name:
            decorators = [one.type for one in node.children if one.type == "get"] and ["property"]
            if any(one.type == "set" for one in node.children):
                decorators = ["overload"]  # no call means it
            inside = self.found.define(name, kind, node, scope, decorators, named or field(node, "name"))
            self._returned(node, inside)
        else:
            inside = self.found.block(scope)
            if own := field(node, "name"):
                self._name(inside, text(own), None)
        if not arrow and kind == "function":
            self.found.names.append((inside, SELF, None, True))
        self._functions.add(inside)
        self._type_parameters(node, inside)
        self._parameters(node, inside)
        body = field(node, "body")
        if body is not None:
            self._push(body.named_children if body.type == "statement_block" else [body], inside)
        return inside

    def _returned(self, node: Node, number: int) -> None:
        """What a function gives: what is declared, else what its only return does."""
        if (declared := field(node, "return_type")) is not None:
            if declared.type == "type_annotation" and (type_ := type_chain(declared)):
                self.found.returns.append((number, type_))
            return
        if documented := self._doc(node, docs.RETURNS):
            self.found.returns.append((number, documented))
            return
        body = field(node, "body")
        returns = list(_returns(body)) if body is not None else []
        if len(returns) == 1 and (held := chain(returns[0]))[0] != OPAQUE:
            is_async = any(child.type == "async" for child in node.children)
            self.found.returns.append((number, [*held, LIST] if is_async else held))

    def _type_parameters(self, node: Node, scope: int) -> None:
        for one in list_.named_children if (list_ := field(node, "type_parameters")) else ():
            self._name(scope, TYPE + text(field(one, "name")), type_chain(field(one, "constraint")), declared=True)

    def _parameters(self, node: Node, scope: int) -> None:
        list_ = field(node, "parameters")
        alone = field(node, "parameter")  # x => ...
        for place, one in enumerate(list_.named_children if list_ else [alone] if alone else ()):
            type_ = type_chain(field(one, "type"))
            pattern, default = field(one, "pattern"), field(one, "value")
            if one.type == "assignment_pattern":
                pattern, default = field(one, "left"), field(one, "right")
            pattern = pattern or one
            if pattern.type == "identifier":
                type_ = type_ or self._doc(node, text(pattern))
            if type_:
                self._bind(pattern, scope, [*type_, INSTANCE], declared=True)
            elif field(one, "type") is None and default is not None:
                self._bind(pattern, scope, chain(default))
            else:
                self._bind(pattern, scope, self._handed(node) if not place and field(one, "type") is None else None)
            if type_ and any(child.type in ("accessibility_modifier", "readonly") for child in one.children):
                self.found.fields.append((scope, text(pattern), type_, True))
            if default is not None:
                self._stack.append((default, scope))

    def _bind(self, pattern: Node | None, scope: int, held: Chain | None, *, declared: bool = False) -> None:
        """Note the names of a pattern, and what each of them holds of what is taken apart."""
        if pattern is None:
            return
        if held and held[0] == OPAQUE:
            held = None
        match pattern.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                self._name(scope, text(pattern), held, declared=declared)
            case "object_pattern":
                for one in pattern.named_children:
                    if one.type == "shorthand_property_identifier_pattern":
                        self._name(scope, text(one), [*held, text(one)] if held else None)
                    elif one.type == "pair_pattern" and (key := member_name(field(one, "key"))):
                        self._bind(field(one, "value"), scope, [*held, key] if held else None)
                    elif one.type == "object_assignment_pattern" and (left := field(one, "left")) is not None:
                        self._name(scope, text(left), [*held, text(left)] if held else None)
                    else:
                        self._bind(one, scope, None)
            case "assignment_pattern":
                self._bind(field(pattern, "left"), scope, held)
            case "rest_pattern" if pattern.named_children and declared:
                self._bind(pattern.named_children[0], scope, held, declared=declared)
            case _:
                for one in pattern.named_children:
                    self._bind(one, scope, None)

    def _class(self, node: Node, scope: int, name: str = "", named: Node | None = None) -> None:
        name, named = name or text(field(node, "name")), named or field(node, "name")
        number = self.found.define(name or "class", "class", node, scope, [] if name else ["overload"], named)
        self._type_parameters(node, number)
        for heritage in (one for one in node.named_children if one.type == "class_heritage"):
            for one in heritage.named_children:
                base = field(one, "value") if one.type == "extends_clause" else one
                if one.type != "implements_clause" and base is not None:
                    self.found.bases.append((number, chain(base)))
                    self._stack.append((base, scope))
        if (body := field(node, "body")) is not None:
            self._push(body.named_children, number)
        self._push([one for one in node.named_children if one.type == "decorator"], scope)

    def _method(self, node: Node, scope: int) -> bool:
        """A method of a class or an object; in an object without a name it is a function like any other."""
        if self.found.kind(scope) not in ("class", "object"):
            inside = self.found.block(scope)
            self.found.names.append((inside, SELF, None, True))
            self._functions.add(inside)
            self._parameters(node, inside)
            self._push([body] if (body := field(node, "body")) else [], inside)
        else:
            self._function(node, scope, member_name(field(node, "name")) or OPAQUE, "method")
        return True

    def _abstract(self, node: Node, scope: int) -> bool:
        if name := member_name(field(node, "name")):
            self._returned(node, self.found.define(name, "method", node, scope))
        return True

    def _field(self, node: Node, scope: int) -> bool:
        named = field(node, "name") or field(node, "property")
        name = member_name(named)
        value, type_ = unwrapped(field(node, "value")), field(node, "type")
        self._push([one for one in node.named_children if one.type == "decorator"], scope)
        if value is not None and value.type in VALUES and name:
            self._documents(node, value)
            self._function(value, scope, name, "method", named)
            return True
        if documented := self._doc(node, docs.ITSELF):
            self._name(scope, name, documented, declared=True)
        self._name(scope, name, type_chain(type_) if type_ else chain(value) if value else None, declared=bool(type_))
        self._push([value] if value is not None else [], scope)
        return True

    def _interface(self, node: Node, scope: int) -> bool:
        number = self.found.define(TYPE + text(field(node, "name")), "interface", node, scope)
        self._type_parameters(node, number)
        for clause in node.named_children:
            if clause.type == "extends_type_clause":
                self.found.bases.extend((number, base) for one in clause.named_children if (base := type_chain(one)))
        self._members(field(node, "body"), number)
        return True

    def _alias(self, node: Node, scope: int) -> bool:
        name, value = TYPE + text(field(node, "name")), field(node, "value")
        objects = [one for one in ([value, *value.named_children] if value else ()) if one.type == "object_type"]
        if value is None or not objects or value.type not in ("object_type", "intersection_type"):
            self._name(scope, name, type_chain(value), declared=True)
            return True
        number = self.found.define(name, "type", node, scope)
        self._type_parameters(node, number)
        for one in objects:
            self._members(one, number)
        if value.type == "intersection_type":
            self.found.bases.extend((number, base) for one in value.named_children
                                    if one.type != "object_type" and (base := type_chain(one)))  # fmt: skip
        return True

    def _members(self, body: Node | None, number: int) -> None:
        """The members of an interface or of a type that is written out."""
        for one in body.named_children if body else ():
            match one.type:
                case "method_signature" if name := member_name(field(one, "name")):
                    getter = any(child.type == "get" for child in one.children)
                    self._returned(one, self.found.define(name, "method", one, number, ["property"] if getter else []))
                case "property_signature":
                    self._name(number, member_name(field(one, "name")), type_chain(field(one, "type")), declared=True)
                case "call_signature":
                    self._name(number, CALL, type_chain(field(one, "return_type")), declared=True)
                case "index_signature":
                    self._name(number, ELEMENT, type_chain(field(one, "type")), declared=True)

    def _enum(self, node: Node, scope: int) -> bool:
        self._name(scope, text(field(node, "name")), None)
        return False

    def _namespace(self, node: Node, scope: int) -> bool:
        name, body = field(node, "name"), field(node, "body")
        if name is not None and body is not None and name.type == "identifier":
            self._push(body.named_children, self.found.define(text(name), "namespace", node, scope))
            return True
        return False

    def _declare(self, node: Node, scope: int) -> bool:
        self._ambient.update(one.id for one in node.named_children)
        return False

    def _signature(self, node: Node, scope: int) -> bool:
        """A function that is declared only; before its body it says one of its forms."""
        if node.id in self._ambient:
            self._returned(node, self.found.define(text(field(node, "name")), "function", node, scope))
        return True

    def _object(self, node: Node, scope: int, name: str, named: Node | None = None) -> None:
        """An object of a name with its members."""
        number = self.found.define(name, "object", node, scope, named=named)
        if self._typed_by_comments:
            self._documented(node.named_children)
        for one in node.named_children:
            key, value = member_name(field(one, "key")), unwrapped(field(one, "value"))
            if one.type == "pair" and key and value is not None:
                if value.type in VALUES:
                    self._documents(one, value)
                    self._function(value, number, key, "method", one)
                    continue
                if value.type == "object":
                    self._object(value, number, key, one)
                    continue
                self._name(number, key, chain(value))
            elif one.type == "shorthand_property_identifier":
                self._name(number, text(one), [text(one)])
            elif one.type == "spread_element":
                self.found.bases.append((number, chain(next(iter(one.named_children), None))))
            self._stack.append((one, number))

    # -- names

    def _var(self, node: Node, scope: int) -> bool:
        self._vars.update(one.id for one in node.named_children)
        return False

    def _variable(self, node: Node, scope: int) -> bool:
        name, value, type_ = field(node, "name"), field(node, "value"), field(node, "type")
        plain = unwrapped(value)
        if node.id in self._vars:
            while scope not in self._functions and scope < MODULE:
                scope = self.found.parent(scope)
        if name is None:
            return False
        if module := required(value):
            self.found.imports.extend(_taken(name, module, scope))
            return False
        defining = name.type == "identifier" and plain is not None and (type_ is None or plain.type in VALUES)
        if plain is not None:
            self._documents(node, plain)
        if defining and plain is not None and self._named(plain, scope, text(name), name):
            while value is not None and value.type == "assignment_expression":  # x = module.exports = {}
                if text(field(value, "left")) == "module.exports":
                    self._name(MODULE, "=", [text(name)])
                value = field(value, "right")
            return True
        documented = self._doc(node, docs.ITSELF) if name.type == "identifier" else None
        if type_ is not None or documented:
            held = type_chain(type_) or documented
            self._bind(name, scope, held and [*held, INSTANCE], declared=True)
        if type_ is None and name.type == "identifier" and (plain is None or plain.type in NOTHING):
            self._unset.add((scope, text(name)))
        elif type_ is None:
            self._bind(name, scope, chain(value) if value else None)
        return False

    def _documents(self, of: Node, value: Node) -> None:
        """What a comment says of the one is said of its value."""
        if doc := self._docs.get(of.id):
            self._docs[value.id] = doc

    def _named(self, value: Node, scope: int, name: str, named: Node) -> bool:
        """Note what is defined by its value, if this is; and where its name stands."""
        if value.type in VALUES:
            self._function(value, scope, name, named=named)
        elif value.type == "class":
            self._class(value, scope, name, named)
        elif value.type == "object":
            self._object(value, scope, name, named)
        else:
            return False
        return True

    def _for(self, node: Node, scope: int) -> bool:
        left, right = field(node, "left"), field(node, "right")
        of = any(child.type == "of" for child in node.children)
        if left is None:
            return False
        held = [*chain(right), ELEMENT] if of else None
        if field(node, "kind") is None:
            self._assign(left, scope, held)
            return False
        if left.type == "array_pattern":  # of a map: a key and a value
            for place, one in enumerate(left.named_children):
                self._bind(one, scope, held if place == 1 else None)
        else:
            self._bind(left, scope, held)
        return False

    def _catch(self, node: Node, scope: int) -> bool:
        self._bind(field(node, "parameter"), scope, None)
        return False

    def _assignment(self, node: Node, scope: int) -> bool:
        """What is set: a field of this, an export, a method of a prototype or of a named object."""
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None:
            return False
        value = unwrapped(right)
        if left.type != "member_expression":
            if value is None or value.type not in NOTHING:
                self._assign(left, scope, chain(right), required(right))
            return False
        target = chain(left)
        if value is not None:
            self._documents(node, value)
        if target[:1] == [SELF] and len(target) == 2 and value is not None:
            if value.type not in ("null", "undefined"):
                if documented := self._doc(node, docs.ITSELF):
                    self.found.fields.append((scope, target[1], documented, True))
                held = chain(right)
                self.found.fields.append((scope, target[1], None if held[0] == OPAQUE else held, False))
            return False
        if target[0] in ("module", "exports") and value is not None:
            return self._exported(target, value, scope, left)
        if value is None or value.type not in VALUES or target[0] == OPAQUE or not target[-1].isidentifier():
            return False
        if target[1:-1] not in ([], ["prototype"]):
            return False
        number = self._function(value, scope, target[-1], "method", left)
        self.found.receivers.append((number, target[0]))
        if len(target) == 3:
            self._prototypes.add(target[0])
        return True

    def _assign(self, left: Node, scope: int, held: Chain | None, module: str = "") -> None:
        """Note what is assigned to variables; which scopes they are of is told at the end."""
        if module:
            self._assigned += [
                (scope, name, None, (module, there)) for _, name, _, there in _taken(left, module, scope)
            ]
            return
        first = len(self.found.names)
        self._bind(left, scope, held)
        self._assigned += [(scope, name, value, None) for _, name, value, _ in self.found.names[first:]]
        del self.found.names[first:]

    def _exported(self, target: Chain, value: Node, scope: int, named: Node) -> bool:
        """`module.exports = x`, `exports.a = x`."""
        names = target[1:] if target[0] == "module" else ["exports", *target[1:]]
        if names[:1] != ["exports"] or len(names) > 2:
            return False
        if len(names) == 2:
            if chain(value) == [names[1]]:
                return False
            if self._named(value, MODULE, names[1], named):
                return True
            if module := required(value):
                self.found.imports.append((MODULE, names[1], module, "="))
            else:
                self._name(MODULE, names[1], chain(value))
        elif value.type == "object" and not any(one.type == "spread_element" for one in value.named_children):
            return self._exported_object(value)
        elif module := required(value):
            self.found.imports.append((MODULE, "=", module, "="))
        elif value.type not in VALUES and value.type != "class":
            self._name(MODULE, "=", chain(value))
        else:
            self._named(value, MODULE, text(field(value, "name")) or "=", field(value, "name") or named)
            if name := text(field(value, "name")):
                self._name(MODULE, "=", [name])
            return True
        return False

    def _exported_object(self, node: Node) -> bool:
        """`module.exports = {a, b: c, d() {}}`: each member is an export."""
        for one in node.named_children:
            key, value = member_name(field(one, "key")), unwrapped(field(one, "value"))
            if one.type == "method_definition" and (key := member_name(field(one, "name"))):
                self._function(one, MODULE, key)
            elif one.type == "pair" and key and value is not None:
                if self._named(value, MODULE, key, one):
                    continue
                if module := required(value):
                    self.found.imports.append((MODULE, key, module, "="))
                elif chain(value) != [key]:
                    self._name(MODULE, key, chain(value))
                self._stack.append((value, MODULE))
        return True

    def _export(self, node: Node, scope: int) -> bool:
        source = string(field(node, "source")) if field(node, "source") else ""
        default = any(child.type == "default" for child in node.children)
        declaration, value = field(node, "declaration"), field(node, "value")
        for child in node.named_children:
            if child.type == "namespace_export":
                self.found.imports.append((scope, text(child.named_children[0]), source, ""))
                return True
            if child.type == "export_clause":
                for one in child.named_children:
                    here = member_name(field(one, "name"))
                    there = member_name(field(one, "alias")) or here
                    if source:
                        self.found.imports.append((scope, there, source, here))
                    elif here != there:
                        self._also(scope, there, here)
                return True
        if source:
            self.found.imports.append((scope, "*", source, "*"))
            return True
        if default and declaration is not None:
            name = text(field(declaration, "name"))
            self._also(scope, "default", name)
            return False
        if default and value is not None:
            plain = unwrapped(value)
            if plain is not None and plain.type == "identifier":
                self._also(scope, "default", text(plain))
            elif plain is not None and self._named(plain, scope, "default", field(plain, "name") or node):
                return True
            else:
                self._name(scope, "default", chain(value))
        elif not default and declaration is None and any(child.type == "=" for child in node.children):
            self._also(scope, "=", text(next(iter(node.named_children), None)))
        return False

    def _also(self, scope: int, name: str, of: str) -> None:
        """Another name for a value and a type."""
        if of:
            self._name(scope, name, [of])
            self._name(scope, TYPE + name, [TYPE + of], declared=True)

    # -- calls

    def _call(self, node: Node, scope: int) -> bool:
        callee = field(node, "function") or field(node, "constructor")
        if callee is not None and callee.type != "import":
            end = field(callee, "property") or callee
            self.found.calls.append((scope, chain(callee), end.end_point[0] + 1))
            arguments = field(node, "arguments")
            first = next(iter(arguments.named_children), None) if arguments else None
            if first is not None and first.type in VALUES:
                self._given[first.id] = callee
        return False

    def _handed(self, function: Node) -> Chain | None:
        """What a function that is handed over is called with first: an element of a list, or what was waited for."""
        callee = self._given.get(function.id)
        if callee is None or callee.type != "member_expression":
            return None
        name, held = text(field(callee, "property")), chain(field(callee, "object"))
        return [*held, ELEMENT] if name in EACH else [*held, AWAITED] if name == "then" else None

    def _element(self, node: Node, scope: int) -> bool:
        """A component in JSX is called with its properties; what begins small is the page's own."""
        name = field(node, "name")
        if name is not None and (name.type == "member_expression" or text(name)[:1].isupper()):
            self.found.calls.append((scope, chain(name), name.end_point[0] + 1))
        return False


def _imports(node: Node) -> Iterator[tuple[int, str, str, str]]:
    source = string(field(node, "source"))
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            yield MODULE, text(clause.named_children[0]), string(field(clause, "source")), "="
        if clause.type != "import_clause":
            continue
        for one in clause.named_children:
            if one.type == "identifier":
                yield MODULE, text(one), source, "default"
            elif one.type == "namespace_import":
                yield MODULE, text(one.named_children[0]), source, ""
            elif one.type == "named_imports":
                for name in one.named_children:
                    there = member_name(field(name, "name"))
                    yield MODULE, text(field(name, "alias")) or there, source, there


def _taken(pattern: Node, module: str, scope: int) -> Iterator[tuple[int, str, str, str]]:
    """The names that `const pattern = require(module)` binds."""
    if pattern.type == "identifier":
        yield scope, text(pattern), module, "="
    for one in pattern.named_children if pattern.type == "object_pattern" else ():
        if one.type == "shorthand_property_identifier_pattern":
            yield scope, text(one), module, text(one)
        elif one.type == "pair_pattern" and (value := field(one, "value")) is not None and value.type == "identifier":
            yield scope, text(value), module, member_name(field(one, "key"))


def _returns(body: Node) -> Iterator[Node | None]:
    """What the returns of a function's body give, without those of functions inside."""
    if body.type != "statement_block":
        yield body
        return
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement":
            yield next(iter(node.named_children), None)
        elif node.type not in FUNCTIONS and node.type not in CLASS_NODES and node.type != "method_definition":
            stack.extend(node.named_children)


ECMASCRIPT = Language(
    extractor="ecmascript-2",
    suffixes={
        **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "typescript"),
        **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    },
    grammars=("tree_sitter_typescript", "tree_sitter_javascript"),
    extract=extract,
    modules=EcmaModules,
    builtin=BUILTIN,
    generated=(".min.js", ".bundle.js", "_pb.js", "_pb.ts", "_pb.d.ts"),
    manifests=frozenset({"package.json", "tsconfig.json", "jsconfig.json"}),
    elements=ELEMENTS,
)
