"""A small GitHub: worlds of issues and pull requests, and what it answers to a listing question. The oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from hypothesis import strategies as st

from rg_core.address.model import CREATED_DESC, STATES, Address
from rg_core.store.model import Batch, Item, Listing, Member, Repository

AT = "2026-11-01T00:00:00Z"
# Labels as GitHub spells them: mixed case, outside ASCII, with blanks, with a comma, one the beginning of another
LABELS = ("Bug", "bug fix", "PERF", "Ärger", "ΔELTA", "a,b", "state:open")
AUTHORS = ("Alice", "bob", "app/dependabot", "ghost")
ASSIGNEES = ("Alice", "carol-x")
MILESTONES = ((None, None), ("V1.0", 3), ("none", 4), ("Über", 7))
ORDERS = ("created-desc", "created-asc", "updated-desc", "updated-asc", "best-match", "comments-desc")


def repository(name: str = "O/R") -> Repository:
    return Repository(f"R_{name}", name, "", "", AT, AT, AT)


@st.composite
def items(draw: st.DrawFn, name: str = "O/R") -> list[Item]:
    """The issues and pull requests of a repository, numbered from 1; times may coincide."""
    made = []
    for number in range(1, draw(st.sampled_from((16, 12, 8, 3, 0))) + 1):
        kind = draw(st.sampled_from(("issue", "pull_request")))
        state = draw(st.sampled_from(STATES["issues" if kind == "issue" else "pulls"][:-1]))
        milestone, milestone_number = draw(st.sampled_from(MILESTONES))
        made.append(
            Item(
                kind=kind,  # type: ignore[arg-type]
                node_id=f"{name}/{number}",
                repository_id=f"R_{name}",
                repository=name,
                number=number,
                title=f"title {number}",
                body="",
                state=state,  # type: ignore[arg-type]
                author=draw(st.sampled_from(AUTHORS)),
                labels=tuple(draw(st.lists(st.sampled_from(LABELS), unique=True, max_size=4))),
                assignees=tuple(draw(st.lists(st.sampled_from(ASSIGNEES), unique=True))),
                milestone=milestone,
                milestone_number=milestone_number,
                created_at=f"2026-01-{1 + number // 3:02}T00:00:00Z",
                updated_at=f"2026-02-{draw(st.integers(1, 9)):02}T00:00:00Z",
                closed_at=None if state == "open" else "2026-02-01T00:00:00Z",
                fetched_at=AT,
                merged_at="2026-02-01T00:00:00Z" if state == "merged" else None,
            )
        )
    return made


FILTERS = {
    "labels": (("perf",), ("ärger",), ("bug", "perf"), ("bug fix",), ("a,b",)),
    "author": (*(name.lower() for name in AUTHORS), "dependabot[bot]", "@me"),
    "assignee": (*(name.lower() for name in ASSIGNEES), "*", "none"),
    "milestone": ("3", "v1.0", "über", "none", "*"),
    "q": ("title 1",),
}
SPECIAL = (
    ("author", "dependabot[bot]"),
    ("author", "@me"),
    ("assignee", "*"),
    ("assignee", "none"),
    ("milestone", "*"),
    ("milestone", "none"),
)
LIMITS = (None, None, None, 1, 2, 3, 4)


@st.composite
def questions(draw: st.DrawFn) -> Address:
    """Any question about issues or pull requests, with at most two filters so that most match something."""
    kind = draw(st.sampled_from(("issues", "pulls")))
    active = draw(st.lists(st.sampled_from(sorted(FILTERS)), max_size=2, unique=True))
    return Address(
        kind,  # type: ignore[arg-type]
        "o/r",
        state=draw(st.sampled_from(("all", *STATES[kind]))),
        limit=draw(st.sampled_from(LIMITS)),
        order=draw(st.sampled_from((CREATED_DESC, CREATED_DESC, *ORDERS))),
        **{name: draw(st.sampled_from(FILTERS[name])) for name in active},  # type: ignore[arg-type]
    )


@st.composite
def nearby(draw: st.DrawFn, question: Address) -> Address:
    """A question that differs from another in few things, mostly by being wider."""

    def mostly(value: str, *others: str) -> str:
        return draw(st.sampled_from((value, value, "", *others)))

    states = STATES["issues" if question.kind == "issues" else "pulls"]
    labels = [label for label in question.labels if draw(st.booleans())]
    return Address(
        question.kind,
        question.repository,
        state=draw(st.sampled_from((question.state, "all", "all", *states))),
        labels=[*labels, *draw(st.sampled_from(((), (), (), ("perf",))))],
        author=mostly(question.author, "bob"),
        assignee=mostly(question.assignee, "alice"),
        milestone=mostly(question.milestone, "3"),
        q=draw(st.sampled_from((question.q, question.q, question.q, "", "title 1"))),
        limit=draw(st.sampled_from(LIMITS)),
        order=draw(st.sampled_from((question.order, question.order, CREATED_DESC, *ORDERS))),
    )


def around(question: Address) -> Iterator[Address]:
    """The question, in every state, order and length, with every choice of its filters, and with each special one."""
    filters = {name: value for name in FILTERS if (value := getattr(question, name))}
    choices = [dict(some) for count in range(len(filters) + 1) for some in combinations(filters.items(), count)]
    for chosen in [*choices, *({name: value} for name, value in SPECIAL)]:
        for state in STATES["issues" if question.kind == "issues" else "pulls"]:
            asked = Address(question.kind, question.repository, state=state, **chosen)
            yield from (asked.asking(limit, order) for limit in (None, 1, 2, 3) for order in ORDERS)


def answer(world: Sequence[Item], question: Address) -> list[Item]:
    """What GitHub answers, in its order, cut to the question's limit.

    It knows more than memory does: whom @me means, what `none` means for an assignee, which bot dependabot[bot] is,
    what matches a text, and the order it calls best.
    """
    found = [item for item in world if _matches(item, question)]
    found.sort(key=lambda item: _rank(item, question.order))
    return found[: question.limit]


def stored(world: Sequence[Item], question: Address) -> Batch:
    """What a Sweep stores after it asked that question: its first members up to the limit, complete if they are all."""
    members = answer(world, question)
    total = len(answer(world, question.asking(None, question.order)))
    listing = Listing(
        address=str(question),
        order=question.order,
        members=tuple(Member(item.node_id, AT) for item in members),
        total_count=total,
        complete=len(members) == total,
        fetched_at=AT,
    )
    return Batch(at=AT, repositories=[repository()], items=members, listings=[listing])


def _matches(item: Item, question: Address) -> bool:
    states = {"all": ("open", "closed", "merged"), "closed": ("closed", "merged")}
    assignees = [name.lower() for name in item.assignees]
    authors = {"@me": "bob", "dependabot[bot]": "app/dependabot"}
    milestones = {
        "": True,
        "none": item.milestone is None,
        "*": item.milestone is not None,
        str(item.milestone_number): item.milestone is not None,
        (item.milestone or "").lower(): True,
    }
    return (
        (item.kind == "issue") == (question.kind == "issues")
        and item.repository.lower() == question.repository
        and item.state in states.get(question.state, (question.state,))
        and set(question.labels) <= {label.lower() for label in item.labels}
        and question.author in ("", *(key for key, name in authors.items() if name == item.author), item.author.lower())
        and {"": True, "*": bool(assignees), "none": not assignees}.get(
            question.assignee, question.assignee in assignees
        )
        and milestones.get(question.milestone, False)
        and question.q in item.title
    )


def _rank(item: Item, order: str) -> tuple[object, ...]:
    if order == "best-match":
        return (item.number * 7 % 5, item.number)
    if order == "comments-desc":  # of which memory sees too few or too many
        return (item.number * 3 % 7, item.number)
    field, _, direction = order.partition("-")
    time = item.created_at if field == "created" else item.updated_at
    sign = -1 if direction == "desc" else 1
    return (sign * int(time[:4] + time[5:7] + time[8:10]), sign * item.number)
