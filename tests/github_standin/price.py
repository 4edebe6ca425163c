"""What a GraphQL query costs at GitHub, and which ones it refuses before running them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    parse,
    value_from_ast_untyped,
)


@dataclass
class Price:
    """What a query costs: points by GitHub's formula, nodes at most, and how wide it is."""

    requests: int = 0
    nodes: int = 0
    width: int = 0  # items with timelineItems(first:)
    deep_width: int = 0  # items with any nested connection

    @property
    def points(self) -> int:
        """At least one."""
        return max(1, round((self.requests + 1) / 100))


class Refused(Exception):
    """The whole query is refused: no data, one error."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.error = {"type": type, "message": message}


def price(query: str, variables: dict[str, Any]) -> Price:
    """Price a query and refuse it where GitHub would.

    Raises:
        Refused: over 500,000 nodes, `first` outside 1..100, more than 100 ids.
        GraphQLError: if it is no GraphQL.
    """
    document = parse(query)
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    total = Price()
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            _walk(definition, 1, 0, fragments, variables, total)
    if total.nodes > 500_000:
        text = f"This query requests up to {total.nodes:,} possible nodes which exceeds the maximum limit of 500,000."
        raise Refused("MAX_NODE_LIMIT_EXCEEDED", text)
    return total


def _walk(node: Any, times: int, depth: int, fragments: Any, variables: dict[str, Any], total: Price) -> None:
    for part in node.selection_set.selections if node.selection_set else ():
        if isinstance(part, FragmentSpreadNode):
            _walk(fragments[part.name.value], times, depth, fragments, variables, total)
        elif isinstance(part, InlineFragmentNode):
            _walk(part, times, depth, fragments, variables, total)
        elif isinstance(part, FieldNode):
            arguments = {a.name.value: value_from_ast_untyped(a.value, variables) for a in part.arguments or ()}
            name = part.name.value
            if name == "nodes" and "ids" in arguments:
                if len(arguments["ids"]) > 100:
                    raise Refused("ARGUMENT_LIMIT", "You may not provide more than 100 node ids; you provided more.")
                _walk(part, times * len(arguments["ids"]), 1, fragments, variables, total)
                continue
            size = arguments.get("first") or arguments.get("last")
            inner = part.selection_set.selections if part.selection_set else ()
            if size is None and any(isinstance(s, FieldNode) and s.name.value == "pageInfo" for s in inner):
                raise Refused(
                    "MISSING_PAGINATION_BOUNDARIES", f"You must provide a `first` or `last` value on `{name}`."
                )
            if size is not None:
                if not 1 <= size <= 100:
                    raise Refused(
                        "EXCESSIVE_PAGINATION", f"Requesting {size} records on `{name}` exceeds the 100 limit."
                    )
                total.requests += times
                total.nodes += times * size
                if depth == 1:
                    total.deep_width = max(total.deep_width, times)
                if name == "timelineItems":
                    total.width = max(total.width, times)
            _walk(part, times * (size or 1), depth + (size is not None), fragments, variables, total)
