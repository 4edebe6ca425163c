"""How the Bolt engine writes resources: what the embedded engine does row by row, in a few statements a batch.

Heads holds the heads of what one transaction works on. LOCK locks their nodes first, so what is read afterwards
nobody else changes before the transaction ends; decisions are then made here, and written as lists of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rg_core.address.model import key_of, place
from rg_core.store import states
from rg_core.store.bolt import changes, cypher, links
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import (
    comment_ids,
    ending,
    head_of,
    load_states,
    place_of,
    repository_id,
    repository_name,
    state_of,
    wordings_of,
    written,
)
from rg_core.store.bolt.names import set_aside
from rg_core.store.model import Batch, Item, Repository

Head = dict[str, Any]
Content = states.Content
NO_TIME = ""
NEW: Head = {  # the head of what was not stored
    "kind": None, "repository_id": None, "place": None, "name": None, "named_at": None, "state_id": None,
    "deleted": None, "moved_to": None, "updated_at": None, "pushed_at": None, "fetched_at": None, "address": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Incoming:
    """One resource to store, and by whose fetch."""

    content: Content
    fetched_at: str
    at: str  # recorded time
    cause: str | None


def entries_of(batch: Batch, clean: Callable[[Content], Content] = lambda content: content) -> list[Incoming]:
    """What a batch has to store, each content passed through `clean`."""
    resources: Sequence[Repository | Item] = (*batch.repositories, *batch.items)
    return [
        Incoming(clean(states.content_of(resource)), resource.fetched_at, batch.at, batch.causes.get(resource.node_id))
        for resource in resources
    ]


def put_entries(run: Run, entries: Sequence[Incoming]) -> None:
    """Store resources: a new State where the content is another than the latest State's, else only the times."""
    while entries:  # each time one of every resource: a batch may hold two answers about one
        first = {entry.content["node_id"]: entry for entry in reversed(entries)}
        shelf = Heads(run, list(first.values()))
        for entry in first.values():
            shelf.put(entry)
        shelf.flush()
        links.announce(run, shelf.arrived, shelf.moves_to)
        entries = [entry for entry in entries if first[entry.content["node_id"]] is not entry]


