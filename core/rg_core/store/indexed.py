"""What the indexes of all engines do alike: what of a content is searched, how rows become edges and cards. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rg_core.store.search import Card, GraphEdge, Node, PieceText, Term
from rg_core.store.texts import FeedEntry, FeedText, TextEdge

SUPERSEDES = ("SUPERSEDES", "SUPERSEDED_BY")
ANY_PROJECT = "*"  # where a name counts that an issue speaks of

Mention = tuple[str, str, str, str]  # who, which verb, where the name counts, the name or key


def text_of(content: Mapping[str, Any]) -> FeedText:
    """The text of a content: title, body or README, comments and files, and the references that GitHub tells of."""
    if content["kind"] == "repository":
        return FeedText(content["name"], f"{content['description']}\n\n{content['readme']}")
    comments = "\n\n".join(comment["body"] for comment in content["comments"])
    files = "\n".join(content["files"])
    edges = [TextEdge("REFERENCES", key, "text") for key in content["references"]]
    edges += [TextEdge("CLOSES", key, "text") for key in content["closes"]]
    return FeedText(content["title"], content["body"], f"{comments}\n\n{files}".strip(), tuple(edges))


def number_of(entry: FeedEntry) -> int:
    """The number of an issue or pull request; 0 for anything else."""
    number = entry.address.rpartition("#")[2]
    return int(number) if entry.kind in ("issue", "pull_request") and number.isdigit() else 0


def drawn(
    mentions: Iterable[Mention], sources: Mapping[str, Node], targets: Mapping[str, Sequence[tuple[str, Node]]]
) -> list[GraphEdge]:
    """Mentions as edges; one that nothing stored answers to leads to what is only spoken of.

    Args:
        mentions: the sources as `sources` names them.
        sources: the memories that speak.
        targets: by name or key, who is called so, each with the project where that counts ("" for a key).
    """
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for source, verb, within, target in sorted(mentions):
        known = [node for owner, node in targets.get(target, ()) if counts(within, owner)]
        for node in known or [Node("", target, within)]:
            edge = GraphEdge(sources[source], verb, node)
            if verb == "SUPERSEDED_BY":
                edge = GraphEdge(node, "SUPERSEDES", sources[source])
            if edge.source.key != edge.target.key:
                edges[edge.source.key, edge.verb, edge.target.key] = edge
    return list(edges.values())


def counts(within: str, owner: str) -> bool:
    """Whether a name that is spoken of within a project is that of a memory that is called so in `owner`."""
    return owner == within or (within == ANY_PROJECT and bool(owner))


def replaced(edges: Iterable[GraphEdge], memory_ids: Iterable[str]) -> dict[str, list[str]]:
    """By memory, what an edge says to have replaced it; "" where that is not stored."""
    wanted, found = set(memory_ids), dict[str, list[str]]()
    for edge in edges:
        if edge.verb == "SUPERSEDES" and edge.target.memory_id in wanted:
            found.setdefault(edge.target.memory_id, []).append(edge.source.memory_id)
    return found


def card(row: Mapping[str, Any], title: str, successors: Sequence[str] | None, began: Mapping[str, str]) -> Card:
    """A row as a card. `successors`: what replaced it, None if nothing; `began`: when those that are stored did."""
    stored = [one for one in successors or () if one in began]
    return Card(
        row["memory_id"], row["address"], row["kind"], row["scope"], title, row["uid"], row["updated_at"],
        successors is not None, max(stored, key=lambda one: (began[one], one), default=None),
    )  # fmt: skip


def passage(pieces: Sequence[PieceText], terms: Sequence[Term]) -> str:
    """The row of a text that has most of the terms' words."""
    words = {word for term in terms for word in term.text.lower().split()}

    def fit(piece: PieceText) -> int:
        text = f"{piece.body}\n{piece.comments}".lower()
        return sum(word in text for word in words)

    best = pieces[0] if len(pieces) == 1 else max(pieces, key=fit, default=None)
    return f"{best.body}\n\n{best.comments}".strip() if best else ""
