"""A listing Address in GitHub's three languages."""

from __future__ import annotations

import pytest

from rg_core.address.model import Address
from rg_core.github import question

NEWEST = {"field": "CREATED_AT", "direction": "DESC"}


@pytest.mark.parametrize(
    ("key", "arguments"),
    [
        ("issues?state=open", {"states": ["OPEN"]}),
        ("issues?state=all", {"states": ["OPEN", "CLOSED"]}),
        ("pulls?state=closed", {"states": ["CLOSED", "MERGED"]}),
        ("issues?label=bug&state=open", {"states": ["OPEN"], "labels": ["bug"]}),
        ("issues?author=app%2Fbot&state=open", {"states": ["OPEN"], "filterBy": {"createdBy": "bot[bot]"}}),
        ("issues?assignee=none&state=open", {"states": ["OPEN"], "filterBy": {"assignee": None}}),
        ("issues?label=a&label=b&state=open", None),  # labels: is OR
        ("issues?milestone=3&state=open", None),
        ("issues?q=x&state=open", None),
        ("pulls?author=x&state=open", None),
    ],
)
def test_a_connection_only_where_it_answers_the_question(key: str, arguments: dict[str, object] | None) -> None:
    found = question.connection(Address.parse(f"github:o/r/{key}"))
    assert found == (arguments if arguments is None else arguments | {"orderBy": NEWEST})


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("o/r/issues?label=help%20wanted&state=open",
         'repo:o/r is:issue state:open label:"help wanted" sort:created-desc'),
        ("o/r/issues?label=a%22%20repo%3Ax%2Fy&state=all", 'repo:o/r is:issue label:"a\\" repo:x/y" sort:created-desc'),
        ("o/r/issues?label=a%5C&state=all", 'repo:o/r is:issue label:"a\\\\" sort:created-desc'),
        ("o/r/pulls?state=merged", "repo:o/r is:pr is:merged sort:created-desc"),
        ("o/r/pulls?author=app%2Fb&state=open", "repo:o/r is:pr state:open author:app/b sort:created-desc"),
        ("o/r/issues?milestone=none&state=open", "repo:o/r is:issue state:open no:milestone sort:created-desc"),
        ("o/r/issues?milestone=v1&state=open", 'repo:o/r is:issue state:open milestone:"v1" sort:created-desc'),
        ("o/r/issues?q=memory%20leak&state=open", "repo:o/r is:issue state:open memory leak sort:created-desc"),
        ("*/issues?q=crash&state=all", "is:issue is:public crash sort:created-desc"),
    ],
)  # fmt: skip
def test_a_search_in_which_every_value_is_quoted(key: str, text: str) -> None:
    assert question.search(Address.parse(f"github:{key}")) == text


def test_best_match_is_no_sort() -> None:
    asked = Address.parse("github:o/r/issues?q=crash&state=open").asking(30, "best-match")
    assert "sort:" not in question.search(asked)


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("issues?label=a&label=b&state=open", ("/repos/o/r/issues", {"state": "open", "labels": "a,b"})),
        ("issues?label=a%2Cb&state=open", None),
        ("issues?milestone=3&state=all", ("/repos/o/r/issues", {"state": "all", "milestone": "3"})),
        ("issues?milestone=v1&state=all", None),
        ("pulls?state=merged", ("/repos/o/r/pulls", {"state": "closed"})),
        ("pulls?label=a&state=open", None),
    ],
)
def test_a_rest_list_that_holds_the_answer(key: str, asked: tuple[str, dict[str, str]] | None) -> None:
    rest = question.rest(Address.parse(f"github:o/r/{key}"))
    common = {"sort": "created", "direction": "desc", "per_page": "100"}
    assert rest == (asked if asked is None else (asked[0], common | asked[1]))


def test_a_listing_under_its_repositorys_new_name() -> None:
    asked = Address.parse("github:o/r/issues?label=a&state=open").asking(30, "updated-desc")
    moved = question.at(asked, "New/Name")
    assert (str(moved), moved.limit, moved.order) == ("github:new/name/issues?label=a&state=open", 30, "updated-desc")
