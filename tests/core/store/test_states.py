"""What a State is: when two contents are one version, what happened between them, from when a version holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rg_core.store.model import Item, Repository
from rg_core.store.states import content_of, event, later, resource_of, same, valid_from
from tests.core.store.worlds import a_comment, a_repository, an_item, time_of

BEFORE = an_item(comments=(a_comment(1), a_comment(2)))
CHANGES = [
    ({"state": "closed", "closed_at": time_of(0), "title": "x"}, "closed"),
    ({"state": "merged", "kind": "pull_request"}, "merged"),
    ({"title": "x", "body": "y"}, "retitled"),
    ({"body": "y", "labels": ()}, "edited"),
    ({"labels": ("perf",)}, "relabelled"),
    ({"comments": (*BEFORE.comments, a_comment(3))}, "commented"),
    ({"comments": BEFORE.comments[:1]}, "edited"),
    ({"comments": (a_comment(1), a_comment(2, body="other"))}, "edited"),
    ({"assignees": ()}, "edited"),
    ({"references": ("github:a/b#1",)}, "edited"),
    ({"repository": "Owner/Renamed", "title": "x"}, "renamed"),
    ({"repository_id": "R_2", "repository": "Other/Place", "number": 9}, "transferred"),
]


@pytest.mark.parametrize(("changes", "expected"), CHANGES)
def test_a_difference_tells_what_happened(changes: dict[str, object], expected: str) -> None:
    old, new = content_of(BEFORE), content_of(replace(BEFORE, **changes))  # type: ignore[arg-type]
    assert not same(old, new)
    assert event(old, new) == expected


def test_an_item_that_is_open_again_was_reopened() -> None:
    assert event(content_of(an_item(state="closed")), content_of(an_item())) == "reopened"


def test_a_repository_is_renamed_or_edited() -> None:
    old = content_of(a_repository())
    assert event(old, content_of(a_repository(name="Owner/New"))) == "renamed"
    assert event(old, content_of(a_repository(readme="# New"))) == "edited"


@pytest.mark.parametrize(
    "other",
    [an_item(updated_at=time_of(9)), an_item(fetched_at=time_of(9)), an_item(repository="OWNER/repo")],
    ids=["updated_at", "fetched_at", "the repository's spelling"],
)
def test_what_is_no_new_version(other: Item) -> None:
    assert same(content_of(an_item()), content_of(other))


def test_a_push_is_no_new_version() -> None:
    assert same(content_of(a_repository()), content_of(a_repository(pushed_at=time_of(9), updated_at=time_of(9))))


@pytest.mark.parametrize("resource", [an_item(comments=(a_comment(path="a.py"),), files=("a.py",)), a_repository()])
def test_content_gives_the_resource_back(resource: Item | Repository) -> None:
    assert resource_of(content_of(resource), resource.fetched_at) == resource


@pytest.mark.parametrize(
    ("updated", "fetched", "predecessor", "expected"),
    [
        (10, 20, None, 10),
        (30, 40, (10, 10), 30),
        (10, 40, (10, 10), 40),  # updated_at stood still: the old version was seen until the fetch before this one
        (10, 10, (10, 10), 11),
        (30, 40, (35, 10), 36),  # a source clock that runs behind ours
    ],
)
def test_a_version_holds_from_its_source_time_and_after_its_predecessor(
    updated: int, fetched: int, predecessor: tuple[int, int] | None, expected: int
) -> None:
    before = (time_of(predecessor[0]), time_of(predecessor[1])) if predecessor else None
    content = content_of(an_item(updated_at=time_of(updated)))
    assert valid_from(content, time_of(fetched), before) == time_of(expected)


def test_later_crosses_the_end_of_a_year() -> None:
    assert later("2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z") == "2027-01-01T00:00:00Z"