class Heads:
    """The heads, names and latest contents that a transaction works on, and the rows it will write."""

    def __init__(self, run: Run, entries: Sequence[Incoming]) -> None:
        """Lock and read everything that `entries` touch."""
        self.run = run
        items = {entry.content["node_id"]: entry.content for entry in entries if entry.content["kind"] != "repository"}
        repositories = {repository_id(entry.content) for entry in entries}
        run(cypher.LOCK, ids=sorted(repositories))  # sorted: two writers lock in one order
        found = [row["id"] for row in run(cypher.TAKE_STORED, ids=sorted(items))] if items else []
        self.heads: dict[str, Head] = {node_id: {"node_id": node_id, **NEW} for node_id in items}
        self.heads |= {row["node_id"]: row for row in run(cypher.HEADS, ids=[*sorted(repositories), *found])}
        names = {repository_name(entry.content).lower() for entry in entries}
        self.names: dict[str, Head] = {row["name"]: row for row in run(cypher.NAMES, names=sorted(names))}
        self.places = self._taken(items.values())
        wanted = {self.heads[entry.content["node_id"]]["state_id"] for entry in entries} - {None}
        self.contents = load_states(run, sorted(wanted)) if wanted else {}
        new = [entry.content["node_id"] for entry in entries if not self.heads[entry.content["node_id"]]["state_id"]]
        self.moves_to = run(cypher.MOVES_TO, ids=sorted(new)) if new else []
        self.moves = self._inheritances()
        self.named: dict[str, Head] = {}
        self.renamed: set[str] = set()
        self.put_names: dict[str, str] = {}
        self.lost: list[tuple[str, str]] = []  # who has no longer which name
        self.left: list[str] = []
        self.stays: list[str] = []
        self.rows: dict[str, dict[str, Head]] = {"repository": {}, "issue": {}, "pull_request": {}}
        self.ends: list[Head] = []
        self.left_comments: list[Head] = []
        self.fetched: list[Head] = []
        self.moved: set[str] = set()  # what has another time, and nothing else
        self.moved_on: list[tuple[str, str, str]] = []
        self.links: dict[str, Content] = {}
        self.arrived: dict[str, Content] = {}

    def put(self, entry: Incoming) -> None:
        """Decide what becomes of one resource."""
        content = entry.content
        head = self._head(content, entry.fetched_at)
        before = self.contents.get(head["state_id"] or "")
        event: str | None
        if before:
            if (content["updated_at"], entry.fetched_at) < (head["updated_at"], head["fetched_at"]):
                return  # older than what is stored
            old: Content = before["content"]
            if not head["deleted"] and states.same(old, content):
                self._fetched(head, content, entry.fetched_at)
                return
            began = states.valid_from(content, entry.fetched_at, (before["valid_from"], head["updated_at"]))
            event = states.event(old, content)
        else:
            old = {}
            began = states.valid_from(content, entry.fetched_at, None)
            event = "transferred" if content["node_id"] in self.moves else None
        state = state_of(content, began, entry.at, event, entry.cause)
        if before:
            self.ends.append(ending(before["id"], state["id"], began, event, entry.cause))
            if event == "transferred":  # with the same node_id: no Move need tell
                old_key, new_key = states.address_of(old), states.address_of(content)
                self.run(cypher.PUT_MOVE, old=old_key, new=new_key, node_id=head["node_id"], old_node_id=None)
        elif event:
            self.moved_on.append((self.moves[content["node_id"]], content["node_id"], state["id"]))
        self._set_head(head, content, state, entry.fetched_at, old)

    def flush(self) -> None:
        """Write what was decided."""
        run = self.run
        if self.named:
            run(cypher.SET_NAMES, rows=list(self.named.values()))
        if self.put_names:
            run(cypher.PUT_NAMES, rows=[{"name": name, "repository": node} for name, node in self.put_names.items()])
        for node_id, name in self.lost:
            set_aside(run, node_id, name)
        for node_id in sorted(self.renamed):
            row = self.named[node_id]
            run(cypher.RENAME_ITEMS, id=node_id, address=row["address"], name=row["name"])
        if self.left:
            run(cypher.LEAVE_PARENT, ids=self.left)
        if self.stays:
            run(cypher.LEAVE_MOVED, ids=self.stays)
        for kind, (add, change) in SET_HEADS.items():
            rows = self.rows[kind]
            if new := [row for node_id, row in rows.items() if node_id in self.arrived]:
                run(add, rows=new)
            if former := [row for node_id, row in rows.items() if node_id not in self.arrived]:
                run(change, rows=former)
        if self.ends:
            run(cypher.SUPERSEDE, rows=self.ends)
        if self.left_comments:
            run(cypher.LEAVE_COMMENTS, rows=self.left_comments)
        if self.fetched:
            run(cypher.SET_FETCHED, rows=self.fetched)
        for old, onward, first in self.moved_on:
            move_on(run, old, onward, first)
        links.put(run, self.links, self.arrived)
        if self.put_names:
            links.resolve_below(run, sorted(self.put_names))
        for node_id in sorted({*self.renamed, *self.put_names.values()} - self.arrived.keys()):
            changes.renamed(run, node_id)
        changes.changed(run, {*self.links, *self.moved, *self.named})

    # -- inside

    def _taken(self, items: Iterable[Content]) -> dict[str, str]:
        """Who is where a new item says it is."""
        wanted = {place_of(item) for item in items if self.heads[item["node_id"]]["place"] is None}
        if not wanted:
            return {}
        return {row["place"]: row["node_id"] for row in self.run(cypher.PLACES, places=sorted(wanted))}

    def _inheritances(self) -> dict[str, str]:
        """The stored resource that goes on in a new one, by the new one's node_id."""
        found = {}
        for move in self.moves_to:
            if (old := former(self.run, move)) and old != move["node_id"]:
                found[move["node_id"]] = old
        return found

    def _head(self, content: Content, fetched_at: str) -> Head:
        """The head of the resource that has this content."""
        head = self.heads[content["node_id"]]
        if content["kind"] == "repository":
            self._name(content["node_id"], content["name"], fetched_at)
        elif head["place"] is None:
            taken = self.places.get(place_of(content))
            if taken and taken != content["node_id"]:  # GitHub's id in another format
                head = self._rename_node(taken, content["node_id"])
            self.places[place_of(content)] = content["node_id"]
        return head

    def _rename_node(self, old: str, new: str) -> Head:
        self.run(cypher.SET_NODE, old=old, new=new)
        changes.forgotten(self.run, [old])
        changes.changed(self.run, [new])
        head = self.run(cypher.HEADS, ids=[new])[0]
        self.heads[new] = head
        if head["state_id"] and head["state_id"] not in self.contents:
            self.contents |= load_states(self.run, [head["state_id"]])
        return head

    def _name(self, node_id: str, name: str, seen_at: str) -> None:
        """Have a repository known by this name, if it was seen later than its own."""
        head = self.heads[node_id]
        bearer = self.names.get(name.lower())
        known = head["name"] == name and bearer is not None and bearer["repository"] == node_id
        if head["name"] is not None and (known or seen_at < head["named_at"]):
            return
        if head["name"] not in (None, name):
            self.renamed.add(node_id)  # which its items show
        address = key_of(name)
        head |= {"name": name, "named_at": seen_at, "address": address, "place": node_id}
        self.named[node_id] = {"node_id": node_id, "name": name, "named_at": seen_at, "address": address}
        if not bearer or (bearer["bears"] or "").lower() != name.lower() or bearer["named_at"] <= seen_at:
            self.names[name.lower()] = {"repository": node_id, "bears": name, "named_at": seen_at}
            self.put_names[name.lower()] = node_id
            if bearer and bearer["repository"] != node_id:
                self.lost.append((bearer["repository"], name.lower()))

    def _fetched(self, head: Head, content: Content, fetched_at: str) -> None:
        times = {"updated_at": content["updated_at"], "pushed_at": content.get("pushed_at", NO_TIME)}
        times["fetched_at"] = fetched_at
        self.fetched.append({"node_id": head["node_id"], **times})
        if any((head[name] or "") < times[name] for name in ("updated_at", "pushed_at")):
            self.moved.add(head["node_id"])
        head |= {name: max(head[name] or "", value) for name, value in times.items()}

    def _set_head(self, head: Head, content: Content, state: Head, fetched_at: str, old: Content) -> None:
        node_id = head["node_id"]
        if not head["state_id"]:
            self.arrived[node_id] = content
        if content["kind"] != "repository":
            self._name(content["repository_id"], content["repository"], fetched_at)
            if head["repository_id"] not in (None, content["repository_id"]):
                self.left.append(node_id)
        if head["moved_to"]:
            self.stays.append(node_id)
        head |= {
            "kind": content["kind"], "state_id": state["id"], "deleted": None, "moved_to": None,
            "fetched_at": fetched_at, "updated_at": content["updated_at"],
            "pushed_at": content.get("pushed_at", NO_TIME), "repository_id": content.get("repository_id"),
            "place": place_of(content),
        }  # fmt: skip
        before = set(comment_ids(node_id, old))
        shown = head_of(content, state["id"], fetched_at, self._name_now(content))
        wordings = wordings_of(state["comments"], content)
        self.rows[content["kind"]][node_id] = {
            "state": written(state), "head": shown if old else written(shown),
            "comments": [comment for comment in wordings if comment["id"] not in before],
        }  # fmt: skip
        gone = before - set(state["comments"])
        self.left_comments += [{"item": node_id, "id": uid} for uid in sorted(gone)]
        self.links[node_id] = content

    def _name_now(self, content: Content) -> str:
        if content["kind"] == "repository":
            return str(self.heads[content["node_id"]]["name"])
        return str(self.heads[content["repository_id"]]["name"])


