"""How the Bolt engine dumps itself to records and loads them (rg_core.store.records), many records in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, cast

from rg_core.address.model import Address, key_of, listing_key
from rg_core.errors import UserError
from rg_core.store import records
from rg_core.store.bolt import changes, cypher, links, listings, moves
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import comment_ids, ending, head_of, load_states, state_of, wordings_of
from rg_core.store.bolt.names import give_name
from rg_core.store.bolt.write import SET_HEADS
from rg_core.store.model import Move

CHUNK = 200
Head = dict[str, Any]


def dump(read: Callable[[Callable[[Run], Any]], Any]) -> Iterator[Mapping[str, Any]]:
    """Everything, in an order that load can store; `read` runs a function in a read transaction of its own.

    Each record is whole, but later ones may be younger than earlier ones where others write meanwhile.
    """
    yield records.Header(record="rg-memory", format=records.FORMAT)
    heads = read(partial(_rows, cypher.REPOSITORIES))
    for start in range(0, len(heads), CHUNK):
        yield from read(partial(_resources, heads[start : start + CHUNK]))
    last = ""
    while chunk := read(partial(_rows, cypher.RESOURCES_AFTER, last=last, most=CHUNK)):
        last = chunk[-1]["node_id"]
        items = [head for head in chunk if head["kind"] not in ("repository", None) and head["state_id"]]
        yield from read(partial(_resources, items))
    for row in read(partial(_rows, cypher.MOVES)):
        yield records.MoveRecord(
            record="move", old=row["old"], new=row["new"], node_id=row["node_id"], old_node_id=row["old_node_id"]
        )
    for row in read(partial(_rows, cypher.LISTINGS)):
        snapshots = read(partial(_rows, cypher.SNAPSHOTS_OF, key=row["key"]))
        yield records.ListingRecord(
            record="listing", address=listing_key(row["repository"], row["question"]), order=row["ordering"],
            fetched_at=row["fetched_at"], snapshots=[_snapshot(found) for found in snapshots],
        )  # fmt: skip


def load(run: Run, batch: Sequence[Mapping[str, Any]]) -> None:
    """Store records.

    Raises:
        UserError: if one is not a record of a format that this release knows.
    """
    for kind, group in groupby(batch, key=lambda record: record.get("record")):
        try:
            if kind == "resource":
                _load_resources(run, list(group))
            elif kind == "move":
                for record in group:
                    moves.put(run, Move(record["old"], record["new"], record["node_id"], record["old_node_id"]), "")
            elif kind == "listing":
                for record in group:
                    _load_listing(run, record)
            elif kind != "rg-memory" or any(record["format"] != records.FORMAT for record in group):
                raise UserError(f"this is not an export that this rg-memory knows (record {kind!r}); upgrade rg-memory")
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f"a record of kind {kind!r} is not whole ({error!r}); make the export again") from error


def _rows(statement: str, run: Run, **values: object) -> list[Head]:
    return run(statement, **values)


def _resources(heads: Sequence[Head], run: Run) -> list[records.ResourceRecord]:
    ids = [head["node_id"] for head in heads]
    names: dict[str, list[str]] = {}
    for row in run(cypher.NAMES_BELOW, ids=ids):
        names.setdefault(row["id"], []).append(row["name"])
    chains: dict[str, list[Head]] = {}
    for row in run(cypher.CHAINS, ids=ids):
        chains.setdefault(row.pop("node_id"), []).append(row)
    wanted = [state["id"] for chain in chains.values() for state in chain]
    contents = load_states(run, wanted) if wanted else {}
    return [
        records.ResourceRecord(
            record="resource", node_id=head["node_id"], kind=head["kind"], name=head["name"] or "",
            named_at=head["named_at"] or "", names=names.get(head["node_id"], []),
            repository_id=head["repository_id"], number=head["number"] or 0, updated_at=head["updated_at"] or "",
            pushed_at=head["pushed_at"] or "", fetched_at=head["fetched_at"] or "", deleted=bool(head["deleted"]),
            states=[
                cast("records.StateRecord", state | {"content": contents[state["id"]]["content"]})
                for state in chains.get(head["node_id"], ())
            ],
        )
        for head in heads
    ]  # fmt: skip


def _snapshot(row: Head) -> records.SnapshotRecord:
    return records.SnapshotRecord(
        id=row["id"], fetched_at=row["fetched_at"], total_count=row["total_count"], complete=row["complete"],
        members=[records.MemberRecord(node_id=node_id, state=state, fetched_at=at) for node_id, state, at
                 in zip(row["members"], row["states"], row["times"], strict=True)],
    )  # fmt: skip


def _load_resources(run: Run, batch: Sequence[Mapping[str, Any]]) -> None:
    """Merge chains into what is stored: every State by its id, each until the next one's beginning."""
    ids = {record["node_id"] for record in batch} | {record["repository_id"] for record in batch} - {None}
    run(cypher.LOCK, ids=sorted(ids))
    for record in batch:
        if record["kind"] == "repository":
            _load_names(run, record)
    _make_room(run, [record for record in batch if record["kind"] != "repository"])
    heads = {head["node_id"]: head for head in run(cypher.HEADS, ids=sorted(ids))}
    chains: dict[str, list[Head]] = {record["node_id"]: [] for record in batch}
    for row in run(cypher.CHAINS, ids=sorted(chains)):
        chains[row["node_id"]].append(row)
    merges = [_Merge(record, heads[record["node_id"]], chains[record["node_id"]]) for record in batch]
    _write_former_states(run, merges)
    _write_heads(run, merges, heads)
    _write_chains(run, merges)
    changes.changed(run, [record["node_id"] for record in batch])


