"""Small worlds full of collisions: few sessions, addresses, seconds and memories, so that every rule meets its edge."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.core.telemetry.second import fuse

SINCE = datetime(2026, 10, 5, tzinfo=UTC)
KINDS = ("cited", "cited", "dismissed", "flagged_stale", "rewrote", "saved_rework")
CLASSES = ("decision", "historical", "current_state", "other")


def make(random: Random) -> list[dict[str, Any]]:
    """The rows of a world."""
    rows: list[dict[str, Any]] = [
        {
            "table": "scope",
            "user": "ada",
            "since": _time(0),
            "until": _time(9 * 86_400),
            "tools_bytes": 2400,
            "nudge_bytes": 260,
            "rework_bytes": 20_000,
            "stored": random.randrange(12),
        }
    ]
    users = ("ada", "ada", "ada", "bob")
    touches = [_touch(random, number, random.choice(users)) for number in range(random.randrange(14))]
    rows += touches
    told = {(random.choice("st"), random.randrange(4)) for _ in range(random.randrange(5))}
    rows += [{"table": "nudged", "session": s, "address": _address(n), "at": _when(random)} for s, n in sorted(told)]
    rows += [_read(random, touch) for touch in touches if touch["provenance"] == "CACHE_READ" and random.random() < 0.8]
    recalls = []
    for number in range(random.randrange(7)):
        recalls.append(_recall(random, f"r{number}", random.choice(users)))
        rows += recalls[-1]
    said = set()
    for number in range(random.randrange(10)):
        recall = random.choice(recalls)[0] if recalls and random.random() < 0.8 else None
        touch = random.choice(touches) if touches and not recall else None
        if not (recall or touch):
            continue
        memory, kind = random.randrange(6), random.choice(KINDS)
        key = (recall["id"] if recall else "", touch["id"] if touch else "", memory, kind)
        if key not in said:
            said.add(key)
            rows.append(
                {
                    "table": "citation_event",
                    "id": f"c{number}",
                    "user": (recall or touch or {})["user"],
                    "at": _when(random),
                    "recall_id": key[0],
                    "touch_id": key[1],
                    "memory_id": f"M{memory}",
                    "address": _address(memory),
                    "session": random.choice(("s", "t", "")),
                    "harness": "codex",
                    "kind": kind,
                    "given_by": "agent",
                    "note": "",
                }
            )
    return rows


def _recall(random: Random, name: str, user: str) -> list[dict[str, Any]]:
    weights = {leg: random.choice((0, 1, 1, 2)) for leg in ("vec", "lex", "graph")} | {
        "temporal": random.choice((0, 0.1, 1))
    }
    event = {
        "table": "recall_event",
        "id": name,
        "user": user,
        "at": _when(random),
        "store": "local",
        "project": "p",
        "harness": random.choice(("codex", "grok")),
        "agent": "",
        "agent_type": random.choice(("", "", "explorer")),
        "session": random.choice(("s", "t", "")),
        "connection": "c",
        "tool_use_id": "",
        "query": "q",
        "query_class": random.choice(CLASSES),
        "as_of": None,
        "page": random.choice((1, 1, 1, 2)),
        "result_count": 0,
        "candidate_count": 0,
        "payload_bytes": random.randrange(900),
        "took_ms": 1.0,
        "match": "strong",
        "weights": json.dumps(weights),
        "rrf_k": random.choice((1, 60)),
        "half_life_days": random.choice((30, 180)),
    }
    candidates = []
    named = iter(random.sample(range(1, 4), 2))
    for memory in random.sample(range(30), random.choice((0, 2, 5, 6, 25))):
        has = {leg: weights[leg] > 0 and random.random() < 0.6 for leg in ("vec", "lex", "graph")}
        place = next(named, None) if random.random() < 0.1 else None
        if not any(has.values()) and place is None:
            continue
        candidates.append(
            {
                "table": "recall_candidate",
                "recall_id": name,
                "memory_id": f"M{memory}",
                "kind": "issue",
                "address": _address(memory),
                "state_id": "",
                "position": None,
                "score": 0.0,
                "named": place,
                **{f"{leg}_rank": random.randrange(1, 9) if has[leg] else None for leg in has},
                **{f"{leg}_z": random.choice((0.0, 0.5, 0.5, 1.0)) if has[leg] else None for leg in has},
                "age_days": random.choice((0.0, 5.0, 400.0)),
                "superseded": 0,
                "superseded_by": f"M{random.randrange(30)}" if random.random() < 0.3 else None,
                "floor_bytes": random.randrange(500),
                "json_bytes": random.randrange(500, 999),
                "requests": random.randrange(3),
            }
        )
    event["candidate_count"] = len(candidates)
    event["result_count"] = random.randrange(len(candidates) + 1)
    for memory_id, position in fuse(event, candidates, "").items():
        (own,) = (c for c in candidates if c["memory_id"] == memory_id)
        own["position"] = position
    if candidates and random.random() < 0.1:  # an order that its ranks do not explain
        candidates[0]["position"] = 1 if candidates[0]["position"] is None else None
    return [event, *candidates]


def _touch(random: Random, number: int, user: str) -> dict[str, Any]:
    provenance = random.choice(("FETCHED", "PROMPTED", "CACHE_READ", "CACHE_READ"))
    outcome = random.choice(("hit", "subsumed", "miss")) if provenance == "CACHE_READ" else ""
    return {
        "table": "touch",
        "id": f"t{number}",
        "user": user,
        "address": _address(random.randrange(4)),
        "kind": "item",
        "provenance": provenance,
        "at": _when(random),
        "session": random.choice(("s", "t", "")),
        "harness": random.choice(("codex", "grok")),
        "limit": None,
        "order": "",
        "tool_name": "",
        "tool_use_id": "",
        "agent": "",
        "agent_type": random.choice(("", "", "explorer")),
        "served_from_memory": int(outcome in ("hit", "subsumed")),
        "outcome": outcome,
        "status": "pending",
        "reason": "",
        "attempts": 0,
        "sent": 0,
    }


def _read(random: Random, touch: dict[str, Any]) -> dict[str, Any]:
    hit = touch["outcome"] in ("hit", "subsumed")
    return {
        "table": "read_event",
        "touch_id": touch["id"],
        "user": touch["user"],
        "at": touch["at"],
        "project": "p",
        "memory_id": f"M{random.randrange(6)}" if hit else "",
        "state_id": "",
        "page": 1,
        "payload_bytes": random.randrange(900),
        "floor_bytes": random.randrange(500),
        "json_bytes": random.randrange(999),
        "requests": random.randrange(3),
        "verified_at": None,
        "verdict": random.choice((None, "current", "stale")) if hit else None,
    }


def _address(number: int) -> str:
    return f"github:o/r#{number}"


def _when(random: Random) -> str:
    """Some seconds of some days, the edges of the time among them."""
    return _time(random.choice((-1, 0, 3, 4, 9, 6 * 86_400 + 86_399, 7 * 86_400, 9 * 86_400 - 1, 9 * 86_400)))


def _time(seconds: int) -> str:
    return (SINCE + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
