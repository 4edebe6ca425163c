"""Arguments of GitHub's MCP server (and of its forerunners) -> Addresses.

Source: github/github-mcp-server v1.10.1 (pkg/github), its releases back to v0.10, and npm
@modelcontextprotocol/server-github 2025.4.8. Calls carry no mark of reading: reads are told by name.
"""

from __future__ import annotations

import re

from rg_core.address.found import NoAddress, word_set
from rg_core.address.model import Address
from rg_core.address.parts import UNTOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Arguments = Mapping[str, Any]

_LISTS = frozenset({"list_issues", "list_pull_requests", "search_issues", "search_pull_requests"})
_OF_REPOSITORY = frozenset({"get_label", "list_label", "list_issue_types", "list_issue_fields", "ui_get"})
_ITEM_TOOLS = word_set(
    "issue_read pull_request_read find_duplicate issue_dependency_read get_issue get_issue_comments list_sub_issues"
    " get_pull_request get_pull_request_diff get_pull_request_files get_pull_request_status get_pull_request_reviews"
    " get_pull_request_comments get_pull_request_review_comments"
)
# By method or tool; what is not here is not kept, or only in part (files come with patches, reviews with states).
_ASKED: Mapping[str, tuple[str, ...]] = {
    "get": (), "get_issue": (), "get_pull_request": (), "get_comments": ("comments",),
    "get_issue_comments": ("comments",), "get_labels": ("labels",),
}  # fmt: skip
MAX_LABELS = 1_000  # in a list, or characters of a text
READS = _LISTS | _OF_REPOSITORY | _ITEM_TOOLS | {"get_file_contents"}
_READING = re.compile(r"(?:get|list|search)_\w+\Z|\w+_read\Z")
_OTHER_FORGES = re.compile(r"gitlab|gitea|forgejo|codeberg|bitbucket|gitee|jira|linear|azure|sourcehut", re.IGNORECASE)
_SERVER = re.compile(r"(?:.*__|MCP:|mcp[._/-]|.*[:/.])", re.IGNORECASE | re.DOTALL)
_RESOURCE = re.compile(r"repo://([^/]+)/([^/]+)(?:/refs/heads/(?:main|master))?/contents(?:/([^/]*))?\Z")
_ORDER_FIELDS = {"CREATED_AT": "created", "UPDATED_AT": "updated", "COMMENTS": "comments"}


def tool_name(name: str) -> str:
    """The tool's own name in the name that a harness gives it, "" for one of another forge's server.

    mcp__github__issue_read, MCP:issue_read, github__issue_read, github-issue_read, github_issue_read and so on.
    """
    if len(name) > 300 or _OTHER_FORGES.search(name):
        return ""
    bare = _SERVER.sub("", name, count=1)
    if bare in READS:
        return bare
    tail = bare.rpartition("-")[2]
    if tail in READS or tail != bare:
        return tail
    # OpenCode: one underscore between server and tool
    return max((read for read in READS if bare.endswith(f"_{read}")), key=len, default=bare)


def of_mcp(tool: str, arguments: Arguments) -> Address:
    """The Address of a call of `tool` (its own name, see tool_name).

    Raises:
        NoAddress: for a write, for what is not kept, and for arguments that name nothing.
        ValueError: for a name or number GitHub does not allow.
    """
    if tool in _LISTS:
        return _listing(tool, arguments)
    if tool == "get_file_contents":
        return _file(arguments)
    if tool in _OF_REPOSITORY and not _has_number(arguments):
        repository = Address("repository", _repository(arguments))
        repository.asked = (UNTOLD,)
        return repository
    if tool in READS or (_READING.match(tool) and _has_number(arguments)):
        item = Address("item", _repository(arguments), number=_number(arguments))
        item.asked = _ASKED.get(_text(arguments, "method") or tool, (UNTOLD,))
        return item
    if _READING.match(tool):
        raise NoAddress(f"{tool[:60]} reads no issue, pull request or repository")
    raise NoAddress(f"{tool[:60]} is no tool that reads GitHub")


def of_resource(uri: str) -> Address:
    """The Address of a resource of GitHub's MCP server, e.g. repo://a/b/contents/README.md.

    Raises:
        NoAddress: for any other resource.
    """
    from rg_core.address.github.api_paths import is_readme

    match = _RESOURCE.match(uri)
    if match is None or (match[3] and not is_readme(match[3])):
        raise NoAddress("no resource that is a repository or its README")
    return Address("repository", f"{match[1]}/{match[2]}")


def _has_number(arguments: Arguments) -> bool:
    return any(name in arguments for name in ("issue_number", "pullNumber", "pull_number", "issueNumber"))


def _number(arguments: Arguments) -> int:
    for name in ("issue_number", "pullNumber", "pull_number", "issueNumber", "number"):
        if name in arguments:
            number = _integer(arguments[name])
            if number is None:
                raise NoAddress(f"{name} is not a number")
            return number
    raise NoAddress("no issue or pull request number is given")


