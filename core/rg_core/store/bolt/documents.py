"""The documents and notes that people share, on a Bolt server: a copy of each owner's, under the owner's name.

What is read is what some projects have, whoever shares it; what is written and taken away is one owner's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from rg_core.store.bolt import changes
from rg_core.store.bolt import cypher_documents as cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.feed import edges_of
from rg_core.store.bolt.read import Torn
from rg_core.store.bolt.search import Transactions
from rg_core.store.model import Reading, StateFacts
from rg_core.store.texts import Document, SharedPage, SharedState

Row = Mapping[str, Any]


class BoltDocuments:
    """What the people of some projects share."""

    def __init__(self, store: Transactions, projects: Sequence[str]) -> None:
        """Nothing is asked yet; `store` is closed by whoever opened it."""
        self._store = store
        self._projects = list(projects)

    def put(self, owner: str, pages: Sequence[SharedPage]) -> None:
        """Have pages of somebody be there as they are; what is there already is not sent again."""
        self._store.change(lambda run: _put(run, owner, pages))

    def drop(self, owner: str, keys: Iterable[str]) -> int:
        """Take somebody's pages away, with every State and from every index; how many there were."""
        return self._store.change(partial(_drop, ids=sorted(_key(owner, key) for key in keys)))

    def named(self, name: str) -> list[tuple[str, str]]:
        """The pages that have a name, as (key, project)."""
        asked = {"projects": self._projects, "name": name}
        return [(row["address"], row["project"]) for row in self._store.quick(lambda run: run(cypher.NAMED, **asked))]

    def read(self, key: str, as_of: str | None = None) -> Reading | None:
        """The page at a key: current, or as it was then."""
        return self._store.quick(lambda run: self._reading(run, key, as_of))

    def history(self, key: str) -> list[StateFacts]:
        """The chain of States at a key, oldest first; empty if there is none."""

        def whole(run: Run) -> list[StateFacts]:
            page = self._at(run, key)
            return [StateFacts(**row) for row in run(cypher.HISTORY, key=page["key"])] if page else []

        return self._store.quick(whole)

    def state(self, uid: str) -> Mapping[str, object] | None:
        """The immutable body of a State."""
        rows = self._store.quick(lambda run: run(cypher.STATE, id=uid, projects=self._projects))
        if not rows:
            return None
        row = rows[0]
        content = {"node_id": row["node_id"], "title": row["title"], "text": row["body"], **json.loads(row["facts"]),
                   "edges": [[one.verb, one.target, one.section] for one in edges_of(row)]}  # fmt: skip
        return {"id": uid, "kind": row["kind"], "address": row["address"], "recorded_at": row["recorded_at"],
                "content": content}  # fmt: skip

    def _at(self, run: Run, key: str) -> Row | None:
        rows = run(cypher.AT, keys=[key], projects=self._projects)
        return rows[0] if rows else None

    def _reading(self, run: Run, key: str, as_of: str | None) -> Reading | None:
        page = self._at(run, key)
        if page is None:
            return None
        found = (
            run(cypher.STATE_THEN, key=page["key"], as_of=as_of) if as_of else run(cypher.STATE_NOW, key=page["key"])
        )
        if not found:
            if as_of:
                return None
            raise Torn
        state = found[0]
        latest = state["id"] == page["state_id"]
        document = Document(
            page["kind"], page["node_id"], page["address"], page["project"], state["title"], state["body"],
            json.loads(state["facts"]), tuple(page["names"]), edges_of(state), state["valid_from"],
            page["verified_at"] if latest else state["recorded_at"],
        )  # fmt: skip
        return Reading(
            document, state["id"], state["valid_from"], state["valid_until"], state["recorded_at"], not latest
        )


def _key(owner: str, address: str) -> str:
    return f"{owner} {address}"


def _put(run: Run, owner: str, pages: Sequence[SharedPage]) -> None:
    by_key = {_key(owner, page.address): page for page in pages}
    run(cypher.LOCK, ids=sorted(by_key))
    known = {row["id"]: row for row in run(cypher.KNOWN, ids=sorted(by_key))}
    former = [row["node_id"] for key, row in known.items() if row["node_id"] not in (None, by_key[key].node_id)]
    if former:  # from another machine of the owner's
        changes.forgotten(run, former)
    run(cypher.PUT, rows=[{"key": key, "page": _page(owner, page)} for key, page in by_key.items()])
    added, kept, gone = [], [], []
    for key, page in by_key.items():
        before = set(known[key]["states"])
        states = {f"{key} {state.id}": state for state in page.states}
        added += [{"page": key, "state": _state(name, states[name])} for name in states if name not in before]
        kept += [{"key": name, "until": states[name].valid_until} for name in states if name in before]
        gone += sorted(before - states.keys())
    if gone:
        run(cypher.DROP_STATES, ids=gone)
    if kept:
        run(cypher.SET_STATES, rows=kept)
    if added:
        run(cypher.ADD_STATES, rows=added)
    changes.changed(run, [page.node_id for page in pages])


def _drop(run: Run, ids: Sequence[str]) -> int:
    known = run(cypher.KNOWN, ids=ids)
    run(cypher.DROP, ids=ids)
    changes.forgotten(run, [row["node_id"] for row in known if row["node_id"]])
    return len(known)


def _page(owner: str, page: SharedPage) -> dict[str, Any]:
    return {
        "owner": owner, "address": page.address, "kind": page.kind, "project": page.project, "node_id": page.node_id,
        "names": list(page.names), "called": json.dumps(page.called), "deleted": page.deleted,
        "verified_at": page.verified_at, "state_id": page.states[-1].id, "title": page.states[-1].title,
    }  # fmt: skip


def _state(key: str, state: SharedState) -> dict[str, Any]:
    return {
        "key": key, "id": state.id, "valid_from": state.valid_from, "valid_until": state.valid_until,
        "recorded_at": state.recorded_at, "event_type": state.event_type, "cause": state.cause,
        "address": state.address, "title": state.title, "body": state.text,
        "facts": json.dumps(dict(state.facts), ensure_ascii=False),
        "edges": json.dumps([[one.verb, one.target, one.section, one.created_at] for one in state.edges]),
    }  # fmt: skip
