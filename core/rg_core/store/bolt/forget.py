"""How the Bolt engine forgets: resources with all their States and comments, listings with all their snapshots."""

from __future__ import annotations

from collections.abc import Iterable

from rg_core.address.model import Address
from rg_core.store.bolt import changes, cypher, links
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.listings import draw_members
from rg_core.store.bolt.read import current_names, find


def forget(run: Run, addresses: Iterable[str]) -> int:
    """Remove what is stored at these addresses; how many there were."""
    count = 0
    for key in addresses:
        address = Address.parse(key)
        if address.is_listing:
            count += _listing(run, address)
        elif head := find(run, key):
            run(cypher.TAKE_STORED, ids=[head["node_id"]])
            _resource(run, head["node_id"])
            count += 1
    run(cypher.TIDY_AWAITED)
    return count


def _listing(run: Run, address: Address) -> bool:
    asked = {"names": current_names(run, address.repository), "question": address.query}
    if not run(cypher.LISTINGS_ASKED, **asked):
        return False
    run(cypher.FORGET_LISTING, **asked)
    return True


def _resource(run: Run, node_id: str) -> None:
    """Remove a resource and what it was before it was transferred."""
    for former in run(cypher.PREDECESSORS, id=node_id):
        _resource(run, former["node_id"])
    for snapshot in run(cypher.SNAPSHOTS_WITH, id=node_id):
        kept = [place for place, member in enumerate(snapshot["members"]) if member != node_id]
        run(cypher.SHRINK_SNAPSHOT, id=snapshot["id"], **{
            name: [snapshot[name][place] for place in kept] for name in ("members", "states", "times")
        })  # fmt: skip
        if snapshot["current"]:
            draw_members(run, snapshot["key"], snapshot["members"])
    changes.forgotten(run, [node_id])
    _await_again(run, node_id)
    run(cypher.FORGET_COMMENTS, id=node_id)
    run(cypher.FORGET_STATES, id=node_id)
    run(cypher.LEAVE_LINKS, id=node_id)
    if run(cypher.HAS_ITEMS, id=node_id):  # a repository whose items stay: they need its name
        run(cypher.STUB_RESOURCE, id=node_id)
        return
    run(cypher.FORGET_MOVES, id=node_id)
    run(cypher.FORGET_NAMES, id=node_id)
    run(cypher.FORGET_RESOURCE, id=node_id)


def _await_again(run: Run, node_id: str) -> None:
    """What refers to a resource that goes awaits its address as it did before."""
    address = run(cypher.ADDRESS_OF, id=node_id)[0]["address"]
    name = links.target_row(address)["name"]
    awaited = [link | {"key": address, "name": name} for link in run(cypher.LINKS_TO, id=node_id)]
    if awaited:
        run(cypher.AWAIT, rows=awaited)