def _integer(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\s*#?[0-9]{1,10}\s*", value, re.ASCII):
        return int(value.strip().lstrip("#"))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(arguments: Arguments, name: str) -> str:
    """A text, "" where there is none.

    Raises:
        NoAddress: for anything else: a list, an object, or one of them written as text.
    """
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or value.lstrip()[:1] in ("[", "{"):
        raise NoAddress(f"{name} is not plain text")
    return value.strip()


def _names(arguments: Arguments, name: str) -> list[str]:
    """A list of names: as such, written as JSON (as some clients send every argument), or with commas.

    Raises:
        NoAddress: for anything else; a name that nobody has would make an empty listing.
    """
    value = arguments.get(name) or []
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{", '"'):
        import json

        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise NoAddress(f"{name} is not a list of names") from None
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or len(names) > MAX_LABELS or not all(isinstance(each, str) for each in names):
        raise NoAddress(f"{name} is not a list of names")
    return [each for each in names if each.strip()]


def _repository(arguments: Arguments) -> str:
    owner, name = _text(arguments, "owner"), _text(arguments, "repo")
    if not owner and name.count("/") == 1:
        return name
    if not (owner and name):
        raise NoAddress("the call names no owner and repo")
    return f"{owner}/{name}"


def _file(arguments: Arguments) -> Address:
    from rg_core.address.github.api_paths import DEFAULT_REFS, is_readme

    path = _text(arguments, "path").strip("/")
    if path not in ("", ".") and not is_readme(path):
        raise NoAddress("code is not kept")
    if (
        _text(arguments, "ref") not in DEFAULT_REFS
        or _text(arguments, "branch") not in DEFAULT_REFS
        or arguments.get("sha")
    ):
        raise NoAddress("the README of a branch or version other than the default")
    repository = Address("repository", _repository(arguments))
    repository.asked = () if is_readme(path) else (UNTOLD,)
    return repository


def _listing(tool: str, arguments: Arguments) -> Address:
    if tool.startswith("search_"):
        return _search(tool, arguments)
    return _issues(arguments) if tool == "list_issues" else _pulls(arguments)


def _search(tool: str, arguments: Arguments) -> Address:
    from rg_core.address.github.search import BEST_MATCH, Filters, listing

    query = next((text.strip() for name in ("query", "q") if isinstance(text := arguments.get(name), str)), "")
    if not query:
        raise NoAddress("a search without a query")
    repository = ""
    if _text(arguments, "owner") and _text(arguments, "repo") and "repo:" not in query.lower():
        repository = _repository(arguments)
    sort = _text(arguments, "sort")
    order = f"{sort}-{_text(arguments, 'order') or 'desc'}" if sort else BEST_MATCH
    return listing(
        query,
        Filters("all"),
        repository=repository,
        kind="pulls" if tool == "search_pull_requests" else "issues",
        kind_is_fixed=True,
        order=order,
        limit=_limit(arguments),
    )


def _issues(arguments: Arguments) -> Address:
    """list_issues: since v0.11 GraphQL (both states, labels ORed, cursors), before that REST (open, labels ANDed)."""
    from rg_core.address.github.search import Filters, any_label, listing

    state = _text(arguments, "state")
    rest = (state and state == state.lower()) or any(name in arguments for name in ("page", "sort", "per_page"))
    _nothing_else(arguments, ("since", "field_filters", "assignee", "milestone", "mentioned", "creator"))
    if state.lower() not in ("", "open", "closed", "all"):
        raise NoAddress(f"list_issues has no state {state[:20]!r}")
    filters = Filters(state.lower() or ("open" if rest else "all"))
    names = _names(arguments, "labels")
    if len({name.lower() for name in names}) > 1 and not rest:
        filters.text.append(any_label(names))
    else:
        filters.labels = names
    if rest:
        order = f"{_text(arguments, 'sort') or 'created'}-{_text(arguments, 'direction') or 'desc'}"
    else:
        field = _ORDER_FIELDS.get(_text(arguments, "orderBy").upper() or "CREATED_AT", "created")
        order = f"{field}-{_text(arguments, 'direction') or 'desc'}"
    limit = None if arguments.get("after") else _limit(arguments)
    return listing("", filters, repository=_repository(arguments), order=order.lower(), limit=limit)


def _pulls(arguments: Arguments) -> Address:
    _nothing_else(arguments, ("head", "base"))
    state = _text(arguments, "state").lower() or "open"
    if state not in ("open", "closed", "all"):
        raise NoAddress(f"list_pull_requests has no state {state[:20]!r}")
    sort = _text(arguments, "sort") or "created"
    direction = _text(arguments, "direction") or ("desc" if sort == "created" else "asc")
    order = f"{sort}-{direction}".lower()
    return Address("pulls", _repository(arguments), state=state, order=order, limit=_limit(arguments))


def _nothing_else(arguments: Arguments, names: tuple[str, ...]) -> None:
    for name in names:
        if arguments.get(name):
            raise NoAddress(f"filtered by {name}, which a key cannot hold without search text")


def _limit(arguments: Arguments) -> int:
    size = _integer(arguments.get("perPage", arguments.get("per_page")))
    page = _integer(arguments.get("page"))
    size = min(size, 100) if size and size > 0 else 30
    return size * (page if page and 0 < page <= 1000 else 1)
