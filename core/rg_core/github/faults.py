"""Tells a fault of the query from a fault of one item: a field that GitHub fails to answer whatever is asked for.

Published schemas change: a field is withdrawn, or fails for a day. Asking every item again and again, alone, would make
a Sweep crawl. What several items lack again and again is left out where it may be missing, and else their kind is not
asked for over GraphQL any more in this run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Set

from rg_core.store.model import ItemKind

MAY_BE_MISSING = frozenset({"timelineItems", "closingIssuesReferences", "stateReason"})
STRIKES = 3  # answers without the field ...
ITEMS = 2  # ... for so many items
PLURAL: Mapping[ItemKind, str] = {"issue": "issues", "pull_request": "pull requests"}


class Faults:
    """What is known of one run. Used by a few threads at once."""

    def __init__(self) -> None:
        self.notes: list[str] = []  # for people
        self._lock = threading.Lock()
        self._strikes: dict[tuple[ItemKind, str], dict[str, int]] = {}
        self._left_out: dict[ItemKind, frozenset[str]] = {}
        self._refused: set[ItemKind] = set()

    def left_out(self, kind: ItemKind) -> frozenset[str]:
        """The fields that are not asked for."""
        return self._left_out.get(kind, frozenset())

    def refused(self, kind: ItemKind) -> bool:
        """Whether GraphQL cannot give items of this kind."""
        return kind in self._refused

    def saw(self, kind: ItemKind, lacking: Mapping[str, Set[str]], whole: Iterable[str]) -> bool:
        """Learn from an answer: the items (node_ids) that lacked a field, and those that came whole.

        Returns:
            Whether a field is blamed now, so that the same items are worth asking for again at once.
        """
        with self._lock:
            for strikes in self._strikes.values():
                for node_id in whole:
                    strikes.pop(node_id, None)
            blamed = False
            for field, node_ids in lacking.items():
                strikes = self._strikes.setdefault((kind, field), {})
                for node_id in node_ids:
                    strikes[node_id] = strikes.get(node_id, 0) + 1
                if sum(count >= STRIKES for count in strikes.values()) >= ITEMS:
                    blamed |= self._blame(kind, field)
            return blamed

    def withdrawn(self, kind: ItemKind, field: str) -> bool:
        """Learn that the schema has no such field (any more); whether that was news."""
        with self._lock:
            return self._blame(kind, field)

    def _blame(self, kind: ItemKind, field: str) -> bool:
        if self.refused(kind) or field in self.left_out(kind):
            return False
        if field in MAY_BE_MISSING:
            self._left_out[kind] = self.left_out(kind) | {field}
            self.notes.append(f"GitHub fails to answer {field} of {PLURAL[kind]}: they are stored without it")
        else:
            self._refused.add(kind)
            what = f"answer {field} of" if field else "understand the question for"
            self.notes.append(f"GitHub fails to {what} {PLURAL[kind]}: they come over REST, which takes longer")
        return True
