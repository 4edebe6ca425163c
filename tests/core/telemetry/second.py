"""The panels computed a second time, from a world's rows in plain Python: no SQL, and a fusion of its own."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Row = dict[str, Any]
USED = ("cited", "saved_rework")
HIT = ("hit", "subsumed")


class Second:
    """One world seen by the user, and in the time, of its scope."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.scope = next(row for row in rows if row["table"] == "scope")
        user, self.since, self.until = (self.scope[name] for name in ("user", "since", "until"))
        all_touches = [row | {"n": n} for n, row in enumerate((r for r in rows if r["table"] == "touch"), 1)]
        self.nudged = [row for row in rows if row["table"] == "nudged"]
        self.recalls = {
            row["id"]: row for row in rows if row["table"] == "recall_event" and row["user"] == user and self._in(row)
        }
        self.touches = [row for row in all_touches if row["user"] == user and self._in(row)]
        self.by_id = {row["id"]: row for row in self.touches}
        self.fetched_ever = {
            (row["session"], row["address"])
            for row in all_touches
            if row["user"] == user and row["provenance"] == "FETCHED"
        }
        self.reads = {
            row["touch_id"]: row for row in rows if row["table"] == "read_event" and row["touch_id"] in self.by_id
        }
        self.candidates: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row["table"] == "recall_candidate" and row["recall_id"] in self.recalls:
                self.candidates[row["recall_id"]].append(row)
        self.shown = [
            row | {"at": self.recalls[recall]["at"], "session": self.recalls[recall]["session"]}
            for recall, found in self.candidates.items()
            for row in found
            if row["position"] is not None
        ]
        self.said = []
        for row in rows:
            if row["table"] == "citation_event" and row["user"] == user:
                serving = self.recalls.get(row["recall_id"]) or self.by_id.get(row["touch_id"])
                if serving:
                    self.said.append(row | {"served_at": serving["at"]})
        self.opened = self._opened()
        self.used = {
            (row["recall_id"], row["memory_id"]) for row in self.said if row["recall_id"] and row["kind"] in USED
        }
        self.used |= self.opened
        self.nudges = self._nudges()
        self.avoided = self._avoided()

    def _in(self, row: Row) -> bool:
        return bool(self.since <= row["at"] < self.until)

    def _opened(self) -> set[tuple[str, str]]:
        found = set()
        for touch in self.touches:
            if touch["session"] and touch["provenance"] == "CACHE_READ" and touch["outcome"] in HIT:
                before = [
                    row
                    for row in self.shown
                    if row["session"] == touch["session"]
                    and row["address"] == touch["address"]
                    and row["at"] <= touch["at"]
                ]
                for memory in {row["memory_id"] for row in before}:
                    last = max(
                        (row["at"], row["recall_id"])
                        for row in self.shown
                        if row["session"] == touch["session"]
                        and row["memory_id"] == memory
                        and row["at"] <= touch["at"]
                    )
                    if any((row["at"], row["recall_id"]) == last and row["memory_id"] == memory for row in before):
                        found.add((last[1], memory))
        return found

    def _nudges(self) -> list[Row]:
        given = []
        for note in self.nudged:
            before = [
                touch
                for touch in self.touches
                if touch["session"] == note["session"]
                and touch["address"] == note["address"]
                and touch["provenance"] != "CACHE_READ"
                and touch["at"] <= note["at"]
            ]
            if not before:
                continue
            trigger = min(before, key=lambda touch: (-_seconds(touch["at"]), touch["n"]))
            outcome = "no_more"
            for touch in sorted(self.touches, key=lambda touch: touch["n"]):
                if touch["session"] != note["session"] or touch["n"] <= trigger["n"]:
                    continue
                if touch["provenance"] == "CACHE_READ":
                    outcome = "followed"
                    break
                late = _seconds(touch["at"]) - _seconds(note["at"]) > 5 or trigger["provenance"] == "PROMPTED"
                told = any(
                    other["session"] == touch["session"]
                    and other["address"] == touch["address"]
                    and other["at"] <= touch["at"]
                    for other in self.nudged
                )
                if touch["provenance"] == "FETCHED" and late and told:
                    outcome = "fetched_anyway"
                    break
            given.append(
                {
                    "session": note["session"],
                    "harness": trigger["harness"],
                    "cause": trigger["provenance"],
                    "outcome": outcome,
                }
            )
        return given

    def _avoided(self) -> dict[tuple[str, str], list[int]]:
        served = [
            (touch["session"], touch["address"], self.reads[touch["id"]])
            for touch in self.touches
            if touch["outcome"] in HIT and touch["id"] in self.reads
        ]
        told = {(row["recall_id"], row["memory_id"]) for row in self.said if row["kind"] in USED}
        served += [
            (row["session"], row["address"], row) for row in self.shown if (row["recall_id"], row["memory_id"]) in told
        ]
        found: dict[tuple[str, str], list[int]] = {}
        for session, address, row in served:
            if session and (session, address) not in self.fetched_ever:
                sizes = [row["floor_bytes"], row["json_bytes"], row["requests"]]
                before = found.setdefault((session, address), sizes)
                found[session, address] = [max(pair) for pair in zip(before, sizes, strict=True)]
        return found

    def panels(self) -> dict[str, Any]:
        """Everything that expected.json has of a world."""
        return {
            "hit_rate": self.hit_rate(),
            "stale": self.stale(),
            "tokens": self.tokens(),
            "agents": self.agents(),
            "top_cited": self.top_cited(),
            "never_cited": self.never_cited(),
            "unserved": self.unserved(),
            "lift": self.lift(),
            "unexplained": {"recalls": len(self.unexplained)},
            "reads": self.weeks(),
            "nudges": self.nudge_rows(),
            "missed": self.missed(),
            "wraps": self.wraps(),
        }

    def hit_rate(self) -> list[Row]:
        rows = []
        first = [row for row in self.recalls.values() if row["page"] == 1]
        for name in sorted({row["query_class"] for row in first}):
            own = [row for row in first if row["query_class"] == name]
            cited = {row["recall_id"] for row in self.said if row["kind"] == "cited"}
            used = {recall for recall, _ in self.used}
            rows.append(
                {
                    "class": name,
                    "recalls": len(own),
                    "empty": sum(row["result_count"] == 0 for row in own),
                    "cited": sum(row["id"] in cited for row in own),
                    "used": sum(row["id"] in used for row in own),
                }
            )
        return rows

    def stale(self) -> list[Row]:
        judged: dict[tuple[str, str, str], bool] = {}
        for row in self.said:
            key = (_week(row["served_at"]), row["recall_id"] + row["touch_id"], row["memory_id"])
            judged[key] = judged.get(key, False) or row["kind"] in ("flagged_stale", "rewrote")
        checked = [
            (_week(touch["at"]), self.reads[touch["id"]]["verdict"])
            for touch in self.touches
            if touch["id"] in self.reads and touch["outcome"] in HIT and self.reads[touch["id"]]["verdict"]
        ]
        return [
            {
                "week": week,
                "judged": sum(key[0] == week for key in judged),
                "stale": sum(stale for key, stale in judged.items() if key[0] == week),
                "checked": sum(when == week for when, _ in checked),
                "outdated": sum(when == week and verdict == "stale" for when, verdict in checked),
            }
            for week in sorted({key[0] for key in judged} | {when for when, _ in checked})
        ]

    def tokens(self) -> Row:
        sizes = list(self.avoided.values())
        return {
            "recalled": sum(row["payload_bytes"] for row in self.recalls.values()),
            "served": sum(row["payload_bytes"] for row in self.reads.values()),
            "overhead": len(self.nudges) * self.scope["nudge_bytes"] + len(self.sessions()) * self.scope["tools_bytes"],
            "floor": sum(size[0] for size in sizes),
            "json": sum(size[1] for size in sizes),
            "rework": sum(row["kind"] == "saved_rework" for row in self.said) * self.scope["rework_bytes"],
            "requests": sum(size[2] for size in sizes),
        }

    def sessions(self) -> set[str]:
        return {row["session"] for row in [*self.touches, *self.recalls.values()]} - {""}

    def agents(self) -> list[Row]:
        who = {(row["harness"], row["agent_type"]) for row in [*self.touches, *self.recalls.values()]}
        used, told = {recall for recall, _ in self.used}, {row["recall_id"] for row in self.said}
        rows = []
        for harness, kind in who:
            own = [
                r["id"]
                for r in self.recalls.values()
                if (r["harness"], r["agent_type"]) == (harness, kind) and r["page"] == 1
            ]
            touches = [t for t in self.touches if (t["harness"], t["agent_type"]) == (harness, kind)]
            rows.append(
                {
                    "harness": harness,
                    "agent": kind or "main",
                    "recalls": len(own),
                    "used": sum(recall in used for recall in own),
                    "tagged": sum(recall in told for recall in own),
                    "reads": sum(t["provenance"] == "CACHE_READ" for t in touches),
                    "hits": sum(t["outcome"] in HIT for t in touches),
                    "fetched": sum(t["provenance"] == "FETCHED" for t in touches),
                }
            )
        return sorted(rows, key=lambda row: (row["harness"], row["agent"]))

    def top_cited(self) -> list[Row]:
        by_memory: dict[str, list[Row]] = defaultdict(list)
        for row in self.said:
            if row["kind"] == "cited":
                by_memory[row["memory_id"]].append(row)
        rows = [
            {
                "memory_id": memory,
                "address": min(row["address"] for row in own),
                "cited": len(own),
                "sessions": len({row["session"] for row in own}),
                "last": max(row["at"] for row in own),
            }
            for memory, own in by_memory.items()
        ]
        return sorted(
            rows, key=lambda row: (-row["cited"], -row["sessions"], -_seconds(row["last"]), row["memory_id"])
        )[:10]

    def never_cited(self) -> list[Row]:
        good = {row["memory_id"] for row in self.said if row["kind"] in USED} | {memory for _, memory in self.opened}
        shown: dict[str, list[Row]] = defaultdict(list)
        for row in self.shown:
            if row["memory_id"] not in good:
                shown[row["memory_id"]].append(row)
        rows = [
            {"memory_id": memory, "address": min(row["address"] for row in own), "shown": len(own)}
            for memory, own in shown.items()
            if len(own) >= 3
        ]
        return sorted(rows, key=lambda row: (-row["shown"], row["memory_id"]))[:10]

    def unserved(self) -> Row:
        served = {row["memory_id"] for row in self.shown}
        served |= {
            self.reads[t["id"]]["memory_id"] for t in self.touches if t["id"] in self.reads and t["outcome"] in HIT
        }
        return {"unserved": max(0, self.scope["stored"] - len(served))}

    # -- what a leg added

    def to_fuse(self) -> list[Row]:
        used = {recall for recall, _ in self.used}
        own = [row for row in self.recalls.values() if row["page"] == 1 and row["id"] in used]
        return sorted(own, key=lambda row: (row["at"], row["id"]), reverse=True)[:2000]

    @property
    def unexplained(self) -> set[str]:
        return {
            recall["id"]
            for recall in self.to_fuse()
            if any(
                fuse(recall, self.candidates[recall["id"]], "").get(c["memory_id"]) != c["position"]
                for c in self.candidates[recall["id"]]
            )
        }

    def lift(self) -> list[Row]:
        left_out, rows = self.unexplained, []
        for leg in ("graph", "lex", "temporal", "vec"):
            gains: list[list[tuple[float, int, int | None]]] = []
            for recall in self.to_fuse():
                if recall["id"] in left_out or json.loads(recall["weights"]).get(leg, 0) <= 0:
                    continue
                places = fuse(recall, self.candidates[recall["id"]], leg)
                own = []
                for c in self.candidates[recall["id"]]:
                    if c["position"] is not None and (recall["id"], c["memory_id"]) in self.used:
                        seen = places.get(c["memory_id"])
                        own.append((1 / c["position"] - (1 / seen if seen else 0), c["position"], seen))
                if own:
                    gains.append(own)
            flat = [gain for own in gains for gain in own]
            rows.append(
                {
                    "leg": leg,
                    "recalls": len(gains),
                    "results": len(flat),
                    "lift": sum(sum(g for g, _, _ in own) / len(own) for own in gains) / len(gains) if gains else None,
                    "only_with": sum(seen is None for _, _, seen in flat),
                    "better": sum(seen is not None and seen > place for _, place, seen in flat),
                    "same": sum(seen == place for _, place, seen in flat),
                    "worse": sum(seen is not None and seen < place for _, place, seen in flat),
                }
            )
        return rows

    # -- reads, Nudges, sessions

    def weeks(self) -> list[Row]:
        rows = []
        for week in sorted({_week(touch["at"]) for touch in self.touches}):
            own = [touch for touch in self.touches if _week(touch["at"]) == week]
            outcomes, kinds = Counter(t["outcome"] for t in own), Counter(t["provenance"] for t in own)
            rows.append(
                {
                    "week": week,
                    "hit": outcomes["hit"],
                    "subsumed": outcomes["subsumed"],
                    "miss": outcomes["miss"],
                    "fetched": kinds["FETCHED"],
                    "prompted": kinds["PROMPTED"],
                }
            )
        return rows

    def nudge_rows(self) -> list[Row]:
        rows = []
        for harness, cause in sorted({(row["harness"], row["cause"]) for row in self.nudges}):
            own = Counter(row["outcome"] for row in self.nudges if (row["harness"], row["cause"]) == (harness, cause))
            rows.append(
                {
                    "harness": harness,
                    "cause": cause,
                    "given": sum(own.values()),
                    "followed": own["followed"],
                    "fetched_anyway": own["fetched_anyway"],
                    "no_more": own["no_more"],
                }
            )
        return rows

    def missed(self) -> list[Row]:
        found: dict[str, list[Row]] = defaultdict(list)
        for touch in self.touches:
            answered = any(
                t["address"] == touch["address"] and t["outcome"] in HIT and t["n"] > touch["n"] for t in self.touches
            )
            if touch["outcome"] == "miss" and touch["address"] and not answered:
                found[touch["address"]].append(touch)
        rows = [{"address": a, "misses": len(own), "last": max(t["at"] for t in own)} for a, own in found.items()]
        return sorted(rows, key=lambda row: (-row["misses"], -_seconds(row["last"]), row["address"]))[:10]

    def wraps(self) -> list[Row]:
        rows = []
        for session in self.sessions():
            touches = [touch for touch in self.touches if touch["session"] == session]
            recalls = [recall for recall in self.recalls.values() if recall["session"] == session]
            times = [row["at"] for row in [*touches, *recalls]]
            own = {recall["id"] for recall in recalls}
            nudges = [row for row in self.nudges if row["session"] == session]
            rows.append(
                {
                    "session": session,
                    "started": min(times),
                    "ended": max(times),
                    "recalls": sum(recall["page"] == 1 for recall in recalls),
                    "used": sum(recall in own for recall, _ in self.used),
                    "said": dict(Counter(row["kind"] for row in self.said if row["session"] == session)),
                    "hits": sum(t["outcome"] in HIT for t in touches),
                    "misses": sum(t["outcome"] == "miss" for t in touches),
                    "fetched": sum(t["provenance"] == "FETCHED" for t in touches),
                    "nudges": len(nudges),
                    "followed": sum(row["outcome"] == "followed" for row in nudges),
                    "requests": sum(size[2] for (whose, _), size in self.avoided.items() if whose == session),
                }
            )
        return sorted(rows, key=lambda row: (row["started"], row["session"]))


