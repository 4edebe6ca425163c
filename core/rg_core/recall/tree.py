"""What stands around one thing, as a tree of two hops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rg_core.documents.notes import canonical
from rg_core.documents.projects import projects
from rg_core.errors import UserError
from rg_core.reading.framing import one_line
from rg_core.recall.own import OwnRecall
from rg_core.recall.places import Places
from rg_core.store.search import GraphEdge, Node, Scope, Searchable

MOST = 50  # edges of one node


def tree(own: OwnRecall, argument: str) -> str:
    """The neighbourhood of a key or a name: its edges, and theirs. `<-` is an edge that points here.

    Raises:
        UserError: if nothing is known of it.
    """
    name = canonical(argument, own.config.documents.prefixes)
    scope = Scope(own.texts.user, projects=tuple(projects(own.config)))

    def lines(each: Sequence[Searchable]) -> str:
        places = Places(each)
        nodes = places.named([name], scope)[name] if name else ()
        return "\n".join(line for node in nodes for line in _lines(places, node, scope))

    if not (found := own.over(lines)):
        raise UserError(f"{argument[:200]!r} is nothing that memory knows; give a name such as SPEC-054, or a key")
    return found


def _lines(places: Places, node: Node, scope: Scope) -> Iterator[str]:
    yield _shown(places, node, scope)
    first = _sorted(node, places.edges([node], scope))
    for edge in first[:MOST]:
        other = _other(edge, node)
        yield f"  {_arrow(edge, node)} {_shown(places, other, scope)}"
        onward = [one for one in places.edges([other], scope) if one not in first]
        for further in _sorted(other, onward)[:MOST]:
            yield f"    {_arrow(further, other)} {_shown(places, _other(further, other), scope)}"


def _sorted(node: Node, edges: Sequence[GraphEdge]) -> list[GraphEdge]:
    return sorted(edges, key=lambda edge: (edge.source.key != node.key, edge.verb, _other(edge, node).label))


def _other(edge: GraphEdge, node: Node) -> Node:
    return edge.target if edge.source.key == node.key else edge.source


def _arrow(edge: GraphEdge, node: Node) -> str:
    return f"-> {edge.verb}" if edge.source.key == node.key else f"<- {edge.verb}"


def _shown(places: Places, node: Node, scope: Scope) -> str:
    card = places.cards([node.memory_id], scope).get(node.memory_id) if node.memory_id else None
    if card is None:
        return f"{one_line(node.label, 300)}  (not stored)"
    superseded = "  (superseded)" if card.superseded else ""
    return f"{one_line(node.label, 300)}  {one_line(card.title, 200)}{superseded}"
