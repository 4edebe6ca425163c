"""How references become edges: at once where both ends are stored, and as soon as the other end arrives where not.

Two writers that store the two ends at the same moment must not miss each other. So whoever is about to await something
first locks the name of its repository and looks once more; whoever stored something locks the names it may be awaited
under, and then looks who awaits it. Whichever comes second sees what the first one did.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from typing import Any

from rg_core.address.model import key_of, place
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import repository_id

Link = dict[str, str]
EDGES = {"REFERENCES": cypher.REFER, "CLOSES": cypher.CLOSE}


def put(run: Run, contents: Mapping[str, Mapping[str, Any]], new: Container[str]) -> None:
    """Replace what these resources, by node_id, refer to and close; those in `new` referred to nothing yet."""
    if former := sorted(node_id for node_id in contents if node_id not in new):
        run(cypher.LINKS_OF, ids=former)
    links = [
        {"source": node_id, "type": type_, "key": key}
        for node_id, content in contents.items()
        for type_, keys in (("REFERENCES", content.get("references", ())), ("CLOSES", content.get("closes", ())))
        for key in keys
    ]
    _connect(run, links)


def resolve_below(run: Run, names: Sequence[str]) -> None:
    """Connect what awaits something in repositories that just got these names."""
    _resolve(run, run(cypher.AWAITED_BELOW, names=list(names)))


def connect(run: Run, keys: Iterable[str]) -> None:
    """Connect what awaits these addresses."""
    addresses = sorted(keys)
    run(cypher.TAKE_NAMES, names=_names(addresses))
    _resolve(run, run(cypher.AWAITED, keys=addresses))


def announce(run: Run, arrived: Mapping[str, Mapping[str, Any]], moves: Iterable[Mapping[str, str]]) -> None:
    """Connect what awaits resources that were not stored before, by node_id, at any address that they have or had.

    `moves` are those that lead to them.
    """
    if not arrived:
        return
    names: dict[str, list[str]] = {}
    for row in run(cypher.TAKE_NAMES_BELOW, ids=sorted({repository_id(content) for content in arrived.values()})):
        names.setdefault(row["id"], []).append(row["name"])
    keys = [
        key_of(name, content.get("number", 0))
        for content in arrived.values()
        for name in names.get(repository_id(content), ())
    ]
    _resolve(run, run(cypher.AWAITED, keys=keys))
    if former := {move["old"] for move in moves}:
        connect(run, former)


def target_row(key: str) -> dict[str, str]:
    """An address as TARGETS looks for it."""
    name, number = place(key)
    return {"key": key, "name": name, "suffix": f"#{number}" if number else ""}


def _names(keys: Iterable[str]) -> list[str]:
    return sorted({place(key)[0] for key in keys})


def _resolve(run: Run, waiting: Sequence[Link]) -> None:
    """Draw the edges of links that were awaiting their other end."""
    if waiting:
        targets = _targets(run, {link["key"] for link in waiting})
        _draw(run, waiting, targets)
        run(cypher.DROP_AWAITED, keys=sorted(targets))


def _connect(run: Run, links: Sequence[Link]) -> None:
    """Draw the edges whose other end is stored, have the others await it."""
    keys = {link["key"] for link in links}
    targets = _targets(run, keys)
    if unknown := keys - targets.keys():
        run(cypher.TAKE_NAMES, names=_names(unknown))
        targets |= _targets(run, unknown)
    _draw(run, links, targets)
    if awaiting := [link | {"name": place(link["key"])[0]} for link in links if link["key"] not in targets]:
        run(cypher.AWAIT, rows=awaiting)


def _targets(run: Run, keys: Set[str]) -> dict[str, str]:
    """The node_ids of what is stored at these addresses, or at those they lead to."""
    if not keys:
        return {}
    targets = {
        row["key"]: row["node_id"] for row in run(cypher.TARGETS, rows=[target_row(key) for key in sorted(keys)])
    }
    if unknown := sorted(keys - targets.keys()):
        targets |= {row["key"]: row["node_id"] for row in run(cypher.MOVED_TARGETS, keys=unknown)}
    return targets


def _draw(run: Run, links: Iterable[Link], targets: Mapping[str, str]) -> None:
    for type_, statement in EDGES.items():
        edges = [
            {"source": link["source"], "target": targets[link["key"]]}
            for link in links
            if link["type"] == type_ and link["key"] in targets
        ]
        if edges:
            run(statement, rows=edges)
