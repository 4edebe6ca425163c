"""Python: what a file says, by its syntax tree alone, and how modules are found. Nothing is run. Pure."""

from __future__ import annotations

import builtins
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from rg_core.assets.imports.code.language import Language
from rg_core.assets.imports.code.source import CLS, LONGEST, MODULE, OPAQUE, SELF, Chain, Source, empty
from rg_core.assets.imports.code.source import text as _text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


DOTTED = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")
WRAPPED = re.compile(r"(?:\w+\.)*(?:Optional|Annotated|Final|ClassVar|Required|NotRequired)\[(.+)\]", re.DOTALL)
TEXTS = ("string", "comment", "integer", "float", "true", "false", "none", "ellipsis")

LONGEST_TYPE = 1_000  # characters of an annotation


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_python

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))


def extract(data: bytes, path: str) -> Source:
    """Read one file; what is no Python is left out."""
    found = empty()
    stack: list[tuple[Node, int]] = [(_parser().parse(data).root_node, MODULE)]
    # What is known of nodes by what they stand in: to ask a node for its parent is slow.
    decorated: dict[int, list[str]] = {}
    entered: dict[int, str] = {}
    while stack:
        node, scope = stack.pop()
        kind = node.type
        if kind in TEXTS:
            continue
        if kind in ("function_definition", "class_definition"):
            stack += _definition(found, node, scope, decorated.get(node.id, []))
            continue
        match kind:
            case "call":
                if (callee := node.child_by_field_name("function")) is not None:
                    found.calls.append((scope, chain(callee), callee.end_point[0] + 1))
            case "import_statement" | "import_from_statement":
                found.imports.extend(_imports(node, scope))
                continue
            case "assignment":
                _assignment(found, node, scope)
            case "named_expression":
                if name := node.child_by_field_name("name"):
                    found.names.append((scope, _text(name), chain(node.child_by_field_name("value")), False))
            case "decorated_definition" if (definition := node.child_by_field_name("definition")) is not None:
                decorated[definition.id] = _decorators(node)
            case "with_statement":
                entering = "__aenter__()" if node.children[0].type == "async" else "__enter__()"
                items = (
                    item for one in node.named_children if one.type == "with_clause" for item in one.named_children
                )
                entered.update((item.named_children[0].id, entering) for item in items if item.named_children)
            case "as_pattern":
                names = _bound(node.child_by_field_name("alias"))
                held = _entered(node, entered.get(node.id, "")) if len(names) == 1 else None
                found.names.extend((scope, name, held, False) for name in names)
            case "for_statement" | "for_in_clause" | "lambda":
                field = "parameters" if kind == "lambda" else "left"
                found.names.extend((scope, name, None, False) for name in _bound(node.child_by_field_name(field)))
            case "global_statement" | "nonlocal_statement":
                found.outer.extend((scope, _text(name)) for name in node.named_children)
        stack.extend((child, scope) for child in reversed(node.named_children))
    return found


def chain(node: Node | None) -> Chain:
    """An expression as names and calls; OPAQUE is its root where it is more than that."""
    parts: Chain = []
    called = ""
    while node is not None and len(parts) < LONGEST:
        match node.type:
            case "identifier":
                return [_text(node) + called, *reversed(parts)]
            case "attribute":
                attribute = node.child_by_field_name("attribute")
                parts.append((_text(attribute) if attribute else OPAQUE) + called)
                called, node = "", node.child_by_field_name("object")
            case "call":
                if called:
                    break
                called, node = "()", node.child_by_field_name("function")
            case "await" | "parenthesized_expression" if node.named_child_count == 1:
                node = node.named_children[0]
            case _:
                break
    return [OPAQUE, *reversed(parts)]


def written(text: str) -> Chain | None:
    """The one class that an annotation names; None where it names several, or none."""
    if len(text) > LONGEST_TYPE:
        return None
    text = text.strip().strip("\"'").strip()
    if match := WRAPPED.fullmatch(text):
        text = match[1].split(",")[0] if "Annotated" in text else match[1]
    choices = [part.strip() for part in _choices(text) if part.strip() not in ("None", "")]
    if len(choices) != 1:
        return None
    name = choices[0].partition("[")[0].strip().strip("\"'")
    if name in ("type", "Type", "typing.Type", "Callable", "Union", "Literal"):
        return None
    if name in ("Self", "typing.Self"):
        return [SELF]
    return [part.strip() for part in name.split(".")] if DOTTED.fullmatch(name) else None


