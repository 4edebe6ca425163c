"""A made-up world for `--demo`: six weeks of four agents with a small harbour's issues; the same at every start.

The repository is the demo's own. What was recalled, read, cited and nudged is drawn with a fixed seed, and written by
the same functions that write real events.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from typing import Any

from rg_core import paths, times
from rg_core.address.model import key_of
from rg_core.config import load, set_values
from rg_core.recall.fusion import order
from rg_core.store import open_store
from rg_core.store.model import Batch, Comment, Item, Repository
from rg_core.telemetry import cite, estimate
from rg_core.telemetry.events import Caller, Candidate, Read, Recall
from rg_core.telemetry.log import EventLog
from rg_core.touches.database import TouchLog
from rg_core.touches.touch import CACHE_READ, FETCHED, PROMPTED, RESOLVED, Touch

SEED, DAYS, USER = 41, 42, "ada"
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
        self.count = 0

    def fill(self) -> None:
        """Write everything."""
        self.touches.record([])
        self.log.declare(2_400, 260)
        for day in range(DAYS - 1, -1, -1):
            for place in range(self.chance.choice((0, 1, 1, 2, 2))):
                self._session(times.seconds(times.now(ago=day * times.DAY)) - 3_600 * (1 + 3 * place))
        self.log.close()

    def _session(self, began: float) -> None:
        harness, agent_type = self.chance.choice(AGENTS)
        self.count += 1
        caller = Caller(USER, harness, f"session-{self.count:03}", agent_type=agent_type, project="tidewatch/harbor")
        at = began
        for _ in range(self.chance.randint(2, 7)):
            at += self.chance.randint(20, 240)
            item = self.chance.choice(self.items)
            what = self.chance.random()
            if what < 0.4:
                self._recall(caller, times.written(at))
            elif what < 0.75:
                self._read(caller, item, times.written(at))
            else:
                self._fetch(caller, item, times.written(at), FETCHED if what < 0.92 else PROMPTED)

    def _fetch(self, caller: Caller, item: Item, at: str, provenance: str) -> None:
        self._touch(caller, item.address, at, provenance)

    def _read(self, caller: Caller, item: Item, at: str) -> None:
        missed = self.chance.random() < 0.2
        address = key_of("tidewatch/harbor", self.chance.randint(100, 104)) if missed else item.address
        outcome = "miss" if missed else "hit"
        touch = self._touch(caller, address, at, CACHE_READ, outcome=outcome, served_from_memory=not missed)
        size = estimate.of_resource(item)
        read = Read(touch.id, USER, at, caller.project, "" if missed else item.node_id, "", 1, 180 if missed else 3_200)
        if not missed:
            read = replace(read, floor_bytes=size.floor_bytes, json_bytes=size.json_bytes, requests=size.requests)
        self.log.read(read)

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
        recall = Recall(query, kind, None, 1, min(5, len(found)), len(found), 2_900, 6.0, "strong", dict(WEIGHTS), 60,
                        180.0, found)  # fmt: skip
        self.log.recall(name, caller, recall, at)
        shown = [candidate for candidate in found if candidate.position]
        for candidate in self.chance.sample(shown, self.chance.choice((0, 1, 1, 2))):
            said = self.chance.choices(("cited", "saved_rework", "flagged_stale", "dismissed"), (8, 1, 1, 1))[0]
            asked = cite.request(candidate.memory_id, said, name)
            cite.cite(paths.telemetry_file(self.environ), paths.outbox_file(self.environ), asked, caller, at, find=str)

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
        earlier = [replace(item, title=f"{item.title}?", comments=(), updated_at=item.created_at) for item in items]
        with_store = open_store(load(self.environ), self.environ)
        try:
            with_store.init()
            with_store.write(Batch(times.now(ago=DAYS * times.DAY), repositories=[repository], items=earlier))
            with_store.write(Batch(times.now(), items=items))
        finally:
            with_store.close()
        return items


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
        comments, _mentioned(row["body"], repository), base_ref="main" if pull else None,
        files=tuple(row.get("files", ())),
    )  # fmt: skip


def _mentioned(body: str, repository: str) -> tuple[str, ...]:
    """The items of the same repository that a body names."""
    words = (word.strip(".,;:()") for word in body.split())
    return tuple(key_of(repository, int(word[1:])) for word in words if word[:1] == "#" and word[1:].isdigit())
