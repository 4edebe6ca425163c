"""How the Bolt engine has old addresses lead on: a repository's former names, transferred items."""

from __future__ import annotations

from dataclasses import replace

from rg_core.address.model import key_of, place
from rg_core.store.bolt import cypher, links
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.write import former, move_on
from rg_core.store.model import Move


def put(run: Run, move: Move, at: str) -> None:
    """Have an old address lead on, now or as soon as what it leads to is stored."""
    name, number = place(move.new)
    if not number:
        put_name(run, move.node_id, name, at, place(move.old)[0])
        return
    onward = run(cypher.MOVE_ONWARD, id=move.node_id)
    if onward and not _is_stored(run, move.node_id):  # moved twice before anybody looked
        move = replace(move, new=onward[0]["new"], node_id=onward[0]["node_id"])
    run(cypher.PUT_MOVE, old=move.old, new=move.new, node_id=move.node_id, old_node_id=move.old_node_id)
    links.connect(run, [move.old])
    old = former(run, {"old": move.old, "old_node_id": move.old_node_id})
    if old is None:
        for earlier in run(cypher.MOVES_TO, ids=[move.old_node_id]) if move.old_node_id else ():
            put(run, replace(move, old=earlier["old"], old_node_id=earlier["old_node_id"]), at)
    elif old != move.node_id and _is_stored(run, move.node_id):
        head = run(cypher.HEADS, ids=[old])[0]
        if head["moved_to"] != move.node_id:
            first = run(cypher.FIRST_STATE, id=move.node_id)[0]
            move_on(run, old, move.node_id, first["id"])
            run(cypher.SET_EVENT, id=first["id"], event_type="transferred")


def _is_stored(run: Run, node_id: str) -> bool:
    heads = run(cypher.HEADS, ids=[node_id])
    return bool(heads and heads[0]["state_id"])


def put_name(run: Run, node_id: str, name: str, at: str, old: str) -> None:
    """Have a repository be called `name`, if it is called otherwise, and be found under its former name."""
    run(cypher.TAKE, ids=[node_id])
    head = run(cypher.HEADS, ids=[node_id])[0]
    if head["name"] is None or (head["name"].lower() != name and head["named_at"] < at):  # else an answer told it
        address = key_of(name)
        row = {"node_id": node_id, "name": name, "named_at": at, "address": address}
        run(cypher.SET_NAMES, rows=[row])
        run(cypher.RENAME_ITEMS, id=node_id, address=address, name=name)
        give_name(run, node_id, name, at)
    bearers = run(cypher.NAMES, names=[old])
    if not bearers or (bearers[0]["bears"] or "").lower() != old:  # else somebody else has that name now
        run(cypher.PUT_NAMES, rows=[{"name": old, "repository": node_id}])
        links.resolve_below(run, [old])


def give_name(run: Run, node_id: str, name: str, at: str) -> None:
    """Have the repository be found under this lower-case name, unless one that was seen later is."""
    bearers = run(cypher.NAMES, names=[name])
    if not bearers or (bearers[0]["bears"] or "").lower() != name or bearers[0]["named_at"] <= at:
        run(cypher.PUT_NAMES, rows=[{"name": name, "repository": node_id}])
        links.resolve_below(run, [name])