def _choices(text: str) -> list[str]:
    """The parts between | outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _definition(found: Source, node: Node, scope: int, decorators: list[str]) -> list[tuple[Node, int]]:
    """Note a class or function; what is inside is returned with the scope it is in, the last first."""
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None or body is None:
        return []
    in_class = scope != MODULE and found.symbols[scope][1] == "class"
    is_class = node.type == "class_definition"
    kind = "class" if is_class else "method" if in_class else "function"
    number = found.define(_text(name), kind, node, scope, decorators)
    inside = [(body, number)]
    if is_class:
        if (bases := node.child_by_field_name("superclasses")) is not None:
            for base in bases.named_children:
                if base.type != "keyword_argument":
                    plain = base.child_by_field_name("value") if base.type == "subscript" else base
                    found.bases.append((number, chain(plain)))
            inside.append((bases, scope))
        return inside
    returned = _text(node.child_by_field_name("return_type"))
    if type_ := written(returned):
        found.returns.append((number, [SELF] if in_class and _of_self(node, returned) else type_))
    if (parameters := node.child_by_field_name("parameters")) is not None:
        own = "" if not in_class or "staticmethod" in decorators else CLS if "classmethod" in decorators else SELF
        for place, parameter in enumerate(parameters.named_children):
            declared = parameter.child_by_field_name("type")
            held = written(_text(declared)) if declared else None
            for bound in _bound(parameter)[:1]:
                found.names.append((number, bound, [own] if own and not place else held, True))
        inside.append((parameters, scope))
    return inside


def _of_self(node: Node, returned: str) -> bool:
    """Whether a method says that it returns what its first parameter is: def m(self: T) -> T."""
    parameters = node.child_by_field_name("parameters")
    first = parameters.named_children[0] if parameters and parameters.named_children else None
    declared = first.child_by_field_name("type") if first else None
    return declared is not None and _text(declared) == returned


def _decorators(node: Node) -> list[str]:
    return [".".join(chain(child.named_children[0])).removesuffix("()") for child in node.named_children
            if child.type == "decorator" and child.named_children]  # fmt: skip


def _bound(node: Node | None) -> list[str]:
    """The names that a target or parameters bind."""
    if node is None:
        return []
    if node.type == "identifier":
        return [_text(node)]
    if node.type in ("attribute", "subscript"):
        return []
    if (name := node.child_by_field_name("name")) is not None:
        return _bound(name)
    if node.type == "typed_parameter":
        return _bound(node.named_children[0])
    return [name for child in node.named_children for name in _bound(child)]


def _assignment(found: Source, node: Node, scope: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declared = node.child_by_field_name("type")
    if left is None:
        return
    if right is not None and right.type == "none" and declared is None:
        return  # what it will hold is said elsewhere
    held = written(_text(declared)) if declared else chain(right) if right is not None else None
    if held and held[0] == OPAQUE:
        held = None
    if left.type == "identifier":
        found.names.append((scope, _text(left), held, declared is not None))
    elif left.type == "attribute":
        target = chain(left)
        if len(target) == 2 and target[0] in ("self", "cls"):
            found.fields.append((scope, target[1], held, declared is not None))
    else:
        found.names.extend((scope, name, None, False) for name in _bound(left))


def _entered(node: Node, entering: str) -> Chain | None:
    """What `with ... as` binds: what the manager gives when it is entered; None for other patterns."""
    if not entering or not node.named_children:
        return None
    manager = chain(node.named_children[0])
    return None if manager[0] == OPAQUE else [*manager, entering]


def _imports(node: Node, scope: int) -> list[tuple[int, str, str, str]]:
    module = node.child_by_field_name("module_name")
    origin = _text(module) if module else ""
    found = []
    for child in node.named_children:
        if module and child.start_byte == module.start_byte:
            continue
        if child.type == "wildcard_import":
            found.append((scope, "*", origin, "*"))
            continue
        alias, name = child.child_by_field_name("alias"), child.child_by_field_name("name")
        there = _text(name or child)
        if module:
            found.append((scope, _text(alias) if alias else there, origin, there))
        elif alias:
            found.append((scope, _text(alias), there, ""))
        else:  # import a.b binds a
            found.append((scope, there.partition(".")[0], there.partition(".")[0], ""))
    return found


class Modules:
    """The files by module name: from the repository's root, and from the folder that holds the outermost package."""

    def __init__(self, paths: Sequence[str], manifests: Mapping[str, bytes]) -> None:
        self._paths = frozenset(paths)
        self._found: dict[tuple[str, str], str | None] = {}
        found: dict[str, str] = {}
        twice = set()
        for path in sorted(paths):
            folder = posixpath.dirname(path)
            while folder and f"{folder}/__init__.py" in self._paths:
                folder = posixpath.dirname(folder)
            for name in {self.name(path), self.name(path[len(folder) + 1 :] if folder else path)}:
                if found.setdefault(name, path) != path:
                    twice.add(name)
        self._named = {name: path for name, path in found.items() if name not in twice or self.name(path) == name}

    def find(self, path: str, origin: str) -> str | None:
        """The file that an import means; None for what is elsewhere."""
        if not origin.startswith("."):
            return self._named.get(origin)
        folder = posixpath.dirname(path)
        if (folder, origin) not in self._found:
            self._found[folder, origin] = self._relative(folder, origin)
        return self._found[folder, origin]

    def files(self, path: str) -> Sequence[str]:
        """A file is a module of its own."""
        return (path,)

    def place(self, path: str) -> str:
        """A file is a module of its own."""
        return path

    def within(self, path: str, name: str) -> str:
        """A package has modules inside."""
        return f".{name}" if posixpath.basename(path) == "__init__.py" else ""

    def name(self, path: str) -> str:
        """Dotted, from the repository's root."""
        return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def _relative(self, folder: str, origin: str) -> str | None:
        names = origin.lstrip(".")
        for _ in range(len(origin) - len(names) - 1):
            folder = posixpath.dirname(folder)
        base = posixpath.join(folder, *names.split(".")) if names else folder
        candidates = (f"{base}.py", posixpath.join(base, "__init__.py"))
        return next((one for one in candidates if one in self._paths), None)


PYTHON = Language(
    extractor="python-2",
    suffixes={".py": "python"},
    grammars=("tree_sitter_python",),
    extract=extract,
    modules=Modules,
    builtin=frozenset(dir(builtins)),
    generated=("_pb2.py", "_pb2_grpc.py"),
    open_classes=True,
)
