"""JavaScript: the types that JSDoc comments write down. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rg_core.assets.imports.code.ecmascript_chains import type_chain
from rg_core.assets.imports.code.source import TYPE, Chain, field

if TYPE_CHECKING:
    from tree_sitter import Node

BRACES = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
TAG = re.compile(rf"@(param|arg|argument|type|returns?)\s*{BRACES}\s*\[?\s*([\w$]*)")
IMPORTED = re.compile(r"""import\(\s*["']([^"']+)["']\s*\)(?:\.([\w$]+))?""")
TYPEDEF = re.compile(rf"@typedef\s*\{{\s*{IMPORTED.pattern}\s*\}}\s*([\w$]+)")
RETURNS, ITSELF = "@returns", "@type"  # beside the names of parameters

Import = tuple[str, str, str]  # name here, module, name there


class Doc(NamedTuple):
    """What one comment writes down."""

    types: dict[str, Chain]  # by parameter, RETURNS and ITSELF
    imports: list[Import]


def read(comment: str, parsed: Callable[[bytes], Node]) -> Doc:
    """The types of a comment, and the names that it imports for them.

    Args:
        comment: as it stands there.
        parsed: the syntax tree of some TypeScript.
    """
    doc = Doc({}, [_import(name, module, there) for module, there, name in TYPEDEF.findall(comment)])
    for tag, said, name in TAG.findall(comment):
        key = ITSELF if tag == "type" else RETURNS if tag.startswith("return") else name
        said = IMPORTED.sub(lambda found: _named(found, doc.imports), said.strip())
        if key and (type_ := _type(said.lstrip("?!").removesuffix("="), parsed)):
            doc.types.setdefault(key, type_)
    return doc


def _named(found: re.Match[str], imports: list[Import]) -> str:
    """A name for what a type imports where it stands."""
    name = f"import_{found[0].encode().hex()}"
    imports.append(_import(name, found[1], found[2]))
    return name


def _import(name: str, module: str, there: str | None) -> Import:
    return TYPE + name, module, TYPE + there if there else "="


@lru_cache(4096)
def _type(said: str, parsed: Callable[[bytes], Node]) -> Chain | None:
    declared = parsed(f"let x: {said};".encode()).named_children[0]
    annotation = field(declared.named_children[0], "type") if declared.type == "lexical_declaration" else None
    return None if annotation is None or annotation.has_error else type_chain(annotation)
