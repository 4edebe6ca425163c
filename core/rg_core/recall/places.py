"""Several places that are searched as one: this machine's index, and a server's.

A memory is in one place, what it speaks of may be in another: an issue on the server names a specification that is only
here. So edges are asked for by name too, and what one place only hears of is looked for in the others. Where two places
have something at one address, the earlier place's is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rg_core.store.indexed import ANY_PROJECT, counts
from rg_core.store.search import Card, GraphEdge, Hit, LexicalHits, Node, Scope, Searchable, Term


@dataclass(frozen=True, slots=True)
class Places:
    """What a recall searches, the nearest place first."""

    each: Sequence[Searchable]

    def lexical(self, terms: Sequence[Term], scope: Scope, limit: int) -> list[LexicalHits]:
        """The lexical list of each place: their scores do not compare."""
        return [place.lexical(terms, scope, limit) for place in self.each]

    def similar(self, vector: Any, model: str, scope: Scope, limit: int) -> list[Sequence[Hit]]:
        """The vector list of each place that has vectors of the model."""
        found = [place.similar(vector, model, scope, limit) for place in self.each]
        return [hits for hits in found if hits is not None]

    def named(self, names: Sequence[str], scope: Scope) -> dict[str, list[Node]]:
        """By name or key, the memories that have it, else what edges speak of by it."""
        found = [place.named(names, scope) for place in self.each] if names else []
        nodes = {}
        for at, name in enumerate(names):
            here = [node for each in found for node in each[at]]
            nodes[name] = [node for node in here if node.memory_id] or here
        return nodes

    def numbered(self, number: int, scope: Scope) -> list[Node]:
        """The issues and pull requests of a number."""
        return [node for place in self.each for node in place.numbered(number, scope)]

    def edges(self, nodes: Sequence[Node], scope: Scope, verbs: Sequence[str] = ()) -> list[GraphEdge]:
        """Every edge from or to these nodes, whichever place tells of it."""
        if not nodes:
            return []
        if len(self.each) == 1:
            return list(self.each[0].edges(nodes, scope, verbs))
        stored = [node.memory_id for node in nodes if node.memory_id]
        called = [pair for place in self.each for pair in place.called(stored, scope)]
        called += [(ANY_PROJECT, name) for project, name in called if project]
        spoken = [Node("", name, project) for project, name in dict.fromkeys(called)]
        found = [edge for place in self.each for edge in place.edges([*nodes, *spoken], scope, verbs)]
        return self._joined(found, scope)

    def cards(self, memory_ids: Sequence[str], scope: Scope) -> dict[str, Card]:
        """What is known of these memories."""
        cards: dict[str, Card] = {}
        for place in self.each:
            found = place.cards([id_ for id_ in memory_ids if id_ not in cards], scope)
            taken = {card.address for card in cards.values()}
            for id_, card in sorted(found.items(), key=lambda pair: pair[1].updated_at, reverse=True):
                if card.address not in taken:  # else a nearer one is there, or a member of the team has a newer one
                    cards[id_] = card
                    taken.add(card.address)
        return {id_: cards[id_] for id_ in memory_ids if id_ in cards}

    def passages(self, memory_ids: Sequence[str], terms: Sequence[Term], scope: Scope) -> dict[str, str]:
        """The part of each memory's text that fits the terms best."""
        found: dict[str, str] = {}
        for place in self.each:
            found |= place.passages([id_ for id_ in memory_ids if id_ not in found], terms, scope)
        return found

    def known_since(self, scope: Scope) -> str | None:
        """When the oldest State of what the user may see began."""
        return min(filter(None, (place.known_since(scope) for place in self.each)), default=None)

    def _joined(self, edges: Sequence[GraphEdge], scope: Scope) -> list[GraphEdge]:
        """Edges with both ends as memories, where any place has them."""
        ends = {end.key: end for edge in edges for end in (edge.source, edge.target) if not end.memory_id}
        if not ends:
            return list(edges)
        labels = sorted({end.label for end in ends.values()})
        everything = Scope(scope.user, scope.as_of, projects=scope.projects)
        bearers: dict[str, list[tuple[str, Node]]] = {label: [] for label in labels}
        for place in self.each:
            found = place.named(labels, everything)
            cards = place.cards([node.memory_id for nodes in found for node in nodes if node.memory_id], everything)
            for label, nodes in zip(labels, found, strict=True):
                bearers[label] += [(_owner(cards[node.memory_id], label), node) for node in nodes
                                   if node.memory_id in cards]  # fmt: skip
        known = {
            key: next((node for owner, node in bearers[end.label] if counts(end.scope, owner)), end)
            for key, end in ends.items()
        }
        joined: dict[tuple[str, str, str], GraphEdge] = {}
        for edge in edges:
            edge = replace(
                edge, source=known.get(edge.source.key, edge.source), target=known.get(edge.target.key, edge.target)
            )
            joined[edge.source.key, edge.verb, edge.target.key] = edge
        return [edge for edge in joined.values() if edge.source.key != edge.target.key]


def _owner(card: Card, label: str) -> str:
    """The project in which a name is this memory's; "" for a key, which counts everywhere."""
    return "" if ":" in label else card.scope
