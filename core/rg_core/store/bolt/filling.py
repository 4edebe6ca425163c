"""How the index of a server is written, inside one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from rg_core.store.bolt import cypher_search as cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.indexed import number_of
from rg_core.store.search import Indexed, Scope, VersionText
from rg_core.store.texts import FeedEntry, FeedVersion

PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Labels:
    """What is called how in one version of the index: labels of nodes, and the server's indexes on them."""

    version: int

    @property
    def prefix(self) -> str:
        """With what keys begin."""
        return f"{self.version} "

    def state(self, memory: str, uid: str) -> str:
        """The key of a State; of two machines' documents two may have one id."""
        return f"{self.prefix}{memory} {uid}"

    @staticmethod
    def index(label: str) -> str:
        """The name of the server's full-text or vector index on the nodes of a label."""
        return f"rg_{label}"

    @property
    def text(self) -> str:
        """Every row of text."""
        return f"RgText{self.version}"

    @property
    def now(self) -> str:
        """Rows of text of open States."""
        return f"RgNow{self.version}"

    @property
    def past(self) -> str:
        """Rows of text of States that ended."""
        return f"RgPast{self.version}"

    @property
    def near(self) -> str:
        """Chunks of open States."""
        return f"RgNear{self.version}"

    @property
    def far(self) -> str:
        """Chunks of States that ended."""
        return f"RgFar{self.version}"

    @property
    def bare(self) -> str:
        """Marks an open State without vectors."""
        return f"{self.version} now"

    @property
    def bare_past(self) -> str:
        """Marks a State without vectors that ended."""
        return f"{self.version} past"


def put(run: Run, labels: Labels, batch: Sequence[Indexed]) -> None:
    """Index what of a batch is in the queue as it was read; the rest was done by others, or changed again."""
    turns = [{"key": labels.prefix + one.entry.node_id, "token": one.entry.seq} for one in batch]
    run(cypher.LOCK_CHANGES, rows=turns)
    taken = {row["subject"] for row in run(cypher.TURNS, rows=turns)}
    mine = [one for one in batch if one.entry.node_id in taken]
    if gone := [one.entry.node_id for one in mine if not one.entry.kind]:
        run(cypher.DROP_MEMORIES, ids=gone, key=labels.prefix)
    if here := [one for one in mine if one.entry.kind]:
        _put(run, labels, here)
    run(cypher.DROP_CHANGES, rows=[turn for turn in turns if str(turn["key"]).removeprefix(labels.prefix) in taken])


def put_vectors(run: Run, labels: Labels, vectors: Mapping[str, Sequence[Sequence[float]]]) -> None:
    """Give States their vectors, but for those that others gave some meanwhile."""
    run(cypher.LOCK_VERSIONS, ids=sorted(vectors))
    found = run(cypher.SET_EMBEDDED, ids=sorted(vectors))
    for is_open, label in ((True, labels.near), (False, labels.far)):
        rows = [
            {"version": row["version"], "vectors": vectors[row["version"]]} for row in found if row["open"] is is_open
        ]
        if rows:
            run(cypher.add_vectors(label), rows=rows)


def tags(scope: Scope) -> list[list[str]]:
    """What a row of text must have one of, each: who may see it, and where and of what kind it is."""
    seen = [_tag("seen", PUBLIC), *(_tag("seen", project) for project in scope.projects)]
    wanted = [seen]
    if scope.kinds:
        wanted.append([_tag("kind", kind) for kind in scope.kinds])
    if scope.repository:
        wanted.append([_tag("repository", scope.repository)])
    if scope.project:
        wanted.append([_tag("project", scope.project)])
    return wanted