def fuse(recall: Row, candidates: Sequence[Row], without: str) -> dict[str, int]:
    """The shown places of a recall's candidates, without one leg."""
    weights = json.loads(recall["weights"])
    finding = [leg for leg in ("vec", "lex", "graph") if leg != without]

    def score(c: Row) -> float:
        votes = sum(
            weights.get(leg, 0) * c[f"{leg}_z"] / (recall["rrf_k"] + c[f"{leg}_rank"])
            for leg in finding
            if c[f"{leg}_rank"] is not None
        )
        fresh = weights.get("temporal", 0) if without != "temporal" else 0
        return float(round(votes * (1 + fresh * math.exp(-c["age_days"] / recall["half_life_days"])), 12))

    there = [c for c in candidates if c["named"] is not None or any(c[f"{leg}_rank"] is not None for leg in finding)]
    named = sorted((c for c in there if c["named"] is not None), key=lambda c: (c["named"], -score(c), c["memory_id"]))
    others = sorted((c for c in there if c["named"] is None), key=lambda c: (-score(c), c["memory_id"]))
    ranked = [*named, *others]
    if recall["query_class"] != "historical":
        head, rest = {c["memory_id"]: c for c in ranked[:20]}, ranked[20:]
        placed: list[Row] = []
        done: set[str] = set()

        def place(c: Row) -> None:
            if c["memory_id"] in done:
                return
            done.add(c["memory_id"])
            if c["named"] is None and c["superseded_by"] in head:
                place(head[c["superseded_by"]])
            placed.append(c)

        for c in ranked[:20]:
            place(c)
        ranked = [*placed, *rest]
    return {c["memory_id"]: place for place, c in enumerate(ranked[: recall["result_count"]], 1)}


def _week(at: str) -> str:
    day = datetime.fromisoformat(at)
    return (day - timedelta(days=day.weekday())).date().isoformat()


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).astimezone(UTC).timestamp()
