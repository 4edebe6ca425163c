"""How the Bolt engine writes and reads listings.

What a reader pages through is a Snapshot: its members never change, so no reader sees half of a replaced listing. The
HAS_MEMBER edges of the Listing show the same answer to a person and to other queries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rg_core.address.model import Address, key_of, listing_key
from rg_core.store import states
from rg_core.store.bolt import cypher
from rg_core.store.bolt.connection import Run
from rg_core.store.bolt.content import load_comments
from rg_core.store.bolt.read import Torn, current_names, find
from rg_core.store.filters import asks_for, sort
from rg_core.store.model import Listing, Page, Row, StoredListing
from rg_core.store.states import address_of

ALL = 2**31 - 1


def put(run: Run, listing: Listing) -> None:
    """Replace a listing, unless by an older answer; the same answer again only moves its times."""
    asked = Address.parse(listing.address)
    key = unique_key(asked.repository, asked.query, listing.order)
    run(cypher.TAKE_LISTING, key=key)
    found = run(cypher.LISTING_HEAD, key=key)[0]
    if found["fetched_at"] and listing.fetched_at < found["fetched_at"]:
        return
    rows = run(cypher.MEMBER_FACTS, ids=[member.node_id for member in listing.members])
    facts = {row["node_id"]: row for row in rows}
    members = [member for member in listing.members if member.node_id in facts]  # the others were forgotten meanwhile
    complete = listing.complete and len(members) == len(listing.members)
    shown = [[facts[member.node_id][name] for name in ("node_id", "repository", "number", "title", "state")]
             for member in members]  # fmt: skip
    sameness = states.digest(listing.total_count, complete, shown)
    times = [member.fetched_at for member in members]
    if found["id"] and found["sameness"] == sameness:
        snapshot = found["id"]
        run(cypher.SET_TIMES, id=snapshot, times=times)
    else:
        snapshot = states.digest("listing", listing.address, listing.order, listing.fetched_at, sameness)
        add_snapshot(run, key, {
            "id": snapshot, "fetched_at": listing.fetched_at, "total_count": listing.total_count, "complete": complete,
            "member_count": len(members), "sameness": sameness, "members": [member.node_id for member in members],
            "states": [facts[member.node_id]["state_id"] for member in members], "times": times,
        })  # fmt: skip
    set_latest(run, key, asked, listing.order, snapshot, listing.fetched_at)


def add_snapshot(run: Run, key: str, snapshot: Mapping[str, Any]) -> None:
    """Add an answer to a listing, unless it is there."""
    if not run(cypher.SNAPSHOTS_KNOWN, ids=[snapshot["id"]]):
        run(cypher.ADD_SNAPSHOT, key=key, snapshot=snapshot)


def set_latest(run: Run, key: str, asked: Address, order: str, snapshot: str, fetched_at: str) -> None:
    """Make a snapshot the current answer of a listing, and its members the listing's."""
    before = run(cypher.LISTING_HEAD, key=key)[0]["members"] or []
    run(cypher.SET_LISTING, key=key, listing={
        "address": str(asked), "repository": asked.repository, "question": asked.query, "kind": asked.kind,
        "ordering": order, "snapshot": snapshot, "fetched_at": fetched_at,
    })  # fmt: skip
    draw_members(run, key, before)


def draw_members(run: Run, key: str, before: Sequence[str]) -> None:
    """Bring a listing's HAS_MEMBER edges up to its current answer."""
    now = run(cypher.LISTINGS_AT, keys=[key])[0]
    if gone := sorted(set(before) - set(now["members"])):
        run(cypher.LEAVE_LISTING, key=key, ids=gone)
    rows = [
        {"node_id": node_id, "position": position, "fetched_at": fetched_at}
        for position, (node_id, fetched_at) in enumerate(zip(now["members"], now["times"], strict=True))
    ]
    run(cypher.PUT_MEMBERS, key=key, rows=rows)


def unique_key(repository: str, question: str, order: str) -> str:
    """What a listing is unique by."""
    return f"{listing_key(repository, question)} {order}"


def listing(run: Run, address: str, order: str) -> tuple[StoredListing, tuple[tuple[str, str], ...]] | None:
    """The stored Listing of an address and order with its members as (node_id, fetched_at)."""
    asked = Address.parse(address)
    keys = [unique_key(name, asked.query, order) for name in current_names(run, asked.repository)]
    rows = run(cypher.LISTINGS_AT, keys=keys)
    if not rows:
        return None
    return _stored(asked.repository, rows[0]), tuple(zip(rows[0]["members"], rows[0]["times"], strict=True))


def candidates(run: Run, repository: str, kind: str, as_of: str | None) -> Sequence[StoredListing]:
    """The Listings of a repository and kind, freshest first; under the name asked for, whichever they came under."""
    repository = repository.lower()
    names = current_names(run, repository)
    if as_of is None:
        return [_stored(repository, row) for row in run(cypher.CANDIDATES, names=names, kind=kind)]
    freshest: dict[str, Mapping[str, Any]] = {}
    for row in run(cypher.CANDIDATES_THEN, names=names, kind=kind, as_of=as_of):
        freshest.setdefault(row["key"], row)
    return [_stored(repository, row) for row in freshest.values()]