class _Merge:
    """One record's chain, merged into the stored one."""

    def __init__(self, record: Mapping[str, Any], head: Head, stored: list[Head]) -> None:
        self.record, self.head, self.stored = record, head, stored
        self.node_id: str = record["node_id"]
        known = {state["id"] for state in stored}
        taken = {state["valid_from"] for state in stored}
        self.added = [
            state for state in record["states"] if state["id"] not in known and state["valid_from"] not in taken
        ]
        self.chain: list[Mapping[str, Any]] = sorted([*stored, *self.added], key=lambda state: str(state["valid_from"]))
        self.is_new_head = bool(self.added) and self.chain[-1]["id"] == self.added[-1]["id"]


def _write_former_states(run: Run, merges: Sequence[_Merge]) -> None:
    """Store every new State but those that become a resource's latest, which go with their heads."""
    rows: list[Head] = []
    wordings: dict[str, Head] = {}
    for merge in merges:
        for state in merge.added[:-1] if merge.is_new_head else merge.added:
            made = _node(state)
            rows.append({"node_id": merge.node_id, "state": made})
            wordings |= {wording["id"]: wording for wording in wordings_of(made["comments"], state["content"])}
    if rows:
        run(cypher.ADD_STATES, rows=rows)
        run(cypher.ADD_WORDINGS, rows=list(wordings.values()))


def _write_heads(run: Run, merges: Sequence[_Merge], heads: Mapping[str, Head]) -> None:
    rows: dict[str, list[Head]] = {kind: [] for kind in SET_HEADS}
    contents: dict[str, Mapping[str, Any]] = {}
    left: list[Head] = []
    for merge in merges:
        if not merge.is_new_head:
            continue
        state, content = _node(merge.added[-1]), merge.added[-1]["content"]
        within = content.get("repository_id")
        name = str(heads[within or merge.node_id]["name"])
        fetched_at = max(merge.record["fetched_at"], merge.head["fetched_at"] or "")
        head = head_of(content, state["id"], fetched_at, name) | {"deleted": merge.record["deleted"] or None}
        comments = wordings_of(state["comments"], content)
        rows[content["kind"]].append({"state": state, "head": head, "comments": comments})
        contents[merge.node_id] = content
        if merge.head["state_id"] and content["kind"] != "repository":
            before = load_states(run, [merge.head["state_id"]])[merge.head["state_id"]]["content"]
            left += [{"item": merge.node_id, "id": uid} for uid in comment_ids(merge.node_id, before)]
    if left:
        run(cypher.LEAVE_COMMENTS, rows=left)
    for kind, (_, statement) in SET_HEADS.items():
        if rows[kind]:
            run(statement, rows=rows[kind])
    times = ("node_id", "fetched_at", "updated_at", "pushed_at")
    run(cypher.SET_FETCHED, rows=[{name: merge.record[name] for name in times} for merge in merges if merge.chain])
    arrived = {node_id: content for node_id, content in contents.items() if not heads[node_id]["state_id"]}
    links.put(run, contents, arrived)
    links.announce(run, arrived, run(cypher.MOVES_TO, ids=sorted(arrived)) if arrived else [])