SET_HEADS = {  # by kind: the statement for what was not stored, and the one for what was
    "repository": (cypher.SET_REPOSITORIES, cypher.SET_REPOSITORIES),
    "issue": (cypher.ADD_ISSUES, cypher.SET_ISSUES),
    "pull_request": (cypher.ADD_PULL_REQUESTS, cypher.SET_PULL_REQUESTS),
}


def former(run: Run, move: Mapping[str, Any]) -> str | None:
    """The node_id of the stored resource at a Move's old end."""
    if move["old_node_id"]:
        heads = run(cypher.HEADS, ids=[move["old_node_id"]])
        if heads and heads[0]["state_id"]:
            return str(move["old_node_id"])
    name, number = place(move["old"])
    rows = run(cypher.TARGETS, rows=[links.target_row(move["old"])]) if number > 0 and name else []
    return str(rows[0]["node_id"]) if rows else None


def move_on(run: Run, old: str, new: str, first: str) -> None:
    """Have a transferred item's chain go on in the item it became, from that one's first State."""
    run(cypher.TAKE_STORED, ids=[old])
    heads = run(cypher.HEADS, ids=[old])
    if not heads or not heads[0]["state_id"]:
        return
    states_ = {row["id"]: row for row in run(cypher.STATES_OF, ids=[heads[0]["state_id"], first])}
    last = states_[heads[0]["state_id"]]
    until = max(states_[first]["valid_from"], last["valid_from"])
    run(cypher.SUPERSEDE, rows=[ending(last["id"], first, until, "transferred", None)])
    run(cypher.MOVE_ON, old=old, new=new)
    changes.changed(run, [old, new])


