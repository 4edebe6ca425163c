"""What a listing Address asks, in GitHub's three languages: a GraphQL connection, a search, a REST list. Pure.

A GraphQL connection is used only for questions that it answers to the letter: `labels:` is OR for several labels,
pull requests know no author or assignee there, and a milestone is a database id. All else is a search, in which every
value is quoted, so that no label or milestone can change the question, and which reaches 1,000 results.
"""

from __future__ import annotations

import re

from rg_core.address.model import ANY_REPOSITORY, Address, listing_key

SEARCH_CAP = 1000
PLAIN = re.compile(r"[\w/\[\]-]+", re.ASCII)
ORDER = re.compile(r"[a-z0-9+-]+-(asc|desc)")
CONNECTION_ORDERS = {"created": "CREATED_AT", "updated": "UPDATED_AT", "comments": "COMMENTS"}
REST_ONLY_ORDERS = ("popularity", "long-running")  # of pull requests; no search sorts by them
ISSUE_STATES = {"open": ["OPEN"], "closed": ["CLOSED"], "all": ["OPEN", "CLOSED"]}
PULL_STATES = {
    "open": ["OPEN"],
    "closed": ["CLOSED", "MERGED"],
    "merged": ["MERGED"],
    "all": ["OPEN", "CLOSED", "MERGED"],
}


def milestone_number(address: Address) -> int | None:
    """The milestone's number where the Address names one by number."""
    digits = address.milestone
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def at(address: Address, name: str) -> Address:
    """The same listing under its repository's name of today."""
    if address.repository in (ANY_REPOSITORY, name.lower()):
        return address
    return Address.parse(listing_key(name.lower(), address.query)).asking(address.limit, address.order)


def connection(address: Address) -> dict[str, object] | None:
    """The arguments of the GraphQL connection that answers this question; None: none does."""
    field, _, direction = address.order.rpartition("-")
    if (
        address.repository == ANY_REPOSITORY
        or address.q
        or address.milestone
        or len(address.labels) > 1
        or field not in CONNECTION_ORDERS
        or direction not in ("asc", "desc")
    ):
        return None
    pulls = address.kind == "pulls"
    if pulls and (address.author or address.assignee):
        return None
    arguments: dict[str, object] = {"states": (PULL_STATES if pulls else ISSUE_STATES)[address.state]}
    if address.labels:
        arguments["labels"] = list(address.labels)
    filters: dict[str, object] = {}
    if address.author:
        filters["createdBy"] = login(address.author)
    if address.assignee:
        filters["assignee"] = None if address.assignee == "none" else address.assignee
    if filters:
        arguments["filterBy"] = filters
    arguments["orderBy"] = {"field": CONNECTION_ORDERS[field], "direction": direction.upper()}
    return arguments


def search(address: Address, milestone: str | None = None) -> str:
    """The text of the search that asks this question. `milestone`: the title, where the Address has a number."""
    parts = [] if address.repository == ANY_REPOSITORY else [f"repo:{address.repository}"]
    parts.append("is:pr" if address.kind == "pulls" else "is:issue")
    if address.repository == ANY_REPOSITORY:
        parts.append("is:public")
    parts += {"open": ["state:open"], "closed": ["state:closed"], "merged": ["is:merged"], "all": []}[address.state]
    parts += [f"label:{quoted(label)}" for label in address.labels]
    if address.author:
        parts.append(f"author:{address.author if PLAIN.fullmatch(address.author) else quoted(address.author)}")
    parts += _or_none("assignee", address.assignee, quote=not PLAIN.fullmatch(address.assignee))
    parts += _or_none("milestone", address.milestone if milestone is None else milestone, quote=True)
    if address.q:
        parts.append(address.q)
    if ORDER.fullmatch(address.order):
        parts.append(f"sort:{address.order}")
    return " ".join(parts)


def rest(address: Address) -> tuple[str, dict[str, str]] | None:
    """Path and parameters of the REST list that holds the answer (see `keeps`); None: only a search does."""
    field, _, direction = address.order.rpartition("-")
    pulls = address.kind == "pulls"
    if address.repository == ANY_REPOSITORY or address.q or direction not in ("asc", "desc"):
        return None
    if field not in (("created", "updated", *REST_ONLY_ORDERS) if pulls else CONNECTION_ORDERS):
        return None
    if pulls and (address.labels or address.author or address.assignee or address.milestone):
        return None
    if any("," in label for label in address.labels):  # the comma is REST's separator
        return None
    if address.milestone and milestone_number(address) is None and address.milestone not in ("*", "none"):
        return None
    state = "closed" if address.state == "merged" else address.state
    parameters = {"state": state, "sort": field, "direction": direction, "per_page": "100"}
    if address.labels:
        parameters["labels"] = ",".join(address.labels)
    if address.author:
        parameters["creator"] = login(address.author)
    for name in ("assignee", "milestone"):
        if value := getattr(address, name):
            parameters[name] = value
    return f"/repos/{address.repository}/{address.kind}", parameters


def only_rest(address: Address) -> bool:
    """Whether no GraphQL question gives this order."""
    return address.order.rpartition("-")[0] in REST_ONLY_ORDERS and rest(address) is not None


def login(author: str) -> str:
    """An author as filters of lists want it: bots as name[bot]."""
    return f"{author.removeprefix('app/')}[bot]" if author.startswith("app/") else author


def quoted(value: str) -> str:
    """A value of a search qualifier, in quotes that it cannot leave."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _or_none(name: str, value: str, *, quote: bool) -> list[str]:
    if not value:
        return []
    if value == "none":
        return [f"no:{name}"]
    return [f"{name}:{value if value == '*' or not quote else quoted(value)}"]
