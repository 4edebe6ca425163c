"""A made-up world for `--demo`: six weeks of four agents with a small harbour's issues; the same at every start.

The repository is the demo's own. What was recalled, read, cited and nudged is drawn with a fixed seed, and written by
the functions that write real events; only Nudges are written as rows, for they come from hooks.
"""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.resources import files
from typing import Any

from rg_core import paths, times
from rg_core.address.model import key_of, listings_of
from rg_core.config import load, set_values
from rg_core.recall.fusion import order
from rg_core.store import open_store
from rg_core.store.model import Batch, Comment, Item, Listing, Member, Repository
from rg_core.store.protocol import Store
from rg_core.telemetry import cite, estimate
from rg_core.telemetry.events import Caller, Candidate, Read, Recall
from rg_core.telemetry.log import EventLog
from rg_core.telemetry.settle import settle
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, PROMPTED, RESOLVED, Touch

SEED, DAYS, USER = 41, 42, "ada"
PROJECT = "tidewatch/harbor"
LISTING = f"{listings_of(PROJECT, 'issues')}label=bug&state=open"
CHANGED = {9: 12, 19: 6, 21: 3}  # issues that changed after they were first stored, and how many days ago
NOBODYS = (4, 7)  # that come up and help nobody
FRAME, ROW = 620, 340  # bytes of an answer of resource beside the text, of a result of recall
AGENTS = (
    ("claude_code", ""),
    ("claude_code", ""),
    ("codex", ""),
    ("codex", "explorer"),
    ("copilot", ""),
    ("opencode", ""),
)
WEIGHTS = {"vec": 1, "lex": 2, "graph": 1, "temporal": 0.1}
QUESTIONS = (
    ("why does the crash at 180 degrees east happen", "other"), ("current handling of leap seconds", "current_state"),
    ("why did we reject JSON constituents", "decision"), ("how do the tables depend on the cache", "architectural"),
    ("what changed in the constituent file before", "historical"), ("low water missing twice a day", "other"),
    ("is the read-only cache fixed", "current_state"), ("decision on storm predictions", "decision"),
)  # fmt: skip


