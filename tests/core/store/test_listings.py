"""Listings: replaced whole, snapshots kept, and pages that answer what a question asks."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rg_core.address.model import Address
from rg_core.store.model import Batch, Item, Listing, Member, Move
from rg_core.store.protocol import Store
from tests.core.store.worlds import LABELS, START, a_comment, a_listing, an_item, time_of

ALL = "github:owner/repo/issues?state=all"
AT = time_of(START + 2000)


def fill(store: Store, items: list[Item], *listings: Listing, at: int = START + 2000) -> None:
    store.write(Batch(time_of(at), items=items, listings=listings))


def numbers(store: Store, question: Address, offset: int = 0, limit: int = 50, as_of: str | None = None) -> list[int]:
    listing = store.candidates(question.repository, "issues" if question.kind == "issues" else "pulls", as_of)[0]
    return [row.number for row in store.page(listing, question, offset, limit, as_of).rows]


def ask(query: str, order: str = "created-desc", limit: int | None = None) -> Address:
    return Address.parse(f"github:owner/repo/issues?{query}").asking(limit, order)


def test_a_listing_is_stored_with_its_members(store: Store) -> None:
    items = [an_item(3), an_item(1), an_item(2)]
    fill(store, items, a_listing(items, total_count=7, complete=False))
    found = store.listing(ALL, "created-desc")
    assert found
    listing, members = found
    assert members == (("I_3", AT), ("I_1", AT), ("I_2", AT))
    assert (listing.address, listing.member_count, listing.total_count, listing.complete) == (ALL, 3, 7, False)
    assert store.listing(ALL, "updated-desc") is None
    assert store.listing("github:owner/repo/issues?state=open", "created-desc") is None
    assert store.candidates("owner/repo", "issues") == [listing]
    assert store.candidates("Owner/Repo", "issues") == [listing]
    assert store.candidates("owner/repo", "pulls") == []
    assert store.candidates("owner/other", "issues") == []


def test_a_row_shows_the_current_state_of_a_member(store: Store) -> None:
    fill(store, [an_item(1)], a_listing([an_item(1)]))
    newer = an_item(1, title="new", state="closed", labels=("A", "b"), updated_at=time_of(START + 3000),
                    fetched_at=time_of(START + 4000), comments=(a_comment(),))  # fmt: skip
    fill(store, [newer], at=START + 4000)
    row = store.page(store.candidates("owner/repo", "issues")[0], ask("state=all"), 0, 10).rows[0]
    assert (row.node_id, row.address, row.number, row.title) == ("I_1", "github:owner/repo#1", 1, "new")
    assert (row.state, row.labels, row.updated_at, row.comments) == ("closed", ("A", "b"), newer.updated_at, 1)
    assert (row.kind, row.author) == ("issue", "Ann")


def test_the_own_question_goes_by_position_in_pages(store: Store) -> None:
    items = [an_item(n) for n in (4, 2, 5, 1, 3)]
    fill(store, items, a_listing(items))
    assert numbers(store, ask("state=all"), 1, 2) == [2, 5]
    assert numbers(store, ask("state=all"), 4, 50) == [3]
    assert numbers(store, ask("state=all"), 5, 50) == []
    assert numbers(store, ask("state=all", limit=3), 2, 50) == [5]
    listing = store.candidates("owner/repo", "issues")[0]
    assert store.page(listing, ask("state=all"), 0, 1).count == 5
    assert store.page(listing, ask("state=all", limit=3), 0, 1).count == 3
    assert store.page(listing, ask("state=open", limit=3), 0, 1).count == 3


def test_a_shorter_listing_replaces_a_longer_one_and_an_older_does_not(store: Store) -> None:
    items = [an_item(n) for n in (3, 2, 1)]
    fill(store, items, a_listing(items))
    newer = replace(a_listing(items[:1]), fetched_at=time_of(START + 9000))
    fill(store, [], newer, at=START + 9000)
    fill(store, [], a_listing(items), at=START + 9500)
    listing, members = store.listing(ALL, "created-desc") or pytest.fail("gone")
    assert [node_id for node_id, _ in members] == ["I_3"]
    assert listing.fetched_at == newer.fetched_at
    assert len(store.candidates("owner/repo", "issues")) == 1


def test_each_order_is_a_listing_of_its_own(store: Store) -> None:
    items = [an_item(1), an_item(2)]
    fill(store, items, a_listing(items), a_listing(items[::-1], order="best-match"))
    assert {listing.order for listing in store.candidates("owner/repo", "issues")} == {"created-desc", "best-match"}
    best = next(listing for listing in store.candidates("owner/repo", "issues") if listing.order == "best-match")
    assert [row.number for row in store.page(best, ask("state=all", "best-match"), 0, 9).rows] == [2, 1]
    assert [row.number for row in store.page(best, ask("state=all", "created-asc"), 0, 9).rows] == [1, 2]


def test_a_changed_answer_leaves_the_old_snapshot_as_it_was(store: Store) -> None:
    items = [an_item(1), an_item(2)]
    fill(store, items, a_listing(items))
    first = store.candidates("owner/repo", "issues")[0]
    body = store.snapshot(first.id)
    assert body
    assert (body.address, body.order, body.fetched_at, body.total_count, body.complete) == (
        ALL,
        "created-desc",
        AT,
        2,
        True,
    )
    assert [dict(member) for member in body.members] == [
        {"node_id": f"I_{n}", "address": f"github:owner/repo#{n}", "number": n, "title": f"Title {n}", "state": "open"}
        for n in (1, 2)
    ]
    renamed = an_item(1, title="new", updated_at=time_of(START + 3000), fetched_at=time_of(START + 4000))
    fill(store, [renamed], a_listing([renamed, an_item(2)]), at=START + 4000)
    second = store.candidates("owner/repo", "issues")[0]
    assert second.id != first.id
    assert store.snapshot(first.id) == body
    then = store.candidates("owner/repo", "issues", time_of(START + 3999))
    assert [listing.id for listing in then] == [first.id]
    assert store.candidates("owner/repo", "issues", time_of(START + 1999)) == []
    assert store.listed_since(ALL) == AT
    assert store.listed_since("github:owner/repo/issues?state=closed") is None


def test_the_same_answer_again_keeps_its_snapshot_and_moves_its_times(store: Store) -> None:
    items = [an_item(1), an_item(2)]
    fill(store, items, a_listing(items))
    before = store.candidates("owner/repo", "issues")[0]
    later = time_of(START + 5000)
    again = a_listing(items, members=(Member("I_1", later), Member("I_2", AT)), fetched_at=later)
    store.write(Batch(later, listings=[again], unchanged=["I_1"]))
    after, members = store.listing(ALL, "created-desc") or pytest.fail("gone")
    assert after == replace(before, fetched_at=later)
    assert members == (("I_1", later), ("I_2", AT))


def test_a_member_that_is_not_stored_is_left_out_and_the_listing_not_complete(store: Store) -> None:
    fill(store, [an_item(1)], a_listing([an_item(1), an_item(2)]))
    listing, members = store.listing(ALL, "created-desc") or pytest.fail("gone")
    assert [node_id for node_id, _ in members] == ["I_1"]
    assert (listing.complete, listing.total_count) == (False, 2)


def test_a_listing_over_all_repositories(store: Store) -> None:
    key = "github:*/issues?q=memory%20leak&state=all"
    fill(store, [an_item(1)], a_listing([an_item(1)], address=key))
    found = store.candidates("*", "issues")
    assert [listing.address for listing in found] == [key]
    assert store.page(found[0], Address.parse(key), 0, 9).rows[0].address == "github:owner/repo#1"


def test_a_renamed_repository_keeps_its_listings_under_every_name(store: Store) -> None:
    fill(store, [an_item(1)], a_listing([an_item(1)]))
    store.write(Batch(time_of(START + 3000), moves=[Move("github:owner/repo", "github:owner/new", "R_1")]))
    for name in ("owner/repo", "owner/new"):
        [listing] = store.candidates(name, "issues")
        question = Address.parse(f"github:{name}/issues?state=all")
        assert listing.address == str(question)
        assert store.listing(str(question), "created-desc")
        assert [row.address for row in store.page(listing, question, 0, 9).rows] == ["github:owner/new#1"]


TABLE = [
    an_item(1, labels=("Bug", "Good  First Issue"), author="ANN", milestone="V1.0", milestone_number=7),
    an_item(2, labels=("bug fix",), assignees=("Bob", "cyd"), state="closed"),
    an_item(3, labels=("ÄRGER", "bug"), author="app/dependabot", milestone="7", milestone_number=2),
    an_item(4, labels=(), assignees=(), author="ghost", comments=(a_comment(1), a_comment(2))),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=open", [4, 3, 1]),
        ("state=closed", [2]),
        ("label=bug&state=all", [3, 1]),
        ("label=bug&label=good%20first%20issue&state=all", [1]),
        ("label=%C3%A4rger&state=all", [3]),
        ("label=bu&state=all", []),
        ("author=ann&state=all", [2, 1]),
        ("author=app%2Fdependabot&state=all", [3]),
        ("assignee=bob&state=all", [3, 2, 1]),
        ("assignee=cyd&state=all", [2]),
        ("assignee=cy&state=all", []),
        ("milestone=v1.0&state=all", [1]),
        ("milestone=7&state=all", [1]),
        ("milestone=2&state=all", [3]),
        ("assignee=bob&author=ann&label=bug&milestone=v1.0&state=open", [1]),
    ],
)
@pytest.mark.parametrize("as_of", [None, AT])
def test_filters(query: str, expected: list[int], as_of: str | None, store: Store) -> None:
    fill(store, TABLE, a_listing(TABLE))
    assert numbers(store, ask(query), as_of=as_of) == expected


def test_closed_pull_requests_are_the_merged_ones_too(store: Store) -> None:
    items = [an_item(n, kind="pull_request", state=state) for n, state in enumerate(("open", "closed", "merged"), 1)]
    fill(store, items, a_listing(items, address="github:owner/repo/pulls?state=all"))
    for state, expected in (("closed", [3, 2]), ("merged", [3]), ("open", [1]), ("all", [1, 2, 3])):
        assert numbers(store, Address.parse(f"github:owner/repo/pulls?state={state}")) == expected


def test_orders_and_their_ties(store: Store) -> None:
    items = [
        an_item(1, created_at=time_of(5), updated_at=time_of(9), comments=(a_comment(1),)),
        an_item(2, created_at=time_of(5), updated_at=time_of(7)),
        an_item(3, created_at=time_of(4), updated_at=time_of(9), comments=(a_comment(2), a_comment(3))),
    ]
    fill(store, items, a_listing(items, order="best-match"))
    expected = {
        "created-desc": [2, 1, 3], "created-asc": [3, 1, 2], "updated-desc": [3, 1, 2], "updated-asc": [2, 1, 3],
        "comments-desc": [3, 1, 2], "comments-asc": [2, 1, 3], "best-match": [1, 2, 3],
    }  # fmt: skip
    for as_of in (None, AT):
        for order, wanted in expected.items():
            assert numbers(store, ask("state=open", order), as_of=as_of) == wanted, order


def test_pages_as_of_a_time_show_the_members_of_then(store: Store) -> None:
    items = [an_item(1, comments=(a_comment(1, START + 10),)), an_item(2)]
    fill(store, items, a_listing(items))
    closed = an_item(1, state="closed", title="new", updated_at=time_of(START + 5000), fetched_at=time_of(START + 6000))
    fill(store, [closed, an_item(3)], a_listing([closed, an_item(2), an_item(3)]), at=START + 6000)
    then, between = time_of(START + 2500), time_of(START + 5500)
    assert numbers(store, ask("state=open"), as_of=then) == [2, 1]
    assert numbers(store, ask("state=open"), as_of=between) == [2]
    assert numbers(store, ask("state=open")) == [3, 2]
    assert numbers(store, ask("state=all"), as_of=then) == [1, 2]
    row = store.page(store.candidates("owner/repo", "issues", then)[0], ask("state=all"), 0, 1, then).rows[0]
    assert (row.title, row.state, row.comments, row.updated_at) == ("Title 1", "open", 1, items[0].updated_at)


@pytest.mark.parametrize("seed", range(20))
def test_any_page_is_what_looking_at_every_item_gives(seed: int, store: Store) -> None:
    chance = random.Random(seed)
    items = [
        an_item(n, state=chance.choice(["open", "closed"]), labels=tuple(chance.sample(LABELS, chance.randint(0, 3))),
                author=chance.choice(["Ann", "bob"]),
                assignees=tuple(chance.sample(["Ann", "BOB"], chance.randint(0, 2))),
                milestone=chance.choice([None, "v1", "V1"]), updated_at=time_of(START + chance.randint(0, 20)))
        for n in chance.sample(range(1, 200), 40)
    ]  # fmt: skip
    fill(store, items, a_listing(items, order="best-match"))
    listing = store.candidates("owner/repo", "issues")[0]
    for _ in range(20):
        question = Address(
            "issues", "owner/repo", state=chance.choice(["open", "closed", "all"]),
            labels=chance.sample(LABELS, chance.randint(0, 2)), author=chance.choice(["", "", "ann"]),
            assignee=chance.choice(["", "", "bob"]), milestone=chance.choice(["", "", "v1"]),
            limit=chance.choice([None, 3]), order=chance.choice(["created-desc", "updated-asc", "updated-desc"]),
        )  # fmt: skip
        wanted = [item.number for item in looked_through(items, question)]
        offset, limit = chance.randint(0, 5), chance.randint(1, 10)
        for as_of in (None, AT):
            page = store.page(listing, question, offset, limit, as_of)
            assert page.count == len(wanted)
            assert [row.number for row in page.rows] == wanted[offset : offset + limit]


def looked_through(items: list[Item], question: Address) -> list[Item]:
    found = [
        item
        for item in items
        if question.state in ("all", item.state)
        and set(question.labels) <= {label.lower() for label in item.labels}
        and question.author in ("", item.author.lower())
        and (not question.assignee or question.assignee in {person.lower() for person in item.assignees})
        and question.milestone in ("", (item.milestone or "").lower())
    ]
    field = f"{question.order.partition('-')[0]}_at"
    found.sort(key=lambda item: (getattr(item, field), item.number), reverse=question.order.endswith("desc"))
    return found[: question.limit]