def confirm(run: Run, batch: Batch) -> None:
    """Move the times of what did not change; what was deleted is there again, as it was."""
    ids = sorted(set(batch.unchanged))
    run(cypher.TAKE_STORED, ids=ids)
    heads = [head for head in run(cypher.HEADS, ids=ids) if head["state_id"]]
    if back := [head for head in heads if head["deleted"]]:
        contents = load_states(run, [head["state_id"] for head in back])
        put_entries(run, [
            Incoming(contents[head["state_id"]]["content"], batch.at, batch.at, batch.causes.get(head["node_id"]))
            for head in back
        ])  # fmt: skip
    rows = [{"node_id": head["node_id"], "fetched_at": batch.at, "updated_at": NO_TIME, "pushed_at": NO_TIME}
            for head in heads]  # fmt: skip
    run(cypher.SET_FETCHED, rows=rows)


def delete(run: Run, batch: Batch) -> None:
    """End the last State of what is gone, by a State of no duration that says so and has the same content."""
    ids = sorted(set(batch.deleted))
    run(cypher.TAKE_STORED, ids=ids)
    heads = [head for head in run(cypher.HEADS, ids=ids) if head["state_id"] and not head["deleted"]]
    contents = load_states(run, [head["state_id"] for head in heads]) if heads else {}
    for head in heads:
        before = contents[head["state_id"]]
        ended = states.later(batch.at, before["valid_from"])
        cause = batch.causes.get(head["node_id"])
        state = state_of(before["content"], ended, batch.at, "deleted", cause)
        run(cypher.ADD_STATES, rows=[{"node_id": head["node_id"], "state": state | {"valid_until": ended}}])
        run(cypher.SUPERSEDE, rows=[ending(before["id"], state["id"], ended, "deleted", cause)])
        run(cypher.SET_DELETED, id=head["node_id"], state=state["id"])
    changes.changed(run, [head["node_id"] for head in heads])
