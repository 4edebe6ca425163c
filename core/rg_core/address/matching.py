"""May a stored Listing answer that question? Pure, and light enough for the hook.

The rule behind every line: an answer from memory is what GitHub would have answered from the same world, or memory
declines. A wrong answer is worse than none; the agent can always still fetch.
"""

from __future__ import annotations

from rg_core.address.model import Address, listings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Protocol, TypeVar

    class Stored(Protocol):
        """What is known of a stored Listing, in memory or in the hook's index."""

        @property
        def address(self) -> str:
            """Its canonical key."""

        @property
        def order(self) -> str:
            """How its members are sorted."""

        @property
        def member_count(self) -> int:
            """How many members are stored."""

        @property
        def complete(self) -> bool:
            """Whether they are all there are."""

        @property
        def fetched_at(self) -> str:
            """When its answer came."""

    Outcome = Literal["hit", "subsumed"]
    C = TypeVar("C", bound=Stored)

# The orders that follow from what a State holds. GitHub's others (best-match, reactions, interactions, relevance) do
# not; nor do comments-*: GitHub leaves review comments out of the count it sorts by.
ORDERS = ("created-desc", "created-asc", "updated-desc", "updated-asc")
LOGIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
ANY_OR_NONE = ("*", "none")  # REST's words, for assignee and milestone; a member does not show them as its value


def may_answer(stored: Address, order: str, member_count: int, complete: bool, question: Address) -> Outcome | None:
    """Whether a Listing stored under this address and order answers the question, and how.

    `hit`: it is the question's own listing. `subsumed`: it holds every member of the answer, so that the question's
    filters over the members' current States give it. None: it may not answer.
    """
    same = stored == question
    if same and order == question.order:
        return "hit" if complete or (question.limit is not None and question.limit <= member_count) else None
    if not complete or not derivable(question):
        return None
    if same:
        return "hit"
    return "subsumed" if _covers(stored, question) else None


def choose(candidates: Iterable[C], question: Address) -> tuple[C, Outcome] | None:
    """The freshest candidate that may answer the question, and how; of equally fresh ones the question's own."""
    prefix = listings_of(question.repository, question.kind)
    best: tuple[C, Outcome] | None = None
    rank = ("", False)
    for candidate in candidates:
        if not candidate.address.startswith(prefix):
            continue
        outcome = may_answer(
            Address.parse(candidate.address), candidate.order, candidate.member_count, candidate.complete, question
        )
        if outcome and (key := (candidate.fetched_at, outcome == "hit")) > rank:
            best, rank = (candidate, outcome), key
    return best


def searchable(candidates: Iterable[C], question: Address) -> C | None:
    """The freshest candidate that holds every item that a search with free text could find; None for no such search.

    No answer is derived from it: only GitHub knows what a search text finds there. It can be searched itself.
    """
    if not question.q:
        return None
    whole = [
        candidate
        for candidate in candidates
        if candidate.complete
        and candidate.address.startswith(listings_of(question.repository, question.kind))
        and _is_wider(Address.parse(candidate.address), question)
    ]
    return max(whole, key=lambda candidate: (candidate.fetched_at, candidate.member_count), default=None)


def derivable(question: Address) -> bool:
    """Whether the question's filters and order can be applied to what a State holds, giving what GitHub would give."""
    return (
        question.order in ORDERS
        and _login(question.author)
        and question.assignee not in ANY_OR_NONE
        and _login(question.assignee)
        and question.milestone not in ANY_OR_NONE
    )


def _login(name: str) -> bool:
    """Whether this is the login of a person, or app/<name>, as States hold them; not @me, not dependabot[bot]."""
    return LOGIN.issuperset(name.removeprefix("app/"))


def _covers(stored: Address, question: Address) -> bool:
    """Whether every member of the question's answer is a member of the stored question's whole answer."""
    return not question.q and _is_wider(stored, question)


def _is_wider(stored: Address, question: Address) -> bool:
    """The same, whatever free text narrows the question further."""
    return (
        stored.repository == question.repository
        and stored.kind == question.kind
        and not stored.q
        and (
            stored.state in ("all", question.state)
            or (stored.kind == "pulls" and stored.state == "closed" and question.state == "merged")
        )
        and set(stored.labels) <= set(question.labels)
        and stored.author in ("", question.author)
        and stored.assignee in ("", question.assignee)
        and stored.milestone in ("", question.milestone)
    )
