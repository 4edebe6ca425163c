"""How the Bolt engine has old addresses lead on: a repository's former names, transferred items."""

from __future__ import annotations

from dataclasses import replace

from rg_core.address.model import place
from rg_core.store.bolt import cypher, links
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.names import put_name
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