def _write_chains(run: Run, merges: Sequence[_Merge]) -> None:
    """Have every State end where the next one begins."""
    ends: list[Head] = []
    for merge in merges:
        if not merge.added:
            continue
        if merge.stored:
            run(cypher.DROP_CHAIN, node_id=merge.node_id)
        ends += [
            ending(state["id"], after["id"], after["valid_from"], after["event_type"], after["cause"])
            for state, after in zip(merge.chain, merge.chain[1:], strict=False)
        ]
    if ends:
        run(cypher.SUPERSEDE, rows=ends)


def _node(state: Mapping[str, Any]) -> Head:
    """A recorded State as the properties of its node."""
    made = state_of(state["content"], state["valid_from"], state["recorded_at"], state["event_type"], state["cause"])
    return made | {"id": state["id"], "valid_until": state["valid_until"]}


def _load_names(run: Run, record: Mapping[str, Any]) -> None:
    """Have a repository be called as the record says, unless a younger name is known, and be found under its others."""
    node_id, name, named_at = record["node_id"], record["name"], record["named_at"]
    head = run(cypher.HEADS, ids=[node_id])[0]
    if head["name"] is None or (head["name"] != name and named_at >= head["named_at"]):
        address = key_of(name)
        run(cypher.SET_NAMES, rows=[{"node_id": node_id, "name": name, "named_at": named_at, "address": address}])
        if head["name"] is not None:
            run(cypher.RENAME_ITEMS, id=node_id, address=address, name=name)
            changes.renamed(run, node_id)
        give_name(run, node_id, name.lower(), named_at)
    for other in record["names"]:
        bearers = run(cypher.NAMES, names=[other])
        if not bearers or (bearers[0]["bears"] or "").lower() != other:
            run(cypher.PUT_NAMES, rows=[{"name": other, "repository": node_id}])
            changes.renamed(run, node_id)


def _make_room(run: Run, items: Sequence[Mapping[str, Any]]) -> None:
    """Where an item is stored under GitHub's id in another format, give it the record's."""
    wanted = {f"{item['repository_id']}#{item['number']}": item["node_id"] for item in items}
    for row in run(cypher.PLACES, places=sorted(wanted)):
        if row["node_id"] != wanted[row["place"]]:
            run(cypher.DROP_NEW, id=wanted[row["place"]])
            run(cypher.SET_NODE, old=row["node_id"], new=wanted[row["place"]])
            changes.forgotten(run, [row["node_id"]])


def _load_listing(run: Run, record: Mapping[str, Any]) -> None:
    asked = Address.parse(record["address"])
    key = listings.unique_key(asked.repository, asked.query, record["order"])
    run(cypher.TAKE_LISTING, key=key)
    found = run(cypher.LISTING_HEAD, key=key)[0]
    for snapshot in record["snapshots"]:
        stored = {row["node_id"] for row in run(cypher.MEMBER_FACTS, ids=[m["node_id"] for m in snapshot["members"]])}
        states = [member["state"] for member in snapshot["members"]]
        known = {row["id"] for row in run(cypher.SNAPSHOT_MEMBERS, ids=states)}
        members = [m for m in snapshot["members"] if m["node_id"] in stored and m["state"] in known]
        listings.add_snapshot(run, key, {
            "id": snapshot["id"], "fetched_at": snapshot["fetched_at"], "total_count": snapshot["total_count"],
            "complete": snapshot["complete"] and len(members) == len(snapshot["members"]), "sameness": "",
            "member_count": len(members), "members": [member["node_id"] for member in members],
            "states": [member["state"] for member in members], "times": [member["fetched_at"] for member in members],
        })  # fmt: skip
    if snapshots := run(cypher.SNAPSHOTS_OF, key=key):
        latest = snapshots[-1]
        fetched_at = max(record["fetched_at"], found["fetched_at"] or "", latest["fetched_at"])
        listings.set_latest(run, key, asked, record["order"], latest["id"], fetched_at)
