"""What a Sweep has to do, as values, and how a fresh answer and a stored listing become one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rg_core.address.model import Address
from rg_core.github import question
from rg_core.store.model import Member
from rg_core.touches.touch import Touch

STABLE = ("created-desc", "created-asc", "updated-desc")  # what a smaller ask no longer shows before its end is gone
REVERIFY = "reverify"  # the tool name of the Touches that `rg-memory reverify` makes


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """One question to GitHub, and the Touches that ask it. What becomes of it is an Outcome (rg_core.sweep.outcome)."""

    address: Address  # with the largest limit that was asked
    touches: tuple[Touch, ...]

    @property
    def key(self) -> str:
        """The canonical key."""
        return str(self.address)

    @property
    def anew(self) -> bool:
        """Whether somebody asked to have this item fetched whole even if its updatedAt has not moved."""
        return self.address.kind == "item" and any(touch.tool_name == REVERIFY for touch in self.touches)

    @property
    def cause(self) -> str:
        """The Touch that stands for all."""
        return self.touches[0].id


def group(touches: Iterable[Touch]) -> list[Request]:
    """One Request per address (and order, of a listing), with the largest limit; in the order of the first Touch."""
    found: dict[tuple[str, str], Request] = {}
    for touch in touches:
        address = Address.parse(touch.address)
        if address.is_listing:
            address = address.asking(touch.limit, touch.order or address.order)
        key = (touch.address, address.order if address.is_listing else "")
        if (request := found.get(key)) is not None:
            found[key] = Request(_wider(request.address, address), (*request.touches, touch))
        else:
            found[key] = Request(address, (touch,))
    return list(found.values())


def _wider(one: Address, other: Address) -> Address:
    if not one.is_listing or one.limit is None:
        return one
    limit = None if other.limit is None else max(one.limit, other.limit)
    return one.asking(limit, one.order)


Wanted = tuple[str, list[int], list[int]]  # a repository's name, item numbers, milestone numbers


def lookups(requests: Iterable[Request], size: int) -> Iterator[list[Wanted]]:
    """What must be looked up by name before anything else, in queries of at most `size` aliases."""
    by_name: dict[str, tuple[dict[int, None], dict[int, None]]] = {}
    for request in requests:
        number = question.milestone_number(request.address)
        if request.address.is_listing and number is None:
            continue  # its index brings its repository with it
        numbers, milestones = by_name.setdefault(request.address.repository, ({}, {}))
        if request.address.kind == "item":
            numbers[request.address.number] = None
        if number is not None:
            milestones[number] = None
    query: list[Wanted] = []
    left = size
    for name, (numbers, milestones) in by_name.items():
        waiting, titles = list(numbers), list(milestones)
        while True:
            if left < 2 + len(titles) and query:
                yield query
                query, left = [], size
            room = max(1, left - 1 - len(titles))
            part, waiting = waiting[:room], waiting[room:]
            query.append((name, part, titles))
            left -= 1 + len(part) + len(titles)
            titles = []
            if not waiting:
                break
    if query:
        yield query


@dataclass(frozen=True, slots=True)
class Merged:
    """A listing's members in order, and what is known of their number."""

    members: tuple[Member, ...]
    total: int
    complete: bool


def merge(
    stored: Sequence[Member],
    fresh: Sequence[str],
    *,
    total: int,
    ended: bool,
    order: str,
    at: str,
    was_complete: bool = False,
) -> Merged:
    """The listing after an answer whose first members are `fresh` (node_ids).

    A whole answer (`ended`) replaces what is stored. A shorter one refreshes the prefix and keeps the rest, each
    member with its own fetched_at: a listing never shrinks by a smaller ask. In an order that keeps its places, a
    stored member that stood before the last fresh one and is not among them has left the listing.

    Args:
        stored: the members stored under the same address and order.
        fresh: the first members now, each once.
        total: how many GitHub counted; -1 where it does not say.
        ended: whether `fresh` are all members there are.
        order: the listing's order.
        at: when the answer was fetched.
        was_complete: whether the stored members were all there were.
    """
    head = tuple(Member(node_id, at) for node_id in dict.fromkeys(fresh))
    if ended:
        return Merged(head, total, complete=True)
    new = {member.node_id for member in head}
    places = [place for place, member in enumerate(stored) if member.node_id in new]
    start = places[-1] + 1 if places and order in STABLE else 0
    rest = tuple(member for member in stored[start:] if member.node_id not in new)
    members = head + rest
    gapless = was_complete and (bool(places) or not stored)
    complete = gapless and order in STABLE and total in (-1, len(members))
    return Merged(members, total, complete)


def touches_stored(stored: Sequence[Member], fresh: Iterable[str]) -> bool:
    """Whether a prefix reaches the stored members, so that keeping them leaves no gap."""
    known = {member.node_id for member in stored}
    return not known or any(node_id in known for node_id in fresh)
