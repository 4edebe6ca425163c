"""TypeScript and JavaScript: expressions and types as chains of names and steps. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rg_core.assets.imports.code.source import (
    AWAITED,
    CALL,
    DEEPEST,
    ELEMENT,
    FUNCTION,
    INSTANCE,
    LIST,
    LONGEST,
    OPAQUE,
    SELF,
    SUPER,
    TYPE,
    Chain,
    field,
    text,
    words,
)

if TYPE_CHECKING:
    from tree_sitter import Node

SHELLS = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
LISTS = words("Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator AsyncIterable AsyncIterator "
                  "AsyncIterableIterator Generator AsyncGenerator Promise PromiseLike")  # fmt: skip
MAPS = frozenset({"Map", "ReadonlyMap", "WeakMap", "Record"})
SAME = frozenset({"Partial", "Readonly", "Required", "NonNullable", "Omit", "Pick", "NoInfer"})
NOTHING = ("undefined", "null", "void")


def chain(node: Node | None) -> Chain:
    """An expression as names and steps; OPAQUE is its root where it is more than that."""
    parts: Chain = []  # backwards
    called = ""
    steps = 0
    while node is not None and len(parts) < LONGEST and (steps := steps + 1) < DEEPEST:
        kind = node.type
        if called and kind not in ("identifier", "member_expression", "super", "non_null_expression"):
            parts.append(CALL)
            called = ""
        match kind:
            case "identifier":
                return [text(node) + called, *reversed(parts)]
            case "this":
                return [SELF, *reversed(parts)]
            case "super":
                return [SUPER, *reversed(parts)]
            case "member_expression":
                name = text(field(node, "property"))
                if called and name in ("values", "entries") and text(field(node, "object")) == "Object":
                    break
                parts.append(name + called)
                called, node = "", field(node, "object")
            case "call_expression":
                if (values := _object_values(node)) is not None:
                    node = values
                else:
                    called, node = CALL, field(node, "function")
            case "new_expression":
                called, node = CALL, field(node, "constructor")
            case "subscript_expression":
                parts.append(ELEMENT)
                node = field(node, "object")
            case "await_expression":
                parts.append(AWAITED)
                node = node.named_children[0] if node.named_children else None
            case "as_expression" | "type_assertion" if node.named_child_count == 2:
                inner, type_ = node.named_children if kind == "as_expression" else reversed(node.named_children)
                if text(type_) == "const":
                    node = inner
                    continue
                return [*(type_chain(type_) or [OPAQUE]), INSTANCE, *reversed(parts)]
            case (
                "parenthesized_expression" | "satisfies_expression" | "non_null_expression" | "instantiation_expression"
            ):
                node = node.named_children[0] if node.named_children else None
            case "assignment_expression":
                node = field(node, "right")
            case "binary_expression" if text(field(node, "operator")) in ("??", "||"):
                left, right = chain(field(node, "left")), chain(field(node, "right"))
                return [*(left if left[0] != OPAQUE else right), *reversed(parts)]
            case _:
                break
    return [OPAQUE, *reversed(parts)]


def type_chain(node: Node | None) -> Chain | None:
    """A type as a chain; None for what has no name, or several."""
    wraps: Chain = []  # the outermost first
    steps = 0
    while node is not None and (steps := steps + 1) < DEEPEST:
        named = node.named_children
        match node.type:
            case "type_identifier" | "identifier":
                return [TYPE + text(node), *reversed(wraps)]
            case "nested_type_identifier":
                names = text(node).split(".")
                return [*(TYPE + name.strip() for name in names), *reversed(wraps)]
            case "this_type":
                return [SELF, *reversed(wraps)]
            case "type_annotation" | "parenthesized_type" | "readonly_type" | "constraint" | "default_type" if named:
                node = named[0]
            case "array_type" if named:
                wraps.append(LIST)
                node = named[0]
            case "function_type":
                wraps.append(FUNCTION)
                node = field(node, "return_type")
            case "union_type" | "intersection_type":
                choices = [one for one in named if text(one) not in NOTHING]
                if node.type == "union_type" and len(choices) != 1:
                    return None
                node = next((one for one in choices if one.type != "object_type"), None)
            case "lookup_type" if len(named) == 2 and (of := type_chain(named[0])):
                return [*of, INSTANCE, text(named[1]).strip("\"'"), *reversed(wraps)]
            case "generic_type":
                name, arguments = text(field(node, "name")), field(node, "type_arguments")
                inside = arguments.named_children if arguments else []
                if name in LISTS and inside:
                    wraps.append(LIST)
                    node = inside[0]
                elif name in MAPS and len(inside) == 2:
                    wraps.append(LIST)
                    node = inside[1]
                elif name in SAME and inside:
                    node = inside[0]
                elif name == "Awaited" and inside and (of := type_chain(inside[0])):
                    return [*of, AWAITED, *reversed(wraps)]
                elif name in ("ReturnType", "InstanceType") and inside and inside[0].type == "type_query":
                    of = chain(inside[0].named_children[0])
                    return [*of[:-1], of[-1] + CALL, *reversed(wraps)]
                else:
                    node = field(node, "name")
            case _:
                break
    return None


def _object_values(call: Node) -> Node | None:
    """What Object.values or Object.entries is asked of."""
    if text(field(call, "function")) not in ("Object.values", "Object.entries"):
        return None
    arguments = field(call, "arguments")
    return arguments.named_children[0] if arguments and arguments.named_children else None


def unwrapped(node: Node | None) -> Node | None:
    """An expression without what only says its type, or assigns it elsewhere, too."""
    for _ in range(DEEPEST):
        if node is None or not (node.type in SHELLS or node.type == "assignment_expression"):
            return node
        node = field(node, "right") if node.type == "assignment_expression" else next(iter(node.named_children), None)
    return None


def required(node: Node | None) -> str:
    """The module that `require(...)` or `await import(...)` names."""
    node = unwrapped(node)
    if node is not None and node.type == "await_expression" and node.named_children:
        node = unwrapped(node.named_children[0])
    if node is None or node.type != "call_expression" or text(field(node, "function")) not in ("require", "import"):
        return ""
    arguments = field(node, "arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    return string(first) if first is not None and first.type == "string" else ""


def string(node: Node | None) -> str:
    """What stands between the quotes."""
    return text(node)[1:-1]


def member_name(node: Node | None) -> str:
    """A member's name; "" for one that is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return string(node) if node.type == "string" else text(node)