def listings_with(run: Run, key: str) -> Sequence[StoredListing]:
    """The Listings whose current answer has the item at a key."""
    head = find(run, key)
    rows = run(cypher.LISTINGS_WITH, node_id=head["node_id"]) if head else []
    return [_stored(row["repository"], row) for row in rows]


def listed_since(run: Run, address: str) -> str | None:
    """When the first stored answer of a listing was fetched."""
    asked = Address.parse(address)
    names = current_names(run, asked.repository)
    since: str | None = run(cypher.LISTED_SINCE, names=names, question=asked.query)[0]["since"]
    return since


def page(run: Run, stored: StoredListing, question: Address, offset: int, limit: int, as_of: str | None) -> Page:
    """Rows of the question's answer from this Listing, and how many the whole answer has."""
    own = str(question) == stored.address and question.order == stored.order
    most = ALL if question.limit is None else question.limit
    if as_of is not None:
        return _then(run, stored.id, None if own else question, offset, limit, most, as_of)
    if own:
        if not (found := run(cypher.SNAPSHOT_SIZE, id=stored.id)):
            return Page((), 0)
        count = min(found[0]["member_count"], most)
        rows = run(cypher.BY_POSITION, id=stored.id, first=offset, beyond=min(offset + limit, count))
        return Page(tuple(_row(row) for row in rows), count)
    chosen = [node_id for node_id, _ in _matching(run, stored.id, question)][:most]
    rows = run(cypher.CHOSEN, ids=chosen[offset : offset + limit])
    return Page(tuple(_row(row) for row in rows), len(chosen))


def _matching(run: Run, snapshot: str, question: Address) -> list[tuple[str, Row]]:
    """The members that a question asks for as (node_id, what they are sorted by), in its order."""
    rows = run(cypher.MATCHING, id=snapshot, states=_states(question), words=_words(question))
    found: list[tuple[Any, Row]] = [(row, _narrow(row)) for row in rows]
    sort(found, question.order)
    return [(content["node_id"], row) for content, row in found]


def _states(question: Address) -> list[str]:
    if question.state == "all":
        return []
    if question.state == "closed" and question.kind == "pulls":
        return ["closed", "merged"]
    return [question.state]


def _words(question: Address) -> list[str]:
    """The question's filters as rg_core.store.bolt.content.words_of puts them into an item."""
    found = [f"label:{label}" for label in question.labels]
    found += [f"author:{question.author}"] if question.author else []
    found += [f"assignee:{question.assignee}"] if question.assignee else []
    if question.milestone.isdecimal():
        found.append(f"milestone#{int(question.milestone)}")
    elif question.milestone:
        found.append(f"milestone:{question.milestone}")
    return found


def _then(run: Run, snapshot: str, question: Address | None, offset: int, limit: int, most: int, as_of: str) -> Page:
    """A page of the members' States of a time; `question` None: every member by position."""
    rows = run(cypher.SNAPSHOT, id=snapshot)
    if not rows:
        return Page((), 0)
    then: dict[str, Mapping[str, Any]] = {}
    for row in run(cypher.CHAINS_THEN, ids=rows[0]["members"], as_of=as_of):
        if row["node_id"] not in then or then[row["node_id"]]["valid_from"] < row["valid_from"]:
            then[row["node_id"]] = row
    wanted = [row["id"] for row in then.values()]
    bodies = {row["id"]: row for row in run(cypher.STATES_OF, ids=wanted)}
    comments = load_comments(run, sorted({uid for row in bodies.values() for uid in row["comments"] or ()}))
    found: list[tuple[Any, Row]] = []
    for node_id in rows[0]["members"]:
        if node_id not in then:
            continue
        state = then[node_id]
        body = bodies.get(state["id"])
        if body is None or not comments.keys() >= set(body["comments"] or ()):
            raise Torn
        content = json.loads(body["content"])
        if question is None or asks_for(question, content):
            count = sum(comments[uid]["created_at"] <= as_of for uid in body["comments"] or ())
            found.append((content, _row_then(state, content, count, as_of)))
    if question is not None:
        sort(found, question.order)
    answer = [row for _, row in found][:most]
    return Page(tuple(answer[offset : offset + limit]), len(answer))


def _stored(repository: str, row: Mapping[str, Any]) -> StoredListing:
    address = listing_key(repository, row["question"])
    return StoredListing(
        row["id"], address, row["ordering"], row["member_count"], row["total_count"], row["complete"], row["fetched_at"]
    )


def _row(row: Mapping[str, Any]) -> Row:
    address = key_of(row["repository"], row["number"])
    labels = tuple(row["labels"] or ())
    return Row(
        row["node_id"], address, row["number"], row["title"], row["state"], labels, row["updated_at"],
        row["comments"], row["kind"], row["author"],
    )  # fmt: skip


def _narrow(row: Mapping[str, Any]) -> Row:
    """A Row of which only what lists are sorted by is filled in."""
    return Row(row["node_id"], "", row["number"], "", "", (), row["updated_at"], row["comments"], "issue", "")


def _row_then(state: Mapping[str, Any], content: Mapping[str, Any], comments: int, as_of: str) -> Row:
    moved = state["latest"] == state["id"] and state["updated_at"] <= as_of
    return Row(
        state["node_id"], address_of(content), content["number"], content["title"], content["state"],
        tuple(content["labels"]), state["updated_at"] if moved else content["updated_at"], comments, content["kind"],
        content["author"],
    )  # fmt: skip
