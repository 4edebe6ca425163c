"""How references become edges: at once where both ends are stored, and as soon as the other end arrives where not.

Two writers that store the two ends at the same moment do not see each other's. So a writer connects what it stored once
more after its transaction (`connect`): whoever commits last sees both.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from rg_core.store import cypher
from rg_core.store.bolt_connection import Run
from rg_core.store.embedded_write import place

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
    _resolve(run, run(cypher.AWAITED, keys=sorted(keys)))


def missed(run: Run, keys: Iterable[str]) -> bool:
    """Whether something awaits one of these addresses although it is stored: its writer came at the same moment."""
    rows = [target_row(link["key"]) for link in run(cypher.AWAITED, keys=sorted(keys))]
    return bool(rows and run(cypher.TARGETS, rows=rows))


def announce(run: Run, arrived: Mapping[str, Mapping[str, Any]], moves: Iterable[Mapping[str, str]]) -> set[str]:
    """Connect what awaits resources that were not stored before, by node_id; every address that they have or had.

    `moves` are those that lead to them.
    """
    if not arrived:
        return set()
    repositories = {content.get("repository_id") or node_id for node_id, content in arrived.items()}
    names: dict[str, list[str]] = {}
    for row in run(cypher.NAMES_BELOW, ids=sorted(repositories)):
        names.setdefault(row["id"], []).append(row["name"])
    keys = {move["old"] for move in moves}
    for node_id, content in arrived.items():
        suffix = f"#{content['number']}" if "number" in content else ""
        keys |= {f"github:{name}{suffix}" for name in names.get(content.get("repository_id") or node_id, ())}
    connect(run, keys)
    return keys


def awaited_by(contents: Iterable[Mapping[str, Any]]) -> set[str]:
    """The addresses that contents refer to or close."""
    return {key for content in contents for field in ("references", "closes") for key in content.get(field, ())}


def target_row(key: str) -> dict[str, str]:
    """An address as TARGETS looks for it."""
    name, number = place(key)
    return {"key": key, "name": name, "suffix": f"#{number}" if number else ""}


def _resolve(run: Run, waiting: list[Link]) -> None:
    if waiting:
        connected = _connect(run, waiting, waited=True)
        run(cypher.DROP_AWAITED, keys=sorted(connected))


def _connect(run: Run, links: Sequence[Link], waited: bool = False) -> set[str]:
    """Draw the edges whose other end is stored, have the others await it; the addresses that were found."""
    rows = [target_row(key) for key in sorted({link["key"] for link in links})]
    if not rows:
        return set()
    targets = {row["key"]: row["node_id"] for row in run(cypher.TARGETS, rows=rows)}
    if unknown := [row["key"] for row in rows if row["key"] not in targets]:
        targets |= {row["key"]: row["node_id"] for row in run(cypher.MOVED_TARGETS, keys=unknown)}
    for type_, statement in EDGES.items():
        edges = [
            {"source": link["source"], "target": targets[link["key"]]}
            for link in links
            if link["type"] == type_ and link["key"] in targets
        ]
        if edges:
            run(statement, rows=edges)
    awaiting = [link | {"name": place(link["key"])[0]} for link in links if link["key"] not in targets]
    if awaiting and not waited:
        run(cypher.AWAIT, rows=awaiting)
    return set(targets)
