"""Paths of GitHub's REST API -> Addresses. A path is what follows https://api.github.com."""

from __future__ import annotations

from rg_core.address.found import NoAddress
from rg_core.address.model import Address, decode
from rg_core.address.parts import of_rest

TYPE_CHECKING = False
if TYPE_CHECKING:
    Parameters = dict[str, str]

PER_PAGE = 30
MAX_PER_PAGE = 100
DEFAULT_REFS = frozenset({"", "HEAD", "main", "master", "refs/heads/main", "refs/heads/master"})
# Parameters that do not narrow a listing.
_PAGING = frozenset({"per_page", "page", "sort", "direction", "state", "order", "advanced_search", "search_type"})


def of_path(path: str, parameters: Parameters, *, everything: bool = False, left: tuple[str, ...] = ()) -> Address:
    """The Address of a REST path, e.g. repos/a/b/issues/5/comments.

    Args:
        path: what follows the host.
        parameters: of the query.
        everything: gh's --paginate.
        left: the fields that are shown of the answer (rg_core.address.piped).

    Raises:
        NoAddress: for a path that is not an item, a repository or a listing.
        ValueError: for a name GitHub does not allow.
    """
    words = steps(path.strip("/"))
    address = _address(path, words, parameters, everything)
    part = "/".join(words[5:]) if address.kind == "item" else ""
    if address.kind == "repository" and words[3:] == ["contents"]:
        part = "files"
    if words[0] == "search":
        left = tuple(name for name in left if name != "items")
    address.asked = of_rest("review" + part if words[3:4] == ["pulls"] and part == "comments" else part, left)
    return address


def _address(path: str, words: list[str], parameters: Parameters, everything: bool) -> Address:
    match words:
        case ["repos", owner, name]:
            return Address("repository", f"{owner}/{name}")
        case ["repos", owner, name, "issues" | "pulls", number, *_] if number.isdecimal():
            return Address("item", f"{owner}/{name}", number=as_number(number))
        case ["repos", owner, name, "issues"]:
            return _issues(f"{owner}/{name}", parameters, everything)
        case ["repos", owner, name, "pulls"]:
            return _pulls(f"{owner}/{name}", parameters, everything)
        case ["repos", owner, name, "readme"] | ["repos", owner, name, "contents"]:
            return _home(f"{owner}/{name}", parameters)
        case ["repos", owner, name, "contents", file] if is_readme(file):
            return _home(f"{owner}/{name}", parameters)
        case ["search", "issues"]:
            return _search(parameters, everything)
    raise NoAddress(f"/{path.strip('/')[:80]} is no repository, issue, pull request or listing of them")


def steps(path: str) -> list[str]:
    """The parts of a path, decoded.

    Raises:
        NoAddress: for a path that climbs: what it leads to is not what it begins with.
        ValueError: for a percent escape that is not UTF-8.
    """
    parts = [decode(part) for part in path.split("/")]
    if any(step in (".", "..") for part in parts for step in part.replace("\\", "/").split("/")):
        raise NoAddress("a path with . or .. steps")
    return parts


def as_number(digits: str) -> int:
    """The number of an item; digits beyond any number GitHub has raise ValueError when the Address is built."""
    return int(digits) if digits.isascii() and len(digits) <= 12 else 0


def is_readme(name: str) -> bool:
    """Whether a file of the root directory is the README; a translation (README.fr.md) is another file."""
    stem, _, extension = name.lower().partition(".")
    return stem == "readme" and "." not in extension


def depth(parameters: Parameters, size: str = "per_page", page: str = "page") -> int:
    """How many members the caller has asked for by this page: page N of M asks for the first N x M."""
    return _count(parameters.get(size), PER_PAGE, MAX_PER_PAGE) * _count(parameters.get(page), 1, 1000)


def _count(text: str | None, default: int, most: int) -> int:
    if text and text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most:
        return int(text)
    return most if text and text.isascii() and text.isdigit() and int(text[:9]) > most else default


def _home(repository: str, parameters: Parameters) -> Address:
    if parameters.get("ref", "") not in DEFAULT_REFS:
        raise NoAddress("the README of a branch or version other than the default")
    return Address("repository", repository)


def _issues(repository: str, parameters: Parameters, everything: bool) -> Address:
    from rg_core.address.github.search import Filters, listing

    filters = Filters(_state(parameters))
    filters.labels = [label for label in parameters.get("labels", "").split(",") if label]
    filters.person("author", parameters.get("creator", ""))
    milestone, assignee = parameters.get("milestone", ""), parameters.get("assignee", "")
    if (milestone and not milestone.isdecimal()) or assignee in ("*", "none"):
        raise NoAddress("a filter by whether something is set, which needs search text")
    filters.milestone = milestone
    filters.person("assignee", assignee)
    _nothing_else(parameters, {"labels", "creator", "assignee", "milestone"})
    return listing("", filters, repository=repository, order=_order(parameters), limit=_limit(parameters, everything))


def _pulls(repository: str, parameters: Parameters, everything: bool) -> Address:
    _nothing_else(parameters, set())
    sort = parameters.get("sort", "created")
    order = _order(parameters, "desc" if sort == "created" else "asc")  # OpenAPI: pulls/list, direction
    limit = _limit(parameters, everything)
    return Address("pulls", repository, state=_state(parameters), order=order, limit=limit)


def _search(parameters: Parameters, everything: bool) -> Address:
    from rg_core.address.github.search import BEST_MATCH, Filters, listing

    sort = parameters.get("sort", "")
    order = f"{sort}-{parameters.get('order', 'desc')}" if sort else BEST_MATCH
    return listing(parameters.get("q", ""), Filters("all"), order=order, limit=_limit(parameters, everything))


def _limit(parameters: Parameters, everything: bool) -> int | None:
    return None if everything else depth(parameters)


def _state(parameters: Parameters) -> str:
    state = parameters.get("state", "open").lower()
    if state not in ("open", "closed", "all"):
        raise NoAddress(f"REST has no state {state[:20]!r}")
    return state


def _order(parameters: Parameters, direction: str = "desc") -> str:
    return f"{parameters.get('sort', 'created')}-{parameters.get('direction', direction)}".lower()


def _nothing_else(parameters: Parameters, structured: set[str]) -> None:
    for name, value in parameters.items():
        if value and name not in _PAGING and name not in structured:
            raise NoAddress(f"filtered by {name[:20]}, which a key cannot hold without search text")
