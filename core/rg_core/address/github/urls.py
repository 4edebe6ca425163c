"""URLs of github.com and api.github.com -> Addresses."""

from __future__ import annotations

import re

from rg_core.address.found import NoAddress, word_set
from rg_core.address.github.api_paths import DEFAULT_REFS, as_number, is_readme, steps
from rg_core.address.model import Address, decode
from rg_core.address.parts import UNTOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rg_core.address.model import Kind

WEB_HOSTS = frozenset({"github.com", "www.github.com", "redirect.github.com"})  # the last: links of update bots
API_HOST = "api.github.com"
WEB_PAGE = 25
MAX_URL = 8192

_URL = re.compile(
    r"(?:(https?)://(?:[^/?#@\s\\]*@)?)?([^/?#:@\s\\]+)(?::(\d*))?(/[^?#]*)?(?:\?([^#]*))?(?:#.*)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_DIFF = re.compile(r"(\d+)(?:\.diff|\.patch)?\Z", re.ASCII)

# First path parts that are pages of the site, not owners.
SITE = word_set(
    "about account accelerator advisories apps blog business careers changelog codespaces"
    " collections contact copilot customer-stories dashboard discussions downloads edu"
    " enterprise enterprises events explore features gist gists git-guides github-copilot"
    " integrations issues join login logout marketplace mcp mobile models new newsletter newsroom"
    " nonprofits notifications open-source organizations orgs partners password_reset personal"
    " premium-support press pricing privacy projects pulls raw readme repositories resources search security"
    " sessions session settings shop showcases signin signup site sitemap solutions spark sponsors stars"
    " styleguide suggestions support team teams terms topics trending users watching"
    " why-github"
)


def of_url(url: str, left: tuple[str, ...] = ()) -> Address:
    """The Address of a URL, with or without its scheme; `left` is what is shown of it (rg_core.address.piped).

    Raises:
        NoAddress: for another site, or a page that is no repository, item or listing.
        ValueError: for a name GitHub does not allow.
    """
    url = url.strip()
    match = _URL.match(url) if len(url) <= MAX_URL else None
    if match is None:
        raise NoAddress("not a URL")
    scheme, host, port, path, query = match.groups()
    host = host.lower().removesuffix(".")
    if port and port != {"http": "80"}.get((scheme or "https").lower(), "443"):
        raise NoAddress(f"a port that is not GitHub's: {port[:6]}")
    if host == API_HOST:
        from rg_core.address.github.api_paths import of_path

        return of_path(path or "", dict(pairs(query or "")), left=left)
    if host not in WEB_HOSTS:
        raise NoAddress(f"{host[:60]} is not github.com")
    address = _web([part.strip() for part in steps(path or "") if part], dict(pairs(query or "")))
    address.asked = address.asked or left
    return address


def pairs(query: str) -> list[tuple[str, str]]:
    """The name=value pairs of a query string.

    Raises:
        ValueError: for a percent escape that is not UTF-8.
    """
    split = (pair.partition("=") for pair in query.split("&")[:200] if pair)
    return [(decode(name.replace("+", " ")), decode(value.replace("+", " "))) for name, _, value in split]


def _web(parts: list[str], parameters: dict[str, str]) -> Address:
    if parts and parts[0].lower() in SITE:
        return _site(parts, parameters)
    if len(parts) < 2:
        raise NoAddress("a user's or organisation's page, not a repository")
    if len(parts) == 2:
        return Address("repository", _name(parts))
    match parts[2:]:
        case [("issues" | "pull") as page, number, *_] if digits := _DIFF.match(number):
            if page == "issues" and not number.isdigit():
                raise NoAddress("no such page")
            item = Address("item", _name(parts), number=as_number(digits[1]))
            item.asked = (UNTOLD,) if len(parts) > 4 or not number.isdigit() else ()  # the diff, the commits, ...
            return item
        case ["issues"]:
            return _listing("issues", parts, parameters)
        case ["pulls"]:
            return _listing("pulls", parts, parameters)
        case ["labels", label]:
            return _listing("issues", parts, parameters, label=label)
        case ["milestone", number] if number.isdecimal():
            return _listing("issues", parts, parameters, milestone=number)
        case ["issues", "created_by", login] | ["issues", "assigned", login]:
            return _listing(
                "issues", parts, parameters, **{"author" if parts[3] == "created_by" else "assignee": login}
            )
        case ["pulls", login] if not login.isdecimal():
            return _listing("pulls", parts, parameters, author=login)
        case ["tree", ref] if ref in DEFAULT_REFS:
            return Address("repository", _name(parts))
        case ["blob" | "blame" as page, ref, file] if ref in DEFAULT_REFS and is_readme(file):
            repository = Address("repository", _name(parts))
            repository.asked = (UNTOLD,) if page == "blame" else ()
            return repository
    raise NoAddress(f"/{'/'.join(parts[2:])[:80]} is no issue, pull request or listing of them")


def _name(parts: list[str]) -> str:
    return f"{parts[0]}/{parts[1].removesuffix('.git')}"


def _site(parts: list[str], parameters: dict[str, str]) -> Address:
    from rg_core.address.github.search import BEST_MATCH, Filters, listing

    kind: Kind = "issues"
    order = BEST_MATCH
    if parts == ["search"]:
        kinds: dict[str, Kind] = {"issues": "issues", "pullrequests": "pulls"}
        if parameters.get("type", "").lower() not in kinds:
            raise NoAddress("a search for something other than issues or pull requests")
        kind = kinds[parameters["type"].lower()]
    elif parts in (["issues"], ["pulls"]):
        kind, order = ("issues" if parts == ["issues"] else "pulls"), "created-desc"
        if not parameters.get("q"):
            raise NoAddress("the page shows each user a different list")
    else:
        raise NoAddress(f"github.com/{parts[0][:40]} is a page of the site, not a repository")
    return listing(parameters.get("q", ""), Filters("all"), kind=kind, order=order, limit=_limit(parameters))


def _listing(
    kind: Kind, parts: list[str], parameters: dict[str, str], *, label: str = "", milestone: str = "", author: str = "",
    assignee: str = "",
) -> Address:  # fmt: skip
    """A listing page: its search if it has one, else the parameters that older links carry, else what is open."""
    from rg_core.address.github.search import Filters, listing

    search = parameters.get("q", "")
    state = parameters.get("state", "open").lower()
    filters = Filters("all" if search else state)
    filters.labels = [name for name in (label, *parameters.get("labels", "").split(",")) if name]
    filters.person("author", author or parameters.get("creator", "") or parameters.get("author", ""))
    filters.person("assignee", assignee or parameters.get("assignee", ""))
    filters.milestone = milestone or parameters.get("milestone", "")
    if not filters.milestone.isdecimal():
        filters.milestone = ""
        if parameters.get("milestone"):
            raise NoAddress("a milestone that is not given by its number")
    order = f"{parameters.get('sort', 'created')}-{parameters.get('direction', 'desc')}"
    return listing(search, filters, repository=_name(parts), kind=kind, order=order, limit=_limit(parameters))


def _limit(parameters: dict[str, str]) -> int:
    page = parameters.get("page") or parameters.get("p") or "1"
    return WEB_PAGE * (int(page) if page.isascii() and page.isdigit() and 1 <= int(page[:6]) <= 1000 else 1)