def _put(run: Run, labels: Labels, batch: Sequence[Indexed]) -> None:
    ids = [one.entry.node_id for one in batch]
    had: dict[str, dict[str, Any]] = {id_: {} for id_ in ids}
    for row in run(cypher.INDEXED, ids=ids, prefix=labels.prefix):
        had[row["id"]][row["uid"]] = row["valid_until"]
    run(cypher.PUT_MEMORIES, rows=[
        {"key": labels.prefix + one.entry.node_id, "memory": _memory(one.entry, labels)} for one in batch
    ])  # fmt: skip
    run(cypher.ADD_CALLS, rows=[
        {"key": labels.prefix + one.entry.node_id,
         "calls": [{"name": labels.prefix + name, "scope": scope} for scope, name in dict.fromkeys(one.entry.names)]}
        for one in batch
    ])  # fmt: skip
    added: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    changed: list[dict[str, Any]] = []
    ended: list[str] = []
    opened: list[str] = []
    gone: list[str] = []
    for one in batch:
        before = had[one.entry.node_id]
        for version in one.entry.versions:
            key = labels.state(one.entry.node_id, version.id)
            is_open = version.valid_until is None
            if version.id not in before:
                added[is_open].append(_version(one, version, labels))
                continue
            changed.append({"key": key, "version": _times(version)})
            if (before[version.id] is None) != is_open:
                (opened if is_open else ended).append(key)
        left = before.keys() - {version.id for version in one.entry.versions}
        gone += [labels.state(one.entry.node_id, uid) for uid in left]
    if gone:
        run(cypher.DROP_VERSIONS, ids=gone)
    if changed:
        run(cypher.SET_VERSIONS, rows=changed)
    for moved, (text, other), (vector, apart) in (
        (ended, (labels.now, labels.past), (labels.near, labels.far)),
        (opened, (labels.past, labels.now), (labels.far, labels.near)),
    ):
        if moved:
            run(cypher.relabel("HAS_TEXT", text, other), ids=moved)
            run(cypher.relabel("HAS_VECTOR", vector, apart), ids=moved)
    for is_open, label in ((True, labels.now), (False, labels.past)):
        if added[is_open]:
            run(cypher.add_versions(labels.text, label), rows=added[is_open])


def _memory(entry: FeedEntry, labels: Labels) -> dict[str, Any]:
    number = number_of(entry)
    names = sorted(name for scope, name in entry.names if scope)
    return {
        "index": str(labels.version), "memory_id": entry.node_id, "owner": entry.user, "address": entry.address,
        "kind": entry.kind, "scope": entry.scope, "title": entry.title, "label": names[0] if names else entry.address,
        "numbered": f"{labels.prefix}{number}" if number else None,
        "state": entry.versions[-1].id,
    }  # fmt: skip


def _times(version: FeedVersion) -> dict[str, Any]:
    return {"valid_from": version.valid_from, "valid_until": version.valid_until, "updated_at": version.updated_at}


def _version(one: Indexed, version: FeedVersion, labels: Labels) -> dict[str, Any]:
    """The row that adds a State to its memory."""
    text = one.texts.get(version.id) or VersionText(version.id, (), ())
    bare = labels.bare if version.valid_until is None else labels.bare_past
    entry = one.entry
    key = labels.state(entry.node_id, version.id)
    marks = [
        _tag("seen", entry.scope if entry.user else PUBLIC),
        _tag("kind", entry.kind),
        _tag("project" if entry.user else "repository", entry.scope),
    ]
    texts = []
    for place, piece in enumerate(text.pieces):
        ref = _tag("row", f"{key} {place}")
        texts.append({"title": piece.title, "body": piece.body, "comments": piece.comments, "place": place, "ref": ref,
                      "tags": " ".join([ref, *marks])})  # fmt: skip
    return {
        "memory": labels.prefix + entry.node_id,
        "version": {
            "key": key,
            "uid": version.id,
            "bare": bare if texts else None,
            **_times(version),
            "title": text.pieces[0].title if text.pieces else None,
        },
        "texts": texts,
        "mentions": [
            {"verb": verb, "scope": scope, "target": labels.prefix + target, "section": section}
            for verb, scope, target, section in text.edges
        ],
    }


def _tag(kind: str, value: str) -> str:
    """A word that stands for a value, and that no analyzer stems or takes apart."""
    return f"x{blake2b(f'{kind} {value}'.encode(), digest_size=8).hexdigest()}q"
