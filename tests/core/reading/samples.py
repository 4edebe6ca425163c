"""Stored things of any size and with any text."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rg_core.reading.query import Answer
from rg_core.store.model import Comment, Item, Reading, Repository

AT = "2026-11-01T00:00:00Z"

# Text in which a character takes from one to four bytes, and in JSON up to six
TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["x", "\n", '"\\', "é", "漢", "😀", "\u202e", "\x1b[31m", "=====[", "word ", "\ud800", "\x85"]
    ).flatmap(lambda part: st.integers(0, 20_000).map(lambda times: part * times)),
)


def comment(number: int, body: str, **fields: Any) -> Comment:
    values: dict[str, Any] = {"author": "bob", "created_at": AT, "updated_at": AT} | fields
    return Comment(node_id=f"IC_{number}", body=body, **values)


def item(**fields: Any) -> Item:
    values: dict[str, Any] = {
        "kind": "issue", "node_id": "I_1", "repository_id": "R_1", "repository": "O/R", "number": 1, "title": "a title",
        "body": "a body", "state": "open", "author": "Alice", "labels": (), "assignees": (), "milestone": None,
        "milestone_number": None, "created_at": AT, "updated_at": AT, "closed_at": None, "fetched_at": AT,
    }  # fmt: skip
    return Item(**values | fields)


def repository(**fields: Any) -> Repository:
    values = {"node_id": "R_1", "name": "O/R", "description": "", "readme": "", "pushed_at": AT, "updated_at": AT,
              "fetched_at": AT}  # fmt: skip
    return Repository(**values | fields)


def hit(resource: Item | Repository) -> Answer:
    kind = resource.kind if isinstance(resource, Item) else "repository"
    return Answer("hit", resource.address, kind, reading=Reading(resource, "a" * 40, AT, None, AT, False))


@st.composite
def items(draw: st.DrawFn) -> Item:
    texts = draw(st.lists(TEXT, max_size=12))
    return item(
        title=draw(st.text(max_size=256)),
        body=draw(TEXT),
        labels=tuple(draw(st.lists(st.text(max_size=50), max_size=100))),
        comments=tuple(
            comment(number, text, path=draw(st.none() | st.text(max_size=2_000))) for number, text in enumerate(texts)
        ),
        references=tuple(f"github:o/r#{number}" for number in range(draw(st.integers(0, 3_000)))),
        kind=draw(st.sampled_from(("issue", "pull_request"))),
        files=tuple(draw(st.lists(st.text(max_size=300), max_size=200))),
    )