@contextmanager
def made_up() -> Iterator[dict[str, str]]:
    """The environment of a home that holds the world, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="rg-memory-demo-") as home:
        environ = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        config, data = os.path.join(home, "config"), os.path.join(home, "data")
        environ |= {"HOME": home, "XDG_CONFIG_HOME": config, "XDG_DATA_HOME": data}
        environ |= {"APPDATA": home, "LOCALAPPDATA": home}
        set_values(environ, {"identity.user_id": USER})
        _World(environ).fill()
        yield environ


class _World:
    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ, self.chance = environ, random.Random(SEED)
        self.log, self.touches = EventLog(paths.telemetry_file(environ)), TouchLog(paths.outbox_file(environ))
        self.items = self._stored()
        self.nobodys = {key_of(PROJECT, number) for number in NOBODYS}
        self.nudged: list[tuple[str, str, str]] = []  # session, address, time
        self.count = 0

    def fill(self) -> None:
        """Write everything."""
        self.touches.record([])
        self.log.declare(2_400, 260)
        for day in range(DAYS - 1, -1, -1):
            for place in range(self.chance.choice((0, 1, 2, 2, 3))):
                self._session(times.seconds(times.now(ago=day * times.DAY)) - 3_600 * (1 + 3 * place))
        self.log.close()
        with closing(sqlite3.connect(paths.outbox_file(self.environ))) as db, db:
            db.executemany("INSERT OR IGNORE INTO nudged VALUES (?, ?, ?)", self.nudged)
        with self._store() as store:
            store.write(Batch(times.now(), unchanged=[item.node_id for item in self.items]))
            settle(*self._files(), store, USER, times.now())

    def _session(self, began: float) -> None:
        harness, agent_type = self.chance.choice(AGENTS)
        self.count += 1
        caller = Caller(USER, harness, f"session-{self.count:03}", agent_type=agent_type, project=PROJECT)
        useful = [item for item in self.items if item.number not in NOBODYS]
        at = began
        if self.chance.random() < 0.3:
            self._fetch(caller, self.chance.choice(useful), times.written(at), PROMPTED)
        for _ in range(self.chance.randint(3, 9)):
            at += self.chance.randint(20, 240)
            if at > times.seconds(times.now()):
                return
            item, what = self.chance.choice(useful), self.chance.random()
            if what < 0.42:
                self._recall(caller, times.written(at))
            elif what < 0.82:
                self._read(caller, item, times.written(at))
            else:
                self._fetch(caller, item, times.written(at), FETCHED)

    def _fetch(self, caller: Caller, item: Item, at: str, provenance: str) -> None:
        """A fetch or a prompt, with its Nudge; more often than not that is followed."""
        self._touch(caller, item.address, at, provenance)
        self.nudged.append((caller.session, item.address, at))
        if self.chance.random() < 0.5:
            self._read(caller, item, times.written(times.seconds(at) + 12))

    def _read(self, caller: Caller, item: Item, at: str) -> None:
        kind = self.chance.choices(("hit", "subsumed", "miss"), (70, 12, 18))[0]
        address = {"hit": item.address, "subsumed": LISTING}.get(kind) or key_of(PROJECT, self.chance.randint(101, 105))
        touch = self._touch(caller, address, at, CACHE_READ, outcome=kind, served_from_memory=kind != "miss")
        read = Read(touch.id, USER, at, caller.project, "", "", 1, 180)
        if kind == "subsumed":
            read = read._replace(payload_bytes=1_900, floor_bytes=700, json_bytes=4 * estimate.ISSUE, requests=1)
        elif kind == "hit":
            size = estimate.of_resource(item)
            read = read._replace(
                memory_id=item.node_id, state_id=self._state(item, at), payload_bytes=size.floor_bytes + FRAME,
                floor_bytes=size.floor_bytes, json_bytes=size.json_bytes, requests=size.requests,
            )  # fmt: skip
        self.log.read(read)

    def _state(self, item: Item, at: str) -> str:
        """The State that memory had of an item at a time: the newest one came with the last Sweep."""
        chain = self.chains[item.address]
        return next((state.id for state in reversed(chain) if state.recorded_at <= at), chain[0].id)

    def _touch(self, caller: Caller, address: str, at: str, provenance: str, **more: Any) -> Touch:
        self.count += 1
        touch = Touch(f"touch-{self.count:05}", USER, address, "item", provenance, at, caller.session, caller.harness,
                      agent_type=caller.agent_type, status=RESOLVED, **more)  # fmt: skip
        self.touches.record([touch])
        return touch

    def _recall(self, caller: Caller, at: str) -> None:
        query, kind = self.chance.choice(QUESTIONS)
        found = self._candidates(kind)
        name = f"r{self.count:05}"
        self.count += 1
        recall = Recall(query, kind, None, 1, min(5, len(found)), len(found), 5 * ROW + FRAME, 6.0, "strong",
                        dict(WEIGHTS), 60, 180.0, found)  # fmt: skip
        self.log.recall(name, caller, recall, at)
        useful = [one for one in found if one.position and one.address not in self.nobodys]
        weights = [(3 if one.graph_rank else 1) + 6 - (one.position or 6) for one in useful]
        times_said = min(self.chance.choice((0, 1, 1, 2)) if kind != "historical" else 0, len(useful))
        chosen = self.chance.choices([one.memory_id for one in useful], weights, k=times_said)
        for memory_id in dict.fromkeys(chosen):
            said = self.chance.choices(("cited", "saved_rework", "flagged_stale", "dismissed"), (16, 2, 1, 2))[0]
            cite.cite(*self._files(), cite.request(memory_id, said, name), caller, at, find=str)

    def _candidates(self, kind: str) -> tuple[Candidate, ...]:
        """Some items, with ranks as three legs might give them, in the order that the fusion makes of them."""
        chosen = self.chance.sample(self.items, 8)
        ranks = {leg: self.chance.sample(range(1, 9), 8) for leg in ("vec", "lex")}
        edges = {place: self.chance.choice((None, None, None, 1.0, 0.5)) for place in range(8)}
        rows: list[dict[str, Any]] = []
        for place, item in enumerate(chosen):
            size = estimate.of_resource(item)
            rows.append({
                "memory_id": item.node_id, "kind": item.kind, "address": item.address, "state_id": "", "position": None,
                "score": 0.0, "named": None, "age_days": float(self.chance.randint(1, 300)), "superseded": False,
                "superseded_by": None, "vec_rank": ranks["vec"][place], "vec_z": 1 - ranks["vec"][place] / 10,
                "lex_rank": ranks["lex"][place], "lex_z": 1 - ranks["lex"][place] / 10,
                "graph_rank": 1 if edges[place] else None, "graph_z": edges[place], "floor_bytes": size.floor_bytes,
                "json_bytes": size.json_bytes, "requests": size.requests,
            })  # fmt: skip
        places = {memory: place for place, memory in enumerate(order(rows, WEIGHTS, 60, 180.0, kind, "")[:5], 1)}
        return tuple(Candidate(**row | {"position": places.get(row["memory_id"])}) for row in rows)

    def _stored(self) -> Sequence[Item]:
        world = json.loads(files("rg_core.demo").joinpath("world.json").read_text("utf-8"))
        told = world["repository"]
        repository = Repository("R_kgAB", told["name"], told["description"], told["readme"], told["updated_at"],
                                told["updated_at"], times.now())  # fmt: skip
        items = [_item(row, told["name"]) for row in world["items"]]
        with self._store() as store:
            store.init()
            first = [_before(item) if item.number in CHANGED else item for item in items]
            bugs = [Member(item.node_id, item.updated_at) for item in items if "bug" in item.labels]
            listing = Listing(LISTING, "created-desc", tuple(bugs), len(bugs), True, times.now())
            begun = times.now(ago=(DAYS + 1) * times.DAY)
            store.write(Batch(begun, repositories=[repository], items=first, listings=[listing]))
            for number, days in CHANGED.items():
                changed = times.now(ago=days * times.DAY)
                (item,) = (item for item in items if item.number == number)
                at = times.written(times.seconds(changed) + 2 * times.DAY)  # the Sweep came two days later
                store.write(Batch(at, items=[replace(item, updated_at=changed, fetched_at=at)]))
            self.chains = {item.address: store.history(item.address) for item in items}
        return items

    @contextmanager
    def _store(self) -> Iterator[Store]:
        with closing(open_store(load(self.environ), self.environ)) as store:
            yield store

    def _files(self) -> tuple[str, str]:
        return paths.telemetry_file(self.environ), paths.outbox_file(self.environ)


def _before(item: Item) -> Item:
    """An issue as it was before somebody answered it."""
    return replace(item, comments=(), updated_at=item.created_at, closes=())


def _item(row: Mapping[str, Any], repository: str) -> Item:
    comments = tuple(
        Comment(f"IC_{row['number']}_{place}", author, at, at, body)
        for place, (author, at, body) in enumerate(row["comments"])
    )
    pull = bool(row.get("pull"))
    return Item(
        "pull_request" if pull else "issue", f"{'PR' if pull else 'I'}_kgAB{row['number']:04}", "R_kgAB", repository,
        row["number"], row["title"], row["body"], row["state"], row["author"], tuple(row["labels"]), (), None, None,
        row["created_at"], row["updated_at"], row["updated_at"] if row["state"] == "closed" else None, times.now(),
        comments, _mentioned(f"{row['body']} {' '.join(text for _, _, text in row['comments'])}", repository),
        base_ref="main" if pull else None,
        files=tuple(row.get("files", ())), closes=_closed(row["body"], repository) if pull else (),
    )  # fmt: skip


def _mentioned(body: str, repository: str) -> tuple[str, ...]:
    """The items of the same repository that a body names."""
    words = (word.strip(".,;:()") for word in body.split())
    return tuple(key_of(repository, int(word[1:])) for word in words if word[:1] == "#" and word[1:].isdigit())


def _closed(body: str, repository: str) -> tuple[str, ...]:
    """The issues that the body of a pull request closes."""
    return tuple(key_of(repository, int(number)) for number in re.findall(r"(?i)\bcloses #(\d+)", body))
